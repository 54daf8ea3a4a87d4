//! How long the streams of a field will about be, by bound: from how far its elements are from those before them.
//!
//! That tells where to look, and nothing else: what is found is what the codec makes. It counts elements, so that a few
//! that are far from all others (outliers, a fill value that nobody named) move nothing but themselves.

use rayon::prelude::*;

use crate::{
    exec::Execution, float_mode::FloatMode, format::MAX_CODE, missing::is_missing, scalar::Scalar,
};

/// Elements that are counted in one go, each run without the one before.
const PART: usize = 1 << 15;
/// Of larger fields so many parts are counted.
const MOST_PARTS: usize = 128;
/// Biased exponents of an `f64`.
const EXPONENTS: usize = 2048;
/// Octaves from an element down to its difference, at most: what is further down has no bits where that has a code.
const DEPTH: usize = 40;
/// Octaves from the bound up to the largest element that has a code.
const REACH: f64 = (MAX_CODE + 1).ilog2() as f64 + 1.0;
/// An octave of bounds is still where less than this share of the elements take other bits at its ends,
const STILL: f64 = 1.0 / 1024.0;
/// and a plateau is so many of them.
const PLATEAU: usize = 6;

/// log₂ of the smallest and the largest bound that make a difference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub low: f64,
    pub high: f64,
}

/// What is expected at each bound: a value that grows with it, but for jumps.
#[derive(Clone, Debug)]
pub(super) struct Model {
    ends: Ends,
    /// At each octave from the lowest bound on.
    values: Vec<f64>,
    /// Bounds between what most elements need and what a few need, from below.
    pub plateaus: Vec<f64>,
}

impl Model {
    /// A value of `at` + `offset`.
    pub fn straight(ends: Ends, offset: f64) -> Self {
        let octaves = octaves(ends);
        let values = (0..=octaves).map(|k| ends.low + k as f64 + offset).collect();
        Model { ends, values, plateaus: Vec::new() }
    }

    /// log₂ of the ratio. Elements equal to the one before cost nothing where `runs` are cheap, even without a code.
    pub fn of_lengths<T: Scalar>(
        data: &[T],
        missing: &[T],
        ends: Ends,
        runs: bool,
        run: Execution<'_>,
    ) -> Self {
        let counts = Counts::of(data, missing, runs, run);
        let bits = 8.0 * size_of::<T>() as f64;
        // Heads and index.
        let least = if runs { 0.02 } else { 0.25 };
        let octaves = octaves(ends);
        let mut values = Vec::with_capacity(octaves + 1);
        let mut still = Vec::with_capacity(octaves + 1);
        for k in 0..=octaves {
            let (mean, moving) = counts.at(ends.low + k as f64, bits);
            values.push((bits / mean.clamp(least, bits)).log2());
            still.push(moving < STILL);
        }
        let mut plateaus = Vec::new();
        let mut at = 0;
        while at < still.len() {
            let len = still[at..].iter().take_while(|&&still| still).count();
            // Below the first octave that moves nothing has a code.
            let between = still[..at].contains(&false) && still[at + len..].contains(&false);
            if len >= PLATEAU && between {
                plateaus.push(ends.low + at as f64 + 1.0);
            }
            at += len.max(1);
        }
        Model { ends, values, plateaus }
    }

    /// What is expected at a bound.
    pub fn value(&self, at: f64) -> f64 {
        let place = (at - self.ends.low).clamp(0.0, (self.values.len() - 1) as f64);
        let (k, share) = (place as usize, place.fract());
        let above = self.values[(k + 1).min(self.values.len() - 1)];
        self.values[k] * (1.0 - share) + above * share
    }

    /// The lowest bound from `low` to `high` where this value is expected, or how far beyond them it would be.
    pub fn place(&self, value: f64, low: f64, high: f64) -> f64 {
        let last = self.values.len() - 1;
        let index = |at: f64| ((at - self.ends.low) as usize).min(last);
        let (first, last) = (index(low), index(high));
        let mut most = (low, self.values[first]);
        if value <= most.1 {
            return low;
        }
        for k in first + 1..=last {
            let (before, here) = (self.values[k - 1], self.values[k]);
            let at = self.ends.low + k as f64;
            if here >= value && before < value {
                return (at - (here - value) / (here - before)).clamp(low, high);
            }
            if here > most.1 {
                most = (at, here);
            }
        }
        most.0 + (value - most.1)
    }
}

/// Octaves between the ends.
fn octaves(ends: Ends) -> usize {
    (ends.high - ends.low).ceil().max(1.0) as usize
}

/// How many elements are of which magnitude, and how far from the one before.
struct Counts {
    elements: u64,
    /// Of the larger one's exponent and of the octaves down to the difference, from −1 on.
    differences: Vec<[u64; DEPTH]>,
    /// Of the exponent of elements that cost all of their bits where they have no code.
    magnitudes: Vec<u64>,
    /// Exponents that occur.
    range: (usize, usize),
}

impl Counts {
    fn empty() -> Self {
        Counts {
            elements: 0,
            differences: vec![[0; DEPTH]; EXPONENTS],
            magnitudes: vec![0; EXPONENTS],
            range: (EXPONENTS, 0),
        }
    }

    fn of<T: Scalar>(data: &[T], missing: &[T], runs: bool, run: Execution<'_>) -> Self {
        let every = data.len().div_ceil(PART).div_ceil(MOST_PARTS).max(1);
        let take = |mut counts: Counts, part: &[T]| {
            let _mode = FloatMode::standard();
            counts.take(&part[..part.len().min(PART)], missing, runs);
            counts
        };
        if run.threads > 1 {
            let parts = data.par_chunks(PART * every).fold(Counts::empty, take);
            parts.reduce(Counts::empty, Counts::merged)
        } else {
            data.chunks(PART * every).fold(Counts::empty(), take)
        }
    }

    fn take<T: Scalar>(&mut self, part: &[T], missing: &[T], runs: bool) {
        let exponent = |value: f64| (value.to_bits() >> 52) as usize & (EXPONENTS - 1);
        let mut before: Option<f64> = None;
        self.elements += part.len() as u64;
        for &d in part {
            if !d.is_finite() || is_missing(d, missing) {
                continue;
            }
            let d = d.to_f64();
            let own = exponent(d);
            let difference = before.map_or(0.0, |before| d - before);
            if d != 0.0 && !(runs && difference == 0.0) {
                self.magnitudes[own] += 1;
                self.range = (self.range.0.min(own), self.range.1.max(own));
            }
            if difference != 0.0 {
                let larger = own.max(before.map_or(0, exponent));
                let down = larger + 1 - exponent(difference).min(larger + 1);
                if down < DEPTH {
                    self.differences[larger][down] += 1;
                    self.range = (self.range.0.min(larger), self.range.1.max(larger));
                }
            }
            before = Some(d);
        }
    }

    fn merged(mut self, other: Self) -> Self {
        self.elements += other.elements;
        for (own, other) in
            self.differences.as_flattened_mut().iter_mut().zip(other.differences.as_flattened())
        {
            *own += other;
        }
        for (own, other) in self.magnitudes.iter_mut().zip(other.magnitudes) {
            *own += other;
        }
        self.range = (self.range.0.min(other.range.0), self.range.1.max(other.range.1));
        self
    }

    /// Bits of an element at this bound, of at most `most`, on average; and the share of elements that take others an
    /// octave above.
    fn at(&self, at: f64, most: f64) -> (f64, f64) {
        let (mut bits, mut moving) = (0.0, 0);
        for exponent in self.range.0..(self.range.1 + 1).max(self.range.0) {
            let above = exponent as f64 - 1023.0 - at;
            let magnitudes = self.magnitudes[exponent];
            if above >= REACH {
                bits += magnitudes as f64 * most;
                moving += if above < REACH + 1.0 { magnitudes } else { 0 };
                continue;
            }
            for (down, &count) in self.differences[exponent].iter().enumerate() {
                let own = above + 2.5 - down as f64;
                if own <= 0.0 {
                    break;
                }
                bits += count as f64 * own.min(most);
                moving += count;
            }
        }
        let elements = self.elements.max(1) as f64;
        (bits / elements, moving as f64 / elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;

    fn of(data: &[f32]) -> Model {
        let run = Execution { level: Level::Portable, threads: 1, progress: None };
        Model::of_lengths(data, &[], Ends { low: -128.0, high: 128.0 }, false, run)
    }

    #[test]
    fn an_outlier_moves_nothing_but_itself() {
        let mut data: Vec<f32> = (0..10_000).map(|i| (i as f32 * 0.1).sin()).collect();
        let plain = of(&data);
        assert!(plain.plateaus.is_empty(), "{plain:?}");
        data[777] = 1e30;
        let spoiled = of(&data);
        assert!(spoiled.plateaus.is_empty(), "{spoiled:?}");
        for value in [0.5, 1.0, 3.0] {
            let (a, b) = (plain.place(value, -128.0, 128.0), spoiled.place(value, -128.0, 128.0));
            assert!((a - b).abs() < 0.5, "{value}: {a} {b}");
        }
        // A tenth of them does.
        data.iter_mut().step_by(10).for_each(|d| *d = 1e30);
        let filled = of(&data);
        assert_eq!(filled.plateaus.len(), 1);
        assert!((-3.0..3.0).contains(&filled.plateaus[0]), "{filled:?}");
        assert!(filled.place(4.0, -128.0, 128.0) > 50.0);
    }

    #[test]
    fn what_is_beyond_the_ends_is_told_by_how_far() {
        let model = Model::straight(Ends { low: -10.0, high: 10.0 }, 5.0);
        assert_eq!(model.place(0.0, -10.0, 10.0), -5.0);
        assert_eq!(model.place(-100.0, -10.0, 10.0), -10.0);
        assert_eq!(model.place(18.0, -10.0, 10.0), 13.0);
        assert_eq!(model.place(0.5, -10.0, 10.0), -4.5);
    }
}
