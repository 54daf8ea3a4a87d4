//! Pointwise-relative bounds as kernels take them.

use crate::cuda::kernels::abi::{self, KernelElement};
use crate::{
    dtype::DType,
    format::RelativePart,
    profile::Profile,
    quantizer::{Errors, Logarithmic, Relative, sample_count},
};

/// What follows from a pointwise-relative bound alone.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RelativeBound {
    F32(abi::RelativeBound<f32>),
    F64(abi::RelativeBound<f64>),
}

impl RelativeBound {
    /// Of a bound for a field of so many elements by a profile, with the part of a header that begins at
    /// `relative_at`; and that part, without what only the field tells.
    pub fn new(
        dtype: DType,
        bound: (f64, f64),
        profile: &Profile,
        elements: u64,
        relative_at: u64,
    ) -> (Self, RelativePart) {
        match dtype {
            DType::F32 => {
                let (bound, part) = resolve(bound, profile, elements, relative_at);
                (RelativeBound::F32(bound), part)
            }
            DType::F64 => {
                let (bound, part) = resolve(bound, profile, elements, relative_at);
                (RelativeBound::F64(bound), part)
            }
        }
    }

    /// Samples that a kernel takes of the field.
    pub fn samples(&self) -> u64 {
        match self {
            RelativeBound::F32(bound) => bound.samples,
            RelativeBound::F64(bound) => bound.samples,
        }
    }

    /// With room for samples at device address `sampled`.
    pub fn with_room(mut self, at: u64) -> Self {
        match &mut self {
            RelativeBound::F32(bound) => bound.sampled = at,
            RelativeBound::F64(bound) => bound.sampled = at,
        }
        self
    }
}

/// The quantizer of a bound by a profile; of one without linear codes as if the field had no samples, of which
/// `samples` is told then.
pub(crate) fn without_samples<T: Logarithmic>(
    (eps, floor): (f64, f64),
    profile: &Profile,
    samples: impl FnOnce(),
) -> Relative<T> {
    Relative::with_smallest(eps, floor, profile.most_fine(), || {
        samples();
        T::MIN_POSITIVE.to_bits64()
    })
}

/// The bound of fields of `T`.
fn resolve<T: KernelElement>(
    bound: (f64, f64),
    profile: &Profile,
    elements: u64,
    relative_at: u64,
) -> (abi::RelativeBound<T>, RelativePart) {
    let mut samples = 0;
    let z = without_samples::<T>(bound, profile, || {
        samples = sample_count(elements as usize) as u64;
    });
    // The larger the power of two that is divided, the nearer the reciprocal.
    let (bits, shift) = (8 * size_of::<T>() as u32, z.curve.stride.ilog2());
    let reciprocal = (1u128 << (bits + shift)) / u128::from(z.curve.stride);
    let own = abi::RelativeBound {
        eps: z.eps,
        floor: z.floor,
        linear_step: z.curve.linear_step,
        inverse: z.inverse,
        edge: T::bits(z.edge),
        low: T::bits(z.curve.base - z.origin),
        stride: T::bits(z.curve.stride),
        reciprocal: T::bits(reciprocal.min((1 << bits) - 1) as u64),
        origin: T::bits(z.origin),
        samples,
        sampled: 0,
        shift,
        knee: z.curve.knee,
        curved: z.curve.curved.into(),
        relative_at: relative_at as u32,
    };
    (own, RelativePart::new(&z, bound.1, Errors::NONE))
}
