//! Records of fields, kept in the study's folder, so that an interrupted study can go on.

use std::io;
use std::path::{Path, PathBuf};

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

/// What tells a file from another one, and from itself once it has changed.
///
/// # Errors
/// When the file cannot be found.
pub fn fingerprint(path: &Path) -> io::Result<String> {
    let data = path.metadata()?;
    let changed = data.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{} {} {}", path.canonicalize()?.display(), data.len(), changed.as_nanos()))
}
