//! Points between the codes of a pointwise-relative bound, on the same curve (FORMAT.md, *Dense: quantize*).

use super::{
    BLOCK, Curve, Logarithmic, Relative,
    block::{Block, padded},
};
use crate::{
    format::dense::{MOST_VALUE, PART_BITS},
    simd::ROUND_F64,
};

/// What turns elements into points and back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finer<T> {
    pub codes: Relative<T>,
    /// log2 of the points for each code; above 0.
    pub fine: u32,
    /// What turns points into values.
    curve: Curve<T>,
    /// Parts of a point in a unit of an element of linear codes.
    linear_parts: f64,
    /// Parts of a point in a unit of a pattern.
    pattern_parts: f64,
    /// Where the first logarithmic code is, in parts of a point.
    first: f64,
    /// How far below its pattern a value is best.
    middle: f64,
    /// Parts of a point that a logarithmic element has at least.
    least: f64,
}

impl<T: Logarithmic> Finer<T> {
    /// `None` where there are no points between the codes.
    pub fn new(codes: Relative<T>, fine: u32) -> Option<Self> {
        let curve = codes.curve.finer(fine).filter(|_| fine > 0)?;
        let parts = 2f64.powi((PART_BITS + fine) as i32);
        let (low, stride) = (codes.curve.base - codes.origin, codes.curve.stride);
        let half = (1u64 << fine >> 1) as f64;
        Some(Finer {
            codes,
            fine,
            curve,
            linear_parts: codes.inverse.to_f64() * parts,
            pattern_parts: 2f64.powi(PART_BITS as i32) / curve.stride as f64,
            first: (codes.curve.knee as f64 + 1.0) * parts,
            middle: (stride as f64 - 1.0 - 2.0 * low as f64) / 2.0,
            least: if codes.curve.knee == 0 { half * 2f64.powi(PART_BITS as i32) } else { 0.0 },
        })
    }

    /// Puts the target of each of at most [`BLOCK`] elements: parts of a point, counted from those of the code
    /// `own`; `none` where it has none. Gives whether all have one.
    #[inline(always)]
    pub fn targets(
        &self,
        elements: &[T],
        missing: &[T],
        own: i32,
        none: i32,
        targets: &mut [i32],
    ) -> bool {
        let block = padded(elements, T::ZERO);
        let zero = own as f64 * 2f64.powi((PART_BITS + self.fine) as i32);
        let reach = (MOST_VALUE << PART_BITS) as f64;
        let (edge, infinity) = (self.codes.edge, T::INFINITY.to_bits64());
        let patterns = T::patterns_from_base(&self.codes.curve, &block);
        let mut out = [none; BLOCK];
        for k in 0..BLOCK {
            let size = block[k].magnitude();
            let bits = size.to_bits64();
            let linear = size.to_f64() * self.linear_parts;
            let logarithmic = self.first + (patterns[k] - self.middle) * self.pattern_parts;
            let is_linear = bits < edge;
            let there = is_linear | (logarithmic >= self.least);
            let size = if is_linear { linear } else { logarithmic };
            let part = if block[k].to_f64().is_sign_negative() { -size } else { size } - zero;
            let shifted = part + ROUND_F64;
            // False for NaN; what is rounded so is small enough.
            let near = (part.abs() <= reach + 0.5) & ((shifted - ROUND_F64).abs() <= reach);
            let has_target = near & there & (bits < infinity);
            out[k] = if has_target { shifted.to_bits() as i32 } else { none };
        }
        for m in missing {
            for (own, d) in out.iter_mut().zip(&block) {
                *own = if d.to_bits64() == m.to_bits64() { none } else { *own };
            }
        }
        let own = &out[..elements.len()];
        targets[..own.len()].copy_from_slice(own);
        own.iter().fold(true, |all, target| all & (*target != none))
    }

    /// What at most [`BLOCK`] elements come to that are decoded to these points, counted from `zero`; the block's
    /// codes mean nothing, and those are coded that are as near as they must be.
    #[inline(always)]
    pub fn outcome(&self, elements: &[T], points: &[i32], zero: i32) -> Block<T> {
        let own = padded(elements, T::ZERO);
        // The value of point 0 is 0, which is what stands behind the elements.
        let mut all = padded(points, zero.wrapping_neg());
        for point in &mut all {
            *point = zero.wrapping_add(*point);
        }
        let mut values = [T::ZERO; BLOCK];
        T::values(&self.curve, &all, &mut values);
        let mut block = Block::new();
        for k in 0..BLOCK {
            let error = own[k].sub(values[k]).magnitude();
            let size = own[k].magnitude();
            let share = error.div(size);
            let is_linear = size.to_bits64() < self.codes.edge;
            // A difference that rounds to less than the floor is less than that.
            let low = (error < self.codes.floor) | (error == T::ZERO);
            let near = (is_linear & low) | (!is_linear & (share < self.codes.eps));
            block.absolute[k] = error;
            block.relative[k] = if is_linear { T::ZERO } else { share };
            block.coded[k] = near as u8;
        }
        block
    }
}
