//! Where values lie on a colour map.

/// How values are laid on a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The value of the first colour.
    pub low: f64,
    /// The value of the last.
    pub high: f64,
    /// By the logarithm; values that are not positive take the first colour.
    pub log: bool,
}

/// Numbers of single precision within a range, at least: two for each colour of a map.
const NUMBERS: f64 = 512.0;

/// Whether single precision tells the numbers of a range apart as finely as the colours of a map do.
pub fn suits_single(low: f64, high: f64) -> bool {
    let most = low.abs().max(high.abs());
    let least = f64::from(f32::MIN_POSITIVE);
    let apart = high - low >= NUMBERS * least.max(most * f64::from(f32::EPSILON));
    let same = low == high && (most == 0.0 || most >= least);
    most <= f64::from(f32::MAX) && (apart || same)
}

impl Scale {
    /// Whether the logarithm decides: there are positive values.
    pub fn is_log(&self) -> bool {
        self.log && self.high > 0.0
    }

    /// The values of the first and the last colour. By the logarithm both are positive.
    pub fn ends(&self) -> (f64, f64) {
        match self.is_log() && self.low <= 0.0 {
            true => (self.high * 1e-6, self.high),
            false => (self.low, self.high),
        }
    }

    /// The number at a place from 0 to 1.
    pub fn value(&self, place: f64) -> f64 {
        let (low, high) = self.ends();
        match self.is_log() {
            true => low * (high / low).powf(place),
            false => {
                let unit = unit(low, high);
                (low * unit + (high * unit - low * unit) * place) / unit
            }
        }
    }

    /// The place of a number from 0 to 1, clamped.
    pub fn place(&self, value: f64) -> f64 {
        let (low, high) = self.ends();
        let (value, low, high) = match self.is_log() {
            true => (value.max(low).ln(), low.ln(), high.ln()),
            false => (value, low, high),
        };
        let unit = unit(low, high);
        let above = |number: f64| number * unit - low * unit;
        if high > low { (above(value) / above(high)).clamp(0.0, 1.0) } else { 0.5 }
    }
}

/// What numbers are multiplied by before they are taken from each other: the difference of the largest ones is none, that of
/// their halves is.
fn unit(low: f64, high: f64) -> f64 {
    if (high - low).is_finite() { 1.0 } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_single_precision() {
        for (low, high) in [(0.0, 1.0), (-3e38, 3e38), (1e5, 1e5 + 10.0), (7.0, 7.0), (0.0, 0.0)] {
            assert!(suits_single(low, high), "{low} to {high}");
        }
        for (low, high) in [(1e5, 1e5 + 1e-3), (0.0, 1e39), (0.0, 1e-37), (1e-60, 1e-60)] {
            assert!(!suits_single(low, high), "{low} to {high}");
        }
    }

    #[test]
    fn places() {
        let scale = Scale { low: -1.0, high: 3.0, log: false };
        assert_eq!([-5.0, -1.0, 1.0, 9.0].map(|v| scale.place(v)), [0.0, 0.0, 0.5, 1.0]);
        let log = Scale { low: 1.0, high: 100.0, log: true };
        assert!((log.place(10.0) - 0.5).abs() < 1e-12);
        assert_eq!(log.place(-3.0), 0.0);
        assert_eq!(Scale { low: 2.0, high: 2.0, log: false }.place(2.0), 0.5);
        let (low, high) = (f64::MIN, f64::MAX);
        let huge = Scale { low, high, log: false };
        assert_eq!([low, low / 2.0, 0.0, high].map(|v| huge.place(v)), [0.0, 0.25, 0.5, 1.0]);
        assert_eq!([0.0, 0.25, 0.5, 1.0].map(|at| huge.value(at)), [low, low / 2.0, 0.0, high]);
        assert_eq!([f64::NEG_INFINITY, f64::INFINITY].map(|v| huge.place(v)), [0.0, 1.0]);
    }
}
