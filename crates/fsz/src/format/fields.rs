//! The fixed part of the header (FORMAT.md, *Header*): one table from which it is read, written and shown,
//! and from which `cuda/format/format_constants.cuh` is generated.

/// The type of a header field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub enum FieldType {
    /// One byte.
    u8,
    /// Two bytes, little-endian.
    u16,
    /// Four bytes, little-endian.
    u32,
    /// Eight bytes, little-endian.
    u64,
    /// An IEEE 754 binary64, little-endian.
    f64,
}

/// A field of the fixed part of the header.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name, here and in the kernels.
    pub name: &'static str,
    /// Its first byte.
    pub at: usize,
    /// Its type.
    pub kind: FieldType,
    /// What it holds.
    pub meaning: &'static str,
}

macro_rules! header_fields {
    ($($at:literal $name:ident $kind:ident $meaning:literal)*) => {
        /// The fixed part of a header, field by field.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct FixedHeader {
            $(#[doc = $meaning] pub $name: $kind,)*
        }

        /// The fields, in the order of their bytes, without gaps.
        pub const FIELDS: &[Field] = &[
            $(Field { name: stringify!($name), at: $at, kind: FieldType::$kind, meaning: $meaning },)*
        ];

        impl FixedHeader {
            /// Reads the fields; nothing is checked.
            pub fn read(bytes: &[u8; FIXED_HEADER]) -> Self {
                let mut rest = &bytes[..];
                $(let $name = $kind::from_le_bytes(take(&mut rest));)*
                FixedHeader { $($name,)* }
            }

            /// Writes the fields.
            pub fn write(&self, bytes: &mut [u8; FIXED_HEADER]) {
                $(bytes[$at..$at + size_of::<$kind>()].copy_from_slice(&self.$name.to_le_bytes());)*
            }
        }

        const _: () = {
            let mut end = 0;
            $(
                assert!(end == $at, "the fields have no gaps");
                end += size_of::<$kind>();
            )*
            assert!(end == FIXED_HEADER);
        };

        /// The first byte of each field.
        pub mod at {
            $(#[doc = $meaning] #[allow(non_upper_case_globals)] pub const $name: usize = $at;)*
        }
    };
}

/// Bytes of a header before the shape.
pub const FIXED_HEADER: usize = 144;

fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (first, others) = rest.split_first_chunk().expect("the table ends with the bytes");
    *rest = others;
    *first
}

header_fields! {
    0   magic             u64 "magic: `89 46 53 5A 0D 0A 1A 0A` (`\\x89FSZ\\r\\n\\x1a\\n`)"
    8   format_version    u16 "format version: 1"
    10  header_len        u16 "header length in bytes"
    12  header_checksum   u32 "header checksum"
    16  stream_len        u64 "length of the whole stream in bytes"
    24  dtype             u8  "element type: 1 `f32`, 2 `f64`"
    25  dims              u8  "number of dimensions, 0 to 8"
    26  profile           u8  "profile: 0 `paper`, 1 `dense`"
    27  layout            u8  "tile layout: 0 `linear`; of `dense`: 1 `line`, 2 `plane`, 3 `brick`"
    28  parameter_0       u8  "a parameter of the profile"
    29  parameter_1       u8  "a parameter of the profile"
    30  parameter_2       u8  "a parameter of the profile"
    31  reference         u8  "reference field: 0 none"
    32  requested_bound   f64 "the bound as requested: `e`, the ratio `R`, `eps`, or the target"
    40  absolute_bound    f64 "the absolute bound used, `eb`"
    48  quantization_step f64 "the quantization step (a value of the element type; 0: the stream holds no codes, or the bound is pointwise-relative)"
    56  bound_kind        u8  "kind of bound"
    57  missing_count     u8  "number of missing values named, 0 to 4"
    58  flags             u8  "bit 0 a name follows, bit 1 the time step is given, bit 2 a start follows, bit 3 there are regions"
    59  reserved          u8  "0"
    60  metadata_checksum u32 "metadata checksum"
    64  payload_len       u64 "payload length in bytes"
    72  elements          u64 "number of elements (the product of the shape)"
    80  max_abs_error     f64 "certificate: largest error achieved"
    88  min               f64 "certificate: minimum"
    96  max               f64 "certificate: maximum"
    104 nan               u64 "certificate: NaN elements"
    112 inf               u64 "certificate: ±Inf elements"
    120 missing           u64 "certificate: elements equal to a named missing value"
    128 escaped           u64 "certificate: escaped elements, whose exact bits the stream holds"
    136 time_step         u64 "time step (0 when not given)"
}
