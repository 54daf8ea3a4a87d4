//! What the tiles of a chunk add to its checksum (FORMAT.md, *Checksums*): a row for every 32 elements of a
//! block, rows of four words for rate bytes and for what follows the blocks.

use crate::{
    format::{
        CHECKSUM_MULTIPLIERS, ESCAPE_ROWS_AT, HEAD_ROWS_AT, MU_WORD, RateByte, TILE_BLOCKS,
        checksum::{byte_rows, products, row, rows},
        geometry::Geometry,
    },
    simd::Simd,
};

/// The share of the rate bytes of a chunk.
pub(super) fn of_rates(rates: &[u8]) -> u32 {
    byte_rows(rates, HEAD_ROWS_AT)
}

/// The share of a tile, of which the first element is number `first` of the chunk: of `words`, its payload,
/// the first `coded` are µ and blocks.
#[inline(always)]
pub(super) fn of_tile<S: Simd>(
    simd: S,
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
    let id = first as u32 / 32;
    let blocks = match <&[u8; TILE_BLOCKS]>::try_from(rates) {
        Ok(rates) if geometry.is_standard() => simd.hash_blocks(rates, coded, mu, id),
        _ => of_blocks(rates, coded, mu, id, geometry.plane_words()),
    };
    blocks.wrapping_add(of_escapes(escapes, first))
}

/// The share of what follows the blocks of a tile, of which the first element is number `first` of the chunk.
#[inline(always)]
pub(super) fn of_escapes(words: &[u32], first: usize) -> u32 {
    if words.is_empty() { 0 } else { rows(words, ESCAPE_ROWS_AT + first as u32 / 2) }
}

/// The share of the blocks of any tile, of which each 32 elements have every `halves`-th word.
fn of_blocks(rates: &[u8], mut coded: &[u32], mut mu: u64, id: u32, halves: usize) -> u32 {
    let mut share = 0u32;
    for (id, &rate) in (id..).step_by(halves).zip(rates) {
        let (own, rest) = coded.split_at(RateByte(rate).words() * halves);
        coded = rest;
        for half in 0..halves {
            let words = own.iter().skip(half).step_by(halves).copied();
            share = share.wrapping_add(row(id + half as u32, mu + products(words)));
            mu = 0;
        }
    }
    share
}
