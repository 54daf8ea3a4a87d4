//! `fsz bench --backend cuda`: the codec's kernels beside the bandwidth of the device's memory.

use anyhow::{Context, Result, bail};
use fsz::{Bound, Codec, CompressOptions, Element, Profile, Stream, max_compressed_len};
use fsz_bench::{DeviceBench, Roofline, median};
use fsz_field::with_values;
use fsz_study::Shares;

use super::case::Case;
use super::{Args, write};
use crate::source::check_field;
use crate::{bar, terminal};

mod paper;
mod report;

use report::Report;

/// Bytes that the measures of the memory move: enough that no cache holds them.
const ROOFLINE_BYTES: u64 = 1 << 30;

/// Measures and shows.
pub fn run(args: &Args, quiet: bool) -> Result<()> {
    let work = Work::new(args)?;
    args.fields.iter().try_for_each(|path| check_field(path))?;
    let outputs = args.outputs()?;
    let device = fsz::devices()?
        .into_iter()
        .find(|d| d.ordinal == args.device)
        .with_context(|| format!("no CUDA device {}", args.device))?;
    let mut report = Report::new(device, work.repeat);
    for path in &args.fields {
        let spinner = bar::spinner(&format!("measuring {}", path.display()), quiet);
        let case = Case::open(path, &args.source, args.bytes(1024))?;
        // Again for every field: clocks change within a run.
        let roofline = work.bench.roofline(ROOFLINE_BYTES, work.repeat)?;
        for bound in args.bounds(&[1e-2, 1e-3, 1e-4]) {
            work.measure(&case, bound, &roofline, &mut report)?;
        }
        spinner.finish_and_clear();
    }
    write(outputs, &report, &report.csv())?;
    terminal::print(&report.text())
}

/// Settings of all fields.
struct Work<'a> {
    bench: DeviceBench,
    codec: Codec,
    repeat: usize,
    missing: &'a [f64],
    profile: Profile,
    reference: bool,
}

impl<'a> Work<'a> {
    fn new(args: &'a Args) -> Result<Work<'a>> {
        Ok(Work {
            bench: DeviceBench::open(args.device)?,
            codec: Codec::cuda(args.device)?,
            repeat: args.repeat.unwrap_or(20) as usize,
            missing: &args.missing,
            profile: args.profile.profile(),
            reference: args.reference,
        })
    }

    fn measure(
        &self,
        case: &Case,
        bound: Bound,
        roofline: &Roofline,
        report: &mut Report,
    ) -> Result<()> {
        let stream = with_values!(case.field.values(), values => {
            self.codec(case, values, bound, roofline, report)?
        });
        // The paper's kernels are for f32 alone.
        match (case.field.as_slice::<f32>(), bound) {
            (Some(values), Bound::ValueRange(share)) if self.reference => {
                paper::measure(self, case, values, share, roofline, &stream, report)
            }
            _ => Ok(()),
        }
    }

    /// Measures the codec, and returns the stream that it makes.
    fn codec<T: Element>(
        &self,
        case: &Case,
        values: &[T],
        bound: Bound,
        roofline: &Roofline,
        report: &mut Report,
    ) -> Result<Stream<'static>> {
        let shape = case.field.shape().sides();
        let options = self.options(bound);
        let most = max_compressed_len(shape, case.field.dtype())?;
        let mut bytes = vec![0; usize::try_from(most).unwrap_or(usize::MAX)];
        let len = self.codec.compress_into(values, shape, &options, &mut bytes)?;
        bytes.truncate(len);
        let stream = Stream::from_vec(bytes)?;
        let times = self.bench.compress(values, shape, &options, self.repeat)?;
        if times.stream_len != len as u64 {
            bail!("{}: two compressions gave different bytes; please report this", case.name);
        }
        let absolute = self.options(Bound::Absolute(stream.header().absolute_bound));
        let with_absolute = self.bench.compress(values, shape, &absolute, self.repeat)?;
        let decompress = self.bench.decompress(&stream, self.repeat)?;
        let mut row = report::row(case, bound.requested(), super::name(bound), len, roofline);
        row.compress(median(times.encode));
        row.decompress(median(decompress.decode));
        row.min_max(median(times.survey));
        row.calls([times.call, with_absolute.call, decompress.call].map(median));
        row.variants = Some(Shares::of(stream.tile_counts()));
        report.add(row);
        Ok(stream)
    }

    fn options(&self, bound: Bound) -> CompressOptions {
        let options = CompressOptions::new(bound).profile(self.profile);
        self.missing.iter().fold(options, |options, &value| options.missing(value))
    }
}
