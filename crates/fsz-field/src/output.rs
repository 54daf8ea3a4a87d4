//! Files that appear whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Temporary files of outputs that are neither committed nor dropped.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary files of all outputs that are being written; for a program about to end
/// on a signal.
pub fn remove_unfinished() {
    let unfinished = std::mem::take(&mut *lock());
    for path in unfinished {
        // Nothing is left to do about a file that cannot be removed.
        let _ = fs::remove_file(path);
    }
}

fn lock() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    // A list of paths is whole even if a thread panicked while it held the lock.
    UNFINISHED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A file being written under a temporary name beside its final one.
///
/// [`commit`](Self::commit) makes it durable and gives it its name; an output that is dropped
/// leaves nothing behind. What is not a regular file (`/dev/null`, a pipe) is written to directly.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    file: File,
    /// `None` when the file is written to directly, and once it has its name.
    temporary: Option<PathBuf>,
    force: bool,
}

impl Output {
    /// Begins a file that is to be named `path`.
    ///
    /// # Errors
    /// When it exists and `force` is not set, or its folder cannot be written to.
    pub fn create(path: &Path, force: bool) -> Result<Output> {
        // A link is followed, so that the file it points to is replaced and not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let before = fs::metadata(&path).ok();
        match &before {
            Some(there) if there.is_dir() => {
                return Err(Error::file(&path, "a folder: name a file in it"));
            }
            Some(there) if !there.is_file() => {
                let file = OpenOptions::new().write(true).open(&path).map_err(Error::io(&path))?;
                return Ok(Output { path, file, temporary: None, force });
            }
            Some(_) if !force => return Err(Error::Exists { path }),
            _ => {}
        }
        let temporary = temporary_name(&path)?;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&temporary)
            .map_err(Error::io(&path))?;
        lock().push(temporary.clone());
        let output = Output { path, file, temporary: Some(temporary), force };
        if let Some(there) = before {
            output.file.set_permissions(there.permissions()).map_err(Error::io(&output.path))?;
        }
        Ok(output)
    }

    /// The final name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes all bytes.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(Error::io(&self.path))
    }

    /// Makes the file durable and gives it its name.
    ///
    /// # Errors
    /// When the disk is full, or another file took the name meanwhile and `force` is not set.
    pub fn commit(mut self) -> Result<()> {
        let Some(temporary) = self.temporary.clone() else {
            return self.file.flush().map_err(Error::io(&self.path));
        };
        self.file.sync_all().map_err(Error::io(&self.path))?;
        if self.force {
            fs::rename(&temporary, &self.path).map_err(Error::io(&self.path))?;
            self.temporary = None;
        } else {
            self.name_if_free(&temporary)?;
        }
        forget(&temporary);
        sync_folder(&self.path);
        Ok(())
    }

    /// Gives the file its name unless another one has it.
    fn name_if_free(&mut self, temporary: &Path) -> Result<()> {
        // A hard link fails if the name is taken; a rename would replace what has it.
        match fs::hard_link(temporary, &self.path) {
            Ok(()) => Ok(()),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                Err(Error::Exists { path: self.path.clone() })
            }
            // The file system knows no hard links.
            Err(_) if self.path.exists() => Err(Error::Exists { path: self.path.clone() }),
            Err(_) => {
                fs::rename(temporary, &self.path).map_err(Error::io(&self.path))?;
                self.temporary = None;
                Ok(())
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            // The name may be gone already, and there is nobody to tell.
            let _ = fs::remove_file(&temporary);
            forget(&temporary);
        }
    }
}

fn forget(temporary: &Path) {
    lock().retain(|path| path != temporary);
}

/// A hidden name beside `path` that no other output of this or another process uses.
fn temporary_name(path: &Path) -> Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let Some(name) = path.file_name() else {
        return Err(Error::file(path, "not the name of a file"));
    };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    hidden.push(format!(".{}-{count}.part", std::process::id()));
    Ok(path.with_file_name(hidden))
}

/// Makes the new name durable where the system can; the file itself is already.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Some systems cannot open or sync folders; the rename stands all the same.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}
