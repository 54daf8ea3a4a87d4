//! What the tiles of a chunk add to its checksum (FORMAT.md, *Checksums*): a row for every 32 elements of a
//! block, rows of four words for rate bytes and for what follows the blocks.

use crate::format::{
    CHECKSUM_MULTIPLIERS, RateByte,
    checksum::{byte_rows, fold, row, rows},
    geometry::Geometry,
};

/// Numbers of the first row of the rate bytes, and of what follows blocks.
pub(super) const RATE_ROWS: u32 = 512;
pub(super) const ESCAPE_ROWS: u32 = 1024;
/// Number of µ among the words of its row.
const MU: usize = 32;

/// The share of the rate bytes of a chunk.
pub(super) fn of_rates(rates: &[u8]) -> u32 {
    byte_rows(rates, RATE_ROWS)
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
    let mut carried = 0;
    if RateByte(rates[0]).centered() {
        carried = fold(coded[0], CHECKSUM_MULTIPLIERS[MU]);
        coded = &coded[1..];
    }
    let halves = geometry.plane_words();
    let mut sum = rows(escapes, ESCAPE_ROWS + first as u32 / 2);
    for (id, &rate) in (first as u32 / 32..).step_by(halves).zip(rates) {
        let (own, rest) =
            coded.split_at(super::choose::block_words(RateByte(rate).rate()) * halves);
        coded = rest;
        if halves == 1 {
            sum = sum.wrapping_add(row(id, carried.wrapping_add(folded_block(own))));
            carried = 0;
            continue;
        }
        // The halves of a block of 64 alternate, word by word.
        for half in 0..halves {
            let words = own.iter().skip(half).step_by(halves).zip(CHECKSUM_MULTIPLIERS);
            let folded = words.fold(carried, |sum, (&w, m)| sum.wrapping_add(fold(w, m)));
            sum = sum.wrapping_add(row(id + half as u32, folded));
            carried = 0;
        }
    }
    sum
}

#[inline(always)]
fn folded_block(words: &[u32]) -> u32 {
    crate::format::checksum::folded(words)
}
