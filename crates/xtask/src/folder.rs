//! Folders that are made anew.

use anyhow::Result;
use fs_err as fs;
use std::path::Path;

/// Removes a folder, if there is one, with all that is in it.
pub fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// Makes a folder with nothing in it.
pub fn empty(folder: &Path) -> Result<()> {
    remove(folder)?;
    Ok(fs::create_dir_all(folder)?)
}
