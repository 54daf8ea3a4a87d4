//! Every variable, step and ADIOS2 block of an ADIOS2 file.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use fsz::Stream;
use fsz_field::Shape;
use fsz_field::bp::{BlockInfo, Bp, NO_VARIABLES, Payload, ShapeKind, VariableInfo};
use serde::Serialize;

use super::report::Report;
use super::series::{self, Point};
use super::{Args, write_plot};
use crate::patience;
use crate::table::Table;
use crate::terminal;
use fsz_figure::number::{bytes, short};

#[derive(Debug, Serialize)]
struct File {
    variables: Vec<Variable>,
}

#[derive(Debug, Serialize)]
struct Variable {
    name: String,
    dtype: &'static str,
    /// Its ADIOS2 blocks are no parts of a global array, and have shapes of their own.
    #[serde(skip)]
    is_local: bool,
    steps: Vec<Step>,
}

#[derive(Debug, Serialize)]
struct Step {
    step: u64,
    shape: Vec<u64>,
    blocks: Vec<Block>,
}

/// An ADIOS2 block; `storage` is `fsz`, `raw` (by the FSZ operator) or `other`.
#[derive(Debug, Serialize)]
struct Block {
    block: u64,
    start: Option<Vec<u64>>,
    count: Vec<u64>,
    #[serde(skip)]
    is_value: bool,
    storage: &'static str,
    stored_bytes: Option<u64>,
    fsz: Option<Report>,
}

/// Shows a file; exit code 1 when something in it had to be compressed and is not.
pub fn inspect(args: &Args, quiet: bool) -> Result<ExitCode> {
    let bp = Bp::open(args.input())?;
    let mut found = bp.variables()?;
    let names: Vec<&str> = found.iter().map(|v| v.name.as_str()).collect();
    if let Some(missing) = args.variable.iter().find(|name| !names.contains(&name.as_str())) {
        let (path, names) = (args.input().display(), names.join(", "));
        bail!("{path}: no variable {missing}; available: {names}");
    }
    found.retain(|v| args.variable.is_empty() || args.variable.contains(&v.name));
    let variables: Vec<Variable> =
        found.into_iter().map(|v| variable(&bp, args.input(), v)).collect::<Result<_>>()?;
    let file = File { variables };
    let points = file.points();
    if write_plot(args, &points, &args.inputs, quiet)? {
        // The plot is what was asked for.
    } else if args.json {
        terminal::print_json(&file)?;
    } else {
        let (path, table) = (terminal::named(args.input()), file.text()?);
        terminal::print(&format!("{path}\n{table}{}", series::sums(&points)))?;
    }
    if file.variables.is_empty() {
        terminal::note(quiet, &format!("{}: {NO_VARIABLES}", args.input().display()));
    }
    if !args.require_compressed {
        return Ok(ExitCode::SUCCESS);
    }
    if file.variables.is_empty() {
        return Ok(ExitCode::from(1));
    }
    // Whatever is asked for by its name, and else what the operator could compress.
    let asked = |v: &&Variable| !args.variable.is_empty() || v.is_compressible();
    let uncompressed: Vec<String> =
        file.variables.iter().filter(asked).filter_map(Variable::uncompressed).collect();
    for line in &uncompressed {
        terminal::note(quiet, &format!("not compressed: {line}"));
    }
    Ok(if uncompressed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn variable(bp: &Bp, path: &Path, variable: VariableInfo) -> Result<Variable> {
    let is_local = variable.kind == ShapeKind::LocalArray;
    let step = |step: u64| {
        let found = bp.blocks(&variable.name, step)?;
        let block = |info: BlockInfo| block(bp, path, (&variable.name, step), info);
        let blocks = found.blocks.into_iter().map(block).collect::<Result<_>>()?;
        Ok(Step { step, shape: found.shape, blocks })
    };
    let steps = (0..variable.steps).map(step).collect::<Result<_>>()?;
    Ok(Variable { name: variable.name, dtype: variable.dtype.name(), is_local, steps })
}

fn block(bp: &Bp, path: &Path, (name, step): (&str, u64), info: BlockInfo) -> Result<Block> {
    let payload = patience::read(path, || bp.payload(name, step, info.id))?;
    let (storage, stored_bytes, fsz) = match payload {
        Payload::Stream(bytes) => {
            let report = Report::of(&Stream::open(&bytes)?);
            ("fsz", Some(bytes.len() as u64), Some(report))
        }
        Payload::Raw(bytes) => ("raw", Some(bytes.len() as u64), None),
        Payload::NotFsz => ("other", None, None),
    };
    let is_value = info.is_value();
    let (id, start, count) = (info.id, info.start, info.count);
    Ok(Block { block: id, start, count, is_value, storage, stored_bytes, fsz })
}

impl File {
    /// The steps that hold streams.
    fn points(&self) -> Vec<Point> {
        let steps = self.variables.iter().flat_map(|v| v.steps.iter().map(move |step| (v, step)));
        steps.filter_map(|(variable, step)| step.point(&variable.name)).collect()
    }

    /// One line per variable and step.
    fn text(&self) -> Result<String> {
        let mut table =
            Table::new("variable,step,type,shape,ADIOS2 blocks,as FSZ,stored,ratio,bound,error");
        for variable in &self.variables {
            for step in &variable.steps {
                table.row(step.cells(variable)?);
            }
        }
        Ok(table.text())
    }
}

impl Variable {
    /// Whether it is an array of a type that the operator takes.
    fn is_compressible(&self) -> bool {
        let mut blocks = self.steps.iter().flat_map(|step| &step.blocks);
        ["f32", "f64"].contains(&self.dtype) && blocks.any(|block| !block.is_value)
    }

    /// What of it is not compressed, if anything.
    fn uncompressed(&self) -> Option<String> {
        let with_values = || {
            let of = |step: &Step| step.step;
            let all = self.steps.iter().flat_map(move |s| s.blocks.iter().map(move |b| (of(s), b)));
            all.filter(|(_, block)| !block.count.contains(&0))
        };
        let plain: Vec<u64> =
            with_values().filter(|(_, block)| block.fsz.is_none()).map(|(step, _)| step).collect();
        let first = plain.first()?;
        let (some, all) = (plain.len(), with_values().count());
        let name = &self.name;
        Some(format!("{name}: {some} of {all} ADIOS2 blocks, from step {first}"))
    }
}

impl Step {
    /// What its streams are together; none where it has none.
    fn point(&self, variable: &str) -> Option<Point> {
        let streams: Vec<&Report> = self.blocks.iter().filter_map(|b| b.fsz.as_ref()).collect();
        let largest = |of: fn(&Report) -> f64| streams.iter().map(|s| of(s)).fold(0.0, f64::max);
        (!streams.is_empty()).then(|| Point {
            variable: terminal::shown(variable),
            step: self.step,
            place: format!("at step {}", self.step),
            raw: streams.iter().map(|s| s.raw_bytes).sum(),
            stored: streams.iter().map(|s| s.compressed_bytes).sum(),
            error: largest(|s| s.certificate.max_abs_error),
            is_limit: streams.iter().any(|s| s.has_regions()),
            bound: largest(|s| s.bound.absolute),
        })
    }

    fn cells(&self, variable: &Variable) -> Result<[String; 10]> {
        let point = self.point(&variable.name);
        let streams = self.blocks.iter().filter(|b| b.fsz.is_some()).count();
        let told = |text: fn(&Point) -> String| point.as_ref().map_or_else(|| "-".to_owned(), text);
        Ok([
            variable.name.clone(),
            self.step.to_string(),
            variable.dtype.to_owned(),
            if variable.is_local {
                "local".to_owned()
            } else {
                Shape::new(&self.shape)?.to_string()
            },
            self.blocks.len().to_string(),
            streams.to_string(),
            told(|p| bytes(p.stored)),
            told(|p| format!("{:.2}", p.ratio())),
            told(|p| short(p.bound)),
            told(|p| short(p.error)),
        ])
    }
}
