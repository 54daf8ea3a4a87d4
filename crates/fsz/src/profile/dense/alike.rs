//! Which of the elements that are escaped are alike (FORMAT.md, *Dense: escapes*).

use super::levels::by_level;

by_level! {
    /// Of the points that have a 1, those that have the bits of the one that is first in the box, by the positions
    /// `at` there, keep it. Gives how many these are, and the bits.
    fn keep_alike(
        elements: &[T],
        points: &[T],
        at: &[u16],
        ones: &mut [u8],
    ) -> Option<(usize, u64)> {
        // Positions have 12 bits; vectors of signed numbers have a minimum everywhere.
        let last = i16::MAX;
        let first = ones.iter().zip(at).fold(last, |least, (&one, &at)| {
            least.min(if one == 1 { at as i16 } else { last })
        });
        if first == last {
            return None;
        }
        let pattern = elements[first as usize];
        let mut kept = 0u32;
        for (one, d) in ones.iter_mut().zip(points) {
            *one &= (d.to_bits64() == pattern.to_bits64()) as u8;
            kept += *one as u32;
        }
        Some((kept as usize, pattern.to_bits64()))
    }
}
