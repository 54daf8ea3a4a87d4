//! The checksums (FORMAT.md, *Checksums*).

use super::constants::{CHECKSUM_KEY, CHECKSUM_MULTIPLIERS, CHECKSUM_ROW, MIX};

/// Multiplication by `multiplier` modulo 2³² − 1 that keeps the words 0 and 2³² − 1 apart: a bijection.
#[inline(always)]
pub fn fold(word: u32, multiplier: u32) -> u32 {
    let product = word as u64 * multiplier as u64;
    // The high half is the sum of both halves and of the carry of that sum.
    (product.wrapping_add(product.rotate_left(32)) >> 32) as u32
}

/// A bijection of words that leaves no linear structure between the rows it is applied to.
#[inline(always)]
pub fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(MIX[0]);
    x ^= x >> 15;
    x = x.wrapping_mul(MIX[1]);
    x ^ (x >> 16)
}

/// The folded words of a row, of which the first has number 0.
#[inline(always)]
pub fn folded(words: &[u32]) -> u32 {
    words
        .iter()
        .zip(CHECKSUM_MULTIPLIERS)
        .fold(0, |sum: u32, (&word, multiplier)| sum.wrapping_add(fold(word, multiplier)))
}

/// What row number `id` adds to a checksum, given its folded words.
#[inline(always)]
pub fn row(id: u32, folded: u32) -> u32 {
    mix(id.wrapping_add(1).wrapping_mul(CHECKSUM_KEY).wrapping_add(folded))
}

/// What `words` add to a checksum in rows of [`CHECKSUM_ROW`], of which the first has number `first`.
#[inline(always)]
pub fn rows(words: &[u32], first: u32) -> u32 {
    words
        .chunks(CHECKSUM_ROW)
        .zip(first..)
        .fold(0, |sum: u32, (words, id)| sum.wrapping_add(row(id, folded(words))))
}

/// The same for bytes, padded with zeros to whole words.
#[inline(always)]
pub fn byte_rows(bytes: &[u8], first: u32) -> u32 {
    bytes.chunks(4 * CHECKSUM_ROW).zip(first..).fold(0, |sum: u32, (bytes, id)| {
        let mut padded = [0; 4 * CHECKSUM_ROW];
        padded[..bytes.len()].copy_from_slice(bytes);
        let words = padded.as_chunks::<4>().0;
        let words: [u32; CHECKSUM_ROW] = std::array::from_fn(|j| u32::from_le_bytes(words[j]));
        sum.wrapping_add(row(id, folded(&words)))
    })
}
