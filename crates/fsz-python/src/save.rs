//! Files that are replaced as a whole, so that streams that are mapped from them keep their bytes.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

/// Writes a file of its own, which then takes the name. Links are followed; what is no regular file, such as a pipe, is
/// written to.
pub fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = match path.canonicalize() {
        Ok(path) => path,
        // It leads to where nothing is yet; the system makes it there, or says why not.
        Err(_) if path.is_symlink() => return fs::write(path, bytes),
        Err(_) => path.to_owned(),
    };
    let before = fs::metadata(&path).ok();
    if before.as_ref().is_some_and(|there| !there.is_file()) {
        return fs::write(&path, bytes);
    }
    let (name, mut file) = beside(&path)?;
    let mut finish = || {
        file.write_all(bytes)?;
        if let Some(there) = &before {
            file.set_permissions(there.permissions())?;
        }
        fs::rename(&name, &path)
    };
    finish().inspect_err(|_| {
        // The failure before is what the caller hears of.
        let _ = fs::remove_file(&name);
    })
}

/// A new file in the same folder, and its name.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = path.with_file_name(format!(".fsz-{}-{number}.part", process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (name, file)),
        }
    }
}
