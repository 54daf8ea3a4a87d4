//! The walk through a box: predictions of its points, pass by pass (FORMAT.md, *Dense: predict*).

#[cfg(target_arch = "x86_64")]
use super::vector::Avx2;
use super::{
    order::{Grid, Odd, Order, Pass},
    sums::predict,
    vector::{Portable, Vector, WIDTH},
};
use crate::{
    format::dense::{
        BLENDED_SPREAD_BITS, COARSE_CONTEXTS, CORNERS, FINE_CONTEXTS, LANES, SPREAD_BITS, Taps,
    },
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

    /// Whether the passes that are left do not matter.
    fn ended(&self) -> bool {
        false
    }
}

/// The points of a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Predicted<'a> {
    /// The number of the pass in the box.
    pub number: usize,
    pub fine: bool,
    pub around: bool,
    /// log2 of what a lattice point of the spread counts in a context.
    pub spread_bits: u32,
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
pub(super) struct Weights {
    pub near: i32,
    pub far: i32,
    missing: [i32; 3],
}

impl Rule {
    /// `None` where only the nearest count.
    pub fn weights(self) -> Option<Weights> {
        match self {
            Rule::Taps(Taps::Cubic | Taps::Blended) => {
                Some(Weights { near: 9, far: -1, missing: [3, -3, 1] })
            }
            Rule::Taps(Taps::Smooth) => Some(Weights { near: 6, far: 2, missing: [0, 3, -2] }),
            Rule::Taps(Taps::Linear) | Rule::Sum => None,
        }
    }
}

impl Rule {
    fn spread_bits(self, pass: &Pass) -> u32 {
        match self {
            Rule::Taps(Taps::Blended) if pass.odd.count_ones() > 1 => BLENDED_SPREAD_BITS,
            _ => SPREAD_BITS,
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
        self.values.resize(order.len + BEHIND, 0);
        self.values[0] = 0;
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
                if passes.ended() {
                    return;
                }
                let room = pass.len + BEHIND;
                if self.predictions.len() < room {
                    self.predictions.resize(room, 0);
                    self.spreads.resize(room, 0);
                }
                let to = (&mut self.predictions[..room], &mut self.spreads[..room]);
                predict::<V>(rule, weights, grid, pass, values, to);
                let (predictions, spreads) = (&self.predictions[..room], &self.spreads[..room]);
                let points = Predicted {
                    number,
                    fine: grid.fine,
                    around,
                    spread_bits: rule.spread_bits(pass),
                    pass,
                    predictions,
                    spreads,
                };
                let own = &mut self.values[pass.first..][..room];
                passes.pass::<V>(points, own);
                put::<V>(grid, pass, own, values);
                // Passes along three axes look at no outer ones.
                if let (Some(weights), 1) = (weights, pass.odd.count_ones()) {
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
    // The places along an axis that have points, and those between.
    let places = |axis: usize| match odd >> axis & 1 {
        1 => 1..grid.axes[axis].odd + 1,
        _ => 0..grid.axes[axis].places(),
    };
    let [plane, row, _] = grid.strides;
    let array = odd * grid.size;
    for axis in (0..3).filter(|axis| odd >> axis & 1 == 0) {
        let own = Missing { odd: grid.axes[axis].odd, stride: grid.strides[axis], weights };
        match axis {
            _ if own.odd == 0 => {}
            0 => own.run::<V>(values, array, plane),
            1 => {
                for z in places(0) {
                    own.run::<V>(values, array + z * plane, row);
                }
            }
            _ => {
                for z in places(0) {
                    for y in places(1) {
                        own.one(values, array + z * plane + y * row);
                    }
                }
            }
        }
    }
}

/// Outer neighbours that are missing along an axis with so many odd points.
#[derive(Clone, Copy)]
struct Missing {
    odd: usize,
    stride: usize,
    weights: Weights,
}

impl Missing {
    /// What stands at each end: of the nearest even points there, from the end on.
    #[inline(always)]
    fn ends(self) -> [(usize, [usize; 3]); 2] {
        let odd = self.odd;
        if odd == 1 {
            // The nearest; the third is not looked at.
            [(0, [1, 2, 1]), (3, [2, 1, 1])]
        } else {
            [(0, [1, 2, 3]), (odd + 2, [odd + 1, odd, odd - 1])]
        }
    }

    #[inline(always)]
    fn weights(self) -> [i32; 3] {
        if self.odd == 1 { [1, 0, 0] } else { self.weights.missing }
    }

    /// At both ends of an axis that has its first place at `begin`.
    #[inline(always)]
    fn one(self, values: &mut [i32], begin: usize) {
        let [a, b, c] = self.weights();
        for (end, [first, second, third]) in self.ends() {
            let at = |i: usize| begin + i * self.stride;
            // As vectors do: what is not there may be any number, and counts for nothing.
            let part = |weight: i32, i: usize| weight.wrapping_mul(values[at(i)]);
            values[at(end)] =
                part(a, first).wrapping_add(part(b, second)).wrapping_add(part(c, third));
        }
    }

    /// The same of `len` axes beside each other.
    #[inline(always)]
    fn run<V: Vector>(self, values: &mut [i32], begin: usize, len: usize) {
        let [a, b, c] = self.weights();
        let whole = len - len % WIDTH;
        for (end, from) in self.ends() {
            let [first, second, third] = from.map(|i| i * self.stride);
            for begin in (begin..begin + whole).step_by(WIDTH) {
                let near = V::load(&values[begin + first..]).mul(V::set(a));
                let across = V::load(&values[begin + second..]).mul(V::set(b));
                let outer = V::load(&values[begin + third..]).mul(V::set(c));
                let value = near.add(across).add(outer);
                value.store(&mut values[begin + end * self.stride..]);
            }
        }
        for begin in begin + whole..begin + len {
            self.one(values, begin);
        }
    }
}

/// The values of a pass to their places.
#[inline(always)]
fn put<V: Vector>(grid: &Grid, pass: &Pass, own: &[i32], values: &mut [i32]) {
    let values = &mut values[pass.odd * grid.size..][..grid.size + WIDTH];
    let own = &own[..pass.len + BEHIND];
    for run in &pass.runs {
        // SAFETY: numbers are those of the pass's points, places those of its array.
        unsafe { V::at(own, run.number as usize).put(values, run.place as usize) };
    }
    for run in &pass.apart {
        let numbers = (run.number as usize..).step_by(pass.stride);
        let places = run.place as usize..(run.place + run.len) as usize;
        places.zip(numbers).for_each(|(place, number)| values[place] = own[number]);
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

/// What is added to a size, and the largest.
const LEAST: i32 = 16;
const MOST: i32 = 4095;

impl Contexts {
    /// Of a box of a stream that has so many lattice points a step, as a logarithm.
    pub fn new(fine: u32) -> Self {
        Contexts { fine, sizes: [0; LANES + 2] }
    }

    /// The contexts of a step's lanes; `first` is the number of the step's first point in the pass. Of lanes
    /// without a point they mean nothing.
    #[inline(always)]
    pub fn of<V: Vector>(&self, points: Predicted<'_>, first: usize, rows: &mut [u8; LANES]) {
        let spreads = &points.spreads[first..][..LANES];
        for lane in (0..LANES).step_by(WIDTH) {
            let spread = V::load(&spreads[lane..]).shift_left(points.spread_bits);
            let mut size = spread.shift_right(self.fine);
            if points.around {
                let left = V::load(&self.sizes[lane..]);
                let own = V::load(&self.sizes[lane + 1..]);
                let right = V::load(&self.sizes[lane + 2..]);
                let around = left.add(right).add(own.shift_left(1));
                size = size.add(around.shift_left(4));
            }
            let size = size.add(V::set(LEAST)).min(V::set(MOST));
            // The exponent and the first bit behind it, of numbers that a float holds exactly.
            let (bias, octave) = (127, LEAST.ilog2() as i32);
            let context = if points.fine {
                size.float_bits().shift_right(22).sub(V::set(2 * (bias + octave)))
            } else {
                let first = bias + octave - FINE_CONTEXTS as i32;
                size.float_bits().shift_right(23).sub(V::set(first))
            };
            context.store_bytes(&mut rows[lane..]);
        }
    }

    /// Goes on to the residuals of a step's lanes.
    #[inline(always)]
    pub fn take<V: Vector>(&mut self, residuals: &[i32], lanes: usize) {
        let residuals = &residuals[..LANES];
        for lane in (0..LANES).step_by(WIDTH) {
            let mut new = V::load(&residuals[lane..]).abs();
            if lanes < lane + WIDTH {
                let coded = V::set(lanes as i32 - lane as i32).exceeds(V::numbers());
                new = V::load(&self.sizes[lane + 1..]).replaced(coded, new);
            }
            new.store(&mut self.sizes[lane + 1..]);
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
