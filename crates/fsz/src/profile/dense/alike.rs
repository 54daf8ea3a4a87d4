//! Which of the elements that are escaped are alike (FORMAT.md, *Dense: escapes*).

use super::{levels::by_level, targets::ANY};
use crate::{
    element::Element,
    quantizer::{BLOCK, padded, present},
};

by_level! {
    /// Of the points that have a 1, those that have the bits of the one that is first in the box, by the positions
    /// `at` there, keep it. Gives the bits.
    fn keep_alike(elements: &[T], points: &[T], at: &[u16], ones: &mut [u8]) -> Option<u64> {
        // Positions have 12 bits; vectors of signed numbers have a minimum everywhere. A choice between numbers
        // would be made one by one.
        let last = i16::MAX;
        let first = ones.iter().zip(at).fold(last, |least, (&one, &at)| {
            least.min(at as i16 | ((one as i16).wrapping_sub(1) & last))
        });
        if first == last {
            return None;
        }
        let pattern = elements[first as usize];
        for (one, d) in ones.iter_mut().zip(points) {
            *one &= (d.to_bits64() == pattern.to_bits64()) as u8;
        }
        Some(pattern.to_bits64())
    }
}

/// Puts a 1 for each element of a block without a target, and to `asks` for each of these that is finite and not
/// missing.
#[inline(always)]
pub(super) fn put_block<T: Element>(
    own: &[T; BLOCK],
    targets: &[i32; BLOCK],
    ones: &mut [u8],
    asks: &mut [i32; BLOCK],
) {
    for k in 0..BLOCK {
        // No number and infinity are not below that, and nothing is below 0.
        let beyond = if targets[k] == ANY { T::INFINITY } else { T::ZERO };
        asks[k] |= (own[k].magnitude() < beyond) as i32;
    }
    ones.iter_mut().zip(targets).for_each(|(one, target)| *one = (*target == ANY) as u8);
}

by_level! {
    /// Puts a 1 for each element without a target; whether any of these is finite and not missing.
    fn put_without(elements: &[T], missing: &[T], targets: &[i32], ones: &mut [u8]) -> bool {
        let mut asks = [0; BLOCK];
        let places = targets.chunks(BLOCK).zip(ones.chunks_mut(BLOCK));
        for (elements, (targets, ones)) in elements.chunks(BLOCK).zip(places) {
            put_block(&present(elements, missing), &padded(targets, 0), ones, &mut asks);
        }
        asks.iter().fold(0, |all, asks| all | asks) != 0
    }
}

by_level! {
    /// How many points without a target at least have other bits than the most that are alike.
    fn least_unlike(points: &[T], targets: &[i32]) -> usize {
        let mut unlike = 0u32;
        let (behind, targets_behind) = (&points[1..], &targets[1..]);
        let pairs = points.iter().zip(behind).zip(targets.iter().zip(targets_behind));
        for ((d, next), (target, target_next)) in pairs {
            let both = (*target == ANY) & (*target_next == ANY);
            unlike += (both & (d.to_bits64() != next.to_bits64())) as u32;
        }
        // Each point that is not alike makes two such pairs at most.
        unlike as usize / 2
    }
}
