//! The inner loops that are written per instruction set. Every implementation gives the same bytes.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
use crate::{bound::Quantizer, quantize::Plain};

pub(crate) mod portable;

/// The loops over the elements of a tile.
pub trait Simd: Copy {
    /// Whether `f32::mul_add` is one instruction.
    const FUSED: bool;

    /// Codes and largest error of 256 elements, and their range unless `KNOWN`. What comes out is meaningful
    /// only if every element is in reach (see [`quantize`](crate::quantize)).
    fn quantize_f32<const KNOWN: bool>(
        self,
        tile: &[f32; 256],
        z: &Quantizer<f32>,
        codes: &mut [i32; 256],
    ) -> Plain<f32>;

    /// The same for `f64`.
    fn quantize_f64<const KNOWN: bool>(
        self,
        tile: &[f64; 256],
        z: &Quantizer<f64>,
        codes: &mut [i32; 256],
    ) -> Plain<f64>;

    /// For the first and the second differences of the codes behind the two places at the front of `chain`:
    /// the ORs of their magnitudes in blocks of 32.
    fn magnitudes(self, chain: &[i32; 258]) -> [[u32; 8]; 2];

    /// Bit lengths of eight ORs of magnitudes below 2³¹, a byte each, the first in the lowest byte.
    fn rates(self, or: &[u32; 8]) -> u64;

    /// Packs the differences of order `order` of 32 codes that follow two others: the sign word, then `rate`
    /// bit-planes (FORMAT.md, *Pack*). `out` has `rate + 1` words.
    fn pack(self, chain: &[i32; 34], order: u8, rate: u8, out: &mut [u32]);

    /// Unpacks 32 residuals from their sign word and `rate` bit-planes.
    fn unpack(self, words: &[u32], rate: u8, residuals: &mut [i32; 32]);

    /// Replaces `values` by its running sums, beginning with `carry` before the first. Wraps.
    fn prefix_sum(self, values: &mut [i32; 256], carry: i32);
}

/// The instruction sets that code paths exist for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Level {
    /// The best level of this processor.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if avx2::available() {
            return Level::Avx2;
        }
        Level::Portable
    }

    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "AVX2",
        }
    }
}
