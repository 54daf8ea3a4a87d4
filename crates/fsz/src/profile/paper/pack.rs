//! Residuals to payload words: µ, sign words, bit-planes (FORMAT.md, *Pack*).

use super::choose::Choice;
use crate::{
    format::{BLOCK, CHECKSUM_MULTIPLIERS, MU_WORD, TILE, TILE_BLOCKS, geometry::Geometry},
    simd::{Simd, portable::pack_residuals},
};

/// Appends µ and the blocks of a standard tile. `chain` holds two places before the first code; codes
/// behind the last of a shorter chain continue it such that their residuals are 0. Adds the
/// products of each block's words to `products`, that of µ to the first ones.
#[inline(always)]
pub(crate) fn standard<S: Simd>(
    simd: S,
    chain: &mut [i32; TILE + 2],
    choice: &Choice,
    out: &mut Vec<u32>,
    products: &mut [u64; TILE_BLOCKS],
) {
    let begin = out.len();
    out.resize(begin + choice.words, 0);
    let mut rest = &mut out[begin..];
    if choice.variant.centered {
        rest[0] = choice.mu as u32;
        rest = &mut rest[1..];
        products[0] += choice.mu as u32 as u64 * CHECKSUM_MULTIPLIERS[MU_WORD] as u64;
    }
    // Both orders begin as if µ had come twice before.
    chain[..2].fill(choice.mu);
    for (b, &rate) in choice.rates[..TILE / BLOCK].iter().enumerate() {
        if rate > 0 {
            let (words, after) = rest.split_at_mut(rate as usize + 1);
            let window = chain[BLOCK * b..].first_chunk().expect("a block and the two before it");
            products[b] += simd.pack(window, choice.variant.order, rate, words);
            rest = after;
        }
    }
}

/// Appends µ and the blocks of a tile of any geometry.
pub(crate) fn any(residuals: &[i32], choice: &Choice, geometry: Geometry, out: &mut Vec<u32>) {
    if choice.variant.centered {
        out.push(choice.mu as u32);
    }
    for (block, &rate) in residuals.chunks(geometry.block_len).zip(&choice.rates) {
        if rate == 0 {
            continue;
        }
        // The halves of a block of 64 alternate, word by word.
        let begin = out.len();
        let stride = geometry.plane_words();
        out.resize(begin + stride * (rate as usize + 1), 0);
        for (h, half) in block.as_chunks::<32>().0.iter().enumerate() {
            let mut words = [0; 32];
            let words = &mut words[..rate as usize + 1];
            pack_residuals(half, rate, words);
            for (k, &w) in words.iter().enumerate() {
                out[begin + k * stride + h] = w;
            }
        }
    }
}
