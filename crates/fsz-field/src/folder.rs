//! Folders that files are put in.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::output::{Output, folder, sync_folder};

/// Makes a folder, and those that it lies in, unless it is there.
///
/// # Errors
/// When a file is in its place, or it cannot be made.
pub fn create_folder(path: &Path) -> Result<()> {
    // A slash at the end would hide what is there, and a file may stand where a folder around it is meant.
    for place in path.components().as_path().ancestors() {
        if place.exists() && !place.is_dir() {
            return Err(Error::file(place, "is a file: name a folder"));
        }
        if place.is_symlink() && !place.exists() {
            return Err(Error::file(place, "is a link that leads nowhere: name another folder"));
        }
    }
    fs::create_dir_all(path).map_err(Error::io(path))
}

/// Folders that were made for what is still to come, each behind those that it lies in.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn made() -> MutexGuard<'static, Vec<PathBuf>> {
    MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes folders in which nothing came, for a program that a signal ends.
pub(crate) fn remove_empty() {
    for folder in made().iter().rev() {
        // One that holds something stays.
        let _ = fs::remove_dir(folder);
    }
}

/// A folder that files are put in one after another.
///
/// When it is dropped, the names of those that were are durable. Where it was made for them and holds nothing, it
/// goes again, with the folders that were made for it.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Those that were not there, the innermost first.
    made: Vec<PathBuf>,
}

impl Folder {
    /// The folder of this path, made unless it is there.
    ///
    /// # Errors
    /// When a file is in its place, or it cannot be made.
    pub fn create(path: &Path) -> Result<Folder> {
        let is_new = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let new: Vec<PathBuf> = path.ancestors().take_while(is_new).map(Path::to_owned).collect();
        create_folder(path)?;
        made().extend(new.iter().rev().cloned());
        Ok(Folder { path: path.to_owned(), made: new })
    }

    /// Makes an output in this folder durable and gives it its name. The name itself may be lost until the folder is
    /// dropped: to wait for the disk at every file would take longer than all else where files are small.
    ///
    /// # Errors
    /// As [`Output::commit`].
    pub fn commit(&self, output: Output) -> Result<()> {
        // A link in it leads elsewhere.
        match folder(output.path()) == self.path {
            true => output.commit_in_folder(),
            false => output.commit(),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        made().retain(|folder| !self.made.contains(folder));
        // One that holds something stays, and so do those around it.
        let is_empty = |folder: &&PathBuf| fs::remove_dir(folder).is_ok();
        let gone = self.made.iter().take_while(is_empty).count();
        let left = &self.made[gone..];
        if gone == 0 {
            sync_folder(&self.path);
        }
        left.iter().for_each(|made| sync_folder(folder(made)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_which_nothing_came_goes() {
        let place = tempfile::tempdir().unwrap();
        let [outer, inner] = ["new", "new/inner"].map(|name| place.path().join(name));
        drop(Folder::create(&inner).unwrap());
        assert!(!outer.exists() && place.path().exists());

        create_folder(&outer).unwrap();
        drop(Folder::create(&inner).unwrap());
        assert!(outer.exists() && !inner.exists());

        // What was there before stays.
        drop(Folder::create(&outer).unwrap());
        assert!(outer.exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_in_its_place_is_told() {
        let place = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| place.path().join(name));
        fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        let device = PathBuf::from("/dev/null");
        for (path, words) in
            [(file, "is a file"), (device, "is a file"), (link, "is a link that leads nowhere")]
        {
            for behind in ["", "/", "/inner", "/inner/folder/"] {
                let named = format!("{}{behind}", path.display());
                let told = create_folder(Path::new(&named)).unwrap_err().to_string();
                assert_eq!(told.split(": ").next().map(Path::new), Some(&*path), "{told}");
                assert!(told.contains(words), "{told}");
            }
        }
    }

    #[test]
    fn a_folder_in_which_something_came_stays() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("new/inner/file");
        let folder = Folder::create(file.parent().unwrap()).unwrap();
        let mut output = Output::create(&file, false).unwrap();
        output.put(b"whole").unwrap();
        folder.commit(output).unwrap();
        drop(folder);
        assert_eq!(fs::read(&file).unwrap(), b"whole");
    }
}
