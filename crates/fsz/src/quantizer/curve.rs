//! The values of the codes of a pointwise-relative bound (FORMAT.md, *Relative*).

use super::block::Logarithmic;
use crate::{
    format::dense::{LEAST_STRIDE, MOST_FINE_KNEE},
    scalar::Scalar,
};

/// What turns codes into values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Curve<T> {
    /// Distance of the values of neighbouring linear codes; 0 without these.
    pub linear_step: T,
    /// The largest linear code.
    pub knee: u32,
    /// The pattern, before the curve, of the first logarithmic code.
    pub base: u64,
    /// The distance of neighbouring ones.
    pub stride: u64,
    /// Whether patterns are curved.
    pub curved: bool,
}

impl<T: Scalar> Curve<T> {
    /// The curve with `1 << fine` points for each code; `None` where it cannot be (FORMAT.md, *Dense: quantize*).
    pub fn finer(self, fine: u32) -> Option<Self> {
        if fine == 0 {
            return Some(self);
        }
        let (points, half) = (1u64 << fine, 1u64 << fine >> 1);
        let stride = self.stride >> fine;
        let even = stride << fine == self.stride && stride >= LEAST_STRIDE;
        (even && self.knee <= MOST_FINE_KNEE).then(|| Curve {
            linear_step: self.linear_step.mul(T::from_f64(0.5f64.powi(fine as i32))),
            knee: (self.knee << fine) + half as u32,
            base: self.base.wrapping_sub((points - half - 1).wrapping_mul(stride)),
            stride,
            curved: self.curved,
        })
    }
}

impl<T: Logarithmic> Curve<T> {
    /// The bits of a magnitude, of its pattern.
    pub fn bits(&self, y: u64) -> u64 {
        if self.curved { T::curve(y) } else { y }
    }

    /// The largest pattern whose bits are not above these: `Y` of FORMAT.md.
    pub fn pattern(&self, bits: u64) -> u64 {
        if !self.curved {
            return bits;
        }
        // Within an octave the curve rises, and at its ends it changes nothing.
        let octave = bits & !(T::OCTAVE - 1);
        let (mut low, mut high) = (0, T::OCTAVE);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if T::curve(octave + middle) <= bits {
                low = middle;
            } else {
                high = middle;
            }
        }
        octave + low
    }
}
