//! `fsz bench --backend cuda`: the codec's kernels beside the bandwidth of the device's memory.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fsz::{Bound, Codec, Element, Profile, Progress, Stream, max_compressed_len};
use fsz_bench::{DeviceBench, Roofline, median};
use fsz_field::with_values;
use fsz_metrics::Sample;
use fsz_study::{Peer, Shares};

use super::case::Case;
use super::{Args, show};
use crate::bar;
use crate::interrupt::Cancellable;
use crate::source::{SourceArgs, check_field};

mod found;
mod paper;
mod peer;
mod report;

pub use report::Report;

/// Bytes that the measures of the memory move: enough that no cache holds them.
const ROOFLINE_BYTES: u64 = 1 << 30;

/// What to measure.
#[derive(Debug)]
pub struct Plan<'a> {
    pub fields: &'a [PathBuf],
    pub source: &'a SourceArgs,
    /// Fields are repeated to about so many bytes.
    pub bytes: u64,
    pub bounds: &'a [Bound],
    pub profiles: &'a [Profile],
    pub missing: &'a [f64],
    /// The paper's kernels too.
    pub reference: bool,
    pub peers: &'a [Peer],
    /// The device's number.
    pub device: usize,
    /// Measured runs.
    pub repeat: usize,
    /// Ends programs of peers when it is cancelled.
    pub progress: &'a Progress,
}

/// Bytes of a field, and measured runs, where none are asked for.
pub const USUAL_BYTES: u64 = 1_024_000_000;
pub const USUAL_REPEAT: u32 = 20;

/// Measures and shows.
pub fn run(args: &Args, quiet: bool) -> Result<()> {
    let peers = args.peers()?;
    args.fields.iter().try_for_each(|path| check_field(path, &args.source, "--target-mb"))?;
    let outputs = args.outputs()?;
    let progress = Progress::new();
    let _cancellable = (!peers.is_empty()).then(|| Cancellable::new(&progress));
    let report = measure(
        &Plan {
            fields: &args.fields,
            source: &args.source,
            bytes: args.bytes(USUAL_BYTES / 1_000_000),
            bounds: &args.bounds(&[1e-2, 1e-3, 1e-4]),
            profiles: &args.profiles(),
            missing: &args.missing,
            reference: args.reference,
            peers: &peers,
            device: args.device.unwrap_or(0),
            repeat: args.repeat.unwrap_or(USUAL_REPEAT) as usize,
            progress: &progress,
        },
        quiet,
    )?;
    show(outputs, &report, [&report.csv(), &report.text()], quiet)
}

/// Measures field after field.
pub fn measure(plan: &Plan<'_>, quiet: bool) -> Result<Report> {
    let work =
        Work { plan, bench: DeviceBench::open(plan.device)?, codec: Codec::cuda(plan.device)? };
    let device = fsz::devices()?
        .into_iter()
        .find(|d| d.ordinal == plan.device)
        .with_context(|| format!("no CUDA device {}", plan.device))?;
    let mut report = Report::new(device, plan.repeat);
    for path in plan.fields {
        let spinner = bar::spinner(&format!("measuring {}", path.display()), quiet);
        work.field(path, &mut report)?;
        spinner.finish_and_clear();
    }
    Ok(report)
}

/// All that fields are measured with.
struct Work<'a> {
    plan: &'a Plan<'a>,
    bench: DeviceBench,
    codec: Codec,
}

impl Work<'_> {
    fn field(&self, path: &Path, report: &mut Report) -> Result<()> {
        let case = Case::open(path, self.plan.source, self.plan.bytes, self.plan.missing)?;
        // Again for every field: clocks change within a run.
        let roofline = self.bench.roofline(ROOFLINE_BYTES, self.plan.repeat)?;
        for &bound in self.plan.bounds {
            self.plan.progress.check()?;
            self.measure(&case, bound, &roofline, report)?;
        }
        Ok(())
    }

    fn measure(
        &self,
        case: &Case,
        bound: Bound,
        roofline: &Roofline,
        report: &mut Report,
    ) -> Result<()> {
        let mut absolute = 0.0;
        for &profile in self.plan.profiles {
            let stream = with_values!(case.field.values(), values => {
                self.codec(case, values, (profile, bound), roofline, report)?
            });
            absolute = stream.header().absolute_bound;
            // The paper's kernels are for f32 alone.
            if let (Some(values), Bound::ValueRange(share)) = (case.field.as_slice::<f32>(), bound)
                && self.plan.reference
                && profile == Profile::default()
            {
                paper::measure(self, case, values, share, roofline, &stream, report)?;
            }
        }
        peer::measure(self, case, (bound, absolute), roofline, report)
    }

    /// Measures the codec, and returns the stream that it makes.
    fn codec<T: Element + Sample>(
        &self,
        case: &Case,
        values: &[T],
        (profile, bound): (Profile, Bound),
        roofline: &Roofline,
        report: &mut Report,
    ) -> Result<Stream<'static>> {
        let shape = case.field.shape().sides();
        let options = case.options(profile, bound);
        let most = max_compressed_len(shape, case.field.dtype())?;
        let mut bytes = fsz_field::zero_bytes(most)?;
        let len = self.codec.compress_into(values, shape, &options, &mut bytes)?;
        bytes.truncate(len);
        let stream = Stream::from_vec(bytes)?;
        let repeat = self.plan.repeat;
        let times = self.bench.compress(values, shape, &options, repeat)?;
        if times.stream_len != len as u64 {
            bail!("{}: two compressions gave different bytes; please report this", case.name);
        }
        let absolute = stream.header().absolute_bound;
        // Only such a bound needs the range before, and has an absolute one that is the same.
        let of_range = matches!(bound, Bound::ValueRange(_));
        let with_absolute = of_range.then(|| {
            let same_bound = case.options(profile, Bound::Absolute(absolute));
            self.bench.compress(values, shape, &same_bound, repeat)
        });
        let decompress = self.bench.decompress(&stream, repeat)?;
        let name = super::name(profile, bound);
        let mut row = report::row(case, bound.requested(), &name, len, roofline);
        row.compress(median(times.encode));
        row.decompress(median(decompress.decode));
        row.calls(median(times.call), median(decompress.call));
        if let Some(with_absolute) = with_absolute.transpose()? {
            row.min_max(median(times.survey));
            row.absolute_call(median(with_absolute.call));
        }
        row.variants = Some(Shares::of(stream.tile_counts()));
        if !bound.is_relative() {
            let mut decoded = vec![T::default(); values.len()];
            self.codec.decompress_into(&stream, &mut decoded)?;
            row.error = Some(found::errors(values, &decoded, case.field.missing(), absolute)?);
        }
        report.add(row);
        Ok(stream)
    }
}
