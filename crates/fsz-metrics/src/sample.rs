//! Element types, and which values take part in a metric.

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// An element type: `f32` or `f64`.
pub trait Sample: sealed::Sealed + Copy + PartialEq + Send + Sync + 'static {
    /// The value in `f64`; exact for both types.
    fn to_f64(self) -> f64;
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// Whether both are the same to the bit: conversion to `f64` makes some NaN alike.
    fn same_bits(self, other: Self) -> bool;
}

impl Sample for f32 {
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    fn same_bits(self, other: Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl Sample for f64 {
    fn to_f64(self) -> f64 {
        self
    }
    fn from_f64(value: f64) -> Self {
        value
    }
    fn same_bits(self, other: Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

/// What a value of the original is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A number that takes part in the metrics.
    Finite,
    /// One of the named missing values.
    Missing,
    /// NaN.
    Nan,
    /// +Inf or −Inf.
    Inf,
}

/// The values that mean "no value here", such as 1e20 on land in an ocean field.
///
/// A named value matches the element nearest to it: 1e20 matches `1e20f32` in an `f32` field. It has a sign: 0 does not
/// match −0, as streams tell missing values by their bits.
#[derive(Debug, Clone, Default)]
pub struct Missing<T> {
    values: Vec<T>,
}

impl<T: Sample> Missing<T> {
    /// The given values are missing.
    pub fn new(named: &[f64]) -> Self {
        Missing { values: named.iter().map(|&v| T::from_f64(v)).collect() }
    }

    /// No value is missing.
    pub fn none() -> Self {
        Missing { values: Vec::new() }
    }

    /// What `value` is.
    pub fn class(&self, value: T) -> Class {
        let wide = value.to_f64();
        let same = |named: &T| named.to_f64().to_bits() == wide.to_bits() && *named == value;
        if self.values.iter().any(same) {
            Class::Missing
        } else if wide.is_finite() {
            Class::Finite
        } else if wide.is_nan() {
            Class::Nan
        } else {
            Class::Inf
        }
    }

    /// Whether all values are numbers and none is missing; without a branch per value.
    pub(crate) fn none_in(&self, values: &[T]) -> bool {
        let special = |v: T| !v.to_f64().is_finite();
        !values.iter().fold(false, |any, &v| any | special(v))
            && !self.values.iter().any(|m| values.iter().fold(false, |any, v| any | (v == m)))
    }

    /// Sets 1 for each pair that takes no part, as [`pair`](Self::pair) tells, and 0 for the others; whether there is one.
    /// Without a branch per value.
    pub(crate) fn set_gaps(&self, original: &[T], other: &[T], gaps: &mut [f64]) -> bool {
        let mut any = false;
        for ((&a, &b), gap) in original.iter().zip(other).zip(&mut *gaps) {
            let is_gap = !(a.to_f64().is_finite() & b.to_f64().is_finite());
            *gap = f64::from(u8::from(is_gap));
            any |= is_gap;
        }
        for &named in &self.values {
            for (&a, gap) in original.iter().zip(&mut *gaps) {
                let is_named = a.same_bits(named);
                *gap = if is_named { 1.0 } else { *gap };
                any |= is_named;
            }
        }
        any
    }

    /// The pair in `f64` when both are numbers and the original is not missing.
    pub(crate) fn pair(&self, original: T, reconstructed: T) -> Option<(f64, f64)> {
        let other = reconstructed.to_f64();
        let taken = self.class(original) == Class::Finite && other.is_finite();
        taken.then(|| (original.to_f64(), other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_zero_has_a_sign() {
        let missing = Missing::<f32>::new(&[0.0, f64::NAN]);
        let classes = [0.0, -0.0, f32::NAN, 1.0].map(|value| missing.class(value));
        assert_eq!(classes, [Class::Missing, Class::Finite, Class::Nan, Class::Finite]);
    }
}
