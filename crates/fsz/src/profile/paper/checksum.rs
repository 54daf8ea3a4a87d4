//! What the tiles of a chunk add to its checksum (FORMAT.md, *Checksums*): a row for every 32 elements of a
//! block, rows of four words for rate bytes and for what follows the blocks.

use super::choose::block_words;
use crate::format::{
    CHECKSUM_MULTIPLIERS, ESCAPE_ROWS_AT, HEAD_ROWS_AT, MU_WORD, RateByte, TILE_BLOCKS,
    checksum::{byte_rows, products, row, rows},
    geometry::Geometry,
};

/// Words that are multiplied together.
const LANES: usize = 8;

/// For each eight words of a block the multipliers of the first 0 to 8 of them, and zeros.
const MULTIPLIERS: [[[u32; LANES]; LANES + 1]; MU_WORD / LANES] = {
    let mut table = [[[0; LANES]; LANES + 1]; MU_WORD / LANES];
    let mut at = 0;
    while at < MU_WORD * (LANES + 1) {
        let (n, word) = (at / MU_WORD, at % MU_WORD);
        if word % LANES < n {
            table[word / LANES][n][word % LANES] = CHECKSUM_MULTIPLIERS[word];
        }
        at += 1;
    }
    table
};

/// The share of the rate bytes of a chunk.
pub(super) fn of_rates(rates: &[u8]) -> u32 {
    byte_rows(rates, HEAD_ROWS_AT)
}

/// The share of a tile, of which the first element is number `first` of the chunk: of `words`, its payload,
/// the first `coded` are µ and blocks.
#[inline(always)]
pub(super) fn of_tile(
    rates: &[u8],
    words: &[u32],
    coded: usize,
    first: usize,
    geometry: Geometry,
) -> u32 {
    let (mut coded, escapes) = words.split_at(coded);
    let mut mu = 0;
    if RateByte(rates[0]).centered() {
        mu = coded[0] as u64 * CHECKSUM_MULTIPLIERS[MU_WORD] as u64;
        coded = &coded[1..];
    }
    let behind =
        if escapes.is_empty() { 0 } else { rows(escapes, ESCAPE_ROWS_AT + first as u32 / 2) };
    let id = first as u32 / 32;
    let blocks = match <&[u8; TILE_BLOCKS]>::try_from(rates) {
        Ok(rates) if geometry.is_standard() => of_standard_blocks(rates, coded, mu, id),
        _ => of_blocks(rates, coded, mu, id, geometry.plane_words()),
    };
    blocks.wrapping_add(behind)
}

/// The share of the blocks of a standard tile: without a branch on how many words they have, but for the
/// last ones of a chunk.
#[inline(always)]
fn of_standard_blocks(rates: &[u8; TILE_BLOCKS], mut coded: &[u32], mu: u64, id: u32) -> u32 {
    let mut sums = [0; TILE_BLOCKS];
    sums[0] = mu;
    for (sum, &rate) in sums.iter_mut().zip(rates) {
        let mut left = block_words(RateByte(rate).rate());
        for multipliers in &MULTIPLIERS {
            let n = left.min(LANES);
            *sum += match coded.first_chunk::<LANES>() {
                Some(words) => {
                    (0..LANES).map(|j| words[j] as u64 * multipliers[n][j] as u64).sum::<u64>()
                }
                None => coded.iter().zip(&multipliers[n]).map(|(&w, &m)| w as u64 * m as u64).sum(),
            };
            coded = &coded[n..];
            left -= n;
            if left == 0 {
                break;
            }
        }
    }
    (0..TILE_BLOCKS).fold(0, |share: u32, b| share.wrapping_add(row(id + b as u32, sums[b])))
}

/// The share of the blocks of any tile, of which each 32 elements have every `halves`-th word.
fn of_blocks(rates: &[u8], mut coded: &[u32], mut mu: u64, id: u32, halves: usize) -> u32 {
    let mut share = 0u32;
    for (id, &rate) in (id..).step_by(halves).zip(rates) {
        let (own, rest) = coded.split_at(block_words(RateByte(rate).rate()) * halves);
        coded = rest;
        for half in 0..halves {
            let words = own.iter().skip(half).step_by(halves).copied();
            share = share.wrapping_add(row(id + half as u32, mu + products(words)));
            mu = 0;
        }
    }
    share
}
