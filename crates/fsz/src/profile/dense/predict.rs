//! The walk through a box: predictions of its points, pass by pass (FORMAT.md, *Dense: predict*).

#[cfg(target_arch = "x86_64")]
use super::vector::Avx2;
use super::{
    order::{Axis, Grid, Odd, Order, Pass},
    vector::{Portable, Vector, WIDTH},
};
use crate::{
    format::dense::{COARSE_CONTEXTS, CORNERS, FINE_CONTEXTS, LANES, Taps},
    simd::Level,
};

/// Numbers that may be touched behind the points of a box or of a pass.
pub(super) const BEHIND: usize = LANES;

/// What the coder does with the points of a box. Arrays have room for [`BEHIND`] more.
pub(super) trait Passes {
    /// The first value and those of the corners.
    fn corners<V: Vector>(&mut self, order: &Order, values: &mut [i32]);

    /// The values of a pass's points as they are coded, from its predictions and the largest difference of
    /// each point's nearest neighbours.
    fn pass<V: Vector>(&mut self, points: Predicted<'_>, values: &mut [i32]);
}

/// The points of a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Predicted<'a> {
    /// The number of the pass in the box.
    pub number: usize,
    pub fine: bool,
    pub around: bool,
    pub pass: &'a Pass,
    pub predictions: &'a [i32],
    pub spreads: &'a [i32],
}

/// What a value is made of from those of its neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    Taps(Taps),
    /// Adds them up.
    Sum,
}

/// How much the nearest and the outer neighbours count where all are there, in sixteenths; what stands in
/// for an outer one where it is missing, by the nearest on its side, the one on the other side, and the outer
/// one there, so that the sum is that of the quadratic.
#[derive(Clone, Copy, Debug)]
struct Weights {
    near: i32,
    far: i32,
    missing: [i32; 3],
}

impl Rule {
    fn weights(self) -> Option<Weights> {
        match self {
            Rule::Taps(Taps::Cubic) => Some(Weights { near: 9, far: -1, missing: [3, -3, 1] }),
            Rule::Taps(Taps::Smooth) => Some(Weights { near: 6, far: 2, missing: [0, 3, -2] }),
            Rule::Taps(Taps::Linear) | Rule::Sum => None,
        }
    }
}

/// Walks through boxes, in working memory of its own.
#[derive(Debug, Default)]
pub(super) struct Walker {
    /// The arrays of a grid, and of the next.
    grids: [Vec<i32>; 2],
    predictions: Vec<i32>,
    spreads: Vec<i32>,
    /// Values of the box's points as they are coded.
    pub values: Vec<i32>,
}

impl Walker {
    /// Walks through a box.
    pub fn walk(&mut self, level: Level, rule: Rule, order: &Order, passes: &mut impl Passes) {
        match level {
            Level::Portable => self.walk_by::<Portable>(rule, order, passes),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: `Level::detect` gives this level only where the instructions exist.
                unsafe { self.walk_avx2(rule, order, passes) }
            }
        }
    }

    /// [`Walker::walk_by`] AVX2.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn walk_avx2(&mut self, rule: Rule, order: &Order, passes: &mut impl Passes) {
        self.walk_by::<Avx2>(rule, order, passes);
    }

    #[inline(always)]
    fn walk_by<V: Vector>(&mut self, rule: Rule, order: &Order, passes: &mut impl Passes) {
        self.values.clear();
        self.values.resize(order.len + BEHIND, 0);
        passes.corners::<V>(order, &mut self.values);
        let around = order.around();
        let mut number = 0;
        let mut before: Option<&Grid> = None;
        for grid in &order.grids {
            let [now, next] = &mut self.grids;
            let room = grid.room();
            if next.len() < room {
                next.resize(room, 0);
            }
            match before {
                None => put_corners(grid, &self.values, next),
                Some(before) => merge(before, now, grid, next),
            }
            self.grids.swap(0, 1);
            before = Some(grid);
            let values = &mut self.grids[0][..room];
            let weights = if grid.fine { rule.weights() } else { None };
            if let Some(weights) = weights {
                stand_in::<V>(grid, 0, weights, values);
            }
            for pass in &grid.passes {
                let room = pass.len + BEHIND;
                if self.predictions.len() < room {
                    self.predictions.resize(room, 0);
                    self.spreads.resize(room, 0);
                }
                let to = (&mut self.predictions[..room], &mut self.spreads[..room]);
                predict::<V>(rule, weights, grid, pass, values, to);
                let (predictions, spreads) = (&self.predictions[..room], &self.spreads[..room]);
                let points =
                    Predicted { number, fine: grid.fine, around, pass, predictions, spreads };
                let own = &mut self.values[pass.first..][..room];
                passes.pass::<V>(points, own);
                put::<V>(grid, pass, own, values);
                if let Some(weights) = weights {
                    stand_in::<V>(grid, pass.odd, weights, values);
                }
                number += 1;
            }
        }
    }
}

/// The corners, first the box's first element, into the first array of the coarsest grid.
fn put_corners(grid: &Grid, corners: &[i32], values: &mut [i32]) {
    let mut corners = corners.iter();
    let [planes, rows, columns] = grid.axes;
    for z in 0..planes.even {
        for y in 0..rows.even {
            let begin = planes.place(z) * grid.strides[0] + rows.place(y) * grid.strides[1];
            let places = (0..columns.even).map(|x| begin + columns.place(x));
            places.zip(&mut corners).for_each(|(place, corner)| values[place] = *corner);
        }
    }
}

/// All points of a grid into the first array of the next.
#[inline(always)]
fn merge(grid: &Grid, from: &[i32], next: &Grid, to: &mut [i32]) {
    let [planes, rows, columns] = grid.axes;
    // Where a point is along an axis: its array, and its place there.
    let split = |axis: usize, point: usize| {
        let own = grid.axes[axis];
        match own.split(point) {
            (true, i) => (grid.size << axis) + (i + 1) * grid.strides[axis],
            (false, i) => own.place(i) * grid.strides[axis],
        }
    };
    let place = |axis: usize, point: usize| next.axes[axis].place(point) * next.strides[axis];
    for z in 0..planes.points() {
        for y in 0..rows.points() {
            let own = split(0, z) + split(1, y);
            let begin = place(0, z) + place(1, y);
            let pairs = 2 * columns.odd;
            if pairs > 0 {
                let even = &from[own + 1..][..columns.odd];
                let odd = &from[own + (grid.size << 2) + 1..][..columns.odd];
                let to = to[begin + 1..][..pairs].as_chunks_mut::<2>().0;
                for ((pair, &even), &odd) in to.iter_mut().zip(even).zip(odd) {
                    *pair = [even, odd];
                }
            }
            for x in pairs..columns.points() {
                to[begin + place(2, x)] = from[own + columns.place(x - columns.odd)];
            }
        }
    }
}

/// Values in the place of outer neighbours that are missing, in an array of points, along all axes along
/// which these are even.
#[inline(always)]
fn stand_in<V: Vector>(grid: &Grid, odd: Odd, weights: Weights, values: &mut [i32]) {
    for axis in (0..3).filter(|axis| odd >> axis & 1 == 0) {
        let count = grid.axes[axis].odd;
        if count == 0 {
            continue;
        }
        // What lies along the other axes, as runs of places.
        let [planes, rows, _] = grid.axes.map(Axis::places);
        let [plane, row, _] = grid.strides;
        let (outer, inner, len) = match axis {
            0 => (1, 1, plane),
            1 => (planes, 1, row),
            _ => (planes, rows, 1),
        };
        for z in 0..outer {
            for y in 0..inner {
                let begin = odd * grid.size + z * plane + y * row;
                stand_in_run::<V>(values, begin, len, count, grid.strides[axis], weights);
            }
        }
    }
}

/// The same for `len` places one after another; along the axis there are so many odd points.
#[inline(always)]
fn stand_in_run<V: Vector>(
    values: &mut [i32],
    begin: usize,
    len: usize,
    odd: usize,
    stride: usize,
    weights: Weights,
) {
    // Even points are at 1, 2, ...; the last odd point lies between `odd` and the next.
    let (left, right) = if odd == 1 {
        // With both missing the nearest stand in.
        ([1, 1, 1], [2, 2, 2])
    } else {
        ([1, 2, 3], [odd + 1, odd, odd - 1])
    };
    let weights = if odd == 1 { [1, 0, 0] } else { weights.missing };
    let sides = [(0, left), (odd + 2, right)];
    let whole = len - len % WIDTH;
    for (side, from) in sides {
        for at in (begin..begin + whole).step_by(WIDTH) {
            let part = |i: usize| {
                V::load(&values[at + from[i] * stride..]).mul(V::set(weights[i]))
            };
            part(0).add(part(1)).add(part(2)).store(&mut values[at + side * stride..]);
        }
        for at in begin + whole..begin + len {
            let part = |i: usize| values[at + from[i] * stride] * weights[i];
            values[at + side * stride] = part(0) + part(1) + part(2);
        }
    }
}

/// Predictions and spreads of a pass.
#[inline(always)]
fn predict<V: Vector>(
    rule: Rule,
    weights: Option<Weights>,
    grid: &Grid,
    pass: &Pass,
    values: &[i32],
    to: (&mut [i32], &mut [i32]),
) {
    let set = V::set;
    let step = Step { grid, pass, values };
    match (pass.odd.count_ones(), weights) {
        (1, _) if matches!(rule, Rule::Sum) => step.predict::<V, 1>(None, to, |sum| sum),
        (2, _) if matches!(rule, Rule::Sum) => step.predict::<V, 2>(None, to, |sum| sum),
        (_, _) if matches!(rule, Rule::Sum) => step.predict::<V, 3>(None, to, |sum| sum),
        (1, None) => step.predict::<V, 1>(None, to, |sum| sum.add(set(1)).shift_right(1)),
        (2, None) => step.predict::<V, 2>(None, to, |sum| sum.add(set(2)).shift_right(2)),
        (1, _) => step.predict::<V, 1>(weights, to, |sum| sum.add(set(8)).shift_right(4)),
        (2, _) => step.predict::<V, 2>(weights, to, |sum| sum.add(set(16)).shift_right(5)),
        _ => step.predict::<V, 3>(None, to, |sum| {
            sum.mul(set(5461)).add(set(16384)).shift_right(15)
        }),
    }
}

/// A pass of a grid with the values that are known.
struct Step<'a> {
    grid: &'a Grid,
    pass: &'a Pass,
    values: &'a [i32],
}

impl Step<'_> {
    #[inline(always)]
    fn predict<V: Vector, const AXES: usize>(
        &self,
        weights: Option<Weights>,
        (predictions, spreads): (&mut [i32], &mut [i32]),
        finish: impl Fn(V) -> V,
    ) {
        let mut neighbours = [(0, 0); AXES];
        neighbours.iter_mut().zip(self.grid.neighbours(self.pass.odd)).for_each(|(n, own)| *n = own);
        for run in &self.pass.runs {
            for k in (0..run.len).step_by(WIDTH) {
                let (mut sum, mut spread) = (V::set(0), V::set(0));
                for (stride, array) in neighbours {
                    let at = array + run.place + k;
                    let (a, c) =
                        (V::load(&self.values[at..]), V::load(&self.values[at + stride..]));
                    spread = spread.max(a.sub(c).abs());
                    let both = a.add(c);
                    sum = sum.add(match weights {
                        None => both,
                        Some(Weights { near, far, .. }) => {
                            let e = V::load(&self.values[at - stride..]);
                            let g = V::load(&self.values[at + 2 * stride..]);
                            both.mul(V::set(near)).add(e.add(g).mul(V::set(far)))
                        }
                    });
                }
                let prediction = finish(sum);
                if run.stride == 1 {
                    prediction.store(&mut predictions[run.number + k..]);
                    spread.store(&mut spreads[run.number + k..]);
                    continue;
                }
                let mut lanes = [[0; WIDTH]; 2];
                prediction.store(&mut lanes[0]);
                spread.store(&mut lanes[1]);
                for lane in 0..WIDTH.min(run.len - k) {
                    let number = run.number + (k + lane) * run.stride;
                    predictions[number] = lanes[0][lane];
                    spreads[number] = lanes[1][lane];
                }
            }
        }
    }
}

/// The values of a pass to their places.
#[inline(always)]
fn put<V: Vector>(grid: &Grid, pass: &Pass, own: &[i32], values: &mut [i32]) {
    let values = &mut values[pass.odd * grid.size..];
    for run in &pass.runs {
        if run.stride == 1 {
            for k in (0..run.len).step_by(WIDTH) {
                V::load(&own[run.number + k..]).store(&mut values[run.place + k..]);
            }
        } else {
            let own = own[run.number..].iter().step_by(run.stride);
            values[run.place..][..run.len].iter_mut().zip(own).for_each(|(v, o)| *v = *o);
        }
    }
}

/// What residuals tell of those that follow: the context of a point follows from the spread of its nearest
/// neighbours and the last residuals of its lane and of those beside it.
pub(super) struct Contexts {
    fine: u32,
    /// The sizes of the lanes' last residuals, between those of lanes that stand for the neighbours of the
    /// first and the last.
    sizes: [i32; LANES + 2],
}

/// Sizes are at least this, and at most that.
const SIZES: [i32; 2] = [16, 4095];

impl Contexts {
    /// Of a box of a stream that has so many lattice points a step, as a logarithm.
    pub fn new(fine: u32) -> Self {
        Contexts { fine, sizes: [0; LANES + 2] }
    }

    /// The contexts of a vector of a step's lanes, `first` the number of the step's first point in the pass.
    #[inline(always)]
    pub fn of<V: Vector>(&self, points: Predicted<'_>, first: usize, lane: usize) -> V {
        let spread = V::load(&points.spreads[first + lane..]);
        let mut size = spread.shift_left(5).shift_right(self.fine);
        if points.around {
            let near = |i: usize| V::load(&self.sizes[lane + i..]);
            let around = near(0).add(near(2)).add(near(1).shift_left(1));
            size = size.add(around.shift_left(4));
        }
        let [least, most] = SIZES;
        let size = size.add(V::set(least)).min(V::set(most)).max(V::set(least));
        // The exponent and the first bit behind it, of numbers that a float holds exactly.
        let (bias, octave) = (127, least.ilog2() as i32);
        if points.fine {
            size.float_bits().shift_right(22).sub(V::set(2 * (bias + octave)))
        } else {
            size.float_bits().shift_right(23).sub(V::set(bias + octave - FINE_CONTEXTS as i32))
        }
    }

    /// Goes on to the residuals of a step's lanes.
    #[inline(always)]
    pub fn take<V: Vector>(&mut self, residuals: &[i32], lanes: usize) {
        for lane in (0..lanes).step_by(WIDTH) {
            let old = V::load(&self.sizes[lane + 1..]);
            let coded = V::set((lanes - lane) as i32).exceeds(V::numbers());
            let new = V::load(&residuals[lane..]).abs();
            old.replaced(coded, new).store(&mut self.sizes[lane + 1..]);
        }
        self.stand_in();
    }

    /// Goes on behind a pass without residuals.
    pub fn skip(&mut self, pass: &Pass) {
        let lanes = pass.steps.iter().max().map_or(0, |&n| n as usize);
        self.sizes[1..=lanes].fill(0);
        self.stand_in();
    }

    /// The first and the last lane are their own neighbours.
    #[inline(always)]
    fn stand_in(&mut self) {
        self.sizes[0] = self.sizes[1];
        self.sizes[LANES + 1] = self.sizes[LANES];
    }
}

/// A value as decoders keep it, in 16 bits. Those of an encoder have room; a forged stream's wrap.
#[inline(always)]
pub(super) fn wrapped<V: Vector>(value: V) -> V {
    value.shift_left(16).shift_right(16)
}

const _: () = assert!(FINE_CONTEXTS + COARSE_CONTEXTS - 1 == CORNERS);
