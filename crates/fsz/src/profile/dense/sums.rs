//! Predictions of the points of a pass from the values of their neighbours (FORMAT.md, *Dense: predict*).

use super::{
    order::{Grid, Pass, Run},
    predict::{BEHIND, Rule, Weights},
    vector::{Vector, WIDTH},
};
use crate::format::dense::Taps;

/// What part of a sum is the prediction: a factor, what is added, and how many bits are left out.
type Share = [i32; 3];

#[inline(always)]
fn shared<V: Vector>(sum: V, [factor, half, bits]: Share) -> V {
    let sum = if factor == 1 { sum } else { sum.mul(V::set(factor)) };
    sum.add(V::set(half)).shift_right(bits as u32)
}

/// Predictions and spreads of a pass.
#[inline(always)]
pub(super) fn predict<V: Vector>(
    rule: Rule,
    weights: Option<Weights>,
    grid: &Grid,
    pass: &Pass,
    values: &[i32],
    to: (&mut [i32], &mut [i32]),
) {
    let step = Step { grid, pass, values };
    let axes = pass.odd.count_ones();
    match (axes, rule, weights) {
        (1, Rule::Sum, _) => step.by::<V>(Along::<1>::nearest(&step), [1, 0, 0], to),
        (2, Rule::Sum, _) => step.by::<V>(Along::<2>::nearest(&step), [1, 0, 0], to),
        (_, Rule::Sum, _) => step.by::<V>(Along::<3>::nearest(&step), [1, 0, 0], to),
        (2, Rule::Taps(Taps::Blended), _) => {
            step.by::<V>(AcrossTwo(Along::nearest(&step)), [1, 2, 2], to)
        }
        (3, Rule::Taps(Taps::Blended), _) => {
            step.by::<V>(AcrossThree(Along::nearest(&step)), [1, 4, 3], to)
        }
        (1, _, None) => step.by::<V>(Along::<1>::nearest(&step), [1, 1, 1], to),
        (2, _, None) => step.by::<V>(Along::<2>::nearest(&step), [1, 2, 2], to),
        (1, ..) => step.by::<V>(Along::<1>::new(&step, weights), [1, 8, 4], to),
        (2, ..) => step.by::<V>(Along::<2>::new(&step, weights), [1, 16, 5], to),
        _ => step.by::<V>(Along::<3>::nearest(&step), [5461, 16384, 15], to),
    }
}

/// A pass of a grid with the values that are known.
struct Step<'a> {
    grid: &'a Grid,
    pass: &'a Pass,
    values: &'a [i32],
}

impl Step<'_> {
    /// Predictions and spreads of all points.
    #[inline(always)]
    fn by<V: Vector>(
        &self,
        sums: impl Sums,
        share: Share,
        (predictions, spreads): (&mut [i32], &mut [i32]),
    ) {
        let room = self.pass.len + BEHIND;
        let (predictions, spreads) = (&mut predictions[..room], &mut spreads[..room]);
        for run in &self.pass.runs {
            let (sum, spread) = sums.of::<V>(self, run);
            let number = run.number as usize;
            // SAFETY: numbers are those of the pass's points.
            unsafe {
                shared(sum, share).put(predictions, number);
                spread.put(spreads, number);
            }
        }
        for run in &self.pass.apart {
            let (sum, spread) = sums.of::<V>(self, run);
            let mut lanes = [[0; WIDTH]; 2];
            shared(sum, share).store(&mut lanes[0]);
            spread.store(&mut lanes[1]);
            let numbers = (run.number as usize..).step_by(self.pass.stride);
            let [own, own_spreads] = lanes;
            for ((number, p), spread) in numbers.zip(own).zip(own_spreads).take(run.len as usize) {
                predictions[number] = p;
                spreads[number] = spread;
            }
        }
    }

    /// The sum of the four neighbours of the points of a run on both sides of two axes of which these are the
    /// strides.
    #[inline(always)]
    fn across<V: Vector>(&self, run: &Run, array: usize, [one, other]: [usize; 2]) -> V {
        let at = array + run.place as usize;
        // SAFETY: as in `Along`: points have neighbours a stride behind them along each of their odd axes.
        let [a, b, c, d] = unsafe {
            [
                V::at(self.values, at),
                V::at(self.values, at + one),
                V::at(self.values, at + other),
                V::at(self.values, at + one + other),
            ]
        };
        a.add(b).add(c).add(d)
    }
}

/// What is added up for a prediction. A trait, not a closure: vectors are fast where all that they are used in is
/// one function with the target feature, and a closure need not be.
trait Sums {
    /// The sum and the spread of the points of a run.
    fn of<V: Vector>(&self, step: &Step<'_>, run: &Run) -> (V, V);
}

/// The neighbours along each axis, by weights or the nearest as they are.
struct Along<const AXES: usize> {
    weights: Option<Weights>,
    /// What [`Grid::neighbours`] tells.
    neighbours: [(usize, usize); AXES],
}

impl<const AXES: usize> Along<AXES> {
    #[inline(always)]
    fn new(step: &Step<'_>, weights: Option<Weights>) -> Self {
        let mut neighbours = [(0, 0); AXES];
        let all = step.grid.neighbours(step.pass.odd);
        neighbours.iter_mut().zip(all).for_each(|(to, own)| *to = own);
        Along { weights, neighbours }
    }

    #[inline(always)]
    fn nearest(step: &Step<'_>) -> Self {
        Self::new(step, None)
    }

    /// Places from a point to the next along each axis.
    #[inline(always)]
    fn strides(&self) -> [usize; AXES] {
        self.neighbours.map(|(stride, _)| stride)
    }
}

impl<const AXES: usize> Sums for Along<AXES> {
    #[inline(always)]
    fn of<V: Vector>(&self, step: &Step<'_>, run: &Run) -> (V, V) {
        let (mut sum, mut spread) = (V::set(0), V::set(0));
        for (stride, array) in self.neighbours {
            let at = array + run.place as usize;
            // SAFETY: points have their neighbours in the arrays of the grid, with room for two strides and a
            // vector behind; one stride before the points of an axis with odd ones is a place.
            let (a, c) = unsafe { (V::at(step.values, at), V::at(step.values, at + stride)) };
            spread = spread.max(a.sub(c).abs());
            let mut own = a.add(c);
            if let Some(Weights { near, far, .. }) = self.weights {
                // SAFETY: as above.
                let (e, g) = unsafe {
                    (V::at(step.values, at - stride), V::at(step.values, at + 2 * stride))
                };
                own = own.mul(V::set(near)).add(e.add(g).mul(V::set(far)));
            }
            sum = sum.add(own);
        }
        (sum, spread)
    }
}

/// The Boolean sum of the means along two axes: the nearest neighbours along each, less those across both.
struct AcrossTwo(Along<2>);

impl Sums for AcrossTwo {
    #[inline(always)]
    fn of<V: Vector>(&self, step: &Step<'_>, run: &Run) -> (V, V) {
        let (near, spread) = self.0.of::<V>(step, run);
        let sum = near.shift_left(1).sub(step.across(run, 0, self.0.strides()));
        (sum, spread)
    }
}

/// The same along three axes: those across each two, and across all of them added again.
struct AcrossThree(Along<3>);

impl Sums for AcrossThree {
    #[inline(always)]
    fn of<V: Vector>(&self, step: &Step<'_>, run: &Run) -> (V, V) {
        let (near, spread) = self.0.of::<V>(step, run);
        let [z, y, x] = self.0.strides();
        // Points that are odd along one axis alone have an array for each.
        let size = step.grid.size;
        let edges = step.across::<V>(run, size, [y, x]);
        let edges = edges.add(step.across(run, 2 * size, [z, x]));
        let edges = edges.add(step.across(run, 4 * size, [z, y]));
        let corners = step.across::<V>(run, 0, [y, x]).add(step.across(run, z, [y, x]));
        let sum = near.shift_left(2).sub(edges.shift_left(1)).add(corners);
        (sum, spread)
    }
}
