//! Elements as numbers: what a box's values aim at, codes, and how near they come (FORMAT.md, *Dense:
//! quantize*).

use crate::{
    element::Element,
    format::{
        MAX_CODE,
        dense::{MOST_VALUE, PART_BITS},
    },
    quantizer::{Linear, NONE},
    simd::{Level, ROUND_F64},
};

/// Elements whose largest error is found together.
const TOGETHER: usize = 32;

/// The target of an element that may come out as anything.
pub(super) const ANY: i32 = i32::MIN;

/// Puts the target of each element: parts of a lattice point, of which there are `parts` in a unit, counted
/// from `zero`. Gives whether any is [`ANY`].
pub(super) fn each<T: Element>(
    level: Level,
    elements: &[T],
    (parts, zero, missing): (f64, f64, &[T]),
    targets: &mut [i32],
) -> bool {
    match level {
        Level::Portable => each_by(elements, (parts, zero, missing), targets),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: `Level::detect` gives this level only where the instructions exist.
            unsafe { each_avx2(elements, (parts, zero, missing), targets) }
        }
    }
}

#[inline(always)]
fn each_by<T: Element>(
    elements: &[T],
    (parts, zero, missing): (f64, f64, &[T]),
    targets: &mut [i32],
) -> bool {
    let reach = (MOST_VALUE << PART_BITS) as f64;
    let mut all = true;
    for (target, d) in targets.iter_mut().zip(elements) {
        let part = d.to_f64() * parts - zero;
        let shifted = part + ROUND_F64;
        // False for NaN; what is rounded so is small enough.
        let near = (part.abs() <= reach + 0.5) & ((shifted - ROUND_F64).abs() <= reach);
        *target = if near { shifted.to_bits() as i32 } else { ANY };
        all &= near;
    }
    for m in missing {
        for (target, d) in targets.iter_mut().zip(elements) {
            let gone = d.to_bits64() == m.to_bits64();
            *target = if gone { ANY } else { *target };
            all &= !gone;
        }
    }
    !all
}

/// The largest error of elements that are decoded to these values.
pub(super) fn worst<T: Element>(
    level: Level,
    elements: &[T],
    values: &[i32],
    zero: i32,
    lattice: T,
) -> T {
    match level {
        Level::Portable => worst_by(elements, values, zero, lattice),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: as above.
            unsafe { worst_avx2(elements, values, zero, lattice) }
        }
    }
}

#[inline(always)]
fn worst_by<T: Element>(elements: &[T], values: &[i32], zero: i32, lattice: T) -> T {
    let mut worst = [T::ZERO; TOGETHER];
    let (blocks, rest) = elements.as_chunks::<TOGETHER>();
    let (own, own_rest) = values[..elements.len()].as_chunks::<TOGETHER>();
    for (block, values) in blocks.iter().zip(own) {
        for k in 0..TOGETHER {
            let back = T::from_code(zero.wrapping_add(values[k])).mul(lattice);
            let error = block[k].sub(back).magnitude();
            worst[k] = if error > worst[k] { error } else { worst[k] };
        }
    }
    for (d, &v) in rest.iter().zip(own_rest) {
        let error = d.sub(T::from_code(zero.wrapping_add(v)).mul(lattice)).magnitude();
        worst[0] = if error > worst[0] { error } else { worst[0] };
    }
    worst.into_iter().fold(T::ZERO, |a, b| if b > a { b } else { a })
}

/// Puts a 1 for each element that is neither near nor masked; not 0 where there is any.
#[inline(always)]
pub(super) fn put_far(near: &[u8], masks: Option<&[u8]>, far: &mut [u8]) -> u8 {
    far.iter_mut().zip(near).for_each(|(far, near)| *far = 1 - near);
    if let Some(masks) = masks {
        far.iter_mut().zip(masks).for_each(|(far, mask)| *far &= 1 - mask);
    }
    far.iter().fold(0, |all, far| all | far)
}

/// The largest error of elements that are decoded to these values, but for those whose target is [`ANY`] or
/// whose error is not below the limit; and whether any of those is not masked, each of which has a 1 in `far`.
pub(super) fn others<T: Element>(
    level: Level,
    elements: &[T],
    values: &[i32],
    aimed: (&[i32], Option<&[u8]>),
    lattice: (i32, T, T),
    far: &mut [u8],
) -> (T, bool) {
    match level {
        Level::Portable => others_by(elements, values, aimed, lattice, far),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: as above.
            unsafe { others_avx2(elements, values, aimed, lattice, far) }
        }
    }
}

#[inline(always)]
fn others_by<T: Element>(
    elements: &[T],
    values: &[i32],
    (targets, masks): (&[i32], Option<&[u8]>),
    (zero, lattice, limit): (i32, T, T),
    far: &mut [u8],
) -> (T, bool) {
    let (mut worst, mut any) = ([T::ZERO; TOGETHER], 0);
    for (k, elements) in elements.chunks(TOGETHER).enumerate() {
        let own = k * TOGETHER..k * TOGETHER + elements.len();
        let (values, targets) = (&values[own.clone()], &targets[own.clone()]);
        let mut all = [0u8; TOGETHER];
        for (i, &d) in elements.iter().enumerate() {
            let back = T::from_code(zero.wrapping_add(values[i])).mul(lattice);
            let error = d.sub(back).magnitude();
            let near = (targets[i] != ANY) & (error < limit);
            all[i] = near as u8;
            worst[i] = if near & (error > worst[i]) { error } else { worst[i] };
        }
        any |= put_far(&all, masks.map(|masks| &masks[own.clone()]), &mut far[own]);
    }
    (worst.into_iter().fold(T::ZERO, |a, b| if b > a { b } else { a }), any != 0)
}

/// Puts the code of each element, [`NONE`] where it has none; of a `strict` one the error must be below the
/// limit. Gives whether all have codes and, of strict ones, the largest error of those.
pub(super) fn codes<T: Element>(
    level: Level,
    elements: &[T],
    (quantizer, missing): (&Linear<T>, &[T]),
    strict: bool,
    codes: &mut [i32],
) -> (bool, T) {
    if quantizer.step == T::ZERO {
        codes.fill(NONE);
        return (elements.is_empty(), T::ZERO);
    }
    match (level, strict) {
        (Level::Portable, true) => codes_by::<T, true>(elements, (quantizer, missing), codes),
        (Level::Portable, false) => codes_by::<T, false>(elements, (quantizer, missing), codes),
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Level::Avx2, true) => unsafe {
            codes_avx2::<T, true>(elements, (quantizer, missing), codes)
        },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Level::Avx2, false) => unsafe {
            codes_avx2::<T, false>(elements, (quantizer, missing), codes)
        },
    }
}

#[inline(always)]
fn codes_by<T: Element, const STRICT: bool>(
    elements: &[T],
    (z, missing): (&Linear<T>, &[T]),
    codes: &mut [i32],
) -> (bool, T) {
    let inverse = z.inverse.to_f64();
    let (mut complete, mut worst) = (true, T::ZERO);
    for (own, codes) in elements.chunks(TOGETHER).zip(codes.chunks_mut(TOGETHER)) {
        let (mut block, mut kept, mut errors) =
            ([T::ZERO; TOGETHER], [1u8; TOGETHER], [T::ZERO; TOGETHER]);
        block[..own.len()].copy_from_slice(own);
        let mut q = [0; TOGETHER];
        for k in 0..TOGETHER {
            let d = block[k];
            let scaled = d.to_f64() * inverse;
            let shifted = scaled + ROUND_F64;
            q[k] = shifted.to_bits() as i32;
            if STRICT {
                errors[k] = d.sub(T::from_code(q[k]).mul(z.step)).magnitude();
            }
            let near = (scaled.abs() <= MAX_CODE as f64 + 0.5)
                & ((shifted - ROUND_F64).abs() <= MAX_CODE as f64);
            kept[k] = (near & (!STRICT | (errors[k] < z.limit))) as u8;
        }
        for m in missing {
            for k in 0..TOGETHER {
                kept[k] &= (block[k].to_bits64() != m.to_bits64()) as u8;
            }
        }
        for k in 0..TOGETHER {
            q[k] = if kept[k] == 1 { q[k] } else { NONE };
            let error = if kept[k] == 1 { errors[k] } else { T::ZERO };
            worst = if error > worst { error } else { worst };
            complete &= kept[k] == 1;
        }
        codes.copy_from_slice(&q[..codes.len()]);
    }
    (complete, worst)
}

/// [`each_by`] AVX2.
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn each_avx2<T: Element>(
    elements: &[T],
    numbers: (f64, f64, &[T]),
    targets: &mut [i32],
) -> bool {
    each_by(elements, numbers, targets)
}

/// [`worst_by`] AVX2.
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn worst_avx2<T: Element>(elements: &[T], values: &[i32], zero: i32, lattice: T) -> T {
    worst_by(elements, values, zero, lattice)
}

/// [`codes_by`] AVX2.
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn codes_avx2<T: Element, const STRICT: bool>(
    elements: &[T],
    quantizer: (&Linear<T>, &[T]),
    codes: &mut [i32],
) -> (bool, T) {
    codes_by::<T, STRICT>(elements, quantizer, codes)
}

/// [`others_by`] AVX2.
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn others_avx2<T: Element>(
    elements: &[T],
    values: &[i32],
    aimed: (&[i32], Option<&[u8]>),
    lattice: (i32, T, T),
    far: &mut [u8],
) -> (T, bool) {
    others_by(elements, values, aimed, lattice, far)
}
