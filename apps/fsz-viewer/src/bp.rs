//! ADIOS2 files: which variables and steps there are, and one step of one of them as a document.

use std::path::Path;

use fsz::Stream;
use fsz_field::bp::{Bp, Payload};

use crate::catalog::{Catalog, Choice, Entry};
use crate::document::{Document, Result};

/// The variables of a file that can be shown.
///
/// # Errors
/// When there is no ADIOS2, no such file, or nothing to show in it.
pub fn catalog(path: &Path) -> Result<Catalog> {
    let file = Bp::open(path).map_err(|e| e.to_string())?;
    let variables = file.variables().map_err(|e| e.to_string())?;
    let entries: Vec<Entry> = variables
        .into_iter()
        .filter(|v| matches!(v.dtype.name(), "f32" | "f64") && v.steps > 0)
        .map(|v| Entry { name: v.name, steps: v.steps })
        .collect();
    match entries.is_empty() {
        true => Err(format!("{}: no variable of float or double", path.display())),
        false => Ok(Catalog { path: path.to_owned(), entries }),
    }
}

/// One step of a variable. A single ADIOS2 block that is an FSZ stream is not decoded; several are,
/// and put together to the global array.
///
/// # Errors
/// When there is no such step, or it cannot be decoded.
pub fn open(path: &Path, choice: &Choice) -> Result<Document> {
    let file = Bp::open(path).map_err(|e| e.to_string())?;
    let (name, step) = (choice.variable.as_str(), choice.step);
    let title = format!(
        "{} {name} step {step}",
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy()
    );
    let blocks = file.blocks(name, step).map_err(|e| e.to_string())?.blocks.len();
    let payload = file.payload(name, step, 0).map_err(|e| e.to_string())?;
    if let (Payload::Stream(bytes), 1) = (&payload, blocks) {
        let stream = Stream::from_vec(bytes.clone()).map_err(|e| format!("{title}: {e}"))?;
        return Document::from_stream(title, path, stream);
    }
    let field = file.read(name, step, None).map_err(|e| e.to_string())?;
    let mut document = Document::of_values(title, path, field);
    if let Payload::Stream(bytes) = &payload {
        let stream = Stream::open(bytes).map_err(|e| e.to_string())?;
        document.decoded_bound = Some(stream.info().header().absolute_bound);
    }
    Ok(document)
}
