//! Which elements of a box are masked, told from coarse to fine (FORMAT.md, *Dense: escapes*).

use super::{
    items::Items,
    order::Order,
    predict::{Passes, Predicted, Rule, Walker},
    tables::Alphabet,
    vector::{Vector, WIDTH},
};
use crate::{format::dense::LANES, simd::Level};

/// The first context of each kind of point.
const FIRST: u8 = 0;
const CORNERS: u8 = 1;
const COARSE: u8 = 3;
const FINE: u8 = 6;

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
        self.0.step(0, &[FIRST; LANES], 1, values);
        if order.corners > 0 {
            let context = CORNERS + values[0] as u8;
            self.0.step(1, &[context; LANES], order.corners, &mut values[1..]);
        }
    }

    #[inline(always)]
    fn pass<V: Vector>(&mut self, points: Predicted<'_>, values: &mut [i32]) {
        // Whether none, some or all of the nearest neighbours are masked.
        let all = V::set(2 * points.pass.odd.count_ones() as i32);
        let kind = V::set(if points.fine { FINE } else { COARSE } as i32);
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
    pub order: &'a Order,
    /// Of the box's elements in C order.
    pub masks: &'a [u8],
    pub items: &'a mut Items,
}

impl Flags for Tell<'_> {
    fn step(&mut self, first: usize, contexts: &[u8; LANES], lanes: usize, flags: &mut [i32]) {
        let at = &self.order.at[first..][..lanes];
        let own = flags.iter_mut().zip(at).zip(contexts);
        let items = own.map(|((flag, &at), &context)| {
            *flag = self.masks[at as usize] as i32;
            (context, *flag)
        });
        self.items.push(Alphabet::Flag, items);
    }
}
