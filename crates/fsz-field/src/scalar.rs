//! The two element types, as this crate stores them.

use crate::field::{Storage, Values};

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
