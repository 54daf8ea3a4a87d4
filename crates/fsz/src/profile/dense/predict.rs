//! The walk through a box: predictions and contexts of its points, step by step (FORMAT.md, *Dense: predict*).

use super::order::{Order, Pass, Point};
use crate::format::dense::{COARSE_CONTEXTS, CORNERS, FINE_CONTEXTS, LANES, Taps};

/// What the coder does with the points of a step.
pub(super) trait Steps {
    /// Begins the passes, behind the corners.
    fn passes(&mut self, order: &Order);

    /// Whether any residual of a pass is not 0, as far as that is known before.
    fn pass(&mut self, number: usize) -> bool;

    /// The residuals of some points whose predictions and contexts are given; lanes in order.
    fn step(
        &mut self,
        points: &[Point],
        predictions: &[i32; LANES],
        contexts: &[u8; LANES],
        residuals: &mut [i32; LANES],
    );
}

/// How values are predicted, the same in all boxes of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interpolation {
    pub taps: Taps,
    /// log2 of the lattice points of a step.
    pub fine: u32,
}

impl Interpolation {
    /// Walks through a box: `values` are lattice points counted from the box's base, of which the first
    /// element is 0 already.
    pub fn walk(self, order: &Order, values: &mut [i32], steps: &mut impl Steps) {
        let corners: Vec<Point> = order.corners.iter().map(|&at| Point { at, edge: 0 }).collect();
        if !corners.is_empty() {
            let mut residuals = [0; LANES];
            steps.step(&corners, &[0; LANES], &[CORNERS; LANES], &mut residuals);
            for (p, r) in corners.iter().zip(residuals) {
                values[p.at as usize] = wrapped(r << self.fine);
            }
        }
        steps.passes(order);
        let mut last = [0; LANES];
        for (number, pass) in order.passes.iter().enumerate() {
            let coded = steps.pass(number);
            let steps = (&mut *steps, coded);
            match (pass.axes, pass.fine, self.taps) {
                (1, false, _) | (1, true, Taps::Linear) => {
                    self.pass::<1>(pass, values, &mut last, linear, steps)
                }
                (2, false, _) | (2, true, Taps::Linear) => {
                    self.pass::<2>(pass, values, &mut last, linear, steps)
                }
                (1, true, Taps::Cubic) => {
                    self.pass::<1>(pass, values, &mut last, outer::<1, 9, -1>, steps)
                }
                (1, true, Taps::Smooth) => {
                    self.pass::<1>(pass, values, &mut last, outer::<1, 6, 2>, steps)
                }
                (2, true, Taps::Cubic) => {
                    self.pass::<2>(pass, values, &mut last, outer::<2, 9, -1>, steps)
                }
                (2, true, Taps::Smooth) => {
                    self.pass::<2>(pass, values, &mut last, outer::<2, 6, 2>, steps)
                }
                _ => self.pass::<3>(pass, values, &mut last, linear, steps),
            }
        }
    }

    #[inline(always)]
    fn pass<const AXES: usize>(
        self,
        pass: &Pass,
        values: &mut [i32],
        last: &mut [i32; LANES],
        predict: impl Fn(&Pass, Point, &[i32], &[(i32, i32); AXES]) -> i32,
        (steps, coded): (&mut impl Steps, bool),
    ) {
        let mut points = &pass.points[..];
        let (mut predictions, mut contexts) = ([0; LANES], [0; LANES]);
        for &n in &pass.steps {
            let (own, rest) = points.split_at(n as usize);
            points = rest;
            for (lane, p) in own.iter().enumerate() {
                let at = p.at as usize;
                let near: [(i32, i32); AXES] = std::array::from_fn(|i| {
                    let clamped = !pass.fine && p.edge >> i & 1 == 1;
                    let right = if clamped { pass.last[i] } else { pass.distance[i] };
                    (values[at - pass.distance[i]], values[at + right])
                });
                let spread = near.iter().map(|(a, c)| (a - c).abs()).max().unwrap_or(0);
                predictions[lane] = predict(pass, *p, values, &near);
                let last = if !pass.around { 0 } else { around(last, lane) };
                contexts[lane] = self.context(spread, last, pass.fine);
            }
            let mut residuals = [0; LANES];
            if coded {
                steps.step(own, &predictions, &contexts, &mut residuals);
            }
            for (lane, p) in own.iter().enumerate() {
                values[p.at as usize] = wrapped(predictions[lane] + (residuals[lane] << self.fine));
                last[lane] = residuals[lane].abs();
            }
        }
    }

    /// From the spread of the nearest neighbours and the sizes of the last residuals.
    #[inline(always)]
    fn context(self, spread: i32, last: i32, fine: bool) -> u8 {
        let size = ((spread << 5 >> self.fine) + (last << 4) + 16).min(4095) as u32;
        let octave = size.ilog2() - 4;
        if fine {
            (2 * octave + (size >> (octave + 3) & 1)) as u8
        } else {
            FINE_CONTEXTS + octave as u8
        }
    }
}

/// A value as decoders keep it, in 16 bits. Those of an encoder have room; a forged stream's wrap.
#[inline(always)]
fn wrapped(value: i32) -> i32 {
    value as i16 as i32
}

/// The sizes of the last residuals of a lane, twice, and of the lanes beside it; the first and the last lane
/// stand for their own neighbours.
#[inline(always)]
fn around(last: &[i32; LANES], lane: usize) -> i32 {
    2 * last[lane] + last[lane.saturating_sub(1)] + last[(lane + 1).min(LANES - 1)]
}

const _: () = assert!(FINE_CONTEXTS + COARSE_CONTEXTS - 1 == CORNERS);

/// The mean of the nearest neighbours.
#[inline(always)]
fn linear<const AXES: usize>(_: &Pass, _: Point, _: &[i32], near: &[(i32, i32); AXES]) -> i32 {
    let sum: i32 = near.iter().map(|(a, c)| a + c).sum();
    match AXES {
        1 => (sum + 1) >> 1,
        2 => (sum + 2) >> 2,
        _ => (sum * 5461 + 16384) >> 15,
    }
}

/// With the outer neighbours too; where one is missing, the quadratic through the other three.
#[inline(always)]
fn outer<const AXES: usize, const NEAR: i32, const FAR: i32>(
    pass: &Pass,
    p: Point,
    values: &[i32],
    near: &[(i32, i32); AXES],
) -> i32 {
    let mut sum = 0;
    for (i, &(a, c)) in near.iter().enumerate() {
        let (at, far) = (p.at as usize, 3 * pass.distance[i]);
        sum += match p.edge >> (2 * i) & 3 {
            0 => NEAR * (a + c) + FAR * (values[at - far] + values[at + far]),
            // The missing one lies on the quadratic: e = g + 3 (a − c).
            1 => 9 * (a + c) - 2 * values[at + far] - 3 * (a - c),
            2 => 9 * (a + c) - 2 * values[at - far] - 3 * (c - a),
            _ => 8 * (a + c),
        };
    }
    if AXES == 1 { (sum + 8) >> 4 } else { (sum + 16) >> 5 }
}
