//! The checksums (FORMAT.md, *Checksums*).

use super::constants::{CHECKSUM_KEY, CHECKSUM_MULTIPLIERS, CHECKSUM_ROW, MIX};

/// A bijection of words that leaves no linear structure between the rows it is applied to.
#[inline(always)]
pub fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(MIX[0]);
    x ^= x >> 15;
    x = x.wrapping_mul(MIX[1]);
    x ^ (x >> 16)
}

/// The products of a row's words with their multipliers, added up: less than 2⁶⁴.
#[inline(always)]
pub fn products(words: impl IntoIterator<Item = u32>) -> u64 {
    words.into_iter().zip(CHECKSUM_MULTIPLIERS).map(|(word, m)| word as u64 * m as u64).sum()
}

/// What row number `id` adds to a checksum, given its products: they are taken modulo 2³² + 1, of which 2³²
/// counts as 0.
#[inline(always)]
pub fn row(id: u32, products: u64) -> u32 {
    let (residue, borrow) = (products as u32).overflowing_sub((products >> 32) as u32);
    let residue = residue.wrapping_add(borrow as u32);
    mix(id.wrapping_add(1).wrapping_mul(CHECKSUM_KEY).wrapping_add(residue))
}

/// What `words` add to a checksum in rows of [`CHECKSUM_ROW`], of which the first has number `first`.
#[inline(always)]
pub fn rows(words: &[u32], first: u32) -> u32 {
    words
        .chunks(CHECKSUM_ROW)
        .zip(first..)
        .fold(0, |sum: u32, (words, id)| sum.wrapping_add(row(id, products(words.iter().copied()))))
}

/// The same for bytes, padded with zeros to whole words.
#[inline(always)]
pub fn byte_rows(bytes: &[u8], first: u32) -> u32 {
    const ROW_BYTES: usize = 4 * CHECKSUM_ROW;
    let row_of = |bytes: &[u8; ROW_BYTES], id: u32| {
        let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
        row(id, products(words))
    };
    let (whole, rest) = bytes.as_chunks::<ROW_BYTES>();
    let mut padded = [0; ROW_BYTES];
    padded[..rest.len()].copy_from_slice(rest);
    let last =
        if rest.is_empty() { 0 } else { row_of(&padded, first.wrapping_add(whole.len() as u32)) };
    whole.iter().zip(first..).fold(last, |sum, (bytes, id)| sum.wrapping_add(row_of(bytes, id)))
}
