//! A series: all inputs, or all steps of an ADIOS2 file, into a folder, with one range for all of them.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use fsz::{Codec, DType, Progress, Stream};
use fsz_field::{Field, Folder, Kind, Output, StreamFile};
use fsz_figure::number;

use super::range::Range;
use super::resume::{self, Kept};
use super::steps::{Inputs, Step};
use super::{Args, coarse, compress, fill_value, missed, twice, unset};
use crate::bar::Overall;
use crate::failure::is_interrupt;
use crate::interrupt::Cancellable;
use crate::output::{refuse_file_name, refuse_standard_output};
use crate::{interrupt, limit, terminal};

const KEPT: &str = "completed steps are kept; continue with --resume";
/// Those of an earlier run may have other options, with which nothing is resumed.
const OVERWRITTEN: &str =
    "completed steps are overwritten, and the others as they were; run it again with --force";

/// How the steps of a series belong together.
#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Series (several inputs, or all steps of an ADIOS2 file, into a folder)"
)]
pub struct SeriesArgs {
    /// With --range or --floor-range: the smallest value of the series, which is then not searched for
    #[arg(long, value_name = "V", requires = "range_max")]
    pub range_min: Option<f64>,
    /// With --range or --floor-range: the largest value of the series
    #[arg(long, value_name = "V", requires = "range_min")]
    pub range_max: Option<f64>,
    /// Keep the steps that an earlier run with the same options completed. Compressed again are steps whose
    /// input or place in the list changed, whose values are damaged, or that are coded like another file than
    /// that of --like; a damaged header is an error. An input also counts as changed after chmod, chown or a
    /// new hard link: only the time of these shows that an older file took its place, as by mv, cp -p or tar.
    /// Streams do not tell their input: of raw and .npy files, and of the last step of each variable of an ADIOS2
    /// file, a few values are compared with the stream's, so that those of another run count as changed if these
    /// differ by more than the bound
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
}

impl SeriesArgs {
    /// The range that was given.
    ///
    /// # Errors
    /// When it is none: NaN would stand for a field without values, whose bound is 0.
    pub fn range(&self) -> Result<Option<Range>> {
        let Some((min, max)) = self.range_min.zip(self.range_max) else { return Ok(None) };
        ensure!(
            min.is_finite() && max.is_finite() && min <= max,
            "--range-min {} --range-max {}: both must be finite, the first not the larger one",
            number::short(min),
            number::short(max)
        );
        Ok(Some(Range { min, max }))
    }
}

/// Compresses all steps into the folder.
pub fn run(args: &Args, codec: &Codec, quiet: bool) -> Result<()> {
    // What is wrong with the bound is told before anything is made.
    let given = args.series.range()?;
    args.floor.check()?;
    // Of f32, whose bounds may be smaller: the type is not known yet.
    args.bound_of(given, args.floor.given(given).unwrap_or(0.0))?.check(DType::F32)?;
    let folder = &args.output;
    refuse_standard_output(folder, "a series")?;
    if folder.exists() && !folder.is_dir() {
        bail!("{} is a file: several inputs go to a folder, name one", folder.display());
    }
    refuse_file_name(folder, args.input.len())?;
    if Kind::of(folder).is_ok_and(|kind| kind == Kind::Bp) {
        bail!("{} is an ADIOS2 file: name another folder", folder.display());
    }
    let inputs = Inputs::open(args)?;
    let steps = inputs.steps(folder)?;
    if let Some(remark) = inputs.misordered() {
        terminal::note(quiet, &remark);
    }
    let kept = match args.series.resume {
        true => resume::find(args, codec, &inputs, &steps)?,
        false => vec![None; steps.len()],
    };
    let is_there = |step: &Step| step.output.exists();
    let left = if args.force && steps.iter().any(is_there) { OVERWRITTEN } else { KEPT };
    let series = Series { args, codec, inputs: &inputs, steps: &steps, kept, given, left, quiet };
    if !args.force && !args.series.resume {
        series.refuse_existing()?;
    }
    let filled = Folder::create(folder)?;
    let progress = Progress::new();
    let _cancellable = Cancellable::new(&progress);
    let searched = series.needs_range();
    let bytes: u64 = steps.iter().map(|step| step.bytes).sum();
    let passes = if searched { 2 } else { 1 };
    let (sum, there) = Overall::watch("compressing", passes * bytes, quiet, &progress, |overall| {
        let ranges = if searched { series.ranges(overall)? } else { Vec::new() };
        series.refuse_other_ranges(&ranges)?;
        series.compress(&ranges, &filled, overall)
    })
    .inspect_err(|error| {
        // Who resumes knows, but for who interrupts.
        let is_news = is_interrupt(error) || !args.series.resume;
        if is_news && steps.iter().any(is_there) {
            terminal::note(quiet, left);
        }
    })?;
    drop(filled);
    let coarse = sum.coarse.iter().flatten();
    let missed = sum.missed_text();
    let others = coarse.chain(&sum.unset).chain(&sum.twice);
    for remark in sum.remark.iter().chain(&missed).chain(others) {
        terminal::note(quiet, remark);
    }
    let steps = terminal::count(steps.len(), "step");
    let text = format!("{}: {steps}{}, {}", folder.display(), there.text(), sum.text());
    terminal::summary(quiet, false, &text)
}

/// A series that is compressed.
struct Series<'a> {
    args: &'a Args,
    codec: &'a Codec,
    inputs: &'a Inputs<'a>,
    steps: &'a [Step],
    /// What is there of each step and may be kept.
    kept: Vec<Option<Kept>>,
    /// The range that was told.
    given: Option<Range>,
    /// What an end on the way leaves.
    left: &'static str,
    quiet: bool,
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
        self.args.is_by_range() && self.given.is_none()
    }

    /// The first pass: the range of each variable over all of its steps.
    fn ranges(&self, overall: &Overall<'_>) -> Result<Vec<(String, Range)>> {
        let mut ranges: Vec<(String, Range)> = Vec::new();
        for (step, kept) in self.steps.iter().zip(&self.kept) {
            let found = match kept {
                Some(kept) if kept.fresh => {
                    overall.next(step.bytes);
                    kept.range
                }
                _ => {
                    let field = self.open(step, overall)?;
                    overall.next(step.bytes);
                    Range::of(&field, overall.progress())?
                }
            };
            match ranges.iter_mut().find(|(variable, _)| *variable == step.variable) {
                Some((_, range)) => range.include(found),
                None => ranges.push((step.variable.clone(), found)),
            }
        }
        Ok(ranges)
    }

    /// The field of a step. Decoding it where it is a stream is not on the bar, but can be cancelled.
    fn open(&self, step: &Step, overall: &Overall<'_>) -> Result<Field> {
        overall.next(0);
        self.inputs.open_step(step, self.codec, overall.progress())
    }

    /// Errs when a stream that is there has a bound of another range, though nothing was added or changed since.
    fn refuse_other_ranges(&self, ranges: &[(String, Range)]) -> Result<()> {
        let is_new = |kept: &Option<Kept>| !kept.is_some_and(|kept| kept.fresh);
        let steps = || self.steps.iter().zip(&self.kept);
        let of_new = steps().filter(|(_, kept)| is_new(kept)).map(|(step, _)| &*step.variable);
        let changed: HashSet<&str> = of_new.collect();
        for (step, kept) in steps() {
            let (Some(kept), Some(range)) = (kept, self.range(step, ranges)) else { continue };
            let as_it_was = self.given.is_some() || !changed.contains(&*step.variable);
            if as_it_was && !kept.is_of(self.args, Some(range)) {
                return Err(kept.of_other_range(self.args, range, step));
            }
        }
        Ok(())
    }

    /// The range that the bound of a step is a share of, where it is one.
    fn range(&self, step: &Step, ranges: &[(String, Range)]) -> Option<Range> {
        let found = ranges.iter().find(|(variable, _)| *variable == step.variable);
        self.given.or(found.map(|(_, range)| *range))
    }

    /// The second pass: compresses what is not there yet. What all streams are together, and what was there.
    fn compress(
        &self,
        ranges: &[(String, Range)],
        folder: &Folder,
        overall: &Overall<'_>,
    ) -> Result<(Sum, There)> {
        let (mut sum, mut there) = (Sum::default(), There::default());
        for (step, kept) in self.steps.iter().zip(&self.kept) {
            let range = self.range(step, ranges);
            if step.output.exists() {
                interrupt::keeps(self.quiet, self.left);
            }
            if kept.is_some_and(|kept| kept.fresh && kept.is_of(self.args, range)) {
                let file = StreamFile::open(&step.output)?;
                let stream = file.stream()?;
                if is_whole(&stream, overall)? {
                    sum.add(&stream);
                    sum.add_own_error(self.inputs.path(step), &stream)?;
                    there.kept += 1;
                    overall.next(step.bytes);
                    continue;
                }
                there.damaged += 1;
            } else if let Some(kept) = kept {
                there.recoded += usize::from(kept.unlike);
                there.replaced += usize::from(!kept.unlike);
            }
            let field = self.open(step, overall)?;
            overall.next(step.bytes);
            let field = match field.step() {
                Some(_) => field,
                None => field.with_step(Some(step.number)),
            };
            let named = || self.inputs.name(step);
            let options = self.args.options(self.codec, &field, range).with_context(named)?;
            let options = options.progress(overall.progress().clone());
            let bytes = compress(self.codec, &field, options).with_context(named)?;
            let mut output =
                Output::create(&step.output, self.args.force || self.args.series.resume)?;
            output.put(&bytes)?;
            folder.commit(output)?;
            interrupt::keeps(self.quiet, self.left);
            let stream = Stream::open(&bytes)?;
            sum.add(&stream);
            sum.add_own_error(self.inputs.path(step), &stream)?;
        }
        Ok((sum, there))
    }
}

/// Whether the payload of a stream is as it was written. Comparing its checksums is not on the bar, but can be cancelled.
fn is_whole(stream: &Stream<'_>, overall: &Overall<'_>) -> Result<bool> {
    overall.next(0);
    match stream.check_payload(overall.progress()) {
        Err(fsz::Error::Corrupt(_)) => Ok(false),
        checked => Ok(checked.map(|()| true)?),
    }
}

/// What became of outputs of an earlier run.
#[derive(Debug, Default)]
struct There {
    kept: usize,
    /// Of inputs that changed since.
    replaced: usize,
    /// Replaced, too: coded like another file than the one that is named now.
    recoded: usize,
    /// Replaced, too.
    damaged: usize,
}

impl There {
    fn text(&self) -> String {
        let all = [
            (self.kept, "kept"),
            (self.replaced, "replaced: inputs changed"),
            (self.recoded, "replaced: --like another file"),
            (self.damaged, "replaced: damaged"),
        ];
        let some = all.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = some.map(|(count, what)| format!("{count} {what}")).collect();
        if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) }
    }
}

/// What the streams of a series are together.
#[derive(Debug, Default)]
struct Sum {
    raw: u64,
    stored: u64,
    error: f64,
    /// Whether any has regions.
    regions: bool,
    /// The largest, of bounds of one kind, and in words, with those of the regions of its step.
    bound: Option<(f64, String)>,
    /// The first about a fill value.
    remark: Option<String>,
    /// The first about a ratio that was missed, and how many steps miss theirs.
    missed: Option<String>,
    misses: usize,
    /// The first about a bound that is too large, while each step has one: some steps may be flat.
    coarse: Option<Option<String>>,
    /// The first about a mask that is set nowhere.
    unset: Option<String>,
    /// The first about an input that was compressed before.
    twice: Option<String>,
}

impl Sum {
    fn add(&mut self, stream: &Stream<'_>) {
        self.raw += stream.raw_bytes();
        self.stored += stream.compressed_bytes();
        self.regions |= !stream.regions().is_empty();
        self.error = self.error.max(stream.certificate().max_abs_error);
        self.remark = self.remark.take().or_else(|| fill_value::remark(stream));
        if let Some(remark) = missed::warning(stream) {
            self.missed.get_or_insert(remark);
            self.misses += 1;
        }
        self.coarse = Some(match (self.coarse.take(), coarse::remark(stream)) {
            (Some(first), Some(_)) => first,
            (None, remark) => remark,
            (_, None) => None,
        });
        self.unset = self.unset.take().or_else(|| unset::remark(stream));
        let bound = limit::of(stream.header()).absolute;
        if self.bound.as_ref().is_none_or(|(largest, _)| bound > *largest) {
            self.bound = Some((bound, limit::of_all(stream)));
        }
    }

    /// Takes in what the input of a stream has for errors.
    fn add_own_error(&mut self, path: &Path, stream: &Stream<'_>) -> Result<()> {
        if self.twice.is_none() {
            self.twice = twice::remark(path, twice::own_error(path)?, stream);
        }
        Ok(())
    }

    fn missed_text(&self) -> Option<String> {
        let first = self.missed.clone()?;
        Some(match self.misses {
            1 => first,
            steps => format!("{first}; so it is in {steps} steps"),
        })
    }

    fn text(&self) -> String {
        format!(
            "{} -> {}, ratio {:.2}, max error {}{} (bound {})",
            number::bytes(self.raw),
            number::bytes(self.stored),
            self.raw as f64 / self.stored.max(1) as f64,
            limit::at_most(self.regions),
            number::short(self.error),
            self.bound.as_ref().map_or("", |(_, text)| text),
        )
    }
}

/// Whether a path is an ADIOS2 file.
pub fn is_bp(path: &Path) -> Result<bool> {
    Ok(Kind::of(path)? == Kind::Bp)
}

/// A name for the file of a variable's step: `/` in variable names is none of a path.
#[cfg(feature = "adios2")]
pub fn file_name(variable: &str, step: u64) -> String {
    let name = variable.replace(['/', '\\'], "_");
    format!("{name}.{step:06}.fsz")
}
