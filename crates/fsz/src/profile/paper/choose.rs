//! The cheapest variant of a tile (FORMAT.md, *Choose*).

use super::predict::{VARIANTS, Variant, boundary};
use crate::{
    format::{
        RateByte, TILE_BLOCKS,
        geometry::{Geometry, MAX_BLOCKS},
    },
    research::{Centering, Research},
    simd::{Simd, rate},
};

/// Rates per block; only the tile's blocks count.
pub(crate) type Rates = [u8; MAX_BLOCKS];

/// A chosen variant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub variant: Variant,
    /// 0 when not centered.
    pub mu: i32,
    pub rates: Rates,
    /// Payload words: µ and blocks.
    pub words: usize,
}

impl Choice {
    /// The choice for a tile without codes.
    pub const NOTHING: Self =
        Choice { variant: VARIANTS[0], mu: 0, rates: [0; MAX_BLOCKS], words: 0 };
}

/// Whether a variant may be chosen.
pub(crate) fn allowed(variant: Variant, research: &Research) -> bool {
    (variant.order == 1 || research.order2)
        && (!variant.centered || research.centering != Centering::Off)
}

/// Words of eight blocks with planes of one word, given a rate in each byte.
#[inline(always)]
fn words_of(rates: u64) -> usize {
    const EVERY: u64 = 0x0101_0101_0101_0101;
    let used = (rates + 0x7F * EVERY) & (0x80 * EVERY);
    // Eight rates of at most 31 add up to less than 256.
    (rates.wrapping_mul(EVERY) >> 56) as usize + used.count_ones() as usize
}

/// The choice for a standard tile of `len` ≥ 1 codes from the ORs of the magnitudes of its two differences,
/// without a boundary (see [`extend_left`](super::predict::extend_left)): only block 0 differs between
/// variants of one order.
#[inline(always)]
pub(crate) fn standard<S: Simd>(
    simd: S,
    or: &[[u32; TILE_BLOCKS]; 2],
    len: usize,
    [q0, q1]: [i32; 2],
    mu: i32,
    research: &Research,
) -> Choice {
    let shared = [simd.rates(&or[0]), simd.rates(&or[1])];
    let rest = [words_of(shared[0] & !0xFF), words_of(shared[1] & !0xFF)];
    let mut best = Choice { words: usize::MAX, ..Choice::NOTHING };
    let mut best_rates = 0;
    for variant in VARIANTS {
        if !allowed(variant, research) {
            continue;
        }
        let order = variant.order as usize - 1;
        let offset = if variant.centered { mu } else { 0 };
        let [l0, l1] = boundary(variant.order, q0, q1, offset);
        let second = if len > 1 { l1.unsigned_abs() } else { 0 };
        let block0 = rate(or[order][0] | l0.unsigned_abs() | second);
        let words = rest[order] + RateByte(block0).words() + usize::from(variant.centered);
        if words < best.words {
            best.variant = variant;
            best.mu = offset;
            best.words = words;
            best_rates = shared[order] & !0xFF | block0 as u64;
        }
    }
    best.rates[..TILE_BLOCKS].copy_from_slice(&best_rates.to_le_bytes());
    best
}

/// Rates and payload words of given residuals, in any geometry.
pub(crate) fn measure(residuals: &[i32], geometry: Geometry) -> (Rates, usize) {
    let mut rates = [0; MAX_BLOCKS];
    let mut words = 0;
    for (r, block) in rates.iter_mut().zip(residuals.chunks(geometry.block_len)) {
        *r = rate(block.iter().fold(0, |or, l| or | l.unsigned_abs()));
        words += RateByte(*r).words() * geometry.plane_words();
    }
    (rates, words)
}

/// The centering value of a chain; 0 for an empty one.
#[inline(always)]
pub(crate) fn centering_value(codes: &[i32], centering: Centering) -> i32 {
    match centering {
        Centering::Off => 0,
        Centering::FirstCode | Centering::Mean if codes.is_empty() => 0,
        Centering::FirstCode => codes[0],
        Centering::Mean => {
            let sum: i64 = codes.iter().map(|&q| q as i64).sum();
            (sum as f64 / codes.len() as f64).round_ties_even() as i32
        }
    }
}
