//! The measurements of one field and bound.

use std::hint::black_box;
use std::time::Instant;

use fsz::{Bound, Codec, Options, Stream, max_compressed_len};
use fsz_field::{Scalar, Values};
use rayon::prelude::*;

use super::Row;
use super::case::Case;
use crate::failure::{Failure, Result};

/// What to measure.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// Value-range bound.
    pub bound: f64,
    /// Numbers of threads.
    pub threads: &'a [usize],
    /// Measured runs.
    pub repeat: u32,
}

/// Measures memcpy, FSZ and, where it is built in, zfp.
pub fn measure(case: &Case, plan: &Plan<'_>, missing: &[f64]) -> Result<Vec<Row>> {
    match case.field.values() {
        Values::F32(values) => measure_values(case, values, plan, missing),
        Values::F64(values) => measure_values(case, values, plan, missing),
    }
}

fn measure_values<T: Scalar>(
    case: &Case,
    values: &[T],
    plan: &Plan<'_>,
    missing: &[f64],
) -> Result<Vec<Row>> {
    let shape = case.field.shape().sides();
    let bytes = size_of_val(values) as f64;
    let mut options = Options::new(Bound::ValueRange(plan.bound));
    for &value in missing {
        options = options.missing(value);
    }
    let mut decoded = vec![T::default(); values.len()];
    let most = max_compressed_len(shape, case.field.dtype())?;
    let mut compressed = vec![0; usize::try_from(most).unwrap_or(usize::MAX)];
    let mut rows = Vec::new();
    let mut memcpy = Vec::new();
    for &threads in plan.threads {
        let codec = Codec::cpu().threads(threads)?;
        let copy = copy_seconds(values, &mut decoded, threads, plan.repeat)?;
        memcpy.push((threads, copy));
        let mut len = 0;
        let compress = median(plan.repeat, || {
            len = codec.compress_into(values, shape, &options, &mut compressed)?;
            Ok(())
        })?;
        let stream = Stream::open(&compressed[..len])?;
        let decompress = median(plan.repeat, || Ok(codec.decompress_into(&stream, &mut decoded)?))?;
        let figures = Figures { compress, decompress, copy, ratio: bytes / len as f64 };
        rows.push(figures.row(case, plan, "fsz", threads));
    }
    let single = memcpy.iter().find(|(threads, _)| *threads == 1).or(memcpy.first());
    if let Some(&(_, copy)) = single {
        let absolute = {
            let len = Codec::cpu().compress_into(values, shape, &options, &mut compressed)?;
            Stream::open(&compressed[..len])?.info().header().absolute_bound
        };
        if let Some((compress, decompress, len)) = zfp(case, &mut decoded, absolute, plan.repeat)? {
            let figures = Figures { compress, decompress, copy, ratio: bytes / len as f64 };
            rows.push(figures.row(case, plan, "zfp-accuracy", 1));
        }
    }
    let copies = memcpy.into_iter().map(|(threads, copy)| {
        let figures = Figures { compress: copy, decompress: copy, copy, ratio: 1.0 };
        figures.row(case, plan, "memcpy", threads)
    });
    Ok(copies.chain(rows).collect())
}

/// Seconds for the field, and its compression ratio.
struct Figures {
    compress: f64,
    decompress: f64,
    copy: f64,
    ratio: f64,
}

impl Figures {
    fn row(self, case: &Case, plan: &Plan<'_>, codec: &'static str, threads: usize) -> Row {
        let bytes = case.field.values().bytes().len() as u64;
        let speed = |seconds: f64| bytes as f64 / 1e9 / seconds;
        Row {
            field: case.name.clone(),
            dtype: case.field.dtype().name(),
            shape: case.field.shape().to_string(),
            bytes,
            bound: plan.bound,
            codec,
            threads,
            compress_gbs: speed(self.compress),
            compress_of_memcpy: self.copy / self.compress,
            decompress_gbs: speed(self.decompress),
            decompress_of_memcpy: self.copy / self.decompress,
            ratio: self.ratio,
        }
    }
}

/// Seconds of a copy on so many threads.
fn copy_seconds<T: Scalar>(from: &[T], to: &mut [T], threads: usize, repeat: u32) -> Result<f64> {
    if threads == 1 {
        return median(repeat, || {
            black_box(&mut *to).copy_from_slice(black_box(from));
            Ok(())
        });
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Failure::Message(format!("cannot start {threads} threads: {e}")))?;
    let part = from.len().div_ceil(threads).max(1);
    pool.install(|| {
        median(repeat, || {
            let parts = to.par_chunks_mut(part).zip(black_box(from).par_chunks(part));
            parts.for_each(|(to, from)| black_box(to).copy_from_slice(from));
            Ok(())
        })
    })
}

/// Seconds and bytes of zfp at an absolute bound; none without zfp, and for values that zfp does
/// not know.
#[cfg(feature = "zfp")]
fn zfp<T: Scalar>(
    case: &Case,
    decoded: &mut [T],
    bound: f64,
    repeat: u32,
) -> Result<Option<(f64, f64, usize)>> {
    use fsz_field::zfp::{Mode, Zfp};
    let finite = match case.field.values() {
        Values::F32(values) => values.par_iter().all(|v| v.is_finite()),
        Values::F64(values) => values.par_iter().all(|v| v.is_finite()),
    };
    if !finite || bound <= 0.0 || decoded.is_empty() {
        return Ok(None);
    }
    let mut zfp = Zfp::new();
    let compress = median(repeat, || {
        Ok(zfp.compress(case.field.values(), case.field.shape(), Mode::Accuracy(bound))?)
    })?;
    let len = zfp.bytes().len();
    let decompress = median(repeat, || Ok(zfp.decompress_into(decoded)?))?;
    Ok(Some((compress, decompress, len)))
}

#[cfg(not(feature = "zfp"))]
fn zfp<T: Scalar>(
    _case: &Case,
    _decoded: &mut [T],
    _bound: f64,
    _repeat: u32,
) -> Result<Option<(f64, f64, usize)>> {
    Ok(None)
}

/// Median seconds of `repeat` runs after one to warm up.
fn median(repeat: u32, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    work()?;
    let mut seconds = Vec::with_capacity(repeat as usize);
    for _ in 0..repeat {
        let start = Instant::now();
        work()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    let middle = seconds.len() / 2;
    Ok(if seconds.len() % 2 == 1 {
        seconds[middle]
    } else {
        (seconds[middle - 1] + seconds[middle]) / 2.0
    })
}
