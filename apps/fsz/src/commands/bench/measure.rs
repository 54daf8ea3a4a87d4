//! The measurements of one field and bound.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, anyhow};
use fsz::{Bound, Codec, CompressOptions, Element, Profile, Progress, Stream, max_compressed_len};
use fsz_bench::median;
use fsz_field::with_values;
use fsz_study::{Peer, RELATIVE_BOUND};
use rayon::prelude::*;

use super::Row;
use super::case::Case;

/// What to measure.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// Value-range, absolute or pointwise-relative bound.
    pub bound: Bound,
    pub profiles: &'a [Profile],
    /// Numbers of threads.
    pub threads: &'a [usize],
    /// Measured runs.
    pub repeat: u32,
    pub peers: &'a [Peer],
}

/// Measures memcpy, FSZ and, where it is built in, zfp.
pub fn measure(case: &Case, plan: &Plan<'_>, progress: &Progress) -> Result<Vec<Row>> {
    with_values!(case.field.values(), values => {
        measure_values(case, values, plan, progress)
    })
}

fn measure_values<T: Element>(
    case: &Case,
    values: &[T],
    plan: &Plan<'_>,
    progress: &Progress,
) -> Result<Vec<Row>> {
    let shape = case.field.shape().sides();
    let bytes = size_of_val(values) as f64;
    let options = case.options(Profile::default(), plan.bound);
    let mut decoded = fsz_field::zeros::<T>(case.field.shape())?;
    let most = max_compressed_len(shape, case.field.dtype())?;
    let mut compressed = fsz_field::zero_bytes(most)?;
    let mut rows = Vec::new();
    let mut memcpy = Vec::new();
    let pairs = plan.profiles.iter().flat_map(|&p| plan.threads.iter().map(move |&n| (p, n)));
    let mut contenders = pairs.map(|(p, n)| Contender::new(p, n)).collect::<Result<Vec<_>>>()?;
    // A shared machine's pace changes within seconds. Taking turns, all contenders see the same of it.
    for round in 0..=plan.repeat {
        for contender in &mut contenders {
            let times =
                contender.round((values, shape), &options, &mut compressed, &mut decoded)?;
            if round > 0 {
                contender.times.push(times);
            }
        }
    }
    for contender in contenders {
        let [copy, compress, decompress] = contender.medians();
        let ratio = bytes / contender.len as f64;
        if contender.profile == plan.profiles[0] {
            memcpy.push((contender.threads, copy));
        }
        let figures = Figures { compress, decompress, copy, ratio };
        let name = super::name(contender.profile, plan.bound);
        rows.push(figures.row(case, plan, &name, contender.threads));
    }
    let single = memcpy.iter().find(|(threads, _)| *threads == 1).or(memcpy.first());
    if let Some(&(_, copy)) = single {
        let absolute = {
            let len = Codec::cpu().compress_into(values, shape, &options, &mut compressed)?;
            Stream::open(&compressed[..len])?.header().absolute_bound
        };
        if let Some((compress, decompress, len)) = zfp(case, &mut decoded, absolute, plan.repeat)? {
            let figures = Figures { compress, decompress, copy, ratio: bytes / len as f64 };
            rows.push(figures.row(case, plan, "zfp-accuracy", 1));
        }
        rows.extend(peers(case, plan, &mut decoded, (absolute, copy), progress)?);
    }
    let copies = memcpy.into_iter().map(|(threads, copy)| {
        let figures = Figures { compress: copy, decompress: copy, copy, ratio: 1.0 };
        figures.row(case, plan, "memcpy", threads)
    });
    Ok(copies.chain(rows).collect())
}

/// Programs that take such a field and such a bound; `copy`: seconds of memcpy on one thread.
fn peers<T: Element>(
    case: &Case,
    plan: &Plan<'_>,
    decoded: &mut [T],
    (absolute, copy): (f64, f64),
    progress: &Progress,
) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for peer in peers_of(plan.peers, case, plan.bound) {
        let run = peer.run(&case.field, &placeholders(plan.bound, absolute), decoded, progress)?;
        let [compress, decompress] = run.seconds.unwrap_or([f64::NAN; 2]);
        let ratio = case.field.values().bytes().len() as f64 / run.bytes as f64;
        let figures = Figures { compress, decompress, copy, ratio };
        rows.push(figures.row(case, plan, &peer.name, 1));
    }
    Ok(rows)
}

/// The peers that take such a field and such a bound.
pub fn peers_of<'a>(
    peers: &'a [Peer],
    case: &Case,
    bound: Bound,
) -> impl Iterator<Item = &'a Peer> {
    let takes =
        move |peer: &&Peer| peer.takes(&case.field) && peer.is_relative() == bound.is_relative();
    peers.iter().filter(takes)
}

/// What stands for a bound, which came to this absolute one, in the command lines of peers.
pub fn placeholders(bound: Bound, absolute: f64) -> Vec<(&'static str, f64)> {
    match bound {
        Bound::Relative { eps, .. } => vec![(RELATIVE_BOUND, eps)],
        _ => vec![("{bound}", absolute), ("{range_bound}", bound.requested())],
    }
}

/// Seconds for the field, and its compression ratio.
struct Figures {
    compress: f64,
    decompress: f64,
    copy: f64,
    ratio: f64,
}

impl Figures {
    fn row(self, case: &Case, plan: &Plan<'_>, codec: &str, threads: usize) -> Row {
        let bytes = case.field.values().bytes().len() as u64;
        let speed = |seconds: f64| bytes as f64 / 1e9 / seconds;
        Row {
            field: case.name.clone(),
            dtype: case.field.dtype().name(),
            shape: case.field.shape().to_string(),
            bytes,
            bound: plan.bound.requested(),
            codec: codec.to_owned(),
            threads,
            compress_gbs: speed(self.compress),
            compress_of_memcpy: self.copy / self.compress,
            decompress_gbs: speed(self.decompress),
            decompress_of_memcpy: self.copy / self.decompress,
            ratio: self.ratio,
        }
    }
}

/// A profile and memcpy on so many threads, and what their rounds took.
struct Contender {
    profile: Profile,
    threads: usize,
    codec: Codec,
    pool: rayon::ThreadPool,
    /// Bytes of the stream.
    len: usize,
    /// Seconds of memcpy, of compressing and of decompressing, in each round.
    times: Vec<[f64; 3]>,
}

impl Contender {
    fn new(profile: Profile, threads: usize) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| anyhow!("cannot start {threads} threads: {e}"))?;
        let codec = Codec::cpu().threads(threads)?;
        Ok(Contender { profile, threads, codec, pool, len: 0, times: Vec::new() })
    }

    /// The seconds of memcpy, of compressing and of decompressing.
    fn round<T: Element>(
        &mut self,
        (values, shape): (&[T], &[u64]),
        options: &CompressOptions,
        compressed: &mut [u8],
        decoded: &mut [T],
    ) -> Result<[f64; 3]> {
        let (copy, ()) = timed(|| {
            self.copy(values, decoded);
            anyhow::Ok(())
        })?;
        let options = options.clone().profile(self.profile);
        let (compress, len) =
            timed(|| self.codec.compress_into(values, shape, &options, compressed))?;
        self.len = len;
        let stream = Stream::open(&compressed[..len])?;
        let (decompress, ()) = timed(|| self.codec.decompress_into(&stream, decoded))?;
        Ok([copy, compress, decompress])
    }

    fn copy<T: Element>(&self, from: &[T], to: &mut [T]) {
        let part = from.len().div_ceil(self.threads).max(1);
        self.pool.install(|| {
            let parts = to.par_chunks_mut(part).zip(black_box(from).par_chunks(part));
            parts.for_each(|(to, from)| black_box(to).copy_from_slice(from));
        });
    }

    fn medians(&self) -> [f64; 3] {
        std::array::from_fn(|k| median(self.times.iter().map(|round| round[k]).collect()))
    }
}

/// The seconds that work takes, and its result.
fn timed<R, E>(work: impl FnOnce() -> Result<R, E>) -> Result<(f64, R), E> {
    let start = Instant::now();
    let result = work()?;
    Ok((start.elapsed().as_secs_f64(), result))
}

/// Seconds and bytes of zfp at an absolute bound; none without zfp, and for values that zfp does
/// not know.
#[cfg(feature = "zfp")]
fn zfp<T: Element>(
    case: &Case,
    decoded: &mut [T],
    bound: f64,
    repeat: u32,
) -> Result<Option<(f64, f64, usize)>> {
    use fsz_field::zfp::{Mode, Zfp};
    let finite =
        with_values!(case.field.values(), values => values.par_iter().all(|v| v.is_finite()));
    if !finite || bound <= 0.0 || decoded.is_empty() {
        return Ok(None);
    }
    let mut zfp = Zfp::new();
    let compress = repeated(repeat, || {
        zfp.compress(case.field.values(), case.field.shape(), Mode::Accuracy(bound))
    })?;
    let len = zfp.bytes().len();
    let decompress = repeated(repeat, || zfp.decompress_into(decoded))?;
    Ok(Some((compress, decompress, len)))
}

#[cfg(not(feature = "zfp"))]
fn zfp<T: Element>(
    _case: &Case,
    _decoded: &mut [T],
    _bound: f64,
    _repeat: u32,
) -> Result<Option<(f64, f64, usize)>> {
    Ok(None)
}

/// Median seconds of `repeat` runs after one to warm up.
#[cfg(feature = "zfp")]
fn repeated(repeat: u32, mut work: impl FnMut() -> fsz_field::Result<()>) -> Result<f64> {
    work()?;
    let times = (0..repeat).map(|_| Ok(timed(&mut work)?.0));
    Ok(median(times.collect::<Result<_>>()?))
}
