//! A folder of `.fsz` files, or of plain values, as a series: a step each, in the order of their names.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fsz_field::{Hints, streams_in, values_in};

use crate::model::catalog::{Catalog, Choice, Entry};
use crate::model::document::Document;

/// The files of a folder that are steps: streams, or where there is none plain values, as the originals of a series are.
///
/// # Errors
/// When the folder cannot be read.
pub fn steps_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let streams = streams_in(folder)?;
    Ok(if streams.is_empty() { values_in(folder)? } else { streams })
}

/// Whether the steps of a folder are plain values.
pub fn is_of_values(folder: &Path) -> bool {
    let is_stream = |step: &PathBuf| step.extension().is_some_and(|ending| ending == "fsz");
    steps_in(folder).is_ok_and(|steps| steps.first().is_some_and(|first| !is_stream(first)))
}

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
    // A stream and its original have different endings.
    let names = files.iter().filter_map(|file| Some(file.file_stem()?.to_owned())).collect();
    let entries = vec![Entry { name, steps: files.len() as u64, marks: names }];
    let catalog = Catalog { path: folder.to_owned(), entries };
    let choice = catalog.nearest(choice);
    let file = files.get(choice.step as usize).context("the folder has no such step")?;
    Ok((Document::open(file, &Hints::default())?, (catalog, choice)))
}
