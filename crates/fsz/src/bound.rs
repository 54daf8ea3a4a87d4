//! The bound that a caller asks for, and the absolute one that follows from it (FORMAT.md, *Bound*).

use crate::{
    dtype::DType,
    error::{Error, Result},
    format::{
        BOUND_ABSOLUTE, BOUND_GIVEN_RANGE, BOUND_MAX_BYTES, BOUND_PSNR, BOUND_RATIO,
        BOUND_RELATIVE, BOUND_VALUE_RANGE, FixedHeader, LEAST_RELATIVE_F64, MOST_RELATIVE,
        largest_error, share_of_span,
    },
    scalar::Scalar,
    statistics::ValueRange,
};

/// The error bound: every finite element keeps |original − decoded| ≤ the bound, or ≤ its own share of a
/// pointwise-relative one. A target resolves to an absolute bound, which is kept in the same way.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Bound {
    /// This much, in the field's unit.
    Absolute(f64),
    /// This share of max − min over the finite, not missing values (the paper's REL).
    ValueRange(f64),
    /// The share `ratio` of a range that the caller knows, such as that of all ranks together.
    ValueRangeOf {
        /// Share of the range.
        ratio: f64,
        /// Lower end of the range.
        min: f64,
        /// Upper end of the range.
        max: f64,
    },
    /// A share of each element, or the floor where that is more: |original − decoded| ≤ max(eps · |original|, floor).
    Relative {
        /// Share of the element: above 0, at most ½; of `f64` at least 2⁻²⁷.
        eps: f64,
        /// What is near enough for any element, in the field's unit; 0 for none. A floor just below what matters
        /// makes streams of fields with small values much smaller.
        floor: f64,
    },
    /// Whatever absolute bound gives at least this peak signal-to-noise ratio in decibels: that of the
    /// range to the root of the mean squared error, over the finite, not missing values. A stream tells that error: where
    /// it would be beyond `f64`, as of errors above some 1e154, all values are exact instead.
    Psnr(f64),
    /// The absolute bound found whose compression ratio, field bytes over stream bytes, comes nearest to this one, as a
    /// rule within 3 %. Where the ratio jumps over this one, it is further off: the stream tells its own. A ratio more
    /// than 3 % above the largest one found is an error.
    Ratio(f64),
    /// The smallest absolute bound found whose stream has this many bytes at most.
    MaxBytes(u64),
}

impl Bound {
    /// The number asked for: the absolute bound, the share of the range or of each element, or the target.
    pub fn requested(self) -> f64 {
        match self {
            Bound::Absolute(e) => e,
            Bound::ValueRange(ratio) | Bound::ValueRangeOf { ratio, .. } => ratio,
            Bound::Relative { eps, .. } => eps,
            Bound::Psnr(target) | Bound::Ratio(target) => target,
            Bound::MaxBytes(bytes) => bytes as f64,
        }
    }

    /// A bound of the same kind with another number: what a [`Region`](crate::Region) beside this one is told by.
    pub fn with_requested(self, number: f64) -> Self {
        match self {
            Bound::Absolute(_) => Bound::Absolute(number),
            Bound::ValueRange(_) => Bound::ValueRange(number),
            Bound::ValueRangeOf { min, max, .. } => Bound::ValueRangeOf { ratio: number, min, max },
            Bound::Relative { floor, .. } => Bound::Relative { eps: number, floor },
            Bound::Psnr(_) => Bound::Psnr(number),
            Bound::Ratio(_) => Bound::Ratio(number),
            Bound::MaxBytes(_) => Bound::MaxBytes(number as u64),
        }
    }

    /// `"absolute"`, `"value-range"`, `"pointwise-relative"`, `"PSNR"`, `"ratio"` or `"most bytes"`.
    pub fn kind(self) -> &'static str {
        match self {
            Bound::Absolute(_) => "absolute",
            Bound::ValueRange(_) | Bound::ValueRangeOf { .. } => "value-range",
            Bound::Relative { .. } => "pointwise-relative",
            Bound::Psnr(_) => "PSNR",
            Bound::Ratio(_) => "ratio",
            Bound::MaxBytes(_) => "most bytes",
        }
    }

    /// Whether it is a target, for which an absolute bound must be searched: the field is compressed a few
    /// times, on the host or from there.
    pub fn is_target(self) -> bool {
        matches!(self, Bound::Psnr(_) | Bound::Ratio(_) | Bound::MaxBytes(_))
    }

    /// The number in the header.
    pub(crate) fn code(self) -> u8 {
        match self {
            Bound::Absolute(_) => BOUND_ABSOLUTE,
            Bound::ValueRange(_) => BOUND_VALUE_RANGE,
            Bound::ValueRangeOf { .. } => BOUND_GIVEN_RANGE,
            Bound::Relative { .. } => BOUND_RELATIVE,
            Bound::Psnr(_) => BOUND_PSNR,
            Bound::Ratio(_) => BOUND_RATIO,
            Bound::MaxBytes(_) => BOUND_MAX_BYTES,
        }
    }

    /// The bound that a header names; `None` for a kind that this release does not know.
    pub(crate) fn from_header(header: &FixedHeader) -> Option<Self> {
        let requested = header.requested_bound;
        Some(match header.bound_kind {
            BOUND_ABSOLUTE => Bound::Absolute(requested),
            BOUND_VALUE_RANGE => Bound::ValueRange(requested),
            // The range itself is not kept; the bound that followed from it is.
            BOUND_GIVEN_RANGE => {
                let max = header.absolute_bound / requested;
                Bound::ValueRangeOf { ratio: requested, min: 0.0, max }
            }
            // The floor stands elsewhere.
            BOUND_RELATIVE => Bound::Relative { eps: requested, floor: 0.0 },
            BOUND_PSNR => Bound::Psnr(requested),
            BOUND_RATIO => Bound::Ratio(requested),
            BOUND_MAX_BYTES => Bound::MaxBytes(requested as u64),
            _ => return None,
        })
    }

    /// Whether it is pointwise-relative.
    pub fn is_relative(self) -> bool {
        matches!(self, Bound::Relative { .. })
    }

    /// The largest error that it allows an element of this magnitude; `absolute` is the absolute bound used.
    pub fn of_element(self, magnitude: f64, absolute: f64) -> f64 {
        match self {
            Bound::Relative { eps, floor } => (eps * magnitude).max(floor),
            _ => absolute,
        }
    }

    /// Whether fields of this type can be compressed within it; every compression checks this, too.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when a number is outside of what its kind of bound takes.
    pub fn check(self, dtype: DType) -> Result<()> {
        let asked = self.requested();
        // A limit of 0 bytes is one that is too small: the search tells what is not.
        let is_limit = matches!(self, Bound::MaxBytes(_));
        if !(asked.is_finite() && asked > 0.0 || is_limit) {
            return Err(Error::invalid(format!(
                "{} bound {asked}: it must be a positive, finite number",
                self.kind()
            )));
        }
        if let Bound::ValueRangeOf { min, max, .. } = self
            && !(min.is_finite() && max.is_finite() && min <= max)
        {
            return Err(Error::invalid(format!(
                "value range {min} to {max}: both ends must be finite, the lower one first"
            )));
        }
        if let Bound::Relative { eps, floor } = self {
            if eps > MOST_RELATIVE || (dtype == DType::F64 && eps < LEAST_RELATIVE_F64) {
                return Err(Error::invalid(format!(
                    "{} bound {eps:?}: it must be at most {MOST_RELATIVE}, and of f64 at least {LEAST_RELATIVE_F64:e}",
                    self.kind()
                )));
            }
            if !(floor.is_finite() && floor >= 0.0) {
                return Err(Error::invalid(format!(
                    "floor {floor}: it must be finite, and not negative"
                )));
            }
        }
        Ok(())
    }
}

/// What an absolute bound follows from, when targets have been resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    Absolute(f64),
    ValueRange(f64),
    GivenRange { ratio: f64, min: f64, max: f64 },
    Relative { eps: f64, floor: f64 },
}

impl Limit {
    /// The limit of a bound, and of a target the absolute bound that was found for it.
    pub fn of(bound: Bound, found: Option<f64>) -> Result<Self> {
        Ok(match bound {
            Bound::Absolute(e) => Limit::Absolute(e),
            Bound::ValueRange(ratio) => Limit::ValueRange(ratio),
            Bound::ValueRangeOf { ratio, min, max } => Limit::GivenRange { ratio, min, max },
            Bound::Relative { eps, floor } => Limit::Relative { eps, floor },
            Bound::Psnr(_) | Bound::Ratio(_) | Bound::MaxBytes(_) => {
                Limit::Absolute(found.ok_or_else(|| {
                    Error::unsupported(format!(
                        "a target ({} {}) of a field in device memory: find the bound with the field in \
                         host memory first, and give it as an absolute one",
                        bound.kind(),
                        bound.requested()
                    ))
                })?)
            }
        })
    }

    /// The absolute bound of a field with this range.
    pub fn absolute<T: Scalar>(self, range: Option<&ValueRange<T>>) -> f64 {
        match self {
            Limit::Absolute(e) => e,
            Limit::ValueRange(ratio) => range
                .and_then(ValueRange::ends)
                .map_or(0.0, |(min, max)| share_of_span(ratio, min, max)),
            Limit::GivenRange { ratio, min, max } => share_of_span(ratio, min, max),
            Limit::Relative { eps, floor } => {
                let (min, max) = range.and_then(ValueRange::ends).unwrap_or((f64::NAN, f64::NAN));
                largest_error(eps, floor, min, max)
            }
        }
    }
}
