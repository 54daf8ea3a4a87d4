//! The choice of a tile's variant, by the rules of the release and by ours: they follow the same paper and
//! differ in what it leaves open.

use fsz::format::{BLOCK, TILE, TILE_BLOCKS, WORD};
use fsz::{Centering, DType, Predictor, TileRecord};
use fsz_field::{Fsz1Header, Fsz1Tile};

use super::agreement::Rule;

/// The release's order of variants: the first one of the least cost is taken.
const RELEASE_ORDER: [Predictor; 4] =
    [Predictor::Lz1, Predictor::Lz1Centered, Predictor::Lz2, Predictor::Lz2Centered];

/// A variant and the rates of its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    pub predictor: Predictor,
    pub rates: [u8; TILE_BLOCKS],
}

impl From<&Fsz1Tile> for Choice {
    fn from(tile: &Fsz1Tile) -> Choice {
        Choice { predictor: tile.predictor, rates: tile.rates }
    }
}

impl Choice {
    /// Of one of our tiles; none where not all elements have codes.
    pub fn of(record: &TileRecord) -> Option<Choice> {
        let predictor = record.predictor.filter(|_| record.escapes == 0)?;
        Some(Choice { predictor, rates: record.rates().try_into().ok()? })
    }
}

/// What the choice for a tile follows from.
#[derive(Debug)]
pub struct Tile {
    dtype: DType,
    /// Values; fewer in the last tile.
    len: usize,
    /// The release's codes, filled up, and the code of its mean.
    theirs: [i32; TILE],
    their_mean: i32,
    /// Our codes.
    ours: [i32; TILE],
}

impl Tile {
    /// A tile of these values, which we decode to those, multiples of our step.
    pub fn new(header: &Fsz1Header, values: &[f64], decoded: &[f64], step: f64) -> Tile {
        let code = |value: f64| release_code(header, value);
        let mut tile = Tile {
            dtype: header.dtype,
            len: values.len(),
            theirs: [code(0.0); TILE],
            their_mean: code(release_mean(header.dtype, values)),
            ours: [0; TILE],
        };
        for (out, &value) in tile.theirs.iter_mut().zip(values) {
            *out = code(value);
        }
        for (out, value) in tile.ours.iter_mut().zip(decoded) {
            *out = (value / step).round_ties_even() as i32;
        }
        tile
    }

    /// The choice by the rules of the release, but for those up to `ours`, which are ours. `centering`: ours.
    pub fn choose(&self, ours: Option<Rule>, centering: Centering) -> Choice {
        let ours = |rule| ours >= Some(rule);
        let codes = if ours(Rule::Codes) { &self.ours } else { &self.theirs };
        let len = if ours(Rule::Padding) { self.len } else { TILE };
        let codes = &codes[..len];
        let center = match centering {
            // The mean of the values is at hand for their codes alone.
            _ if !ours(Rule::CenteringValue) => self.their_mean,
            Centering::FirstCode => codes.first().copied().unwrap_or(0),
            _ => {
                let sum: i64 = codes.iter().map(|&q| i64::from(q)).sum();
                (sum as f64 / codes.len().max(1) as f64).round_ties_even() as i32
            }
        };
        let center_bytes = if ours(Rule::CenteringCost) { WORD } else { self.dtype.size() };
        let order = if ours(Rule::Ties) { Predictor::ALL } else { RELEASE_ORDER };
        let weighed = order.map(|predictor| weigh(codes, predictor, center, center_bytes));
        let mut best = weighed[0];
        for other in &weighed[1..] {
            if other.1 < best.1 {
                best = *other;
            }
        }
        best.0
    }
}

/// Rates of a variant, and its bytes.
fn weigh(codes: &[i32], predictor: Predictor, center: i32, center_bytes: usize) -> (Choice, usize) {
    let (center, mut bytes) = if predictor.centered() { (center, center_bytes) } else { (0, 0) };
    let (mut last, mut slope) = (0i32, 0i32);
    let mut rates = [0; TILE_BLOCKS];
    for (rate, block) in rates.iter_mut().zip(codes.chunks(BLOCK)) {
        let mut largest = 0;
        for &code in block {
            let code = code.wrapping_sub(center);
            let first = code.wrapping_sub(last);
            let residual = if predictor.order() == 1 { first } else { first.wrapping_sub(slope) };
            largest = residual.wrapping_abs().max(largest);
            (last, slope) = (code, first);
        }
        *rate = (i32::BITS - largest.leading_zeros()) as u8;
        bytes += if *rate == 0 { 0 } else { WORD * (1 + usize::from(*rate)) };
    }
    (Choice { predictor, rates }, bytes)
}

/// The code that the release gives a value: half-way cases go away from zero in `f32`, to even in `f64`.
fn release_code(header: &Fsz1Header, value: f64) -> i32 {
    match header.dtype {
        DType::F32 => {
            let scaled = value as f32 * (0.5 / header.bound as f32);
            let below = i32::from(scaled.is_nan() || scaled < -0.5);
            ((scaled + 0.5) as i32).wrapping_sub(below)
        }
        DType::F64 => (value * (0.5 / header.bound)).round_ties_even() as i32,
    }
}

/// The mean of a tile filled up with zeros, summed in the release's order.
fn release_mean(dtype: DType, values: &[f64]) -> f64 {
    let at = |quad: &[f64], i: usize| quad.get(i).copied().unwrap_or(0.0);
    match dtype {
        DType::F32 => {
            let sum = values.chunks(4).fold(0f32, |sum, quad| {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| at(quad, i) as f32);
                sum + (a + b + c + d)
            });
            f64::from(sum / TILE as f32)
        }
        DType::F64 => {
            let sum = values.chunks(4).fold(0f64, |sum, quad| {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| at(quad, i));
                sum + (a + b + c + d)
            });
            sum / TILE as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(dtype: DType) -> Fsz1Header {
        Fsz1Header { dtype, shape: vec![256], bound: 0.5 }
    }

    #[test]
    fn half_way_cases_are_the_releases() {
        let codes = |dtype| [-1.5, -0.5, 0.5, 1.5, 2.5].map(|v| release_code(&header(dtype), v));
        assert_eq!(codes(DType::F32), [-2, 0, 1, 2, 3]);
        assert_eq!(codes(DType::F64), [-2, 0, 0, 2, 2]);
    }

    /// The choices by our rules up to each of these, centered on the first code.
    fn chosen(values: &[f64], rules: [Rule; 2]) -> [Choice; 2] {
        let tile = Tile::new(&header(DType::F32), values, values, 1.0);
        rules.map(|rule| tile.choose(Some(rule), Centering::FirstCode))
    }

    #[test]
    fn ties_go_to_the_first_of_each_order() {
        // Order 2, order 1 centered and order 2 centered all take 24 bytes.
        let mut codes = vec![7.0; TILE];
        for i in (1..BLOCK - 1).step_by(2) {
            codes[i] = 8.0;
        }
        for i in TILE - BLOCK..TILE {
            codes[i] = codes[i - 1] + if i % 2 == 0 { 1.0 } else { 2.0 };
        }
        let [theirs, ours] = chosen(&codes, [Rule::CenteringCost, Rule::Ties]);
        assert_eq!(
            (theirs.predictor, theirs.rates),
            (Predictor::Lz1Centered, [1, 0, 0, 0, 0, 0, 0, 2])
        );
        assert_eq!((ours.predictor, ours.rates), (Predictor::Lz2, [3, 0, 0, 0, 0, 0, 0, 1]));
    }

    #[test]
    fn centering_is_on_the_mean_or_the_first_code() {
        // Far from 0: order 2 has a rate in block 0 alone, for the first residuals.
        let ramp: Vec<f64> = (0..TILE).map(|i| 100.0 + i as f64).collect();
        let [theirs, ours] = chosen(&ramp, [Rule::Padding, Rule::CenteringValue]);
        assert_eq!((theirs.predictor, theirs.rates[0]), (Predictor::Lz2, 7));
        assert_eq!((ours.predictor, ours.rates[0]), (Predictor::Lz2Centered, 1));
        assert_eq!(ours.rates[1..], [0; 7]);
    }
}
