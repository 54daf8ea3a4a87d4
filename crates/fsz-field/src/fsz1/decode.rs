//! A tile's blocks back to values, with the arithmetic of the release.
//!
//! A code is multiplied by the step and the tile's mean is added in one operation that rounds once: the
//! release's kernels are built as nvcc does by default, which fuses the two. Blocks of rate 0 are an
//! arithmetic sequence of floats, not of codes; their values differ in the last bit from those of codes.
//! Integers wrap, as they do there.

use fsz::Element;
use fsz::format::{BLOCK, RateByte, TILE, TILE_BLOCKS, WORD};

/// An element type with what this decoder computes in it.
pub(super) trait Real: Element {
    fn of_f64(value: f64) -> Self;
    fn of_code(code: i32) -> Self;
    fn times(self, other: Self) -> Self;
    /// `self * factor + term`, rounded once.
    fn fused(self, factor: Self, term: Self) -> Self;
    /// The mean of a tile: its code times the step, as `f64` and rounded once.
    fn mean_of(code: f64, step: Self) -> Self;
    fn wide(self) -> f64;
    fn bits(self) -> u64;
    /// The value at the front of these bytes.
    fn read(bytes: &[u8]) -> Option<(Self, &[u8])>;
}

macro_rules! real {
    ($t:ident) => {
        impl Real for $t {
            fn of_f64(value: f64) -> Self {
                value as $t
            }
            fn of_code(code: i32) -> Self {
                code as $t
            }
            fn times(self, other: Self) -> Self {
                self * other
            }
            fn fused(self, factor: Self, term: Self) -> Self {
                self.mul_add(factor, term)
            }
            fn mean_of(code: f64, step: Self) -> Self {
                (code * f64::from(step)) as $t
            }
            fn wide(self) -> f64 {
                f64::from(self)
            }
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
                let (value, rest) = bytes.split_first_chunk()?;
                Some((<$t>::from_le_bytes(*value), rest))
            }
        }
    };
}

real!(f32);
real!(f64);

/// Why a tile is refused.
type Why = &'static str;
/// The rates were checked against the payload's length when the stream was opened.
const SHORT: Why = "its payload ends early";

/// Decodes a tile; of the last one of a field only the first values count.
pub(super) fn tile<T: Real>(
    rates: &[u8; TILE_BLOCKS],
    mut blocks: [&[u8]; TILE_BLOCKS],
    step: T,
    out: &mut [T; TILE],
) -> Result<(), Why> {
    let first = RateByte(rates[0]);
    let mut mean = T::of_f64(0.0);
    if first.centered() {
        (mean, blocks[0]) = T::read(blocks[0]).ok_or(SHORT)?;
        if !is_mean(mean, step) {
            return Err("its mean is not a multiple of the step");
        }
    }
    let value = |code: i32| match first.centered() {
        true => T::of_code(code).fused(step, mean),
        false => T::of_code(code).times(step),
    };
    // The last two codes.
    let (mut last, mut before) = (0i32, 0i32);
    for ((out, &byte), payload) in out.as_chunks_mut::<BLOCK>().0.iter_mut().zip(rates).zip(blocks)
    {
        let rate = RateByte(byte).rate();
        if rate == 0 && first.order2() {
            let slope = last.wrapping_sub(before);
            let start = value(last.wrapping_add(slope));
            let stride = T::of_code(slope).times(step);
            for (k, out) in out.iter_mut().enumerate() {
                *out = T::of_code(k as i32).fused(stride, start);
            }
            before = last.wrapping_add(slope.wrapping_mul(BLOCK as i32 - 1));
            last = before.wrapping_add(slope);
            continue;
        }
        let residuals = if rate == 0 { [0; BLOCK] } else { unpack(payload.as_chunks().0)? };
        for (out, residual) in out.iter_mut().zip(residuals) {
            let predicted = match first.order2() {
                true => last.wrapping_mul(2).wrapping_sub(before),
                false => last,
            };
            (last, before) = (predicted.wrapping_add(residual), last);
            *out = value(last);
        }
    }
    Ok(())
}

/// Residuals of a block from its sign word and planes, lowest first: words in big-endian order, element 0
/// at the highest bit.
fn unpack(words: &[[u8; WORD]]) -> Result<[i32; BLOCK], Why> {
    let [sign, planes @ ..] = words else { return Err(SHORT) };
    let sign = u32::from_be_bytes(*sign);
    // The rate is that of the largest magnitude.
    if planes.last() == Some(&[0; WORD]) {
        return Err("a block has a rate above that of its largest residual");
    }
    let mut magnitudes = [0u32; BLOCK];
    for (k, plane) in planes.iter().enumerate() {
        let plane = u32::from_be_bytes(*plane);
        for (i, magnitude) in magnitudes.iter_mut().enumerate() {
            *magnitude |= (plane >> (BLOCK - 1 - i) & 1) << k;
        }
    }
    let mut residuals = [0; BLOCK];
    for (i, (residual, magnitude)) in residuals.iter_mut().zip(magnitudes).enumerate() {
        let magnitude = magnitude as i32;
        *residual = if sign >> (BLOCK - 1 - i) & 1 == 1 { -magnitude } else { magnitude };
    }
    Ok(residuals)
}

/// Whether the release can have written this as a mean: a code times the step.
fn is_mean<T: Real>(mean: T, step: T) -> bool {
    let code = (mean.wide() / step.wide()).round();
    // Rounded twice, the quotient of a large mean may be one off.
    let codes = [code, code - 1.0, code + 1.0];
    let of = |code: f64| T::mean_of(code, step).bits() == mean.bits();
    code.abs() <= -f64::from(i32::MIN) && codes.into_iter().any(of)
}
