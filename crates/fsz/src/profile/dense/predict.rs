//! The walk through a box: predictions and contexts of its points, step by step (FORMAT.md, *Dense: predict*).

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::order::{Order, Pass, Step};
use crate::{
    format::dense::{COARSE_CONTEXTS, CORNERS, FINE_CONTEXTS, LANES, Taps},
    simd::Level,
};

/// A number for each lane.
pub(super) type Lanes = [i32; LANES];

/// What the coder does with the points of a step.
pub(super) trait Steps {
    /// Begins the passes, behind the corners.
    fn passes(&mut self, order: &Order);

    /// Whether any residual of a pass is not 0, as far as that is known before.
    fn pass(&mut self, number: usize) -> bool;

    /// The residuals of some points whose predictions and contexts are given; lanes in order.
    fn step(&mut self, step: &Step, predictions: &Lanes, contexts: &Lanes, residuals: &mut Lanes);
}

/// How values are predicted, the same in all boxes of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interpolation {
    pub taps: Taps,
    /// log2 of the lattice points of a step.
    pub fine: u32,
    pub level: Level,
}

/// How much the nearest and the outer neighbours count where all are there, in sixteenths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    pub near: i32,
    pub far: i32,
}

impl Weights {
    /// `None` where only the nearest count.
    pub fn of(taps: Taps) -> Option<Self> {
        match taps {
            Taps::Linear => None,
            Taps::Cubic => Some(Weights { near: 9, far: -1 }),
            Taps::Smooth => Some(Weights { near: 6, far: 2 }),
        }
    }
}

/// The sizes of the lanes' last residuals, between those of lanes that stand for the neighbours of the first
/// and the last.
pub(super) type Sizes = [i32; LANES + 2];

impl Interpolation {
    /// Walks through a box: `values` are lattice points counted from the box's base, of which the first
    /// element is 0 already.
    pub fn walk(self, order: &Order, values: &mut [i32], steps: &mut impl Steps) {
        assert_eq!(values.len(), order.len);
        let mut residuals = [0; LANES];
        if let Some(corners) = &order.corners {
            steps.step(corners, &[0; LANES], &[CORNERS as i32; LANES], &mut residuals);
            for (&at, r) in corners.at.iter().zip(residuals).take(corners.lanes) {
                values[at as usize] = wrapped(r << self.fine);
            }
        }
        steps.passes(order);
        let mut sizes = [0; LANES + 2];
        for (number, pass) in order.passes.iter().enumerate() {
            let coded = steps.pass(number);
            for step in &pass.steps {
                let (predictions, contexts) = self.predict(pass, step, values, &sizes);
                residuals.fill(0);
                if coded {
                    steps.step(step, &predictions, &contexts, &mut residuals);
                }
                for lane in 0..step.lanes {
                    values[step.at[lane] as usize] =
                        wrapped(predictions[lane] + (residuals[lane] << self.fine));
                    sizes[lane + 1] = residuals[lane].abs();
                }
                sizes[0] = sizes[1];
                sizes[LANES + 1] = sizes[LANES];
            }
        }
    }

    /// Predictions and contexts of a step's points; of lanes without a point they mean nothing.
    #[inline(always)]
    fn predict(self, pass: &Pass, step: &Step, values: &[i32], sizes: &Sizes) -> (Lanes, Lanes) {
        let weights = if pass.fine && pass.axes < 3 { Weights::of(self.taps) } else { None };
        match self.level {
            Level::Portable => self.predict_portable(weights, pass, step, values, sizes),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: `Level::detect` gives this level only where the instructions exist; the values
                // are those of a box of the order that the step is of.
                unsafe { avx2::predict(weights, self.fine, pass, step, values, sizes) }
            }
        }
    }

    fn predict_portable(
        self,
        weights: Option<Weights>,
        pass: &Pass,
        step: &Step,
        values: &[i32],
        sizes: &Sizes,
    ) -> (Lanes, Lanes) {
        let (mut predictions, mut contexts) = ([0; LANES], [0; LANES]);
        for lane in 0..step.lanes {
            let (at, edge) = (step.at[lane] as usize, step.edge[lane]);
            let (mut sum, mut spread) = (0, 0);
            for i in 0..pass.axes {
                let distance = pass.distance[i];
                let clamped = !pass.fine && edge >> i & 1 == 1;
                let right = if clamped { pass.last[i] } else { distance };
                let (a, c) = (values[at - distance], values[at + right]);
                spread = spread.max((a - c).abs());
                let far = 3 * distance;
                sum += match (weights, edge >> (2 * i) & 3) {
                    (None, _) => a + c,
                    (Some(w), 0) => {
                        w.near * (a + c) + w.far * (values[at - far] + values[at + far])
                    }
                    // The missing one lies on the quadratic: e = g + 3 (a − c).
                    (_, 1) => 9 * (a + c) - 2 * values[at + far] - 3 * (a - c),
                    (_, 2) => 9 * (a + c) - 2 * values[at - far] + 3 * (a - c),
                    _ => 8 * (a + c),
                };
            }
            predictions[lane] = match (weights, pass.axes) {
                (_, 3) => (sum * 5461 + 16384) >> 15,
                (None, axes) => (sum + axes as i32) >> axes,
                (Some(_), axes) => (sum + (4 << axes)) >> (3 + axes),
            };
            let around = 2 * sizes[lane + 1] + sizes[lane] + sizes[lane + 2];
            contexts[lane] = self.context(spread, if pass.around { around } else { 0 }, pass.fine);
        }
        (predictions, contexts)
    }

    /// From the spread of the nearest neighbours and the sizes of the last residuals.
    #[inline(always)]
    fn context(self, spread: i32, around: i32, fine: bool) -> i32 {
        let size = ((spread << 5 >> self.fine) + (around << 4) + 16).min(4095) as u32;
        let octave = size.ilog2() - 4;
        if fine {
            (2 * octave + (size >> (octave + 3) & 1)) as i32
        } else {
            FINE_CONTEXTS as i32 + octave as i32
        }
    }
}

/// A value as decoders keep it, in 16 bits. Those of an encoder have room; a forged stream's wrap.
#[inline(always)]
fn wrapped(value: i32) -> i32 {
    value as i16 as i32
}

const _: () = assert!(FINE_CONTEXTS + COARSE_CONTEXTS - 1 == CORNERS);
