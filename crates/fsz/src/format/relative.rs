//! The part of the header that a pointwise-relative bound has (FORMAT.md, *Header*).

use super::{FieldType, FixedHeader, rules, unsupported};
use crate::{
    dtype::DType,
    error::{Error, Result},
    quantizer::{Curve, Errors, Logarithmic, Relative, edge_of},
    scalar::Scalar,
};

/// What a header tells of a pointwise-relative bound beside `eps`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RelativePart {
    /// The floor as requested; 0 for none.
    pub floor: f64,
    /// The step of the linear codes; 0 without these.
    pub linear_step: f64,
    /// Certificate: the largest relative error of logarithmic codes.
    pub max_relative_error: f64,
    /// The pattern, before the curve, of the first logarithmic code.
    pub base: u64,
    /// The distance of neighbouring ones.
    pub stride: u64,
    /// The largest linear code.
    pub knee: u32,
    /// Whether patterns are curved.
    pub curved: bool,
}

/// What the rules of a header with a pointwise-relative bound speak of: fields of its fixed part, and those of its
/// relative part.
#[derive(Clone, Copy, Debug)]
pub struct RelativeFields {
    pub(super) dtype: u8,
    pub(super) requested_bound: f64,
    pub(super) absolute_bound: f64,
    pub(super) quantization_step: f64,
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) floor: f64,
    pub(super) linear_step: f64,
    pub(super) max_relative_error: f64,
    pub(super) base: u64,
    pub(super) stride: u64,
    pub(super) knee: u32,
    pub(super) curve: u32,
}

impl RelativeFields {
    /// Those of the relative part: name, type, and the number and the half of it where each is.
    pub const PART: [(&str, FieldType, usize, usize); 7] = [
        ("floor", FieldType::f64, 0, 0),
        ("linear_step", FieldType::f64, 1, 0),
        ("max_relative_error", FieldType::f64, 2, 0),
        ("base", FieldType::u64, 3, 0),
        ("stride", FieldType::u64, 4, 0),
        ("knee", FieldType::u32, 5, 0),
        ("curve", FieldType::u32, 5, 1),
    ];
}

impl RelativePart {
    /// Numbers of 8 bytes that it takes.
    pub const NUMBERS: usize = 6;

    /// What a quantizer has found for a floor.
    pub(crate) fn new<T: Logarithmic>(z: &Relative<T>, floor: f64, errors: Errors<T>) -> Self {
        RelativePart {
            floor,
            linear_step: z.curve.linear_step.to_f64(),
            max_relative_error: errors.relative.to_f64(),
            base: z.curve.base,
            stride: z.curve.stride,
            knee: z.curve.knee,
            curved: z.curve.curved,
        }
    }

    /// The magnitude that linear codes are for elements below; 0 without these.
    pub fn edge<T: Scalar>(&self) -> T {
        edge_of(self.knee, T::from_f64(self.linear_step))
    }

    /// What turns codes into values.
    pub(crate) fn curve<T: Logarithmic>(&self) -> Curve<T> {
        let &RelativePart { knee, base, stride, curved, .. } = self;
        Curve { linear_step: T::from_f64(self.linear_step), knee, base, stride, curved }
    }

    pub(crate) fn numbers(&self) -> [u64; Self::NUMBERS] {
        let &RelativePart { floor, linear_step, max_relative_error, base, stride, .. } = self;
        let codes = self.knee as u64 | (self.curved as u64) << 32;
        let [floor, step, error] = [floor, linear_step, max_relative_error].map(f64::to_bits);
        [floor, step, error, base, stride, codes]
    }

    /// Reads and checks it.
    pub(crate) fn read(numbers: &[u64], fixed: &FixedHeader, dtype: DType) -> Result<Self> {
        let &[floor, step, error, base, stride, codes] = numbers else {
            return Err(Error::corrupt("a header without its relative part"));
        };
        let [floor, linear_step, max_relative_error] = [floor, step, error].map(f64::from_bits);
        let (knee, curve) = (codes as u32, (codes >> 32) as u32);
        if curve > 1 {
            return Err(unsupported("curve", curve.min(u8::MAX.into()) as u8, &[]));
        }
        let part = RelativePart {
            floor,
            linear_step,
            max_relative_error,
            base,
            stride,
            knee,
            curved: curve == 1,
        };
        let fields = RelativeFields {
            dtype: dtype.code(),
            requested_bound: fixed.requested_bound,
            absolute_bound: fixed.absolute_bound,
            quantization_step: fixed.quantization_step,
            min: fixed.min,
            max: fixed.max,
            floor,
            linear_step,
            max_relative_error,
            base,
            stride,
            knee,
            curve,
        };
        match rules::broken_relative(&fields) {
            Some(rule) => Err(Error::corrupt(format!("a contradictory header: {}", rule.broken))),
            None => Ok(part),
        }
    }
}

/// The largest error that a pointwise-relative bound allows an element of a field with this range.
pub(crate) fn largest_error(eps: f64, floor: f64, min: f64, max: f64) -> f64 {
    // The NaN of a field without numbers loses against the floor.
    (eps * min.abs().max(max.abs())).max(floor)
}
