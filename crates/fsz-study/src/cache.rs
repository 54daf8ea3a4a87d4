//! Records of fields, kept in the study's folder, so that an interrupted study can go on.

use std::fs::{DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Result;
use fsz_field::{Output, create_folder};

use crate::record::FieldRecord;

/// Folder of the records, in the study's.
const FOLDER: &str = "fields";

/// The records in a study's folder.
#[derive(Debug)]
pub struct Cache(PathBuf);

impl Cache {
    /// The records of the study in this folder.
    pub fn new(study: &Path) -> Cache {
        Cache(study.join(FOLDER))
    }

    /// The record of this name, if there is one with this [key](crate::Plan::key).
    pub fn get(&self, name: &str, key: &str) -> Option<FieldRecord> {
        // What is not there, or was written by another version, is measured again.
        let text = std::fs::read_to_string(self.file(name)).ok()?;
        toml::from_str(&text).ok().filter(|record: &FieldRecord| record.key == key)
    }

    /// Whether there is something of this name, with whichever key.
    pub fn has(&self, name: &str) -> bool {
        self.file(name).exists()
    }

    /// Keeps a record.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn put(&self, record: &FieldRecord) -> Result<()> {
        let text = toml::to_string(record)?;
        create_folder(&self.0)?;
        let mut output = Output::create(&self.file(&record.name), true)?;
        output.put(text.as_bytes())?;
        Ok(output.commit()?)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.toml"))
    }
}

/// What tells an input from another one, and from itself once it has changed. One that cannot be looked at again, such as
/// standard input, is like no other.
pub fn fingerprint(path: &Path) -> String {
    let found = path.canonicalize().and_then(|path| Ok((states(&path)?, path)));
    match found {
        Ok((states, path)) => format!("{} {}", path.display(), states.join(" ")),
        Err(_) => format!("{:?}", SystemTime::now()),
    }
}

/// Length and time of a file, or of a folder and what it holds, as an ADIOS2 file is one.
fn states(path: &Path) -> io::Result<Vec<String>> {
    let state = |data: Metadata| {
        let changed = data.modified()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Ok(format!("{} {}", data.len(), changed.as_nanos()))
    };
    let mut all = vec![state(path.metadata()?)?];
    if path.is_dir() {
        let parts: io::Result<Vec<_>> = path.read_dir()?.collect();
        let mut parts = parts?;
        parts.sort_by_key(DirEntry::file_name);
        let parts: io::Result<Vec<_>> = parts.iter().map(|part| state(part.metadata()?)).collect();
        all.extend(parts?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_input_that_changed_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let (file, steps) = (folder.path().join("T.f32"), folder.path().join("T.bp"));
        fs::write(&file, "1234").unwrap();
        fs::create_dir(&steps).unwrap();
        fs::write(steps.join("data.0"), "1234").unwrap();
        for (input, part) in [(&file, &file), (&steps, &steps.join("data.0"))] {
            let before = fingerprint(input);
            assert_eq!(fingerprint(input), before);
            fs::write(part, "12345678").unwrap();
            assert_ne!(fingerprint(input), before, "{}", input.display());
        }
        let input = Path::new("-");
        assert_ne!(fingerprint(input), fingerprint(input));
    }
}
