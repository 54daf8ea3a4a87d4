//! The element type of a field as a value.

use std::{fmt, str::FromStr};

use crate::{
    error::Error,
    format::{DTYPE_F32, DTYPE_F64},
};

/// The element type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl DType {
    /// Bytes per element: 4 or 8.
    pub const fn size(self) -> usize {
        match self {
            DType::F32 => 4,
            DType::F64 => 8,
        }
    }

    /// Payload words (of 4 bytes) per element: 1 or 2.
    pub const fn words(self) -> usize {
        self.size() / 4
    }

    /// `"f32"` or `"f64"`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// The number in the header.
    pub const fn code(self) -> u8 {
        match self {
            DType::F32 => DTYPE_F32,
            DType::F64 => DTYPE_F64,
        }
    }

    pub(crate) const fn from_code(code: u8) -> Option<Self> {
        match code {
            DTYPE_F32 => Some(DType::F32),
            DTYPE_F64 => Some(DType::F64),
            _ => None,
        }
    }

    /// The value with these bits, as `f64` (exact).
    pub(crate) fn value_of_bits(self, bits: u64) -> f64 {
        match self {
            DType::F32 => f32::from_bits(bits as u32) as f64,
            DType::F64 => f64::from_bits(bits),
        }
    }

    /// The bits of `value` rounded to this type.
    pub(crate) fn bits_of_value(self, value: f64) -> u64 {
        match self {
            DType::F32 => (value as f32).to_bits() as u64,
            DType::F64 => value.to_bits(),
        }
    }

    /// The bits of escape pattern 0 (the quiet NaN) or 1 (its negative).
    pub const fn nan_pattern(self, negative: bool) -> u64 {
        match (self, negative) {
            (DType::F32, false) => 0x7FC0_0000,
            (DType::F32, true) => 0xFFC0_0000,
            (DType::F64, false) => 0x7FF8_0000_0000_0000,
            (DType::F64, true) => 0xFFF8_0000_0000_0000,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "f32" | "float" | "float32" => Ok(DType::F32),
            "f64" | "double" | "float64" => Ok(DType::F64),
            _ => Err(Error::invalid(format!("unknown element type '{text}': use f32 or f64"))),
        }
    }
}

/// Evaluates an expression with a type name that stands for the element type `dtype`.
///
/// ```
/// let size = |dtype| fsz::with_element!(dtype, T => size_of::<T>());
/// assert_eq!(size(fsz::DType::F64), 8);
/// ```
#[macro_export]
macro_rules! with_element {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            $crate::DType::F32 => {
                type $T = f32;
                $body
            }
            $crate::DType::F64 => {
                type $T = f64;
                $body
            }
        }
    };
}
