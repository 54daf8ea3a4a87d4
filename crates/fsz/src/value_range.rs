//! What is to be known of a field before it is quantized: its range, or a sample of its magnitude
//! (FORMAT.md, *Bound* and *Quantization step*).

use rayon::prelude::*;

use crate::{
    error::Result,
    exec::Execution,
    float_mode::FloatMode,
    format::{MAX_MISSING, SAMPLE_MULTIPLIER, SAMPLE_STRIDE},
    missing::is_missing,
    scalar::Scalar,
    simd::Level,
    statistics::ValueRange,
};

/// Elements that a survey looks at between two decisions.
const RUN: usize = 4096;
/// Elements that one thread looks at between two looks at whether to stop.
const PART: usize = 64 * RUN;
const LANES: usize = 32;

/// The range of all of `data`.
///
/// # Errors
/// [`Cancelled`](crate::Error::Cancelled).
pub(crate) fn range<T: Scalar>(
    data: &[T],
    missing: &[T],
    run: Execution<'_>,
) -> Result<ValueRange<T>> {
    let part = |part: &[T]| {
        let _mode = FloatMode::standard();
        run.check()?;
        Ok(of_part(run.level, part, missing))
    };
    let merge = |mut a: ValueRange<T>, b: ValueRange<T>| {
        let _mode = FloatMode::standard();
        a.merge(&b);
        Ok(a)
    };
    if run.threads > 1 {
        data.par_chunks(PART).map(part).try_reduce(ValueRange::empty, merge)
    } else {
        data.chunks(PART).try_fold(ValueRange::empty(), |range, data| merge(range, part(data)?))
    }
}

/// The range of a part of a field.
pub(crate) fn of_part<T: Scalar>(level: Level, part: &[T], missing: &[T]) -> ValueRange<T> {
    match level {
        Level::Portable => part_range(part, missing),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: `Level::detect` gives this level only where the instructions exist.
            unsafe { part_range_avx2(part, missing) }
        }
    }
}

/// [`part_range`] compiled for wider vectors.
///
/// # Safety
/// The processor has the named instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn part_range_avx2<T: Scalar>(part: &[T], missing: &[T]) -> ValueRange<T> {
    part_range(part, missing)
}

#[inline(always)]
fn part_range<T: Scalar>(part: &[T], missing: &[T]) -> ValueRange<T> {
    let mut range = ValueRange::empty();
    for run in part.chunks(RUN) {
        range.merge(&run_range(run, missing));
    }
    range
}

#[inline(always)]
fn run_range<T: Scalar>(run: &[T], missing: &[T]) -> ValueRange<T> {
    match missing {
        [] => clean_range(run).unwrap_or_else(|| mixed_range(run, [])),
        [one] => mixed_range(run, [one.to_bits64()]),
        // A value may be compared twice.
        [first, ..] => {
            let bits = |k: usize| missing.get(k).unwrap_or(first).to_bits64();
            mixed_range(run, std::array::from_fn::<u64, MAX_MISSING, _>(bits))
        }
    }
}

/// The range of a run of any elements, without a branch on any of them.
#[inline(always)]
fn mixed_range<T: Scalar, const M: usize>(run: &[T], missing: [u64; M]) -> ValueRange<T> {
    const LANES: usize = 8;
    let mut min = [T::INFINITY; LANES];
    let mut max = [T::ZERO.sub(T::INFINITY); LANES];
    // Missing, NaN, infinite: at most RUN of each.
    let mut special = [[0u32; LANES]; 3];
    let (blocks, rest) = run.as_chunks::<LANES>();
    let mut take = |j: usize, d: T| {
        let mut gone = false;
        for m in missing {
            gone |= d.to_bits64() == m;
        }
        let kept = d.is_finite() & !gone;
        min[j] = if kept & (d < min[j]) { d } else { min[j] };
        max[j] = if kept & (d > max[j]) { d } else { max[j] };
        special[0][j] += gone as u32;
        special[1][j] += (d.is_nan() & !gone) as u32;
        special[2][j] += !(d.is_finite() | d.is_nan() | gone) as u32;
    };
    for block in blocks {
        for (j, &d) in block.iter().enumerate() {
            take(j, d);
        }
    }
    for &d in rest {
        take(0, d);
    }
    let mut range = ValueRange::empty();
    for j in 0..LANES {
        range.min = if min[j] < range.min { min[j] } else { range.min };
        range.max = if max[j] > range.max { max[j] } else { range.max };
    }
    let [missing, nan, inf] = special.map(|lanes| lanes.iter().map(|&n| n as u64).sum());
    ValueRange { missing, nan, inf, ..range }
}

/// The range of a run of finite elements, or `None` when it has others.
#[inline(always)]
fn clean_range<T: Scalar>(run: &[T]) -> Option<ValueRange<T>> {
    let mut min = [T::INFINITY; LANES];
    let mut max = [T::ZERO.sub(T::INFINITY); LANES];
    // d · 0 is NaN for what is not finite, and stays so in a sum.
    let mut spoiled = [T::ZERO; LANES];
    let (blocks, rest) = run.as_chunks::<LANES>();
    for block in blocks {
        for j in 0..LANES {
            let d = block[j];
            min[j] = if d < min[j] { d } else { min[j] };
            max[j] = if d > max[j] { d } else { max[j] };
            spoiled[j] = spoiled[j].add(d.mul(T::ZERO));
        }
    }
    let mut range = ValueRange::empty();
    for j in 0..LANES {
        if spoiled[j].is_nan() {
            return None;
        }
        range.min = if min[j] < range.min { min[j] } else { range.min };
        range.max = if max[j] > range.max { max[j] } else { range.max };
    }
    for &d in rest {
        range.take(d, false);
    }
    Some(range)
}

/// The largest magnitude among the samples of `data`.
///
/// # Errors
/// [`Cancelled`](crate::Error::Cancelled): of a file that is not in memory the samples take as long to read as all of it.
pub(crate) fn sampled_magnitude<T: Scalar>(
    data: &[T],
    missing: &[T],
    run: Execution<'_>,
) -> Result<f64> {
    const SHARE: usize = SAMPLES * SAMPLE_STRIDE;
    let of_share = |(share, data)| -> Result<T> {
        let _mode = FloatMode::standard();
        run.check()?;
        Ok(largest_sample(share * SAMPLES, data, missing))
    };
    let larger = |a: T, b: T| -> Result<T> {
        let _mode = FloatMode::standard();
        Ok(if b > a { b } else { a })
    };
    let largest = if run.threads > 1 {
        data.par_chunks(SHARE).enumerate().map(of_share).try_reduce(|| T::ZERO, larger)?
    } else {
        data.chunks(SHARE).enumerate().try_fold(T::ZERO, |a, share| larger(a, of_share(share)?))?
    };
    Ok(largest.to_f64())
}

/// Samples that a thread looks at in one go: each is somewhere else in memory.
const SAMPLES: usize = 256;

/// The largest magnitude among the samples of `data`, of which `first` is the number of the first one.
fn largest_sample<T: Scalar>(first: usize, data: &[T], missing: &[T]) -> T {
    let mut largest = T::ZERO;
    for (k, run) in data.chunks(SAMPLE_STRIDE).enumerate() {
        let number = (first + k) as u32;
        let within = number.wrapping_mul(SAMPLE_MULTIPLIER) as usize % SAMPLE_STRIDE;
        if let Some(&d) = run.get(within)
            && d.is_finite()
            && d.magnitude() > largest
            && !is_missing(d, missing)
        {
            largest = d.magnitude();
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Progress};

    #[test]
    fn samples_are_the_same_on_any_number_of_threads() {
        // The largest of them is in a share of its own in each round.
        for share in 0..5 {
            let n = 4 * SAMPLES * SAMPLE_STRIDE + 3 * SAMPLE_STRIDE;
            let sample = share * SAMPLES + share.min(2);
            let within = (sample as u32).wrapping_mul(SAMPLE_MULTIPLIER) as usize % SAMPLE_STRIDE;
            let mut data = vec![1f32; n];
            data[sample * SAMPLE_STRIDE + within] = -7.0 - share as f32;
            for threads in [1, 3] {
                let run = Execution { level: Level::Portable, threads, progress: None };
                let magnitude = |missing: &[f32]| sampled_magnitude(&data, missing, run).unwrap();
                assert_eq!(magnitude(&[]), 7.0 + share as f64);
                assert_eq!(magnitude(&[-7.0 - share as f32]), 1.0);
            }
        }
    }

    #[test]
    fn samples_are_looked_at_no_longer_than_asked_for() {
        let progress = Progress::new();
        progress.cancel();
        for threads in [1, 3] {
            let run = Execution { level: Level::Portable, threads, progress: Some(&progress) };
            let outcome = sampled_magnitude(&[1f32; 1000], &[], run);
            assert!(matches!(outcome, Err(Error::Cancelled)), "{outcome:?}");
        }
    }

    #[test]
    fn the_fast_range_equals_the_plain_one() {
        for n in [0usize, 1, 31, 32, 33, 5000] {
            for special in [None, Some(f32::NAN), Some(f32::NEG_INFINITY), Some(7.5)] {
                let mut data: Vec<f32> =
                    (0..n).map(|i| ((i * 37 % 101) as f32 - 50.0) * 1.5).collect();
                if let (Some(s), Some(last)) = (special, data.last_mut()) {
                    *last = s;
                }
                let mut plain = ValueRange::empty();
                data.iter().for_each(|&d| plain.take(d, d == 7.5));
                for parallel in [false, true] {
                    for level in [Level::Portable, Level::detect()] {
                        let threads = if parallel { 2 } else { 1 };
                        let run = Execution { level, threads, progress: None };
                        let fast = range(&data, &[7.5], run).expect("nobody cancels");
                        assert_eq!(format!("{fast:?}"), format!("{plain:?}"));
                    }
                }
            }
        }
    }
}
