//! The search for the absolute bound that reaches a target: a PSNR, a ratio, a length.
//!
//! A count of the field's differences tells where to begin; then the field is compressed at one bound after another, a
//! large one by a sample first. Streams are the same bytes on every backend, so the bound is the same, too.

mod model;
mod search;

use rayon::prelude::*;

use self::{
    model::{Ends, Model},
    search::{Goal, Probe, Search},
};
use crate::{
    bound::Bound,
    codec::Codec,
    element::Element,
    error::{Error, Result},
    exec::Execution,
    float_mode::FloatMode,
    format::{SAMPLE_MULTIPLIER, sections::max_compressed_len},
    missing::is_missing,
    options::{CompressOptions, DecompressOptions},
    profile::Profile,
    room,
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

/// How far from the one asked for a ratio may be and count as met.
pub(crate) const RATIO_MARGIN: f64 = 0.03;
/// Compressions of a sample, and of the whole field, at most; those on plateaus and at the ends come on top.
const SAMPLE_PROBES: usize = 12;
const WHOLE_PROBES: usize = 12;
/// So many more of the whole field where a ratio is still missed: a ratio that rises within a hundredth of the bound, as where
/// the step becomes one that the values are multiples of, takes more of them to be found.
const MORE_PROBES: usize = 12;
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
        return Field { codec, data, shape, options, missing: &missing, span: 0.0 }.exact();
    };
    let span = (max - min).min(f64::MAX);
    let whole = Field { codec, data, shape, options, missing: &missing, span };
    let goal = Goal::new(options.bound, size_of_val(data) as f64);
    let ends = ends::<T>(min.abs().max(max.abs()));
    let model = if goal.is_of_errors() {
        // Errors that are spread evenly.
        Model::straight(ends, -(span.max(f64::MIN_POSITIVE) * 3f64.sqrt()).log2())
    } else {
        let runs = matches!(options.profile, Profile::Dense(_));
        codec.run(options.threads, None, |run| Model::of_lengths(data, &missing, ends, runs, run))
    };
    let mut start = None;
    let sample = codec.run(options.threads, None, |run| sample(data, shape, run))?;
    if let Some((data, shape)) = sample {
        let part = Field { data: &data, shape: &shape, ..whole };
        let mut search = Search::new(goal, ends, &model, None);
        let mut scratch = Scratch::default();
        search.run(SAMPLE_PROBES, 0, |at| part.probe(at, goal, &mut scratch))?;
        start = search.best().map(|probe| probe.at);
    }
    let mut search = Search::new(goal, ends, &model, start);
    let mut scratch = Scratch::default();
    search.run(WHOLE_PROBES, MORE_PROBES, |at| whole.probe(at, goal, &mut scratch))?;
    match search.end() {
        Ok(best) => {
            Ok(Found { absolute: bound_at(best.at), mean_squared_error: best.mean_squared_error })
        }
        Err(most) => Err(unreachable(options.bound, most, size_of_val(data) as f64)),
    }
}

/// Of a target for which the largest value found is `most`.
fn unreachable(bound: Bound, most: f64, raw: f64) -> Error {
    Error::invalid(match bound {
        Bound::MaxBytes(bytes) => return too_long(bytes, (raw / most.exp2()).round() as u64),
        Bound::Ratio(ratio) => format!(
            "no bound found gives this field a compression ratio of {ratio}: the largest is {:.4}",
            most.exp2()
        ),
        _ => format!("no bound found gives this field a {} of {}", bound.kind(), bound.requested()),
    })
}

/// Of a limit that the shortest stream is longer than.
fn too_long(limit: u64, shortest: u64) -> Error {
    Error::invalid(format!(
        "a limit of {limit} bytes is too small for this field: of the streams tried, the smallest has {shortest}"
    ))
}

/// For a field of this magnitude: at the smallest bound nothing has a code, at the largest all codes are as small as they
/// can be.
fn ends<T: Element>(magnitude: f64) -> Ends {
    let smallest = T::MIN_POSITIVE.to_f64().log2();
    let largest = T::MAX.to_f64().log2();
    // The step has an end (FORMAT.md, *Quantization step*), so that near that of the type not all codes are 0, and one
    // more than it holds is infinite: those of 4.3 steps are 4 at most.
    let high = match magnitude > T::MAX.to_f64() / 1.25 {
        true => largest - 8.6f64.log2(),
        false => (magnitude.log2().max(smallest) + 1.0).min(1023.0),
    };
    Ends { low: smallest - 2.0, high }
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
    /// Of a field of nothing but what every bound keeps exactly: all bounds make the same stream.
    fn exact(&self) -> Result<Found> {
        let found = Found { absolute: 1.0, mean_squared_error: 0.0 };
        if let Bound::MaxBytes(limit) = self.options.bound {
            let len = self.compress(found, &mut Vec::new())? as u64;
            if len > limit {
                return Err(too_long(limit, len));
            }
        }
        Ok(found)
    }

    /// Compresses to the front of `stream`; how long that is.
    fn compress(&self, found: Found, stream: &mut Vec<u8>) -> Result<usize> {
        let mut options = self.options.clone();
        options.found = Some(found);
        if stream.is_empty() {
            *stream = room::zeros(max_compressed_len(self.shape, T::DTYPE)?)?;
        }
        self.codec.compress_into(self.data, self.shape, &options, stream)
    }

    fn probe(&self, at: f64, goal: Goal, scratch: &mut Scratch<T>) -> Result<Probe> {
        let found = Found { absolute: bound_at(at), mean_squared_error: 0.0 };
        let Scratch { stream, decoded } = scratch;
        let len = self.compress(found, stream)?;
        if !goal.is_of_errors() {
            let value = (size_of_val(self.data) as f64 / len as f64).log2();
            return Ok(Probe { at, value, mean_squared_error: 0.0 });
        }
        if decoded.is_empty() {
            *decoded = room::elements(self.data.len() as u64, "a decoded field")?;
        }
        let stream = Stream::open(&stream[..len])?;
        let mut options = DecompressOptions::new();
        options.threads = self.options.threads;
        options.progress = self.options.progress.clone();
        self.codec.decompress_with(&stream, decoded, &options)?;
        let scale = power_of_two(found.absolute);
        let scaled = self.mean_squared_error(decoded, scale);
        let mean_squared_error = match scaled * scale * scale {
            // A header tells no error that is smaller than it is.
            error if scaled > 0.0 && error < f64::MIN_POSITIVE => error.next_up(),
            error => error,
        };
        let value = match scaled {
            0.0 => -FAR,
            // Nor one that is no number.
            _ if !mean_squared_error.is_finite() => FAR,
            // However small it is beside the range, it is an error.
            error => (error.sqrt() * (scale / self.span)).log2().clamp((-FAR).next_up(), FAR),
        };
        Ok(Probe { at, value, mean_squared_error })
    }

    /// In units of `scale`² where errors are about as large as that, so that no square is out of range. Added up in
    /// parts of fixed size, so that it does not depend on threads.
    fn mean_squared_error(&self, decoded: &[T], scale: f64) -> f64 {
        const PART: usize = 1 << 16;
        let part = |(original, decoded): (&[T], &[T])| {
            let _mode = FloatMode::standard();
            let pairs = original.iter().zip(decoded);
            let counted = pairs.filter(|(d, _)| d.is_finite() && !is_missing(**d, self.missing));
            counted.fold((0.0, 0u64), |(sum, count), (d, near)| {
                let error = (d.to_f64() - near.to_f64()) / scale;
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

/// The power of two at or below a number that is not negative, and of a reciprocal.
fn power_of_two(value: f64) -> f64 {
    f64::from_bits(value.clamp(f64::MIN_POSITIVE, 2f64.powi(1022)).to_bits() >> 52 << 52)
}

/// Runs of neighbouring planes (rows, values) out of a large field, as a field; none of a small one.
fn sample<T: Element>(
    data: &[T],
    shape: &[u64],
    run: Execution<'_>,
) -> Result<Option<(Vec<T>, Vec<u64>)>> {
    const LEAST_PLANES: usize = 64;
    /// Elements that a thread copies at a time.
    const PART: usize = 1 << 16;
    if data.len() <= SMALL {
        return Ok(None);
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
        return Ok(None);
    }
    let elements = runs * thick * plane;
    let mut taken = room::elements_for(elements as u64, "a sample", run)?;
    let parts = taken.chunks_mut(thick * plane).enumerate().flat_map(|(run, own)| {
        let within = (run as u32).wrapping_mul(SAMPLE_MULTIPLIER) as usize % SAMPLE_RUNS;
        let first = (run * SAMPLE_RUNS + within) * thick * plane;
        own.chunks_mut(PART).zip(data[first..].chunks(PART))
    });
    run.each(
        (elements.div_ceil(PART), parts),
        || Ok(()),
        |(), (own, data)| {
            own.copy_from_slice(&data[..own.len()]);
            Ok(())
        },
    )?;
    let mut sampled = vec![(runs * thick) as u64];
    sampled.extend_from_slice(&shape[axes..]);
    Ok(Some((taken, sampled)))
}
