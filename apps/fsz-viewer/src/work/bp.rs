//! ADIOS2 files: which variables and steps there are, and one step of one of them as a document.

use std::path::Path;

use anyhow::{Result, anyhow, ensure};
use fsz::{Progress, Stream};
use fsz_field::bp::{BlockInfo, Bp, Payload};

use crate::model::catalog::{Catalog, Choice, Entry};
use crate::model::document::Document;
use crate::model::stream_facts::StreamFacts;

/// The variables of a file that can be shown.
///
/// # Errors
/// When there is no ADIOS2, no such file, or nothing to show in it.
pub fn catalog(path: &Path) -> Result<Catalog> {
    let file = Bp::open(path)?;
    let variables = file.variables()?;
    let entries: Vec<Entry> = variables
        .into_iter()
        .filter(|v| matches!(v.dtype.name(), "f32" | "f64") && v.steps > 0)
        .map(|v| Entry { name: v.name, steps: v.steps, files: [].into() })
        .collect();
    ensure!(!entries.is_empty(), "{}: no variable of type float or double", path.display());
    Ok(Catalog { path: path.to_owned(), entries })
}

/// One step of a variable. ADIOS2 blocks that are FSZ streams are not decoded; where they do not make
/// up one array, ADIOS2 puts their values together.
///
/// # Errors
/// When there is no such step, it cannot be decoded, or `progress` is cancelled.
pub fn open(path: &Path, choice: &Choice, progress: &Progress) -> Result<Document> {
    let file = Bp::open(path)?;
    let (name, step) = (choice.variable.as_str(), choice.step);
    let title = format!(
        "{} {name} step {step}",
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy()
    );
    let step_blocks = file.blocks(name, step)?;
    let blocks: Vec<_> = step_blocks.blocks.iter().filter(|b| b.elements() > 0).collect();
    let payload = |block: &BlockInfo| -> Result<Option<Stream<'static>>> {
        let Payload::Stream(bytes) = file.payload(name, step, block.id)? else {
            return Ok(None);
        };
        let stream = Stream::from_vec(bytes);
        stream.map(Some).map_err(|e| anyhow!("{title}: block {}: {e}", block.id))
    };
    // Without the operator there are no payloads, and variables that were not compressed are read as ever.
    let first = blocks.first().map_or(Ok(None), |block| payload(block));
    let (first, reason) = first.map_or_else(|reason| (None, Some(reason)), |first| (first, None));
    let mut bound = None;
    if let Some(stream) = first {
        if blocks.len() == 1 {
            return Document::from_stream(title, path, stream);
        }
        let mut parts = Vec::new();
        let mut first = Some(stream);
        for block in &blocks {
            progress.check()?;
            let stream = first.take().map_or_else(|| payload(block), |first| Ok(Some(first)))?;
            // Values that were not compressed keep any bound.
            let Some(stream) = stream else { continue };
            bound = StreamFacts::of(&stream).bounds().chain(bound).reduce(f64::max);
            parts.extend(block.start.clone().map(|start| (start, stream)));
        }
        if parts.len() == blocks.len()
            && let Some(document) =
                Document::from_blocks(title.clone(), path, &step_blocks.shape, parts)
                    .map_err(|e| anyhow!("{title}: {e}"))?
        {
            return Ok(document);
        }
    }
    progress.check()?;
    let field = file.read(name, step, None);
    let field = field.map_err(|e| reason.unwrap_or_else(|| e.into()))?;
    let mut document = Document::of_values(title, path, field);
    document.decoded_bound = bound;
    Ok(document)
}
