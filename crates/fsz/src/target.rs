//! The search for the absolute bound that reaches a target: a PSNR, a ratio, a length.
//!
//! The field is compressed at one bound after another, a large one by a sample first. Streams are the same
//! bytes on every backend, so the bound is the same, too.

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::{
    bound::Bound,
    codec::Codec,
    element::Element,
    error::{Error, Result},
    format::{SAMPLE_MULTIPLIER, sections::max_compressed_len},
    missing::is_missing,
    options::{CompressOptions, DecompressOptions},
    stream::Stream,
    value_range,
};

/// The bound that was found for a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub absolute: f64,
    /// Over the finite elements that are not missing; measured for a PSNR alone.
    pub mean_squared_error: f64,
}

/// Compressions of a sample, and of the whole field, at most.
const SAMPLE_PROBES: usize = 12;
const WHOLE_PROBES: usize = 10;
/// Larger fields are looked at by a sample first.
const SMALL: usize = 1 << 23;
/// Of the runs of planes of a large field, one in so many is in the sample.
const SAMPLE_RUNS: usize = 16;
/// Decibels by which the error grows when the bound is doubled.
const DECIBELS: f64 = 6.020599913279624;
/// What stands for "no error" and "no stream" on the scale of a search.
const FAR: f64 = 1e3;

/// The options with the bound that reaches their target.
///
/// # Errors
/// [`Error::InvalidArgument`] when no bound does.
pub(crate) fn resolve<T: Element>(
    codec: &Codec,
    data: &[T],
    shape: &[u64],
    options: &CompressOptions,
) -> Result<CompressOptions> {
    let mut options = options.clone();
    options.found = Some(find(codec, data, shape, &options)?);
    Ok(options)
}

fn find<T: Element>(
    codec: &Codec,
    data: &[T],
    shape: &[u64],
    options: &CompressOptions,
) -> Result<Found> {
    let missing = options.missing_values::<T>();
    let range = codec.run(options.threads, None, |run| value_range::range(data, &missing, run))?;
    let Some((min, max)) = range.ends() else {
        // Nothing but what every bound keeps exactly.
        return Ok(Found { absolute: 1.0, mean_squared_error: 0.0 });
    };
    let whole = Field { codec, data, shape, options, missing: &missing, span: max - min };
    let goal = Goal::new(options.bound, size_of_val(data) as f64);
    let ends = Ends::new::<T>(min.abs().max(max.abs()));
    let guess = match options.bound {
        Bound::Psnr(decibels) => (whole.span * 3f64.sqrt()).log2() - decibels / DECIBELS,
        _ => (whole.span / 1024.0).log2(),
    };
    let mut search = Search::new(goal, ends, guess);
    if let Some((data, shape)) = sample(data, shape) {
        let part = Field { data: &data, shape: &shape, ..whole };
        search.run(&part, SAMPLE_PROBES)?;
        let guess = search.best().map_or(guess, |probe| probe.at);
        search = Search::new(goal, ends, guess);
    }
    search.run(&whole, WHOLE_PROBES)?;
    let best = search.best().filter(|best| goal.is_reached(best.value, ends.high <= best.at));
    match best {
        Some(best) => {
            Ok(Found { absolute: bound_at(best.at), mean_squared_error: best.mean_squared_error })
        }
        None => Err(unreachable(options.bound, &search.probes, size_of_val(data) as f64)),
    }
}

fn unreachable(bound: Bound, probes: &[Probe], raw: f64) -> Error {
    let most = probes.iter().map(|probe| probe.value).fold(f64::MIN, f64::max);
    Error::invalid(match bound {
        Bound::MaxBytes(bytes) => format!(
            "no bound makes a stream of {bytes} bytes of this field: the smallest has {}",
            (raw / most.exp2()).round()
        ),
        Bound::Ratio(ratio) => format!(
            "no bound gives this field a compression ratio of {ratio}: the largest is {:.4}",
            most.exp2()
        ),
        _ => format!("no bound gives this field a {} of {}", bound.kind(), bound.requested()),
    })
}

/// What is asked of a value that grows with the bound: log₂ of the ratio, or octaves of error.
#[derive(Clone, Copy, Debug)]
struct Goal {
    /// Values that are good enough to stop at.
    low: f64,
    high: f64,
    /// Which values count.
    side: Side,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    AtMost,
    AtLeast,
    Nearest,
}

impl Goal {
    fn new(bound: Bound, raw: f64) -> Self {
        let near = |low: f64, target: f64, high: f64, side| Goal {
            low: target + low,
            high: target + high,
            side,
        };
        match bound {
            // What is exact is far enough for any PSNR.
            Bound::Psnr(decibels) => {
                near(-0.1 / DECIBELS, (-decibels / DECIBELS).max(-FAR), 0.0, Side::AtMost)
            }
            Bound::MaxBytes(bytes) => {
                near(0.0, (raw / bytes as f64).log2(), 1.02f64.log2(), Side::AtLeast)
            }
            _ => {
                let half = 1.004f64.log2();
                near(-half, bound.requested().log2(), half, Side::Nearest)
            }
        }
    }

    fn aim(&self) -> f64 {
        0.5 * (self.low + self.high)
    }

    fn is_met(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Whether a value serves; `at_end` says that no larger one can be had.
    fn is_reached(&self, value: f64, at_end: bool) -> bool {
        match self.side {
            Side::AtMost => value <= self.high,
            Side::AtLeast => value >= self.low,
            Side::Nearest => !at_end || value >= self.aim() - 1.03f64.log2(),
        }
    }

    /// Orders values: the better one is less.
    fn compare(&self, a: f64, b: f64) -> Ordering {
        let key = |value: f64| match self.side {
            Side::AtMost => (value > self.high, (self.high - value).abs()),
            Side::AtLeast => (value < self.low, (value - self.low).abs()),
            Side::Nearest => (false, (value - self.aim()).abs()),
        };
        let (a, b) = (key(a), key(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    }
}

/// log₂ of the smallest and the largest bound that make a difference.
#[derive(Clone, Copy, Debug)]
struct Ends {
    low: f64,
    high: f64,
}

impl Ends {
    /// For a field of this magnitude: at the smallest bound nothing has a code, at the largest all is 0.
    fn new<T: Element>(magnitude: f64) -> Self {
        let low = T::MIN_POSITIVE.to_f64().log2() - 2.0;
        Ends { low, high: (magnitude.log2() + 1.0).clamp(low + 1.0, 1023.0) }
    }
}

/// A bound that was tried.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// log₂ of it.
    at: f64,
    value: f64,
    mean_squared_error: f64,
}

/// Bounds tried one after another, each nearer to the goal.
struct Search {
    goal: Goal,
    ends: Ends,
    guess: f64,
    probes: Vec<Probe>,
}

impl Search {
    fn new(goal: Goal, ends: Ends, guess: f64) -> Self {
        Search { goal, ends, guess, probes: Vec::new() }
    }

    fn run<T: Element>(&mut self, field: &Field<'_, T>, most: usize) -> Result<()> {
        let mut scratch = Scratch::default();
        while self.probes.len() < most
            && let Some(at) = self.next()
        {
            let probe = field.probe(at, self.goal.side == Side::AtMost, &mut scratch)?;
            self.probes.push(probe);
            if self.goal.is_met(probe.value) {
                break;
            }
        }
        Ok(())
    }

    fn best(&self) -> Option<&Probe> {
        self.probes.iter().min_by(|a, b| self.goal.compare(a.value, b.value))
    }

    /// Where to look next; none where nothing new is to be seen.
    fn next(&self) -> Option<f64> {
        let aim = self.goal.aim();
        let nearest = |probes: &mut dyn Iterator<Item = &Probe>, sign: f64| {
            probes.map(|p| (p.at, p.value)).max_by(|a, b| (sign * a.0).total_cmp(&(sign * b.0)))
        };
        let below = nearest(&mut self.probes.iter().filter(|p| p.value < aim), 1.0);
        let above = nearest(&mut self.probes.iter().filter(|p| p.value >= aim), -1.0);
        let Ends { low, high } = self.ends;
        let step =
            |missed: f64| missed.clamp(0.25, 8.0) * (1 << self.probes.len().min(4)) as f64 / 2.0;
        let next = match (below, above) {
            (None, None) => self.guess.clamp(low, high),
            (Some((at, _)), None) if at >= high => return None,
            (Some((at, value)), None) => (at + step(aim - value)).min(high),
            (None, Some((at, _))) if at <= low => return None,
            (None, Some((at, value))) => (at - step(value - aim)).max(low),
            (Some((a, _)), Some((b, _))) => {
                if b - a < 1.0 / 1024.0 {
                    return None;
                }
                // Every other time the middle: plateaus and jumps mislead a line.
                let margin = (b - a) / 50.0;
                match self.probes.len() % 2 {
                    0 => self.along_the_nearest(aim).clamp(a + margin, b - margin),
                    _ => 0.5 * (a + b),
                }
            }
        };
        Some(next)
    }

    /// Where the line through the two probes with the nearest values meets the aim.
    fn along_the_nearest(&self, aim: f64) -> f64 {
        let mut probes = self.probes.clone();
        probes.sort_by(|p, q| (p.value - aim).abs().total_cmp(&(q.value - aim).abs()));
        let first = probes[0];
        let Some(second) = probes.iter().find(|p| p.value != first.value) else { return first.at };
        let slope = (second.at - first.at) / (second.value - first.value);
        first.at + (aim - first.value) * slope
    }
}

/// The bound whose log₂ this is, rounded to few bits: the last ones of a power differ between machines.
fn bound_at(log2: f64) -> f64 {
    const CUT: u32 = 52 - 14;
    let bits = log2.exp2().to_bits() + (1 << (CUT - 1));
    f64::from_bits(bits >> CUT << CUT)
}

/// A field, or a sample of one.
#[derive(Clone, Copy)]
struct Field<'a, T> {
    codec: &'a Codec,
    data: &'a [T],
    shape: &'a [u64],
    options: &'a CompressOptions,
    missing: &'a [T],
    span: f64,
}

/// Memory that all probes of a field share.
#[derive(Default)]
struct Scratch<T> {
    stream: Vec<u8>,
    decoded: Vec<T>,
}

impl<T: Element> Field<'_, T> {
    fn probe(&self, at: f64, by_error: bool, scratch: &mut Scratch<T>) -> Result<Probe> {
        let found = Found { absolute: bound_at(at), mean_squared_error: 0.0 };
        let mut options = self.options.clone();
        options.found = Some(found);
        if scratch.stream.is_empty() {
            scratch.stream.resize(max_compressed_len(self.shape, T::DTYPE)? as usize, 0);
        }
        let Scratch { stream, decoded } = scratch;
        let len = self.codec.compress_into(self.data, self.shape, &options, stream)?;
        if !by_error {
            let value = (size_of_val(self.data) as f64 / len as f64).log2();
            return Ok(Probe { at, value, mean_squared_error: 0.0 });
        }
        decoded.resize(self.data.len(), T::ZERO);
        let stream = Stream::open(&stream[..len])?;
        let mut options = DecompressOptions::new();
        options.threads = self.options.threads;
        options.progress = self.options.progress.clone();
        self.codec.decompress_with(&stream, decoded, &options)?;
        let mean_squared_error = self.mean_squared_error(decoded);
        let value = match mean_squared_error {
            0.0 => -FAR,
            error => (error.sqrt() / self.span).log2().clamp(-FAR, FAR),
        };
        Ok(Probe { at, value, mean_squared_error })
    }

    /// Added up in parts of fixed size, so that it does not depend on threads.
    fn mean_squared_error(&self, decoded: &[T]) -> f64 {
        const PART: usize = 1 << 16;
        let part = |(original, decoded): (&[T], &[T])| {
            let pairs = original.iter().zip(decoded);
            let counted = pairs.filter(|(d, _)| d.is_finite() && !is_missing(**d, self.missing));
            counted.fold((0.0, 0u64), |(sum, count), (d, near)| {
                let error = d.to_f64() - near.to_f64();
                (sum + error * error, count + 1)
            })
        };
        let parts: Vec<(f64, u64)> = self.codec.run(self.options.threads, None, |run| {
            if run.threads > 1 {
                self.data.par_chunks(PART).zip(decoded.par_chunks(PART)).map(part).collect()
            } else {
                self.data.chunks(PART).zip(decoded.chunks(PART)).map(part).collect()
            }
        });
        let (sum, count) = parts.iter().fold((0.0, 0), |(s, n), (sum, count)| (s + sum, n + count));
        if count == 0 { 0.0 } else { sum / count as f64 }
    }
}

/// Runs of neighbouring planes (rows, values) out of a large field, as a field; none of a small one.
fn sample<T: Element>(data: &[T], shape: &[u64]) -> Option<(Vec<T>, Vec<u64>)> {
    const LEAST_PLANES: usize = 64;
    if data.len() <= SMALL {
        return None;
    }
    let mut planes = 1;
    let mut axes = 0;
    while planes < LEAST_PLANES && axes < shape.len() {
        planes *= shape[axes] as usize;
        axes += 1;
    }
    let plane = data.len() / planes;
    let thick = (planes / 128).clamp(1, 16).max(4096usize.div_ceil(plane));
    let runs = planes / thick / SAMPLE_RUNS;
    if runs == 0 {
        return None;
    }
    let mut taken = Vec::with_capacity(runs * thick * plane);
    for run in 0..runs {
        let within = (run as u32).wrapping_mul(SAMPLE_MULTIPLIER) as usize % SAMPLE_RUNS;
        let first = (run * SAMPLE_RUNS + within) * thick * plane;
        taken.extend_from_slice(&data[first..first + thick * plane]);
    }
    let mut sampled = vec![(runs * thick) as u64];
    sampled.extend_from_slice(&shape[axes..]);
    Some((taken, sampled))
}
