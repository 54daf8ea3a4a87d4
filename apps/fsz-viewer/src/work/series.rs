//! A folder of `.fsz` files as a series: a step each, in the order of their names.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fsz_field::Hints;

use crate::model::catalog::{Catalog, Choice, Entry};
use crate::model::document::Document;

/// One step of a series.
///
/// # Errors
/// When the file is no field.
pub fn open(
    folder: &Path,
    files: &[PathBuf],
    choice: &Choice,
) -> Result<(Document, (Catalog, Choice))> {
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
    let names = files.iter().filter_map(|file| Some(file.file_name()?.to_owned())).collect();
    let entries = vec![Entry { name, steps: files.len() as u64, marks: names }];
    let catalog = Catalog { path: folder.to_owned(), entries };
    let choice = catalog.nearest(choice);
    let file = files.get(choice.step as usize).context("the folder has no .fsz file")?;
    Ok((Document::open(file, &Hints::default())?, (catalog, choice)))
}
