//! The inner loops that are written per instruction set. Every implementation gives the same bytes.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
pub(crate) mod portable;

use crate::{
    format::{BLOCK, TILE, TILE_BLOCKS, checksum},
    quantizer::{Linear, Plain},
};

/// Rows of a checksum that are added up at a time, and their bytes.
#[cfg(target_arch = "x86_64")]
const ROWS: usize = TILE_BLOCKS;
#[cfg(target_arch = "x86_64")]
const ROWS_BYTES: usize = 4 * crate::format::CHECKSUM_ROW * ROWS;

/// 1.5 · 2⁵²: adding it to an `f64` rounds to the nearest integer, ties to even.
pub(crate) const ROUND_F64: f64 = 6755399441055744.0;

/// Bits of the largest magnitude of a block, given the OR of its magnitudes.
#[inline(always)]
pub(crate) fn rate(magnitudes: u32) -> u8 {
    (u32::BITS - magnitudes.leading_zeros()) as u8
}

/// The loops over the elements of a tile.
pub trait Simd: Copy {
    /// Whether `f32::mul_add` is one instruction.
    const FUSED: bool;

    /// Codes and largest error of 256 elements, and their range unless `KNOWN`. What comes out is meaningful
    /// only if every element is in reach.
    fn quantize_f32<const KNOWN: bool>(
        self,
        tile: &[f32; TILE],
        z: &Linear<f32>,
        codes: &mut [i32; TILE],
    ) -> Plain<f32>;

    /// The same for `f64`.
    fn quantize_f64<const KNOWN: bool>(
        self,
        tile: &[f64; TILE],
        z: &Linear<f64>,
        codes: &mut [i32; TILE],
    ) -> Plain<f64>;

    /// For the first and the second differences of the codes behind the two places at the front of `chain`:
    /// the ORs of their magnitudes in blocks of 32.
    fn magnitudes(self, chain: &[i32; TILE + 2]) -> [[u32; TILE_BLOCKS]; 2];

    /// Bit lengths of eight ORs of magnitudes below 2³¹, a byte each, the first in the lowest byte.
    fn rates(self, or: &[u32; TILE_BLOCKS]) -> u64;

    /// Packs the differences of order `order` of 32 codes that follow two others: the sign word, then `rate`
    /// bit-planes (FORMAT.md, *Pack*). `out` has `rate + 1` words. Returns the products of these words for the
    /// checksum.
    fn pack(self, chain: &[i32; BLOCK + 2], order: u8, rate: u8, out: &mut [u32]) -> u64;

    /// Unpacks 32 residuals from their sign word and `rate` bit-planes.
    fn unpack(self, words: &[u32], rate: u8, residuals: &mut [i32; BLOCK]);

    /// What the blocks of a tile of these rate bytes add to the checksum of its chunk (FORMAT.md,
    /// *Checksums*): `words` are those of the blocks, `mu` is the product of µ, `id` the first block's row.
    fn hash_blocks(self, rates: &[u8; TILE_BLOCKS], words: &[u32], mu: u64, id: u32) -> u32;

    /// The same of many tiles side by side, from the products of the words of each block, that of µ among
    /// those of a tile's first.
    fn hash_rows(self, products: &[[u64; TILE_BLOCKS]], id: u32) -> u32;

    /// Replaces `values` by its running sums, beginning with `carry` before the first. Wraps.
    fn prefix_sum(self, values: &mut [i32; TILE], carry: i32);
}

/// Quantizing a tile by the loop of the element type.
#[doc(hidden)]
pub trait QuantizeTile: Sized {
    /// As [`Simd::quantize_f32`].
    fn quantize<S: Simd, const KNOWN: bool>(
        simd: S,
        tile: &[Self; TILE],
        z: &Linear<Self>,
        codes: &mut [i32; TILE],
    ) -> Plain<Self>;
}

impl QuantizeTile for f32 {
    #[inline(always)]
    fn quantize<S: Simd, const KNOWN: bool>(
        simd: S,
        tile: &[Self; TILE],
        z: &Linear<Self>,
        codes: &mut [i32; TILE],
    ) -> Plain<Self> {
        simd.quantize_f32::<KNOWN>(tile, z, codes)
    }
}

impl QuantizeTile for f64 {
    #[inline(always)]
    fn quantize<S: Simd, const KNOWN: bool>(
        simd: S,
        tile: &[Self; TILE],
        z: &Linear<Self>,
        codes: &mut [i32; TILE],
    ) -> Plain<Self> {
        simd.quantize_f64::<KNOWN>(tile, z, codes)
    }
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

    /// Whether quantizing `f32` fuses multiplication and addition.
    pub fn fused(self) -> bool {
        match self {
            Level::Portable => portable::Portable::FUSED,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => avx2::Avx2::FUSED,
        }
    }

    /// [`byte_rows`](checksum::byte_rows).
    pub fn byte_rows(self, bytes: &[u8], first: u32) -> u32 {
        match self {
            Level::Portable => checksum::byte_rows(bytes, first),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                let (rows, rest) = bytes.as_chunks();
                // SAFETY: `Level::detect` gives this level only where the instructions exist.
                let sum = unsafe { avx2::hash_bytes(rows, first) };
                let behind = first.wrapping_add((rows.len() * ROWS) as u32);
                sum.wrapping_add(checksum::byte_rows(rest, behind))
            }
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "AVX2",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_of_bytes_are_the_same_at_every_level() {
        let bytes: Vec<u8> = (0..1000u32).map(|i| (i * i / 7) as u8).collect();
        let ones = [0xFF; 300];
        for len in (0..300).chain([999, 1000]) {
            for first in [0, 5, 1 << 31] {
                let sum = |level: Level, bytes| level.byte_rows(bytes, first);
                for bytes in [&bytes[..len], &ones[..len.min(300)]] {
                    assert_eq!(sum(Level::detect(), bytes), sum(Level::Portable, bytes), "{len}");
                }
            }
        }
    }
}
