//! What the encoder vouches for: the largest error, the range, and what is not an ordinary number.

use crate::{
    format::{FixedHeader, RelativePart},
    quantizer::Errors,
    scalar::Scalar,
};

/// The certificate of a stream (FORMAT.md, *Certificate*).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Certificate {
    /// Largest |original − decoded| over the finite elements, in the field's unit. Of a stream with regions, whose
    /// certificate counts what stands in their place too, the error is at most this.
    pub max_abs_error: f64,
    /// Smallest finite, not missing value; NaN when there is none.
    pub min: f64,
    /// Largest finite, not missing value; NaN when there is none.
    pub max: f64,
    /// NaN elements (that are not a named missing value).
    pub nan: u64,
    /// +Inf and −Inf elements.
    pub inf: u64,
    /// Elements equal to a named missing value.
    pub missing: u64,
    /// Elements whose exact bits the stream holds, for whatever reason.
    pub escaped: u64,
    /// Largest |original − decoded| / |original| of logarithmic codes: those of elements that are too large for
    /// the floor of a pointwise-relative bound. Only that bound has it.
    pub max_relative_error: Option<f64>,
}

impl Certificate {
    /// Takes in the certificate of another part of the same field.
    pub fn merge(&mut self, other: &Certificate) {
        self.max_abs_error = self.max_abs_error.max(other.max_abs_error);
        // NaN, of a part without numbers, loses against any number.
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.nan += other.nan;
        self.inf += other.inf;
        self.missing += other.missing;
        self.escaped += other.escaped;
        self.max_relative_error = match (self.max_relative_error, other.max_relative_error) {
            (Some(own), Some(other)) => Some(own.max(other)),
            _ => None,
        };
    }

    pub(crate) fn of(header: &FixedHeader, relative: Option<&RelativePart>) -> Self {
        let &FixedHeader { max_abs_error, min, max, nan, inf, missing, escaped, .. } = header;
        let max_relative_error = relative.map(|part| part.max_relative_error);
        Certificate { max_abs_error, min, max, nan, inf, missing, escaped, max_relative_error }
    }
}

/// The range and the special elements of some part of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueRange<T> {
    /// +Inf when nothing is finite.
    pub min: T,
    /// −Inf when nothing is finite.
    pub max: T,
    pub nan: u64,
    pub inf: u64,
    pub missing: u64,
}

impl<T: Scalar> ValueRange<T> {
    pub fn empty() -> Self {
        ValueRange { min: T::INFINITY, max: T::ZERO.sub(T::INFINITY), nan: 0, inf: 0, missing: 0 }
    }

    /// Takes one element in.
    #[inline(always)]
    pub fn take(&mut self, d: T, missing: bool) {
        if missing {
            self.missing += 1;
        } else if d.is_finite() {
            self.min = if d < self.min { d } else { self.min };
            self.max = if d > self.max { d } else { self.max };
        } else if d.is_nan() {
            self.nan += 1;
        } else {
            self.inf += 1;
        }
    }

    pub fn merge(&mut self, other: &Self) {
        self.min = if other.min < self.min { other.min } else { self.min };
        self.max = if other.max > self.max { other.max } else { self.max };
        self.nan += other.nan;
        self.inf += other.inf;
        self.missing += other.missing;
    }

    /// Minimum and maximum as `f64` with −0 as +0, or `None` when nothing is finite.
    pub fn ends(&self) -> Option<(f64, f64)> {
        (self.min <= self.max).then(|| (self.min.to_f64() + 0.0, self.max.to_f64() + 0.0))
    }

    pub fn has_special(&self) -> bool {
        self.nan + self.inf + self.missing > 0
    }
}

/// What the encoder gathers beside the bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statistics<T> {
    pub range: ValueRange<T>,
    pub errors: Errors<T>,
    pub escaped: u64,
}

impl<T: Scalar> Statistics<T> {
    pub fn empty() -> Self {
        Statistics { range: ValueRange::empty(), errors: Errors::NONE, escaped: 0 }
    }

    pub fn merge(&mut self, other: &Self) {
        self.range.merge(&other.range);
        self.errors.merge(other.errors);
        self.escaped += other.escaped;
    }

    pub fn certificate(&self) -> Certificate {
        let (min, max) = self.range.ends().unwrap_or((f64::NAN, f64::NAN));
        Certificate {
            max_abs_error: self.errors.absolute.to_f64(),
            min,
            max,
            nan: self.range.nan,
            inf: self.range.inf,
            missing: self.range.missing,
            escaped: self.escaped,
            max_relative_error: None,
        }
    }
}
