//! A series: all inputs, or all steps of an ADIOS2 file, into a folder, with one range for all of them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fsz::{Bound, Codec, Progress, Stream};
use fsz_field::{Kind, Output, StreamFile};
use fsz_figure::number;
use fsz_metrics::Limit;

use super::fill_value;
use super::range::Range;
use super::steps::{Inputs, Step};
use super::{Args, compress};
use crate::bar::Overall;
use crate::failure::is_interrupt;
use crate::interrupt::Cancellable;
use crate::{limit, region, terminal};

/// How the steps of a series belong together.
#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Series (several inputs, or all steps of an ADIOS2 file, into a folder)"
)]
pub struct SeriesArgs {
    /// With --range or --floor-range: the smallest value of the series, which is then not searched for
    #[arg(long, value_name = "V", requires = "range_max", allow_negative_numbers = true)]
    pub range_min: Option<f64>,
    /// With --range or --floor-range: the largest value of the series
    #[arg(long, value_name = "V", requires = "range_min", allow_negative_numbers = true)]
    pub range_max: Option<f64>,
    /// Keep the steps that an earlier run with the same options completed
    #[arg(long, conflicts_with = "force")]
    resume: bool,
}

impl SeriesArgs {
    /// The range that was given.
    pub fn range(&self) -> Option<Range> {
        Some(Range { min: self.range_min?, max: self.range_max? })
    }
}

/// What stands for standard output, even where something has this name.
const STANDARD_OUTPUT: &str = "-";

/// Whether the output is a folder: then all steps go there, each to a file of its own.
pub fn is_folder(output: &Path) -> bool {
    output != STANDARD_OUTPUT && output.is_dir()
        || output.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// Compresses all steps into the folder.
pub fn run(args: &Args, codec: &Codec, quiet: bool) -> Result<()> {
    // What is wrong with the bound is told before anything is made.
    args.bound_of(args.series.range(), 0.0)?;
    let folder = &args.output;
    if folder == STANDARD_OUTPUT {
        bail!("a series goes to a folder, not to standard output: name one");
    }
    if folder.exists() && !folder.is_dir() {
        bail!("{} is a file: several inputs go to a folder, name one", folder.display());
    }
    let inputs = Inputs::open(args)?;
    let steps = inputs.steps(folder)?;
    let series = Series { args, codec, inputs: &inputs, steps: &steps };
    if !args.force && !args.series.resume {
        series.refuse_existing()?;
    }
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let progress = Progress::new();
    let _cancellable = Cancellable::new(&progress);
    let searched = series.needs_range();
    let bytes: u64 = steps.iter().map(|step| step.bytes).sum();
    let passes = if searched { 2 } else { 1 };
    let (sum, there) = Overall::watch("compressing", passes * bytes, quiet, &progress, |overall| {
        let ranges = if searched { series.ranges(overall)? } else { Vec::new() };
        series.compress(&ranges, overall)
    })
    .inspect_err(|error| {
        if is_interrupt(error) {
            terminal::note(quiet, "completed steps are kept; continue with --resume");
        }
    })?;
    if let Some(remark) = &sum.remark {
        terminal::note(quiet, remark);
    }
    let steps =
        if steps.len() == 1 { "1 step".to_owned() } else { format!("{} steps", steps.len()) };
    let text = format!("{}: {steps}{}, {}", folder.display(), there.text(), sum.text());
    terminal::summary(quiet, false, &text)
}

/// A series that is compressed.
struct Series<'a> {
    args: &'a Args,
    codec: &'a Codec,
    inputs: &'a Inputs<'a>,
    steps: &'a [Step],
}

impl Series<'_> {
    /// Errs when an output exists.
    fn refuse_existing(&self) -> Result<()> {
        match self.steps.iter().find(|step| step.output.exists()) {
            Some(step) => {
                let path = step.output.display();
                bail!("{path} already exists: continue with --resume, or overwrite it with --force")
            }
            None => Ok(()),
        }
    }

    /// Whether the values must be read before the first of them is compressed.
    fn needs_range(&self) -> bool {
        self.args.is_by_range() && self.args.series.range().is_none()
    }

    /// The first pass: the range of each variable over all of its steps.
    fn ranges(&self, overall: &Overall<'_>) -> Result<Vec<(String, Range)>> {
        let mut ranges: Vec<(String, Range)> = Vec::new();
        for step in self.steps {
            overall.next(step.bytes);
            let found = match self.certified(step) {
                Some(range) => range,
                None => {
                    let field = self.inputs.open_step(step, self.codec)?;
                    Range::of(&field, &self.args.missing, overall.progress())?
                }
            };
            match ranges.iter_mut().find(|(variable, _)| *variable == step.variable) {
                Some((_, range)) => range.include(found),
                None => ranges.push((step.variable.clone(), found)),
            }
        }
        Ok(ranges)
    }

    /// The range of a step that an earlier run completed, as its certificate tells it.
    fn certified(&self, step: &Step) -> Option<Range> {
        let file = self.completed(step)?;
        let stream = file.stream().ok()?;
        let certificate = stream.certificate();
        (stream.header().missing == self.args.missing)
            .then_some(Range { min: certificate.min, max: certificate.max })
    }

    /// The stream of a step that an earlier run completed and whose input did not change since.
    fn completed(&self, step: &Step) -> Option<StreamFile> {
        if !self.args.series.resume {
            return None;
        }
        let written = std::fs::metadata(&step.output).ok()?.modified().ok()?;
        // Of one time they may be in either order.
        let fresh = written > self.inputs.modified(step)?;
        if fresh { StreamFile::open(&step.output).ok() } else { None }
    }

    /// The stream of a step that an earlier run completed with the same options.
    fn done(&self, step: &Step, range: Option<Range>) -> Option<StreamFile> {
        let file = self.completed(step)?;
        let header = file.stream().ok()?.header().clone();
        let asked = self.args.profile.profile(self.args.research.research()).ok()?;
        let same_profile = asked.name() == header.profile.name()
            && asked.research() == header.profile.research()
            && self.args.profile.layout.is_none();
        let bound = self.args.bound_of(range, self.args.floor.given(range)?).ok()?;
        let same_bound = match (bound, range) {
            // A stream tells the bound that followed from the range, not the range.
            (Bound::ValueRangeOf { ratio, .. }, Some(range)) => {
                header.bound.kind() == bound.kind()
                    && header.bound.requested() == ratio
                    && range.gives(ratio, header.absolute_bound)
            }
            _ => header.bound == bound,
        };
        let same = same_profile && same_bound && header.missing == self.args.missing;
        (same && self.same_regions(&file, step, bound)?).then_some(file)
    }

    /// Whether the stream of a step has the regions that are asked for.
    fn same_regions(&self, file: &StreamFile, step: &Step, bound: Bound) -> Option<bool> {
        if self.args.regions.is_empty() {
            return file.stream().ok().map(|stream| stream.regions().is_empty());
        }
        let field = self.inputs.open_step(step, self.codec).ok()?;
        let asked = self.args.regions.regions(bound, &field, self.codec).ok()?;
        Some(region::same(&asked, file.stream().ok()?.regions()))
    }

    /// The second pass: compresses what is not there yet. What all streams are together, and what was there.
    fn compress(&self, ranges: &[(String, Range)], overall: &Overall<'_>) -> Result<(Sum, There)> {
        let (mut sum, mut there) = (Sum::default(), There::default());
        for step in self.steps {
            overall.next(step.bytes);
            let found = ranges.iter().find(|(variable, _)| *variable == step.variable);
            let range = self.args.series.range().or(found.map(|(_, range)| *range));
            if let Some(file) = self.done(step, range) {
                sum.add(&file.stream()?);
                there.kept += 1;
                continue;
            }
            there.replaced += usize::from(self.args.series.resume && step.output.exists());
            let field = self.inputs.open_step(step, self.codec)?;
            let field = match field.step() {
                Some(_) => field,
                None => field.with_step(Some(step.number)),
            };
            let options =
                self.args.options(self.codec, &field, range)?.progress(overall.progress().clone());
            let (memory, len) = compress(self.codec, &field, options)?;
            let mut output =
                Output::create(&step.output, self.args.force || self.args.series.resume)?;
            output.put(&memory[..len])?;
            output.commit()?;
            sum.add(&Stream::open(&memory[..len])?);
        }
        Ok((sum, there))
    }
}

/// What became of outputs of an earlier run.
#[derive(Debug, Default)]
struct There {
    kept: usize,
    replaced: usize,
}

impl There {
    fn text(&self) -> String {
        let kept = (self.kept > 0).then(|| format!("{} were there", self.kept));
        let replaced = (self.replaced > 0)
            .then(|| format!("{} replaced: options or inputs changed", self.replaced));
        let all: Vec<String> = kept.into_iter().chain(replaced).collect();
        if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
    }
}

/// What the streams of a series are together.
#[derive(Debug, Default)]
struct Sum {
    raw: u64,
    stored: u64,
    error: f64,
    /// The largest, of bounds of one kind.
    bound: Option<Limit>,
    /// The first about a fill value.
    remark: Option<String>,
}

impl Sum {
    fn add(&mut self, stream: &Stream<'_>) {
        self.raw += stream.raw_bytes();
        self.stored += stream.compressed_bytes();
        self.error = self.error.max(stream.certificate().max_abs_error);
        self.remark = self.remark.take().or_else(|| fill_value::remark(stream));
        let bound = limit::of(stream.header());
        if self.bound.is_none_or(|largest| bound.absolute > largest.absolute) {
            self.bound = Some(bound);
        }
    }

    fn text(&self) -> String {
        format!(
            "{} -> {}, ratio {:.2}, max error {} (bound {})",
            number::bytes(self.raw),
            number::bytes(self.stored),
            self.raw as f64 / self.stored.max(1) as f64,
            number::short(self.error),
            self.bound.map(limit::text).unwrap_or_default(),
        )
    }
}

/// Whether a path is an ADIOS2 file.
pub fn is_bp(path: &Path) -> Result<bool> {
    Ok(Kind::of(path)? == Kind::Bp)
}

/// A name for the file of a step: `/` in variable names is none of a path.
pub fn file_name(variable: &str, step: Option<u64>) -> PathBuf {
    let name = variable.replace(['/', '\\'], "_");
    match step {
        Some(step) => PathBuf::from(format!("{name}.{step:06}.fsz")),
        None => PathBuf::from(format!("{name}.fsz")),
    }
}
