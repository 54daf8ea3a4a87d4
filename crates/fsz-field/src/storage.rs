//! Values of a field at run time: which of the two element types they have, and where they lie.

use std::ops::Range;
use std::sync::Arc;

use fsz::DType;
use memmap2::Mmap;

/// Where the values of a field lie.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub enum Storage {
    F32(Vec<f32>),
    F64(Vec<f64>),
    /// Aligned for the element type; `Field::mapped` sees to it.
    Mapped(Arc<Mmap>, Range<usize>, DType),
}

impl Storage {
    pub(crate) fn dtype(&self) -> DType {
        match self {
            Storage::F32(_) => DType::F32,
            Storage::F64(_) => DType::F64,
            Storage::Mapped(_, _, dtype) => *dtype,
        }
    }

    pub(crate) fn values(&self) -> Values<'_> {
        match self {
            Storage::F32(values) => Values::F32(values),
            Storage::F64(values) => Values::F64(values),
            Storage::Mapped(map, bytes, DType::F32) => {
                Values::F32(bytemuck::cast_slice(&map[bytes.clone()]))
            }
            Storage::Mapped(map, bytes, DType::F64) => {
                Values::F64(bytemuck::cast_slice(&map[bytes.clone()]))
            }
        }
    }
}

/// The values of a field.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Single precision.
    F32(&'a [f32]),
    /// Double precision.
    F64(&'a [f64]),
}

impl<'a> Values<'a> {
    /// Number of values.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(self) -> usize {
        match self {
            Values::F32(values) => values.len(),
            Values::F64(values) => values.len(),
        }
    }

    /// The bytes in native order.
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Values::F32(values) => bytemuck::cast_slice(values),
            Values::F64(values) => bytemuck::cast_slice(values),
        }
    }
}

/// An element type of a [`Field`](crate::Field): `f32` or `f64`.
pub trait Scalar: fsz::Element + bytemuck::Pod {
    #[doc(hidden)]
    fn store(values: Vec<Self>) -> Storage;
    /// Values of this type.
    fn values(values: &[Self]) -> Values<'_>;
    /// The values, when they are of this type.
    fn of(values: Values<'_>) -> Option<&[Self]>;
}

impl Scalar for f32 {
    fn store(values: Vec<f32>) -> Storage {
        Storage::F32(values)
    }
    fn values(values: &[f32]) -> Values<'_> {
        Values::F32(values)
    }
    fn of(values: Values<'_>) -> Option<&[f32]> {
        match values {
            Values::F32(v) => Some(v),
            Values::F64(_) => None,
        }
    }
}

impl Scalar for f64 {
    fn store(values: Vec<f64>) -> Storage {
        Storage::F64(values)
    }
    fn values(values: &[f64]) -> Values<'_> {
        Values::F64(values)
    }
    fn of(values: Values<'_>) -> Option<&[f64]> {
        match values {
            Values::F64(v) => Some(v),
            Values::F32(_) => None,
        }
    }
}
