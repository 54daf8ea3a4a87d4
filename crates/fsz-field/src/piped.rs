//! Inputs that can be read only once, from the beginning: standard input and pipes.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use memmap2::{Mmap, MmapMut};

use crate::error::{Error, Result};

/// What was read, as it cannot be read again.
static READ: Mutex<Vec<(PathBuf, Arc<Mmap>)>> = Mutex::new(Vec::new());

/// All bytes of standard input (`-`) or of a pipe, which stay in memory; None of other files.
///
/// # Errors
/// When they cannot be read, or standard input is a terminal.
pub(crate) fn bytes(path: &Path) -> Result<Option<Arc<Mmap>>> {
    let is_standard_input = path == Path::new("-");
    if !is_standard_input && !is_pipe(path) {
        return Ok(None);
    }
    let mut all = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, bytes)) = all.iter().find(|(read, _)| read == path) {
        return Ok(Some(Arc::clone(bytes)));
    }
    if is_standard_input && io::stdin().is_terminal() {
        return Err(Error::file(path, "standard input is a terminal: pipe a file into it"));
    }
    let mut read = Vec::new();
    let ended = match is_standard_input {
        true => io::stdin().lock().read_to_end(&mut read),
        false => File::open(path).and_then(|mut pipe| pipe.read_to_end(&mut read)),
    };
    ended.map_err(Error::io(path))?;
    let map = MmapMut::map_anon(read.len()).and_then(|mut map| {
        map.copy_from_slice(&read);
        map.make_read_only()
    });
    let bytes = Arc::new(map.map_err(Error::io(path))?);
    all.push((path.to_owned(), Arc::clone(&bytes)));
    Ok(Some(bytes))
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.metadata().is_ok_and(|file| file.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_path: &Path) -> bool {
    false
}

/// The bytes of an input, which may be standard input (`-`) or a pipe.
///
/// # Errors
/// When it is not there, or cannot be read.
pub fn input_len(path: &Path) -> Result<u64> {
    match bytes(path)? {
        Some(bytes) => Ok(bytes.len() as u64),
        None => Ok(path.metadata().map_err(Error::io(path))?.len()),
    }
}
