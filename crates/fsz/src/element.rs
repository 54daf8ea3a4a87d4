//! The two element types of a field, `f32` and `f64`.

use std::{fmt, str::FromStr};

use crate::{bound::Quantizer, error::Error, geometry::TILE, quantize::Plain, simd::Simd};

/// The element type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl Dtype {
    /// Bytes per element: 4 or 8.
    pub const fn size(self) -> usize {
        match self {
            Dtype::F32 => 4,
            Dtype::F64 => 8,
        }
    }

    /// Payload words (of 4 bytes) per element: 1 or 2.
    pub(crate) const fn words(self) -> usize {
        self.size() / 4
    }

    /// `"f32"` or `"f64"`.
    pub const fn name(self) -> &'static str {
        match self {
            Dtype::F32 => "f32",
            Dtype::F64 => "f64",
        }
    }

    pub(crate) const fn code(self) -> u8 {
        match self {
            Dtype::F32 => 1,
            Dtype::F64 => 2,
        }
    }

    pub(crate) const fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Dtype::F32),
            2 => Some(Dtype::F64),
            _ => None,
        }
    }

    /// The value with these bits, as `f64` (exact).
    pub(crate) fn value_of_bits(self, bits: u64) -> f64 {
        match self {
            Dtype::F32 => f32::from_bits(bits as u32) as f64,
            Dtype::F64 => f64::from_bits(bits),
        }
    }

    /// The bits of `value` rounded to this type.
    pub(crate) fn bits_of_value(self, value: f64) -> u64 {
        match self {
            Dtype::F32 => (value as f32).to_bits() as u64,
            Dtype::F64 => value.to_bits(),
        }
    }

    /// The bits of escape pattern 0 (the quiet NaN) or 1 (its negative).
    pub(crate) const fn nan_pattern(self, negative: bool) -> u64 {
        match (self, negative) {
            (Dtype::F32, false) => 0x7FC0_0000,
            (Dtype::F32, true) => 0xFFC0_0000,
            (Dtype::F64, false) => 0x7FF8_0000_0000_0000,
            (Dtype::F64, true) => 0xFFF8_0000_0000_0000,
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dtype {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "f32" | "float" | "float32" => Ok(Dtype::F32),
            "f64" | "double" | "float64" => Ok(Dtype::F64),
            _ => Err(Error::invalid(format!("unknown element type '{text}': use f32 or f64"))),
        }
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// An element type: `f32` or `f64`. Sealed.
pub trait Element:
    sealed::Sealed + Copy + Default + PartialOrd + Send + Sync + fmt::Debug + Lanes + 'static
{
    /// The element type as a value.
    const DTYPE: Dtype;
    /// The value as `f64` (exact).
    fn to_f64(self) -> f64;
    /// `value` rounded to this type, to nearest.
    fn from_f64(value: f64) -> Self;
    /// The value's bits, in the low end.
    fn to_bits64(self) -> u64;
    /// The value with these bits.
    fn from_bits64(bits: u64) -> Self;
}

/// Arithmetic in the element type that the codec's inner loops use.
#[doc(hidden)]
pub trait Lanes: Copy {
    const ZERO: Self;
    const INFINITY: Self;
    const MAX: Self;
    const MIN_POSITIVE: Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn magnitude(self) -> Self;
    fn reciprocal(self) -> Self;
    fn next_down(self) -> Self;
    fn is_finite(self) -> bool;
    fn is_nan(self) -> bool;
    fn from_code(q: i32) -> Self;
    fn quantize<S: Simd, const KNOWN: bool>(
        simd: S,
        tile: &[Self; TILE],
        z: &Quantizer<Self>,
        codes: &mut [i32; TILE],
    ) -> Plain<Self>;
}

macro_rules! element {
    ($t:ident, $dtype:expr, $bits:ident, $quantize:ident) => {
        impl Element for $t {
            const DTYPE: Dtype = $dtype;
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
        }

        impl Lanes for $t {
            const ZERO: Self = 0.0;
            const INFINITY: Self = $t::INFINITY;
            const MAX: Self = $t::MAX;
            const MIN_POSITIVE: Self = $t::MIN_POSITIVE;
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
            #[inline(always)]
            fn quantize<S: Simd, const KNOWN: bool>(
                simd: S,
                tile: &[Self; TILE],
                z: &Quantizer<Self>,
                codes: &mut [i32; TILE],
            ) -> Plain<Self> {
                simd.$quantize::<KNOWN>(tile, z, codes)
            }
        }
    };
}

element!(f32, Dtype::F32, u32, quantize_f32);
element!(f64, Dtype::F64, u64, quantize_f64);
