//! Elements as points of a curve, or as its codes: those of a pointwise-relative bound (FORMAT.md, *Dense:
//! quantize*).

use super::{
    alike::put_block,
    levels::by_level,
    points::Aimed,
    targets::{ANY, put_far},
};
use crate::{
    format::dense::{MOST_VALUE, PART_BITS},
    quantizer::{BLOCK, Block, Errors, Finer, Largest, NONE, Relative, Worst, padded, present},
};

/// What finding the codes of a box's elements came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<T> {
    /// All have one.
    pub complete: bool,
    /// The errors of those that have one.
    pub errors: Errors<T>,
    /// The same of those that have a target, too.
    pub aimed: Errors<T>,
}

/// Puts the numbers of at most a block of elements.
#[inline(always)]
fn put<N: Copy>(numbers: &[N; BLOCK], to: &mut [N]) {
    // A length that is known is copied by a few instructions, without a call.
    match <&mut [N; BLOCK]>::try_from(&mut *to) {
        Ok(whole) => *whole = *numbers,
        Err(_) => to.copy_from_slice(&numbers[..to.len()]),
    }
}

by_level! {
    /// The code of the first element that has one.
    fn first_code(z: &Relative<T>, elements: &[T], missing: &[T]) -> Option<i32> {
        let mut block = Block::new();
        for own in elements.chunks(BLOCK) {
            z.block(own, missing, &mut block);
            if let Some(&first) = block.codes[..own.len()].iter().find(|&&code| code != NONE) {
                return Some(first);
            }
        }
        None
    }
}

by_level! {
    /// Puts the code of each element, [`NONE`] where it has none; whether all have one, and the largest errors of
    /// those.
    fn codes(
        z: &Relative<T>,
        elements: &[T],
        missing: &[T],
        codes: &mut [i32],
    ) -> (bool, Errors<T>) {
        let (mut all, mut largest, mut block) = (true, Largest::NONE, Block::new());
        for (own, codes) in elements.chunks(BLOCK).zip(codes.chunks_mut(BLOCK)) {
            z.block(own, missing, &mut block);
            // Behind the last elements are zeros, which come out as they are.
            largest.take(&block);
            put(&block.codes, codes);
            all &= codes.iter().fold(true, |all, code| all & (*code != NONE));
        }
        (all, largest.errors())
    }
}

by_level! {
    /// The same where points are codes, with the target of each, counted from the code `own`.
    fn code_targets(
        z: &Relative<T>,
        elements: &[T],
        missing: &[T],
        own: i32,
        targets: &mut [i32],
        codes: &mut [i32],
    ) -> Aimed<T> {
        let (mut complete, mut any) = (true, false);
        let (mut aimed, mut others) = (Largest::NONE, Largest::NONE);
        let mut block = Block::new();
        let places = targets.chunks_mut(BLOCK).zip(codes.chunks_mut(BLOCK));
        for (elements, (targets, codes)) in elements.chunks(BLOCK).zip(places) {
            z.block(elements, missing, &mut block);
            let (mut away, mut far) = ([ANY; BLOCK], 0);
            for (target, &code) in away.iter_mut().zip(&block.codes) {
                // Both have 30 bits, unless there is no code.
                let distance = code.wrapping_sub(own);
                let near = distance.unsigned_abs() <= MOST_VALUE.unsigned_abs();
                *target = if (code != NONE) & near { distance << PART_BITS } else { ANY };
                far |= ((code != NONE) & !near) as i32;
            }
            put(&block.codes, codes);
            let targets = &mut targets[..elements.len()];
            put(&away, targets);
            complete &= codes.iter().fold(true, |all, code| all & (*code != NONE));
            any |= targets.iter().fold(false, |any, target| any | (*target == ANY));
            // Behind the last elements are zeros, which come out as they are.
            if far != 0 {
                others.take(&block);
                for k in (0..BLOCK).filter(|&k| away[k] == ANY) {
                    (block.absolute[k], block.relative[k]) = (T::ZERO, T::ZERO);
                }
            }
            aimed.take(&block);
        }
        let aimed = aimed.errors();
        let mut errors = aimed;
        errors.merge(others.errors());
        Aimed { any, known: Some(Known { complete, errors, aimed }) }
    }
}

by_level! {
    /// Puts the target of each element: parts of a point of a curve, counted from the code `own`, [`ANY`] where it
    /// has none. Gives whether all have one.
    fn targets(
        z: &Finer<T>,
        elements: &[T],
        missing: &[T],
        own: i32,
        targets: &mut [i32],
    ) -> bool {
        let mut all = true;
        for (elements, targets) in elements.chunks(BLOCK).zip(targets.chunks_mut(BLOCK)) {
            let mut away = [ANY; BLOCK];
            z.targets(&present(elements, missing), own, ANY, &mut away);
            let targets = &mut targets[..elements.len()];
            put(&away, targets);
            all &= targets.iter().fold(true, |all, target| all & (*target != ANY));
        }
        all
    }
}

by_level! {
    /// Puts a 1 for each element that has neither a code nor one of these targets.
    fn without(
        z: &Relative<T>,
        elements: &[T],
        missing: &[T],
        targets: &[i32],
        without: &mut [u8],
    ) -> () {
        let mut block = Block::new();
        let places = targets.chunks(BLOCK).zip(without.chunks_mut(BLOCK));
        for (elements, (targets, without)) in elements.chunks(BLOCK).zip(places) {
            let (own, targets) = (present(elements, missing), padded(targets, 0));
            let mut asks = [0; BLOCK];
            put_block(&own, &targets, without, &mut asks);
            // Codes take longer than all else, and most elements without a target are no numbers.
            if asks.iter().fold(0, |all, asks| all | asks) != 0 {
                z.block(elements, missing, &mut block);
                for (own, code) in without.iter_mut().zip(block.codes) {
                    *own &= (code == NONE) as u8;
                }
            }
        }
    }
}

by_level! {
    /// The largest errors of finite elements that are decoded to these points of a curve, counted from `zero`, if
    /// all are as near as they must be.
    fn near(z: &Finer<T>, elements: &[T], values: &[i32], zero: i32) -> Option<Errors<T>> {
        let mut worst = Worst::NONE;
        for (elements, values) in elements.chunks(BLOCK).zip(values.chunks(BLOCK)) {
            // The value of point 0 is 0, which is what stands behind the elements.
            let values = padded(values, zero.wrapping_neg());
            z.take(&padded(elements, T::ZERO), &values, zero, &mut worst);
        }
        z.near(&worst)
    }
}

by_level! {
    /// As [`Points::errors`](super::points::Points::errors), on a curve.
    fn errors(
        z: &Finer<T>,
        elements: &[T],
        values: (&[i32], i32),
        aimed: (&[i32], Option<&[u8]>),
        far: &mut [u8],
    ) -> (Errors<T>, bool) {
        let ((values, zero), (targets, masks)) = (values, aimed);
        let (mut largest, mut block, mut any) = (Largest::NONE, Block::new(), 0);
        for (k, elements) in elements.chunks(BLOCK).enumerate() {
            let own = k * BLOCK..k * BLOCK + elements.len();
            let values = padded(&values[own.clone()], zero.wrapping_neg());
            let targets = padded(&targets[own.clone()], 0);
            let aimed = (&targets, ANY);
            z.outcome(&padded(elements, T::ZERO), (&values, zero), aimed, &mut block);
            // Behind the last elements are zeros, which come out as they are.
            largest.take(&block);
            let mut near = [0; BLOCK];
            near.iter_mut().zip(block.codes).for_each(|(near, code)| *near = (code != NONE) as u8);
            any |= put_far(&near, masks.map(|masks| &masks[own.clone()]), &mut far[own]);
        }
        (largest.errors(), any != 0)
    }
}
