//! The number types that the simulation runs in.

use std::ops::{Add, Mul, Sub};

/// f32 or f64.
pub trait Real:
    adios2::Element + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;

    /// The same value.
    fn to_f64(self) -> f64;
}

impl Real for f32 {
    fn from_f64(value: f64) -> Self {
        value as f32
    }

    fn to_f64(self) -> f64 {
        self.into()
    }
}

impl Real for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }

    fn to_f64(self) -> f64 {
        self
    }
}
