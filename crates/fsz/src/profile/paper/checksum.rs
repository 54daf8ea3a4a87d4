//! What the tiles of a chunk add to its checksum (FORMAT.md, *Checksums*): a row for every 32 elements of a
//! block, rows of four words for rate bytes and for what follows the blocks.

use crate::format::{
    CHECKSUM_MULTIPLIERS, RateByte,
    checksum::{byte_rows, products, row, rows},
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
        carried = coded[0] as u64 * CHECKSUM_MULTIPLIERS[MU] as u64;
        coded = &coded[1..];
    }
    let halves = geometry.plane_words();
    let mut sum = rows(escapes, ESCAPE_ROWS + first as u32 / 2);
    for (id, &rate) in (first as u32 / 32..).step_by(halves).zip(rates) {
        let (own, rest) =
            coded.split_at(super::choose::block_words(RateByte(rate).rate()) * halves);
        coded = rest;
        if halves == 1 {
            sum = sum.wrapping_add(row(id, carried + products(own.iter().copied())));
            carried = 0;
            continue;
        }
        // The halves of a block of 64 alternate, word by word.
        for half in 0..halves {
            let words = own.iter().skip(half).step_by(halves).copied();
            sum = sum.wrapping_add(row(id + half as u32, carried + products(words)));
            carried = 0;
        }
    }
    sum
}
