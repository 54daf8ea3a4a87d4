//! `fsz bench --backend cuda`: the codec's kernels beside the bandwidth of the device's memory.

use fsz::{Bound, Codec, CompressOptions, Element, Stream, max_compressed_len};
use fsz_bench::{DeviceBench, Roofline, median};
use fsz_field::{Output, with_values};

use super::Args;
use super::case::Case;
use crate::failure::{Failure, Result, Verdict, fail};
use crate::{bar, terminal};

mod paper;
mod report;

use report::{Report, Row, Variants};

/// Bytes that the measures of the memory move: enough that no cache holds them.
const ROOFLINE_BYTES: u64 = 1 << 30;

/// Measures and shows.
pub fn run(args: &Args, quiet: bool) -> Result {
    let work = Work::new(args)?;
    Case::find(&args.fields)?;
    let mut outputs = Vec::new();
    for (path, write) in [(&args.json, Report::json as Write), (&args.csv, Report::csv as Write)] {
        if let Some(path) = path {
            outputs.push((Output::create(path, args.force)?, write));
        }
    }
    let device = fsz::devices()?
        .into_iter()
        .find(|d| d.ordinal == args.device)
        .ok_or_else(|| Failure::Message(format!("no CUDA device {}", args.device)))?;
    let mut report = Report::new(&device, work.repeat);
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
    for (mut output, write) in outputs {
        output.put(write(&report)?.as_bytes())?;
        output.commit()?;
    }
    terminal::print(&report.text())?;
    Ok(Verdict::Fine)
}

/// How a file of figures is written.
type Write = fn(&Report) -> Result<String>;

/// Settings of all fields.
struct Work<'a> {
    bench: DeviceBench,
    codec: Codec,
    repeat: usize,
    missing: &'a [f64],
    reference: bool,
}

impl<'a> Work<'a> {
    fn new(args: &'a Args) -> Result<Work<'a>> {
        Ok(Work {
            bench: DeviceBench::open(args.device)?,
            codec: Codec::cuda(args.device)?,
            repeat: args.repeat.unwrap_or(20) as usize,
            missing: &args.missing,
            reference: args.reference,
        })
    }

    fn measure(
        &self,
        case: &Case,
        bound: f64,
        roofline: &Roofline,
        report: &mut Report,
    ) -> Result<()> {
        let stream = with_values!(case.field.values(), values => {
            self.codec(case, values, bound, roofline, report)?
        });
        // The paper's kernels are for f32 alone.
        match case.field.as_slice::<f32>() {
            Some(values) if self.reference => {
                paper::measure(self, case, values, bound, roofline, &stream, report)
            }
            _ => Ok(()),
        }
    }

    /// Measures the codec, and returns the stream that it makes.
    fn codec<T: Element>(
        &self,
        case: &Case,
        values: &[T],
        bound: f64,
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
            return fail(format!(
                "{}: two compressions gave different bytes; please report this",
                case.name
            ));
        }
        let decompress = median(self.bench.decompress(&stream, self.repeat)?);
        let mut row = Row::new(case, bound, "fsz", len as u64, roofline);
        row.compress(median(times.encode), roofline);
        row.decompress(decompress, roofline);
        row.min_max(median(times.survey), roofline);
        row.variants = Some(Variants::of(stream.tile_counts()));
        report.add(row);
        Ok(stream)
    }

    fn options(&self, bound: f64) -> CompressOptions {
        let options = CompressOptions::new(Bound::ValueRange(bound));
        self.missing.iter().fold(options, |options, &value| options.missing(value))
    }
}
