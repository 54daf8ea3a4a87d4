//! The two element types of a field, `f32` and `f64`.

use crate::{calls::Calls, quantizer::Logarithmic, scalar::Scalar, simd::QuantizeTile};

mod sealed {
    /// Elements can be zeros that nobody wrote: memory as it is allocated.
    pub trait Sealed: bytemuck::Zeroable {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// An element type: `f32` or `f64`. Sealed.
pub trait Element: sealed::Sealed + Scalar + Logarithmic + QuantizeTile + Calls {}

impl Element for f32 {}
impl Element for f64 {}
