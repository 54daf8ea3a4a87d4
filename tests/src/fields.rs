//! Fields from arithmetic that every machine does alike: no sines, whose last digit differs between
//! mathematics libraries.

/// A small pseudo-random sequence (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A wave of period 1 between −1 and 1: parabolas in place of a sine.
#[must_use]
pub fn wave(x: f64) -> f64 {
    let t = x - x.floor();
    let half = |t: f64| 16.0 * t * (0.5 - t);
    if t < 0.5 { half(t) } else { -half(t - 0.5) }
}

/// A smooth field of three waves along `shape`, slowest axis first, between −1 and 1.
#[must_use]
pub fn smooth(shape: &[u64]) -> Vec<f64> {
    let elements: u64 = shape.iter().product();
    let value = |index: u64| {
        let mut rest = index;
        let mut phase = 0.1;
        let mut product = 1.0;
        for (axis, &side) in shape.iter().enumerate().rev() {
            let place = (rest % side) as f64 / side as f64;
            rest /= side;
            phase += place * (1.0 + axis as f64);
            product *= 1.0 + 0.25 * wave(place * 2.0 + 0.3);
        }
        (0.7 * wave(phase) + 0.3 * wave(2.0 * phase + 0.4)) * product / 2.0
    };
    (0..elements).map(value).collect()
}

/// Uniform noise in [−1, 1).
#[must_use]
pub fn noise(elements: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..elements).map(|_| 2.0 * random.unit() - 1.0).collect()
}

/// Puts `marker` on the places of a coarse map that are land: about a third, in patches.
pub fn mask(field: &mut [f64], width: u64, marker: f64) {
    for (i, value) in field.iter_mut().enumerate() {
        let (row, column) = (i as u64 / width, i as u64 % width);
        if wave(row as f64 / 37.0) + wave(column as f64 / 53.0) > 0.5 {
            *value = marker;
        }
    }
}
