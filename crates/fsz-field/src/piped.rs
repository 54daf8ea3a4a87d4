//! Inputs that can be read only once, from the beginning: standard input and pipes.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};

/// What stands for standard input.
const STANDARD: &str = "-";

/// What was read of each, as it cannot be read again.
static READ: Mutex<Vec<(PathBuf, Piped)>> = Mutex::new(Vec::new());

/// Whether one of them is waited for.
static WAITING: AtomicBool = AtomicBool::new(false);

/// Whether a thread of this program waits for standard input or for a pipe: nothing but who writes to it can end that.
pub fn waits_for_a_pipe() -> bool {
    WAITING.load(Ordering::SeqCst)
}

enum Piped {
    /// Its first bytes, and what comes behind them.
    Begun(Vec<u8>, Box<dyn Read + Send>),
    /// All of it.
    Whole(Arc<Vec<u8>>),
}

/// Whether something can be read only once.
pub(crate) fn is_piped(path: &Path) -> bool {
    path == Path::new(STANDARD) || is_pipe(path)
}

/// The first bytes of standard input (`-`) or of a pipe, at most so many; None of other files. No more is waited for.
///
/// # Errors
/// When they cannot be read, or standard input is a terminal.
pub(crate) fn start(path: &Path, len: usize) -> Result<Option<Vec<u8>>> {
    with(path, |piped| {
        let all: &[u8] = match piped {
            Piped::Whole(all) => all,
            Piped::Begun(start, rest) => {
                let more = len.saturating_sub(start.len()) as u64;
                rest.by_ref().take(more).read_to_end(start)?;
                start
            }
        };
        Ok(all[..len.min(all.len())].to_vec())
    })
}

/// All bytes of standard input (`-`) or of a pipe, which stay in memory; None of other files.
///
/// # Errors
/// When they cannot be read, or standard input is a terminal.
pub(crate) fn bytes(path: &Path) -> Result<Option<Arc<Vec<u8>>>> {
    with(path, |piped| {
        let all = match piped {
            Piped::Whole(all) => return Ok(Arc::clone(all)),
            Piped::Begun(all, rest) => {
                rest.read_to_end(all)?;
                Arc::new(std::mem::take(all))
            }
        };
        *piped = Piped::Whole(Arc::clone(&all));
        Ok(all)
    })
}

/// Does something with what can be read only once, which is opened by the first call.
fn with<R>(path: &Path, read: impl FnOnce(&mut Piped) -> io::Result<R>) -> Result<Option<R>> {
    if !is_piped(path) {
        return Ok(None);
    }
    let mut all = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let _waiting = Waiting::new();
    let at = match all.iter().position(|(known, _)| known == path) {
        Some(at) => at,
        None => {
            let rest = opened(path)?;
            all.push((path.to_owned(), Piped::Begun(Vec::new(), rest)));
            all.len() - 1
        }
    };
    read(&mut all[at].1).map(Some).map_err(Error::io(path))
}

/// One of them is waited for as long as this lives.
struct Waiting;

impl Waiting {
    fn new() -> Waiting {
        WAITING.store(true, Ordering::SeqCst);
        Waiting
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.store(false, Ordering::SeqCst);
    }
}

fn opened(path: &Path) -> Result<Box<dyn Read + Send>> {
    if path != Path::new(STANDARD) {
        return Ok(Box::new(File::open(path).map_err(Error::io(path))?));
    }
    if io::stdin().is_terminal() {
        return Err(Error::file(path, "standard input is a terminal: pipe a file into it"));
    }
    Ok(Box::new(io::stdin()))
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
