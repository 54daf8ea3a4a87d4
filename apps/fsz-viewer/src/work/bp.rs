//! ADIOS2 files: which variables and steps there are, and one step of one of them as a document.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail, ensure};
use fsz::{Progress, Stream};
use fsz_field::bp::{BlockInfo, Bp, Payload, ShapeKind, VariableInfo};

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
    let marks: Vec<_> = variables.iter().filter_map(|v| marks(&file, v)).collect();
    let marks = |steps: u64| {
        let fitting = marks.iter().filter(|(_, marks)| marks.len() as u64 == steps);
        fitting.min_by_key(|(rank, _)| *rank).map_or_else(|| [].into(), |(_, marks)| marks.clone())
    };
    let mut shown: Vec<_> = variables
        .into_iter()
        .filter(|v| matches!(v.dtype.name(), "f32" | "f64") && v.steps > 0)
        .collect();
    // What is opened first is what can be shown: several local arrays of a step cannot.
    shown.sort_by_key(|v| v.kind == ShapeKind::LocalArray);
    let entries: Vec<Entry> = shown
        .into_iter()
        .map(|v| Entry { marks: marks(v.steps), name: v.name, steps: v.steps })
        .collect();
    ensure!(!entries.is_empty(), "{}: no variable of type float or double", path.display());
    Ok(Catalog { path: path.to_owned(), entries })
}

/// Names of single values that tell steps apart, those that do so best first.
const MARKS: [&str; 6] = ["step", "iteration", "timestep", "time_step", "time", "t"];

/// The values of a variable as marks of its steps, and its place in [`MARKS`]; none where it is no such variable, or has a
/// value twice.
fn marks(file: &Bp, variable: &VariableInfo) -> Option<(usize, Arc<[OsString]>)> {
    let name = variable.name.to_lowercase();
    let rank = MARKS.iter().position(|mark| *mark == name)?;
    let value = |step| -> Option<f64> {
        let all = file.blocks(&variable.name, step).ok()?.blocks;
        let [block] = &all[..] else { return None };
        block.range.filter(|(low, high)| block.is_value() && low == high).map(|(value, _)| value)
    };
    let values = (0..variable.steps).map(value).collect::<Option<Vec<f64>>>()?;
    let marks: Vec<OsString> =
        values.iter().map(|value| format!("{name} {value:e}").into()).collect();
    let distinct: HashSet<&OsString> = marks.iter().collect();
    (distinct.len() == marks.len()).then(|| (rank, marks.into()))
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
        // A local array has no shape; of a global one the only block may be a part.
        let is_whole = |count| step_blocks.shape.is_empty() || step_blocks.shape == count;
        if matches!(&blocks[..], [only] if is_whole(&only.count[..])) {
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
    let all = step_blocks.blocks.len();
    if all > 1 && file.variable(name)?.kind == ShapeKind::LocalArray {
        let file = path.display();
        bail!(
            "{file}: {name} consists of {all} local arrays, which the viewer does not show; fsz extract --block N \
             writes one of them into a file"
        );
    }
    let field = file.read(name, step, None);
    let field = field.map_err(|e| reason.unwrap_or_else(|| e.into()))?;
    let mut document = Document::of_decoded(title, path, field);
    document.decoded_bound = bound;
    Ok(document)
}

#[cfg(test)]
mod tests {
    use adios2::{Adios, Layout, Mode};

    use super::*;

    /// A file of a field and the steps of its simulation that it was written in.
    fn written(folder: &Path, name: &str, steps: &[i64]) -> Catalog {
        let io = Adios::new().unwrap().declare_io(name).unwrap();
        let field = io.define_variable::<f32>("T", &Layout::whole(&[4])).unwrap();
        let step = io.define_variable::<i64>("step", &Layout::Value).unwrap();
        let path = folder.join(name);
        let mut out = io.open(&path, Mode::Write).unwrap();
        for number in steps {
            out.begin_step(None).unwrap();
            out.put(&field, &[*number as f32; 4]).unwrap();
            out.put(&step, &[*number]).unwrap();
            out.end_step().unwrap();
        }
        out.close().unwrap();
        catalog(&path).unwrap()
    }

    #[test]
    fn steps_of_two_files_go_together_by_their_numbers() {
        let folder = tempfile::TempDir::new().unwrap();
        let of = |name, steps: &[i64]| written(folder.path(), name, steps);
        let all = of("all.bp", &[0, 10, 20, 30]);
        let some = of("some.bp", &[0, 20, 30]);
        let choice = |step| Choice { variable: "T".into(), step };
        let pairs = [0, 1, 2].map(|step| all.pair(&some, &choice(step)).map(|found| found.step));
        assert_eq!(pairs, [Some(0), Some(2), Some(3)]);
        assert_eq!(some.pair(&all, &choice(1)), None, "it lacks step 10");
        // A number that does not tell steps apart is none, and the place counts.
        let same = of("same.bp", &[5, 5, 5]);
        assert_eq!(all.pair(&same, &choice(1)), Some(choice(1)));
    }
}
