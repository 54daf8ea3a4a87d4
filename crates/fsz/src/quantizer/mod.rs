//! What turns elements into codes and back: for an absolute bound equal steps, for a pointwise-relative one
//! equal ratios (FORMAT.md, *Quantize* and *Relative*).

mod block;
mod curve;
mod finer;
mod linear;
mod relative;
mod wide;

pub use block::Logarithmic;
pub(crate) use block::{BLOCK, Block, Largest, NONE, padded, present};
pub use curve::Curve;
pub(crate) use finer::{Finer, Worst};
pub use linear::Linear;
pub use relative::Relative;
pub(crate) use relative::edge_of;
#[cfg(feature = "cuda")]
pub(crate) use relative::sample_count;

use crate::{
    bound::Bound,
    element::Element,
    format::{RelativePart, TILE},
    quantize,
    scalar::Scalar,
    simd::{Level, ROUND_F64, Simd},
};

/// The numbers that turn elements into codes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantizer<T> {
    /// Of an absolute bound.
    Linear(Linear<T>),
    /// Of a pointwise-relative one.
    Relative(Relative<T>),
}

/// How far values are from the elements that they stand for, at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors<T> {
    /// |d − d'|.
    pub absolute: T,
    /// |d − d'| / |d| of logarithmic codes.
    pub relative: T,
}

impl<T: Scalar> Errors<T> {
    pub const NONE: Self = Errors { absolute: T::ZERO, relative: T::ZERO };

    /// Takes in those of other elements.
    #[inline(always)]
    pub fn merge(&mut self, other: Self) {
        if other.absolute > self.absolute {
            self.absolute = other.absolute;
        }
        if other.relative > self.relative {
            self.relative = other.relative;
        }
    }
}

/// What quantizing a tile whose elements all have codes came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plain<T> {
    /// The absolute one is NaN when an element is not finite.
    pub errors: Errors<T>,
    /// Range; not meaningful when an element is NaN, and left out when it is known already.
    pub min: T,
    /// As `min`.
    pub max: T,
}

impl<T: Element> Quantizer<T> {
    /// The code of one element that is not missing, or `None` when it must be escaped.
    #[inline]
    pub(crate) fn code(&self, d: T) -> Option<(i32, Errors<T>)> {
        match self {
            Quantizer::Linear(z) => quantize::code(d, z)
                .map(|(q, absolute)| (q, Errors { absolute, relative: T::ZERO })),
            Quantizer::Relative(z) => z.code(d),
        }
    }

    /// [`quantize::plain_tile`].
    #[inline(always)]
    pub(crate) fn plain_tile<S: Simd, const KNOWN: bool>(
        &self,
        simd: S,
        tile: &[T; TILE],
        codes: &mut [i32; TILE],
    ) -> Option<Plain<T>> {
        match self {
            Quantizer::Linear(z) => quantize::plain_tile::<T, S, KNOWN>(simd, tile, z, codes),
            Quantizer::Relative(z) => z.plain_tile::<KNOWN>(tile, codes),
        }
    }

    /// [`quantize::classify`].
    #[inline(always)]
    pub(crate) fn classify(
        &self,
        tile: &[T],
        missing: &[T],
        codes: &mut [i32; TILE],
        errors: &mut [Errors<T>; TILE],
        coded: &mut [u8; TILE],
    ) {
        match self {
            Quantizer::Linear(z) => quantize::classify(tile, z, missing, codes, errors, coded),
            Quantizer::Relative(z) => z.classify(tile, missing, codes, errors, coded),
        }
    }

    /// That of a pointwise-relative bound.
    pub(crate) fn relative(&self) -> Option<&Relative<T>> {
        match self {
            Quantizer::Linear(_) => None,
            Quantizer::Relative(z) => Some(z),
        }
    }

    /// What the header has of a pointwise-relative bound.
    pub(crate) fn header_part(&self, bound: Bound, errors: Errors<T>) -> Option<RelativePart> {
        match (self, bound) {
            (Quantizer::Relative(z), Bound::Relative { floor, .. }) => {
                Some(RelativePart::new(z, floor, errors))
            }
            _ => None,
        }
    }

    /// What the header says of the step.
    pub(crate) fn header_step(&self) -> f64 {
        match self {
            Quantizer::Linear(z) => z.step.to_f64(),
            Quantizer::Relative(_) => 0.0,
        }
    }
}

/// The numbers that turn codes into values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dequantizer<T> {
    /// Multiples of a step; 0 when there are no codes.
    Linear(T),
    /// Those of a pointwise-relative bound.
    Relative(Curve<T>),
}

impl<T: Element> Dequantizer<T> {
    /// The value of one code.
    #[inline(always)]
    pub(crate) fn value(&self, q: i32) -> T {
        match self {
            Dequantizer::Linear(step) => T::from_code(q).mul(*step),
            Dequantizer::Relative(curve) => T::value(curve, q),
        }
    }

    /// The values of `codes`.
    #[inline(always)]
    pub(crate) fn values(&self, codes: &[i32], out: &mut [T]) {
        match self {
            Dequantizer::Linear(step) => {
                for (d, &q) in out.iter_mut().zip(codes) {
                    *d = T::from_code(q).mul(*step);
                }
            }
            Dequantizer::Relative(curve) => T::values(curve, codes, out),
        }
    }

    /// Appends the values of `codes`.
    pub(crate) fn append(&self, level: Level, codes: &[i32], out: &mut Vec<T>) {
        let begin = out.len();
        out.resize(begin + codes.len(), T::ZERO);
        let out = &mut out[begin..];
        match level {
            Level::Portable => self.values(codes, out),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: `Level::detect` gives this level only where the instructions exist.
                unsafe { self.values_avx2(codes, out) }
            }
        }
    }

    /// [`Dequantizer::values`] AVX2.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn values_avx2(&self, codes: &[i32], out: &mut [T]) {
        self.values(codes, out);
    }

    /// Whether there are no codes.
    pub(crate) fn has_no_codes(&self) -> bool {
        matches!(self, Dequantizer::Linear(step) if *step == T::ZERO)
    }

    /// Values of `1 << fine` points a step, or for each code of a relative bound: the header was checked for
    /// that these can be.
    pub(crate) fn finer(self, fine: u32) -> Self {
        match self {
            Dequantizer::Linear(step) => {
                Dequantizer::Linear(step.mul(T::from_f64(2f64.powi(-(fine as i32)))))
            }
            Dequantizer::Relative(curve) => {
                Dequantizer::Relative(curve.finer(fine).unwrap_or(curve))
            }
        }
    }
}

/// The nearest integer to a small product, ties to even, in the low half.
#[inline(always)]
fn nearest_bits(product: f64) -> u64 {
    (product + ROUND_F64).to_bits()
}
