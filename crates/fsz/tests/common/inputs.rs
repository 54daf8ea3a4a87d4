//! Fields of every kind that a codec can meet, for any length.

use fsz::Element;

/// A small, good enough generator: the tests must give the same inputs everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform on [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
}

/// The names that [`field`] knows.
pub const KINDS: [&str; 16] = [
    "smooth",
    "smooth, noise",
    "offset",
    "ramp",
    "sparse",
    "noise",
    "random bits",
    "constant",
    "zero",
    "nan in places",
    "land",
    "ragged land",
    "infinities",
    "denormal",
    "huge and tiny",
    "outliers",
];

/// `n` elements of the kind `kind`; -999 and 1e20 stand for missing values.
pub fn field<T: Element>(kind: &str, n: usize, seed: u64) -> Vec<T> {
    let mut r = Random::new(seed.wrapping_mul(1000).wrapping_add(n as u64));
    let smooth = |i: usize| {
        let x = i as f64;
        (x * 0.013).sin() * 3.0 + (x * 0.0021).cos() * 10.0
    };
    let mut run = 0usize;
    let mut land = false;
    (0..n)
        .map(|i| match kind {
            "smooth" => T::from_f64(smooth(i)),
            "smooth, noise" => T::from_f64(smooth(i) + r.unit() * 0.02),
            "offset" => T::from_f64(101325.0 + smooth(i)),
            "ramp" => T::from_f64(i as f64 * 0.75 - 1000.0),
            "sparse" => T::from_f64(if (i / 61).is_multiple_of(7) { smooth(i) } else { 0.0 }),
            "noise" => T::from_f64(r.unit() * 2.0 - 1.0),
            "random bits" => {
                T::from_bits64(if T::DTYPE.size() == 4 { r.bits() >> 32 } else { r.bits() })
            }
            "constant" => T::from_f64(273.15),
            "zero" => T::from_f64(if r.below(2) == 0 { 0.0 } else { -0.0 }),
            "nan in places" => match r.below(97) {
                0 => T::from_f64(f64::NAN),
                1 => T::from_bits64(if T::DTYPE.size() == 4 { 0xFFC0_0000 } else { 0xFFF8 << 48 }),
                2 => T::from_bits64(if T::DTYPE.size() == 4 {
                    0x7F80_1234
                } else {
                    0x7FF0_1234 << 32
                }),
                _ => T::from_f64(smooth(i)),
            },
            "land" | "ragged land" => {
                if run == 0 {
                    land = !land;
                    run = 1 + r.below(if kind == "land" { 700 } else { 9 });
                }
                run -= 1;
                match (land, kind) {
                    (true, "land") => T::from_f64(1e20),
                    (true, _) => T::from_f64(f64::NAN),
                    _ => T::from_f64(smooth(i)),
                }
            }
            "infinities" => match r.below(40) {
                0 => T::from_f64(f64::INFINITY),
                1 => T::from_f64(f64::NEG_INFINITY),
                2 => T::from_f64(-999.0),
                _ => T::from_f64(smooth(i)),
            },
            "denormal" => T::from_bits64(r.bits() % 5000),
            "huge and tiny" => {
                let e = r.below(if T::DTYPE.size() == 4 { 76 } else { 600 }) as f64;
                let span = if T::DTYPE.size() == 4 { 38.0 } else { 300.0 };
                T::from_f64((r.unit() - 0.5) * 10f64.powf(e - span))
            }
            "outliers" => T::from_f64(if r.below(300) == 0 { 1e12 * r.unit() } else { smooth(i) }),
            _ => panic!("no such kind: {kind}"),
        })
        .collect()
}

/// Waves along every axis of `shape`: what a prediction from all sides is made for.
pub fn waves<T: Element>(shape: &[u64]) -> Vec<T> {
    let n = shape.iter().product::<u64>();
    let value = |mut index: u64| {
        let mut sum = 0.0;
        for (axis, &side) in shape.iter().enumerate().rev() {
            let x = (index % side) as f64;
            sum += (0.07 * x + axis as f64).sin() + 0.3 * (0.19 * x * (1.0 + sum * 0.1)).cos();
            index /= side;
        }
        T::from_f64(sum)
    };
    (0..n).map(value).collect()
}

/// Puts what `field` has in places, kind by kind, over `data`: land, NaN, outliers, infinities.
pub fn sprinkle<T: Element>(kind: &str, data: &mut [T], seed: u64) {
    let plain = |d: &T| (-20.0..20.0).contains(&d.to_f64());
    let over = field::<T>(kind, data.len(), seed);
    for (d, over) in data.iter_mut().zip(over) {
        if !plain(&over) {
            *d = over;
        }
    }
}

/// Overwrites some bytes, so many times: a bit, a byte, or a run of up to 40.
pub fn damage(random: &mut Random, bytes: &mut [u8], times: usize) {
    for _ in 0..times {
        let at = random.below(bytes.len());
        let n = (1 + random.below(40)).min(bytes.len() - at);
        match random.below(4) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.bits() as u8,
            2 => bytes[at..at + n].fill(random.bits() as u8),
            _ => bytes[at..at + n].fill_with(|| random.bits() as u8),
        }
    }
}
