//! Points between the codes of a pointwise-relative bound, on the same curve (FORMAT.md, *Dense: quantize*).

use super::{
    BLOCK, Curve, Errors, Logarithmic, Relative,
    block::{Block, NONE},
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
    /// How far from the first logarithmic code the pattern of a logarithmic element is at least.
    lowest: i64,
}

impl<T: Logarithmic> Finer<T> {
    /// `None` where there are no points between the codes.
    pub fn new(codes: Relative<T>, fine: u32) -> Option<Self> {
        let curve = codes.curve.finer(fine).filter(|_| fine > 0)?;
        let parts = 2f64.powi((PART_BITS + fine) as i32);
        let (low, stride) = (codes.curve.base - codes.origin, codes.curve.stride);
        let half = (1u64 << fine >> 1) as f64;
        let mut own = Finer {
            codes,
            fine,
            curve,
            linear_parts: codes.inverse.to_f64() * parts,
            pattern_parts: 2f64.powi(PART_BITS as i32) / curve.stride as f64,
            first: (codes.curve.knee as f64 + 1.0) * parts,
            middle: (stride as f64 - 1.0 - 2.0 * low as f64) / 2.0,
            lowest: 0,
        };
        // Parts that a logarithmic element has at least.
        let least = if codes.curve.knee == 0 { half * 2f64.powi(PART_BITS as i32) } else { 0.0 };
        own.lowest = own.first_from(least);
        Some(own)
    }

    /// The parts of a logarithmic element whose pattern is so far from that of the first logarithmic code.
    #[inline(always)]
    fn logarithmic(&self, pattern: f64) -> f64 {
        self.first + (pattern - self.middle) * self.pattern_parts
    }

    /// The first pattern, from that of the first logarithmic code on, that has at least so many parts: they rise.
    fn first_from(&self, least: f64) -> i64 {
        let (mut low, mut high) = (i64::MIN / 4, i64::MAX / 2);
        while high - low > 1 {
            let middle = low.midpoint(high);
            match self.logarithmic(middle as f64) >= least {
                true => high = middle,
                false => low = middle,
            }
        }
        high
    }

    /// Puts the target of each element: parts of a point, counted from those of the code `own`; `none` where it
    /// has none.
    #[inline(always)]
    pub fn targets(&self, elements: &[T; BLOCK], own: i32, none: i32, targets: &mut [i32; BLOCK]) {
        const SIGN: u64 = 1 << 63;
        let zero = own as f64 * 2f64.powi((PART_BITS + self.fine) as i32);
        // What is rounded is kept within this.
        const FAR: f64 = (1 << 30) as f64;
        let edge = T::from_bits64(self.codes.edge).to_f64();
        let limits = (self.codes.edge, self.lowest);
        let (mut patterns, mut there) = ([0.0; BLOCK], [0; BLOCK]);
        T::patterns_from_base(&self.codes.curve, limits, elements, &mut patterns, &mut there);
        let mut parts = [0; BLOCK];
        for k in 0..BLOCK {
            let d = elements[k].to_f64();
            let linear = d.abs() * self.linear_parts;
            let logarithmic = self.logarithmic(patterns[k]);
            // Numbers have the order of their bits.
            let size = if d.abs() < edge { linear } else { logarithmic };
            let part = f64::from_bits(size.to_bits() ^ (d.to_bits() & SIGN)) - zero;
            let part = if part < FAR { part } else { FAR };
            let part = if part > -FAR { part } else { -FAR };
            parts[k] = (part + ROUND_F64).to_bits() as i32;
        }
        for k in 0..BLOCK {
            let near = parts[k].abs() <= MOST_VALUE << PART_BITS;
            let part = if near { parts[k] } else { none };
            targets[k] = if there[k] == 1 { part } else { none };
        }
    }

    /// The values of points, counted from `zero`.
    #[inline(always)]
    fn values(&self, points: &[i32; BLOCK], zero: i32) -> [T; BLOCK] {
        let mut all = *points;
        for point in &mut all {
            *point = zero.wrapping_add(*point);
        }
        let mut values = [T::ZERO; BLOCK];
        T::values(&self.curve, &all, &mut values);
        values
    }

    /// What an element errs by that is decoded to this value, absolutely and as a share of it, and whether its code
    /// is linear.
    #[inline(always)]
    fn error(&self, d: T, value: T) -> (T, T, bool) {
        let (error, size) = (d.sub(value).magnitude(), d.magnitude());
        (error, error.div(size), size < T::from_bits64(self.codes.edge))
    }

    /// What finite elements come to that are decoded to these points.
    #[inline(always)]
    pub fn take(
        &self,
        elements: &[T; BLOCK],
        points: &[i32; BLOCK],
        zero: i32,
        worst: &mut Worst<T>,
    ) {
        let values = self.values(points, zero);
        for k in 0..BLOCK {
            let (error, share, is_linear) = self.error(elements[k], values[k]);
            let (linear, share) = if is_linear { (error, T::ZERO) } else { (T::ZERO, share) };
            let Worst { absolute, relative, linear: all } = &mut *worst;
            absolute[k] = if error > absolute[k] { error } else { absolute[k] };
            relative[k] = if share > relative[k] { share } else { relative[k] };
            all[k] = if linear > all[k] { linear } else { all[k] };
        }
    }

    /// The errors of elements of which these are the worst, if all are as near as they must be.
    pub fn near(&self, worst: &Worst<T>) -> Option<Errors<T>> {
        let largest =
            |all: &[T; BLOCK]| all.iter().copied().fold(T::ZERO, |a, b| if b > a { b } else { a });
        let [absolute, relative, linear] =
            [&worst.absolute, &worst.relative, &worst.linear].map(largest);
        let near = relative < self.codes.eps && self.is_low(linear);
        near.then_some(Errors { absolute, relative })
    }

    /// Whether an element of linear codes may err so: a difference that rounds to less than the floor is less
    /// than that.
    #[inline(always)]
    fn is_low(&self, error: T) -> bool {
        (error < self.codes.floor) | (error == T::ZERO)
    }

    /// What elements come to that are decoded to these points: the code is that of none where one has the target
    /// `none` or is not as near as it must be, else it means nothing.
    #[inline(always)]
    pub fn outcome(
        &self,
        elements: &[T; BLOCK],
        (points, zero): (&[i32; BLOCK], i32),
        (targets, none): (&[i32; BLOCK], i32),
        block: &mut Block<T>,
    ) {
        let values = self.values(points, zero);
        for k in 0..BLOCK {
            let (error, share, is_linear) = self.error(elements[k], values[k]);
            let near = (is_linear & self.is_low(error)) | (!is_linear & (share < self.codes.eps));
            let near = near & (targets[k] != none);
            block.codes[k] = if near { 0 } else { NONE };
            block.absolute[k] = if near { error } else { T::ZERO };
            block.relative[k] = if near & !is_linear { share } else { T::ZERO };
        }
    }
}

/// The worst of what elements have come to. Those of places in a block are kept apart: no comparison waits for
/// the one before.
pub(crate) struct Worst<T> {
    absolute: [T; BLOCK],
    /// Of logarithmic codes.
    relative: [T; BLOCK],
    /// The absolute one of linear codes.
    linear: [T; BLOCK],
}

impl<T: Logarithmic> Worst<T> {
    pub const NONE: Self =
        Worst { absolute: [T::ZERO; BLOCK], relative: [T::ZERO; BLOCK], linear: [T::ZERO; BLOCK] };
}
