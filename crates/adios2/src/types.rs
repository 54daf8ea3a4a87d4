//! Element types, shared by variables and attributes.

use std::fmt;

use adios2_sys as sys;

/// The type of the elements of a variable or attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum DataType {
    String,
    F32,
    F64,
    ComplexF32,
    ComplexF64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    LongDouble,
    /// A struct, a char, or a type newer than this crate.
    Other,
}

impl DataType {
    pub(crate) fn from_raw(raw: sys::adios2_type) -> DataType {
        match raw {
            sys::adios2_type_string => DataType::String,
            sys::adios2_type_float => DataType::F32,
            sys::adios2_type_double => DataType::F64,
            sys::adios2_type_float_complex => DataType::ComplexF32,
            sys::adios2_type_double_complex => DataType::ComplexF64,
            sys::adios2_type_int8_t => DataType::I8,
            sys::adios2_type_int16_t => DataType::I16,
            sys::adios2_type_int32_t => DataType::I32,
            sys::adios2_type_int64_t => DataType::I64,
            sys::adios2_type_uint8_t => DataType::U8,
            sys::adios2_type_uint16_t => DataType::U16,
            sys::adios2_type_uint32_t => DataType::U32,
            sys::adios2_type_uint64_t => DataType::U64,
            sys::adios2_type_long_double => DataType::LongDouble,
            _ => DataType::Other,
        }
    }

    /// A short name: `f32`, `i64`, `string`.
    pub fn name(self) -> &'static str {
        match self {
            DataType::String => "string",
            DataType::F32 => "f32",
            DataType::F64 => "f64",
            DataType::ComplexF32 => "complex f32",
            DataType::ComplexF64 => "complex f64",
            DataType::I8 => "i8",
            DataType::I16 => "i16",
            DataType::I32 => "i32",
            DataType::I64 => "i64",
            DataType::U8 => "u8",
            DataType::U16 => "u16",
            DataType::U32 => "u32",
            DataType::U64 => "u64",
            DataType::LongDouble => "long double",
            DataType::Other => "another type",
        }
    }

    /// Bytes per element; None where that is not fixed or not known.
    pub fn size(self) -> Option<u64> {
        match self {
            DataType::I8 | DataType::U8 => Some(1),
            DataType::I16 | DataType::U16 => Some(2),
            DataType::F32 | DataType::I32 | DataType::U32 => Some(4),
            DataType::F64 | DataType::I64 | DataType::U64 | DataType::ComplexF32 => Some(8),
            DataType::ComplexF64 | DataType::LongDouble => Some(16),
            DataType::String | DataType::Other => None,
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

mod sealed {
    /// Keeps [`super::Element`] to types whose every bit pattern is a value.
    pub trait Sealed {}
}

/// A type that variables and attributes can hold. Sealed: every bit pattern of it is a value, which
/// is what makes reading into a buffer sound.
pub trait Element: sealed::Sealed + Copy + Default + Send + Sync + 'static {
    /// The same type in ADIOS2's terms.
    const TYPE: DataType;
    #[doc(hidden)]
    const RAW: sys::adios2_type;
}

macro_rules! elements {
    ($($rust:ty, $name:ident, $raw:ident;)*) => {$(
        impl sealed::Sealed for $rust {}
        impl Element for $rust {
            const TYPE: DataType = DataType::$name;
            const RAW: sys::adios2_type = sys::$raw;
        }
    )*};
}

elements! {
    f32, F32, adios2_type_float;
    f64, F64, adios2_type_double;
    i8, I8, adios2_type_int8_t;
    i16, I16, adios2_type_int16_t;
    i32, I32, adios2_type_int32_t;
    i64, I64, adios2_type_int64_t;
    u8, U8, adios2_type_uint8_t;
    u16, U16, adios2_type_uint16_t;
    u32, U32, adios2_type_uint32_t;
    u64, U64, adios2_type_uint64_t;
}
