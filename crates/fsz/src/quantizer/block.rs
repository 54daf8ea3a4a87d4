//! The arithmetic of a pointwise-relative bound on the bits of elements, without a branch on any of them.
//!
//! The pattern of an element is guessed by a square root. The guess is a few units off at most, so that only
//! elements that near an edge between two codes have to be settled by the curve itself: the codes do not depend
//! on how the guess was made.

use super::{
    Curve, Errors, Relative, nearest_bits,
    wide::{high, nearest_f64},
};
use crate::{
    format::{CURVE_SHARE, CURVE_UNIT, MAX_CODE},
    scalar::Scalar,
};

/// Elements that are quantized together.
pub const BLOCK: usize = 32;
/// Units that a guess may be off.
const MARGIN: u8 = 4;
/// Stands for the code of an element that has none: codes have 30 bits.
pub(crate) const NONE: i32 = i32::MIN;

/// Some elements as codes.
#[derive(Clone, Copy, Debug)]
pub struct Block<T> {
    /// Their codes, or [`NONE`]; such an element has no errors.
    pub codes: [i32; BLOCK],
    /// |d − d'|.
    pub absolute: [T; BLOCK],
    /// |d − d'| / |d|; 0 of linear codes.
    pub relative: [T; BLOCK],
}

impl<T: Scalar> Block<T> {
    /// Room for a block.
    #[inline(always)]
    pub fn new() -> Self {
        Block { codes: [0; BLOCK], absolute: [T::ZERO; BLOCK], relative: [T::ZERO; BLOCK] }
    }

    /// Whether all have a code.
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.codes.iter().fold(true, |all, code| all & (*code != NONE))
    }

    /// The errors of one element.
    #[inline(always)]
    pub fn errors(&self, k: usize) -> Errors<T> {
        Errors { absolute: self.absolute[k], relative: self.relative[k] }
    }
}

/// At most a block of numbers, with `none` behind them.
#[inline(always)]
pub(crate) fn padded<N: Copy>(numbers: &[N], none: N) -> [N; BLOCK] {
    // A length that is known is copied by a few instructions, without a call.
    if let Ok(whole) = numbers.try_into() {
        return whole;
    }
    let mut block = [none; BLOCK];
    block[..numbers.len()].copy_from_slice(numbers);
    block
}

/// At most a block of elements, with zeros behind them and NaN in the place of missing ones.
#[inline(always)]
pub(crate) fn present<T: Scalar>(elements: &[T], missing: &[T]) -> [T; BLOCK] {
    let own = padded(elements, T::ZERO);
    if missing.is_empty() {
        return own;
    }
    // Counted, not told by flags: what replaces some numbers of an array by others is a store by a mask.
    let mut gone = [0; BLOCK];
    for m in missing {
        for (gone, d) in gone.iter_mut().zip(&own) {
            *gone += (d.to_bits64() == m.to_bits64()) as u32;
        }
    }
    let mut there = [T::ZERO; BLOCK];
    for k in 0..BLOCK {
        there[k] = if gone[k] > 0 { T::NAN } else { own[k] };
    }
    there
}

/// The largest errors of blocks. Those of places in a block are kept apart: no comparison waits for the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Largest<T> {
    absolute: [T; BLOCK],
    relative: [T; BLOCK],
}

impl<T: Scalar> Largest<T> {
    pub(crate) const NONE: Self =
        Largest { absolute: [T::ZERO; BLOCK], relative: [T::ZERO; BLOCK] };

    #[inline(always)]
    pub(crate) fn take(&mut self, block: &Block<T>) {
        for k in 0..BLOCK {
            let (a, r) = (block.absolute[k], block.relative[k]);
            self.absolute[k] = if a > self.absolute[k] { a } else { self.absolute[k] };
            self.relative[k] = if r > self.relative[k] { r } else { self.relative[k] };
        }
    }

    pub(crate) fn errors(self) -> Errors<T> {
        let mut all = Errors::NONE;
        for (absolute, relative) in self.absolute.into_iter().zip(self.relative) {
            all.merge(Errors { absolute, relative });
        }
        all
    }
}

/// An element type whose bits are quantized in proportion to its values.
#[doc(hidden)]
pub trait Logarithmic: Scalar {
    /// The distance of the bits of a number and of its double: `M` of FORMAT.md.
    const OCTAVE: u64;
    /// The bits at pattern `y` of the curve.
    fn curve(y: u64) -> u64;
    /// ⌊2ᴮ / stride⌋ for B bits, or the largest number of B bits.
    fn reciprocal_of(stride: u64) -> u64;
    /// The value of a code.
    fn value(curve: &Curve<Self>, q: i32) -> Self;
    /// The values of codes.
    fn values(curve: &Curve<Self>, codes: &[i32], out: &mut [Self]);
    /// How far the patterns of elements are from that of the first logarithmic code, up to a few units; and a 1 for
    /// each element that is finite and whose bits are below the edge, or which is so far or farther.
    fn patterns_from_base(
        curve: &Curve<Self>,
        edge_and_lowest: (u64, i64),
        elements: &[Self; BLOCK],
        patterns: &mut [f64; BLOCK],
        there: &mut [i32; BLOCK],
    );
    /// The codes of elements.
    fn block(z: &Relative<Self>, elements: &[Self; BLOCK], out: &mut Block<Self>);
}

macro_rules! logarithmic {
    ($t:ident, $bits:ident, $signed:ident, $mantissa:literal) => {
        impl Logarithmic for $t {
            const OCTAVE: u64 = 1 << $mantissa;

            fn curve(y: u64) -> u64 {
                $t::curve_of::<true>(y as $bits) as u64
            }

            fn reciprocal_of(stride: u64) -> u64 {
                ((1u128 << $bits::BITS) / stride as u128).min($bits::MAX as u128) as u64
            }

            #[inline(always)]
            fn value(curve: &Curve<Self>, q: i32) -> Self {
                let mut own = [0.0];
                Self::values(curve, &[q], &mut own);
                own[0]
            }

            #[inline(always)]
            fn values(curve: &Curve<Self>, codes: &[i32], out: &mut [Self]) {
                match (curve.curved, curve.knee > 0) {
                    (true, true) => $t::values_of::<true, true>(curve, codes, out),
                    (true, false) => $t::values_of::<true, false>(curve, codes, out),
                    (false, true) => $t::values_of::<false, true>(curve, codes, out),
                    (false, false) => $t::values_of::<false, false>(curve, codes, out),
                }
            }

            #[inline(always)]
            fn patterns_from_base(
                curve: &Curve<Self>,
                (edge, lowest): (u64, i64),
                elements: &[Self; BLOCK],
                patterns: &mut [f64; BLOCK],
                there: &mut [i32; BLOCK],
            ) {
                // One loop for all would have vectors of as few numbers as `f64` has.
                let infinity = $t::INFINITY.to_bits() as $signed;
                let lowest = lowest.clamp($signed::MIN as i64 + 1, $signed::MAX as i64) as $signed;
                let mut away = [0; BLOCK];
                for k in 0..BLOCK {
                    let b = elements[k].to_bits() & ($bits::MAX >> 1);
                    away[k] = $t::guess(b).wrapping_sub(curve.base as $bits) as $signed;
                    let b = b as $signed;
                    let own = if b < edge as $signed { $signed::MAX } else { away[k] };
                    let own = if b < infinity { own } else { $signed::MIN };
                    there[k] = (own >= lowest) as i32;
                }
                for (pattern, away) in patterns.iter_mut().zip(away) {
                    *pattern = nearest_f64(away);
                }
            }

            #[inline(always)]
            fn block(z: &Relative<Self>, elements: &[Self; BLOCK], out: &mut Block<Self>) {
                match (z.curve.curved, z.curve.knee > 0) {
                    (true, true) => $t::block_of::<true, true>(z, elements, out),
                    (true, false) => $t::block_of::<true, false>(z, elements, out),
                    (false, true) => $t::block_of::<false, true>(z, elements, out),
                    (false, false) => $t::block_of::<false, false>(z, elements, out),
                }
            }
        }

        impl Own for $t {
            type Bits = $bits;

            #[inline(always)]
            fn curve_of<const CURVED: bool>(y: $bits) -> $bits {
                if !CURVED {
                    return y;
                }
                const OCTAVE: $bits = 1 << $mantissa;
                // The product's high word is the parabola, however large a share of 2ᴮ its unit is.
                const SHIFT: u32 = $bits::BITS - $mantissa - CURVE_UNIT.ilog2();
                let p = y & (OCTAVE - 1);
                y.wrapping_sub(high(p << SHIFT, CURVE_SHARE as $bits * (OCTAVE - p)))
            }

            #[inline(always)]
            fn guess(b: $bits) -> $bits {
                const OCTAVE: $bits = 1 << $mantissa;
                const ONE: $bits = (1.0 as $t).to_bits();
                // A number of 0 to OCTAVE added to this has it in its lowest bits.
                const SHIFTED: $t = OCTAVE as $t;
                // The curve is a parabola in each octave; its inverse at f, of 0 to 1, is
                // (sqrt((1 − c)² + 4·c·f) − (1 − c)) / (2·c).
                const C: f64 = CURVE_SHARE as f64 / CURVE_UNIT as f64;
                const SQUARE: $t = ((1.0 - C) * (1.0 - C)) as $t;
                const SLOPE: $t = (4.0 * C) as $t;
                const LESS: $t = (1.0 - C) as $t;
                const UNITS: $t = (OCTAVE as f64 / (2.0 * C)) as $t;
                let p = b & (OCTAVE - 1);
                let f = $t::from_bits(ONE | p) - 1.0;
                let guess = ((SLOPE * f + SQUARE).sqrt() - LESS) * UNITS;
                b - p + (guess + SHIFTED).to_bits().wrapping_sub(SHIFTED.to_bits())
            }

            #[inline(always)]
            fn values_of<const CURVED: bool, const FLOOR: bool>(
                curve: &Curve<Self>,
                codes: &[i32],
                out: &mut [Self],
            ) {
                let (knee, base, stride) = (curve.knee, curve.base as $bits, curve.stride as $bits);
                let infinity = $t::INFINITY.to_bits();
                for (d, &q) in out.iter_mut().zip(codes) {
                    let k = q.unsigned_abs();
                    let j = k.wrapping_sub(knee).wrapping_sub(1) as $bits;
                    let y = base.wrapping_add(j.wrapping_mul(stride)).min(infinity);
                    let bits = $t::curve_of::<CURVED>(y);
                    let sign = ((q < 0) as $bits) << ($bits::BITS - 1);
                    let linear = match FLOOR {
                        true => q as $t * curve.linear_step,
                        false => 0.0,
                    };
                    *d = if k <= knee { linear } else { $t::from_bits(bits | sign) };
                }
            }

            #[inline(always)]
            fn block_of<const CURVED: bool, const FLOOR: bool>(
                z: &Relative<Self>,
                elements: &[Self; BLOCK],
                out: &mut Block<Self>,
            ) {
                const MAGNITUDE: $bits = $bits::MAX >> 1;

                // Signed comparisons are the faster ones; none of the numbers has the highest bit. What several
                // conditions follow from is one number: vectors of their outcomes are as slow as all else.
                let margin = MARGIN as $signed;
                let (origin, stride) = (z.origin as $bits, z.curve.stride as $bits);
                let (reciprocal, edge) = (z.reciprocal as $bits, z.edge as $signed);
                let (last, wide) = ((stride as $signed).wrapping_sub(1), stride as $signed);
                let infinity = $t::INFINITY.to_bits();
                // Of each element the number of its logarithmic code, and the pattern where that begins, that of
                // infinity below the first.
                let mut number = [0 as $bits; BLOCK];
                let mut begin = [0 as $bits; BLOCK];
                // How far its pattern is from an edge between codes, or below the first one.
                let mut distance = [0 as $signed; BLOCK];
                for k in 0..BLOCK {
                    let b = elements[k].to_bits() & MAGNITUDE;
                    let y = if CURVED { $t::guess(b) } else { b };
                    let away = y.wrapping_sub(origin) as $signed;
                    let from = away.max(0) as $bits;
                    let j = high(from, reciprocal);
                    let rest = (from - j * stride) as $signed;
                    let one_more = rest >= wide;
                    let rest = if one_more { rest - wide } else { rest };
                    number[k] = j + one_more as $bits;
                    let own = origin.wrapping_add(from.wrapping_sub(rest as $bits));
                    let under = away < if CURVED { -margin } else { 0 };
                    begin[k] = if under { infinity } else { own };
                    distance[k] = rest.min(last.wrapping_sub(rest)).max(!away);
                }
                if CURVED && distance.iter().fold(margin, |least, own| least.min(*own)) < margin {
                    for k in (0..BLOCK).filter(|&k| distance[k] < margin) {
                        let b = elements[k].to_bits() & MAGNITUDE;
                        if $t::curve_of::<CURVED>(begin[k]) > b {
                            let first = number[k] == 0;
                            begin[k] = if first { infinity } else { begin[k].wrapping_sub(stride) };
                            number[k] = number[k].saturating_sub(1);
                        } else if $t::curve_of::<CURVED>(begin[k] + stride) <= b {
                            number[k] += 1;
                            begin[k] += stride;
                        }
                    }
                }
                let low = (z.curve.base as $bits).wrapping_sub(origin);
                let knee = z.curve.knee as i32;
                // The pattern of the largest code.
                let most = (MAX_CODE - knee - 1) as u64;
                let most = (z.curve.base as u128 + most as u128 * z.curve.stride as u128)
                    .min(infinity as u128) as $signed;
                // An error that is at most the floor is below the next number.
                let floor = z.floor.next_up();
                let inverse = z.inverse as f64;
                for k in 0..BLOCK {
                    let bits = elements[k].to_bits();
                    let b = bits & MAGNITUDE;
                    let negative = (bits >> ($bits::BITS - 1)) as i32;
                    let d = $t::from_bits(b);
                    let back = begin[k].wrapping_add(low);
                    let back = if back as $signed > most { infinity } else { back };
                    let mut code = (number[k] as i32).wrapping_add(knee + 1);
                    let mut value = $t::from_bits($t::curve_of::<CURVED>(back));
                    let is_linear = (b as $signed) < edge;
                    if FLOOR {
                        let nearest = nearest_bits(d as f64 * inverse) as i32;
                        let own = nearest.min(knee);
                        code = if is_linear { own } else { code };
                        value = if is_linear { own as $t * z.curve.linear_step } else { value };
                    } else {
                        code = if is_linear { 0 } else { code };
                        value = if is_linear { 0.0 } else { value };
                    }
                    let error = (d - value).abs();
                    let share = error / d;
                    // A share of no number is not below anything, and infinity is not, either.
                    let measure = if is_linear { error } else { share };
                    let has_code = measure < if is_linear { floor } else { z.eps };
                    // Choices between a number and the 0 that was there would be stores by a mask, which take
                    // longer than all else here.
                    let kept = (has_code as $bits).wrapping_neg();
                    let signed = (code ^ -negative).wrapping_add(negative);
                    out.codes[k] = if has_code { signed } else { NONE };
                    out.absolute[k] = $t::from_bits(error.to_bits() & kept);
                    let share = if is_linear { 0.0 } else { share };
                    out.relative[k] = $t::from_bits(share.to_bits() & kept);
                }
            }
        }
    };
}

/// The parts of [`Logarithmic`] in the width of the type.
trait Own: Sized {
    type Bits;
    fn curve_of<const CURVED: bool>(y: Self::Bits) -> Self::Bits;
    /// The pattern of bits, up to a few units.
    fn guess(b: Self::Bits) -> Self::Bits;
    fn values_of<const CURVED: bool, const FLOOR: bool>(
        curve: &Curve<Self>,
        codes: &[i32],
        out: &mut [Self],
    );
    fn block_of<const CURVED: bool, const FLOOR: bool>(
        z: &Relative<Self>,
        elements: &[Self; BLOCK],
        out: &mut Block<Self>,
    );
}

logarithmic!(f32, u32, i32, 23);
logarithmic!(f64, u64, i64, 52);
