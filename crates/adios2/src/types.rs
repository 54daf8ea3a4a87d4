//! Element types, shared by variables and attributes.

use std::fmt;

use adios2_sys as sys;

/// Makes the type of the elements from a table: the name in Rust, in ADIOS2 and for people, and the bytes
/// of an element.
macro_rules! types {
    ($($name:ident, $raw:ident, $text:literal, $size:expr;)*) => {
        /// The type of the elements of a variable or attribute.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum DataType {
            $($name,)*
            /// A struct, a char, or a type newer than this crate.
            Other,
        }

        impl DataType {
            pub(crate) fn from_raw(raw: sys::adios2_type) -> DataType {
                match raw {
                    $(sys::$raw => DataType::$name,)*
                    _ => DataType::Other,
                }
            }

            /// A short name: `f32`, `i64`, `string`.
            pub fn name(self) -> &'static str {
                match self {
                    $(DataType::$name => $text,)*
                    DataType::Other => "another type",
                }
            }

            /// Bytes per element; None where that is not fixed or not known.
            pub fn size(self) -> Option<u64> {
                match self {
                    $(DataType::$name => $size,)*
                    DataType::Other => None,
                }
            }
        }
    };
}

types! {
    String, adios2_type_string, "string", None;
    F32, adios2_type_float, "f32", Some(4);
    F64, adios2_type_double, "f64", Some(8);
    ComplexF32, adios2_type_float_complex, "complex f32", Some(8);
    ComplexF64, adios2_type_double_complex, "complex f64", Some(16);
    I8, adios2_type_int8_t, "i8", Some(1);
    I16, adios2_type_int16_t, "i16", Some(2);
    I32, adios2_type_int32_t, "i32", Some(4);
    I64, adios2_type_int64_t, "i64", Some(8);
    U8, adios2_type_uint8_t, "u8", Some(1);
    U16, adios2_type_uint16_t, "u16", Some(2);
    U32, adios2_type_uint32_t, "u32", Some(4);
    U64, adios2_type_uint64_t, "u64", Some(8);
    LongDouble, adios2_type_long_double, "long double", Some(16);
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

mod sealed {
    /// Keeps [`super::Element`] to types whose every bit pattern is a value.
    pub trait Sealed: bytemuck::Zeroable {}
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
