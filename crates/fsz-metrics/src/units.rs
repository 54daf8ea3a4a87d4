//! In which unit values are counted, so that squares stay in the range of `f64`.

use rayon::prelude::*;

use crate::chunks::CHUNK;
use crate::sample::{Class, Missing, Sample};

/// Units in 1, where the largest magnitude is about 1 unit. A power of two: figures are the same in any.
pub(crate) fn units(largest: f64) -> f64 {
    let exponent = (largest.abs().to_bits() >> 52).clamp(1, 2045);
    f64::from_bits((2046 - exponent) << 52)
}

/// The smallest and the largest number of a field; `None` where there are none.
pub(crate) fn ends<T: Sample>(values: &[T], missing: &Missing<T>) -> Option<(f64, f64)> {
    let take = |(min, max): (f64, f64), value: &T| {
        let value = value.to_f64();
        (lesser(min, value), greater(max, value))
    };
    let nothing = (f64::INFINITY, f64::NEG_INFINITY);
    let of_chunk = |chunk: &[T]| {
        if missing.none_in(chunk) {
            return chunk.iter().fold(nothing, take);
        }
        let numbers = chunk.iter().filter(|&&value| missing.class(value) == Class::Finite);
        numbers.fold(nothing, take)
    };
    let join = |a: (f64, f64), b: (f64, f64)| (lesser(a.0, b.0), greater(a.1, b.1));
    let found = values.par_chunks(CHUNK).map(of_chunk).reduce(|| nothing, join);
    (found.0 <= found.1).then_some(found)
}

/// The largest magnitude of the numbers of a field; 0 where there are none.
pub(crate) fn largest<T: Sample>(values: &[T], missing: &Missing<T>) -> f64 {
    ends(values, missing).map_or(0.0, |(min, max)| min.abs().max(max.abs()))
}

/// The lesser of two numbers; unlike `f64::min` it is one instruction.
pub(crate) fn lesser(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// The greater of two numbers.
pub(crate) fn greater(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The largest magnitude of the pairs of numbers; 0 where there are none.
pub(crate) fn largest_of_pairs<T: Sample>(a: &[T], b: &[T], missing: &Missing<T>) -> f64 {
    let magnitude =
        |(&a, &b): (&T, &T)| missing.pair(a, b).map_or(0.0, |(a, b)| a.abs().max(b.abs()));
    a.par_iter().zip(b).map(magnitude).reduce(|| 0.0, f64::max)
}

/// What `figure` gives of a field of 20 times 20 and another, which is the same in each unit.
#[cfg(test)]
pub(crate) fn same_in_each_unit<R: PartialEq + std::fmt::Debug>(
    figure: impl Fn(&[f64], &[f64]) -> R,
) -> R {
    let of = |scale: f64| {
        let field: Vec<f64> = (0..400).map(|i| (i as f64 * 0.1).sin() * scale).collect();
        let wave = |i: usize| 0.3 * (i as f64 * 0.7).sin() * scale;
        let other: Vec<f64> = field.iter().enumerate().map(|(i, v)| v + wave(i)).collect();
        figure(&field, &other)
    };
    let expected = of(1.0);
    for scale in [2f64.powi(-1000), 2f64.powi(-600), 2f64.powi(600), 2f64.powi(1023)] {
        assert_eq!(of(scale), expected, "{scale:e}");
    }
    expected
}
