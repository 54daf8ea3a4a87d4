//! Files to documents.

use std::path::Path;

use anyhow::Result;
use fsz::Progress;
use fsz_field::Hints;

use crate::model::catalog::{Catalog, Choice};
use crate::model::document::Document;
use crate::work::series;

/// Opens a file, a step of a variable or of a folder; of one with several, also what there is to choose and what was
/// chosen.
///
/// # Errors
/// When it cannot be read, or `progress` is cancelled.
pub fn opened(
    path: &Path,
    hints: &Hints,
    choice: &Choice,
    progress: &Progress,
) -> Result<(Document, Option<(Catalog, Choice)>)> {
    progress.check()?;
    if path.is_dir() {
        let files = series::steps_in(path)?;
        if !files.is_empty() {
            let (document, catalog) = series::open(path, &files, choice)?;
            return Ok((document, Some(catalog)));
        }
    }
    if !matches!(fsz_field::Kind::of(path), Ok(fsz_field::Kind::Bp)) {
        return Ok((Document::open(path, hints)?, None));
    }
    #[cfg(feature = "adios2")]
    {
        let catalog = crate::work::bp::catalog(path)?;
        let choice = catalog.nearest(choice);
        Ok((crate::work::bp::open(path, &choice, progress)?, Some((catalog, choice))))
    }
    #[cfg(not(feature = "adios2"))]
    anyhow::bail!(
        "{}: this build cannot read ADIOS2 files; build the viewer with --features adios2",
        path.display()
    )
}

/// Whether a file cannot be looked at before it is read to its end, which the window does not wait for: a pipe.
pub fn is_read_once(path: &Path) -> bool {
    let found = path.metadata();
    path == Path::new("-") || found.is_ok_and(|found| !found.is_file() && !found.is_dir())
}
