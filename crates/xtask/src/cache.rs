//! The user's cache folder, where set-up keeps what it downloads.

use anyhow::{Context, Result};
use std::fs::{self, File, TryLockError};
use std::path::PathBuf;

/// `$FSZ_CACHE`, else `$XDG_CACHE_HOME/fsz`, else `~/.cache/fsz`.
pub fn folder() -> Result<PathBuf> {
    let var = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let folder = var("FSZ_CACHE")
        .or_else(|| var("XDG_CACHE_HOME").map(|d| d.join("fsz")))
        .or_else(|| var("HOME").map(|d| d.join(".cache").join("fsz")))
        .context("no cache folder: set FSZ_CACHE to a folder that may be written")?;
    // Virtual environments hold absolute paths, so a relative folder would break them.
    std::path::absolute(&folder).with_context(|| format!("{}", folder.display()))
}

/// Held while the cache is written, so that two set-ups at once take turns. Dropping it lets go.
pub fn lock() -> Result<File> {
    lock_of("setup")
}

/// The same of what is built for minutes, apart from all else: other set-ups need not wait for it.
pub fn lock_of(entry: &str) -> Result<File> {
    let folder = folder()?;
    fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}; FSZ_CACHE names another", folder.display()))?;
    let path = folder.join(format!("{entry}.lock"));
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    // One that is held must not be asked for again: on some systems that never ends.
    let locked = match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            println!("waiting for another set-up to finish");
            file.lock()
        }
        Err(TryLockError::Error(reason)) => Err(reason),
        Ok(()) => Ok(()),
    };
    locked.with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}
