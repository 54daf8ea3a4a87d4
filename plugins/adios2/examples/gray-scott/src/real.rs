//! The number types that the simulation runs in.

use std::ops::{Add, Mul, Sub};

use cudarc::driver::DeviceRepr;

/// f32 or f64.
pub trait Real:
    adios2::Element
    + DeviceRepr
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
{
    /// As in the names of kernels.
    const NAME: &'static str;

    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;

    /// The same value.
    fn to_f64(self) -> f64;
}

impl Real for f32 {
    const NAME: &'static str = "f32";

    fn from_f64(value: f64) -> Self {
        value as f32
    }

    fn to_f64(self) -> f64 {
        self.into()
    }
}

impl Real for f64 {
    const NAME: &'static str = "f64";

    fn from_f64(value: f64) -> Self {
        value
    }

    fn to_f64(self) -> f64 {
        self
    }
}
