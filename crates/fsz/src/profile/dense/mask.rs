//! Which elements of a box are masked, told from coarse to fine (FORMAT.md, *Dense: escapes*).

use super::{
    items::{Items, first_lanes},
    order::Order,
    predict::{Passes, Predicted, Rule, Walker},
    tables::Alphabet,
    vector::{Vector, WIDTH},
};
use crate::{
    format::dense::{LANES, MASK_COARSE, MASK_CORNERS, MASK_FINE, MASK_FIRST},
    simd::Level,
};

/// Tells or learns the flags of a step's first lanes: their contexts, and 1 for a masked point.
pub(super) trait Flags {
    /// `first` is the number of the step's first point.
    fn step(&mut self, first: usize, contexts: &[u8; LANES], lanes: usize, flags: &mut [i32]);
}

/// Walks through a box; the flags of its points, as they are coded, are in `walker.values` behind it.
pub(super) fn walk(walker: &mut Walker, level: Level, order: &Order, flags: &mut impl Flags) {
    walker.walk(level, Rule::Sum, order, &mut Masks(flags));
}

struct Masks<'a, F>(&'a mut F);

impl<F: Flags> Passes for Masks<'_, F> {
    fn corners<V: Vector>(&mut self, order: &Order, values: &mut [i32]) {
        self.0.step(0, &[MASK_FIRST; LANES], 1, values);
        if order.corners > 0 {
            let context = MASK_CORNERS + values[0] as u8;
            self.0.step(1, &[context; LANES], order.corners, &mut values[1..]);
        }
    }

    #[inline(always)]
    fn pass<V: Vector>(&mut self, points: Predicted<'_>, values: &mut [i32]) {
        // Whether none, some or all of the nearest neighbours are masked.
        let all = V::set(2 * points.pass.odd.count_ones() as i32);
        let kind = V::set(if points.fine { MASK_FINE } else { MASK_COARSE } as i32);
        let mut first = 0;
        for &lanes in &points.pass.steps {
            let mut contexts = [0; LANES];
            for lane in (0..LANES).step_by(WIDTH) {
                let masked = V::load(&points.predictions[first + lane..]);
                let (some, all) = (masked.exceeds(V::set(0)), masked.equals(all));
                // A mask is −1.
                kind.sub(some).sub(all).store_bytes(&mut contexts[lane..]);
            }
            let own = &mut values[first..];
            self.0.step(points.pass.first + first, &contexts, lanes as usize, own);
            first += lanes as usize;
        }
    }
}

/// Tells the flags of a box whose masked points are known.
pub(super) struct Tell<'a> {
    /// Of the box's points as they are coded.
    pub masks: &'a [u8],
    pub items: &'a mut Items,
}

impl Flags for Tell<'_> {
    fn step(&mut self, first: usize, contexts: &[u8; LANES], lanes: usize, flags: &mut [i32]) {
        let own = &self.masks[first..][..lanes];
        let (begin, values, rows) = self.items.room(lanes);
        for ((flag, value), &masked) in flags.iter_mut().zip(values).zip(own) {
            (*flag, *value) = (masked as i32, masked as i32);
        }
        for (row, &context) in rows.iter_mut().zip(contexts) {
            *row = Alphabet::Flag.row(context);
        }
        self.items.keep(lanes);
        self.items.step(Alphabet::Flag, begin, first_lanes(lanes));
    }
}
