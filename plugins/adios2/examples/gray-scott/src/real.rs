//! The number types that the simulation runs in.

use std::ops::{Add, Mul, Sub};

use cudarc::driver::DeviceRepr;

/// f32 or f64.
pub trait Real:
    adios2::Element
    + DeviceRepr
    + PartialOrd
    + Into<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
{
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
}

impl Real for f32 {
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

impl Real for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }
}
