//! The part of the header that a pointwise-relative bound has (FORMAT.md, *Header*).

use super::{
    FixedHeader,
    constants::{MAX_CODE, MOST_RELATIVE},
    unsupported,
};
use crate::{
    dtype::DType,
    error::{Error, Result},
    quantizer::{Curve, Errors, Logarithmic, Relative},
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

impl RelativePart {
    /// Numbers of 8 bytes that it takes.
    pub(crate) const NUMBERS: usize = 6;

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
        match part.contradiction(fixed, dtype) {
            Some(what) => Err(Error::corrupt(format!("a contradictory header: {what}"))),
            None => Ok(part),
        }
    }

    fn contradiction(&self, fixed: &FixedHeader, dtype: DType) -> Option<&'static str> {
        let &RelativePart { floor, linear_step, max_relative_error, base, stride, .. } = self;
        let eps = fixed.requested_bound;
        let is_value = match dtype {
            DType::F32 => linear_step as f32 as f64 == linear_step,
            DType::F64 => true,
        };
        let fits = |number: u64| dtype == DType::F64 || number <= u32::MAX as u64;
        let conditions = [
            (eps <= MOST_RELATIVE, "the relative bound is above one half"),
            (floor.is_finite() && floor >= 0.0, "the floor is negative or not finite"),
            (
                linear_step >= 0.0 && is_value && linear_step * 0.5 <= floor,
                "the linear step is no number of the element type from 0 to twice the floor",
            ),
            ((linear_step == 0.0) == (self.knee == 0), "linear codes without a step"),
            (self.knee <= MAX_CODE as u32, "the knee is no code"),
            (fits(base) && fits(stride) && stride > 0, "logarithmic codes without a distance"),
            (
                (0.0..=eps).contains(&max_relative_error),
                "the largest relative error is beyond the bound",
            ),
            (
                fixed.absolute_bound == largest_error(eps, floor, fixed.min, fixed.max),
                "the bound used does not follow from the relative bound",
            ),
            (fixed.quantization_step == 0.0, "a quantization step beside a relative bound"),
        ];
        conditions.iter().find(|(holds, _)| !holds).map(|(_, what)| *what)
    }
}

/// The largest error that a pointwise-relative bound allows an element of a field with this range.
pub(crate) fn largest_error(eps: f64, floor: f64, min: f64, max: f64) -> f64 {
    // The NaN of a field without numbers loses against the floor.
    (eps * min.abs().max(max.abs())).max(floor)
}
