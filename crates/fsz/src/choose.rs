//! The cheapest variant of a tile (FORMAT.md, *Choose*).

use crate::{
    geometry::{Geometry, MAX_BLOCKS},
    options::{Centering, Research},
    predict::{VARIANTS, Variant, boundary},
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

/// Bits of the largest magnitude of a block, given the OR of its magnitudes.
#[inline(always)]
pub(crate) fn rate(magnitudes: u32) -> u8 {
    (32 - magnitudes.leading_zeros()) as u8
}

/// Words of a block of this rate with planes of one word.
#[inline(always)]
pub(crate) fn block_words(rate: u8) -> usize {
    rate as usize + usize::from(rate > 0)
}

/// Whether a variant may be chosen.
pub(crate) fn allowed(variant: Variant, research: &Research) -> bool {
    (variant.order == 1 || research.order2)
        && (!variant.centered || research.centering != Centering::Off)
}

/// The choice for a full standard tile from the ORs of its two differences without a boundary (see
/// [`extend_left`](crate::predict::extend_left)): only block 0 differs between variants of one order.
#[inline(always)]
pub(crate) fn standard(
    or: &[[u32; 8]; 2],
    q0: i32,
    q1: i32,
    mu: i32,
    research: &Research,
) -> Choice {
    let mut shared = [[0u8; 8]; 2];
    let mut rest = [0usize; 2];
    for order in 0..2 {
        for b in 0..8 {
            shared[order][b] = rate(or[order][b]);
            rest[order] += if b > 0 { block_words(shared[order][b]) } else { 0 };
        }
    }
    let mut best = Choice { words: usize::MAX, ..Choice::NOTHING };
    let mut best_block0 = 0;
    for variant in VARIANTS {
        if !allowed(variant, research) {
            continue;
        }
        let order = variant.order as usize - 1;
        let offset = if variant.centered { mu } else { 0 };
        let [l0, l1] = boundary(variant.order, q0, q1, offset);
        let block0 = rate(or[order][0] | l0.unsigned_abs() | l1.unsigned_abs());
        let words = rest[order] + block_words(block0) + usize::from(variant.centered);
        if words < best.words {
            best.variant = variant;
            best.mu = offset;
            best.words = words;
            best_block0 = block0;
        }
    }
    best.rates[..8].copy_from_slice(&shared[best.variant.order as usize - 1]);
    best.rates[0] = best_block0;
    best
}

/// Rates and payload words of given residuals, in any geometry.
pub(crate) fn measure(residuals: &[i32], geometry: Geometry) -> (Rates, usize) {
    let mut rates = [0; MAX_BLOCKS];
    let mut words = 0;
    for (r, block) in rates.iter_mut().zip(residuals.chunks(geometry.block_len)) {
        *r = rate(block.iter().fold(0, |or, l| or | l.unsigned_abs()));
        words += block_words(*r) * geometry.plane_words();
    }
    (rates, words)
}

/// The centering value of a chain that is not empty.
pub(crate) fn centering_value(codes: &[i32], centering: Centering) -> i32 {
    match centering {
        Centering::Off => 0,
        Centering::FirstCode => codes[0],
        Centering::Mean => {
            let sum: i64 = codes.iter().map(|&q| q as i64).sum();
            (sum as f64 / codes.len() as f64).round_ties_even() as i32
        }
    }
}
