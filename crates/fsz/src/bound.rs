//! The bound that a caller asks for, and the absolute one that follows from it (FORMAT.md, *Bound*).

use crate::{
    error::{Error, Result},
    format::{BOUND_ABSOLUTE, BOUND_GIVEN_RANGE, BOUND_VALUE_RANGE, FixedHeader, share_of_span},
    scalar::Scalar,
    statistics::ValueRange,
};

/// The error bound: every finite element keeps |original − decoded| ≤ the bound.
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
}

impl Bound {
    /// The number asked for: the absolute bound or the share of the range.
    pub fn requested(self) -> f64 {
        match self {
            Bound::Absolute(e) => e,
            Bound::ValueRange(ratio) | Bound::ValueRangeOf { ratio, .. } => ratio,
        }
    }

    /// `"absolute"` or `"value-range"`.
    pub fn kind(self) -> &'static str {
        match self {
            Bound::Absolute(_) => "absolute",
            Bound::ValueRange(_) | Bound::ValueRangeOf { .. } => "value-range",
        }
    }

    /// The number in the header.
    pub(crate) fn code(self) -> u8 {
        match self {
            Bound::Absolute(_) => BOUND_ABSOLUTE,
            Bound::ValueRange(_) => BOUND_VALUE_RANGE,
            Bound::ValueRangeOf { .. } => BOUND_GIVEN_RANGE,
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
            _ => return None,
        })
    }

    pub(crate) fn check(self) -> Result<()> {
        let asked = self.requested();
        if !(asked.is_finite() && asked > 0.0) {
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
        Ok(())
    }
}

/// The absolute bound of a field with this range.
pub(crate) fn absolute<T: Scalar>(bound: Bound, range: Option<&ValueRange<T>>) -> f64 {
    match bound {
        Bound::Absolute(e) => e,
        Bound::ValueRange(ratio) => range
            .and_then(ValueRange::ends)
            .map_or(0.0, |(min, max)| share_of_span(ratio, min, max)),
        Bound::ValueRangeOf { ratio, min, max } => share_of_span(ratio, min, max),
    }
}
