//! Arithmetic in the element type.

use std::fmt;

use crate::dtype::DType;

/// A number of an element type.
pub trait Scalar: Copy + Default + PartialOrd + Send + Sync + fmt::Debug + 'static {
    /// The element type as a value.
    const DTYPE: DType;
    /// The value as `f64` (exact).
    fn to_f64(self) -> f64;
    /// `value` rounded to this type, to nearest.
    fn from_f64(value: f64) -> Self;
    /// The value's bits, in the low end.
    fn to_bits64(self) -> u64;
    /// The value with these bits.
    fn from_bits64(bits: u64) -> Self;

    #[doc(hidden)]
    const ZERO: Self;
    #[doc(hidden)]
    const INFINITY: Self;
    #[doc(hidden)]
    const NAN: Self;
    #[doc(hidden)]
    const MAX: Self;
    #[doc(hidden)]
    const MIN_POSITIVE: Self;
    #[doc(hidden)]
    fn add(self, other: Self) -> Self;
    #[doc(hidden)]
    fn sub(self, other: Self) -> Self;
    #[doc(hidden)]
    fn mul(self, other: Self) -> Self;
    /// Quotient.
    fn div(self, other: Self) -> Self;
    #[doc(hidden)]
    fn magnitude(self) -> Self;
    #[doc(hidden)]
    fn reciprocal(self) -> Self;
    #[doc(hidden)]
    fn next_down(self) -> Self;
    #[doc(hidden)]
    fn is_finite(self) -> bool;
    #[doc(hidden)]
    fn is_nan(self) -> bool;
    #[doc(hidden)]
    fn from_code(q: i32) -> Self;
}

macro_rules! scalar {
    ($t:ident, $dtype:expr, $bits:ident) => {
        impl Scalar for $t {
            const DTYPE: DType = $dtype;
            const ZERO: Self = 0.0;
            const INFINITY: Self = $t::INFINITY;
            const NAN: Self = $t::NAN;
            const MAX: Self = $t::MAX;
            const MIN_POSITIVE: Self = $t::MIN_POSITIVE;
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $t
            }
            #[inline(always)]
            fn to_bits64(self) -> u64 {
                self.to_bits() as u64
            }
            #[inline(always)]
            fn from_bits64(bits: u64) -> Self {
                $t::from_bits(bits as $bits)
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                1.0 / self
            }
            #[inline(always)]
            fn next_down(self) -> Self {
                $t::next_down(self)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $t::is_finite(self)
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                $t::is_nan(self)
            }
            #[inline(always)]
            fn from_code(q: i32) -> Self {
                q as $t
            }
        }
    };
}

scalar!(f32, DType::F32, u32);
scalar!(f64, DType::F64, u64);
