//! Axes of plots: how numbers become places, and which of them are named.

/// How numbers become places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// By the number.
    Linear,
    /// By its logarithm, of numbers above 0; others are left out.
    Log,
}

impl Scale {
    /// Whether a number has a place.
    pub fn has(self, value: f64) -> bool {
        value.is_finite() && (self == Scale::Linear || value > 0.0)
    }
}

/// Ticks at most.
const MOST_TICKS: usize = 6;

/// An axis from one place on the screen to another; `low` and `high` are logarithms on a log scale.
#[derive(Debug)]
pub struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that has a place for all these numbers.
    pub fn over(scale: Scale, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let numbers = values.map(|v| if scale == Scale::Log { v.log10() } else { v });
        let nothing = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = numbers.fold(nothing, |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return Axis { scale, low: 0.0, high: 1.0, from, to };
        }
        let (width, largest) = (high - low, low.abs().max(high.abs()));
        let margin = match scale {
            Scale::Log => (0.05 * width).max(0.05),
            // Of one value, or nearly, so much that the texts of ticks are short and tell them apart.
            Scale::Linear if largest == 0.0 => 1.0,
            Scale::Linear if width <= 1e-6 * largest => (1e-2 * largest).max(1e-300),
            Scale::Linear => 0.05 * width,
        };
        Axis { scale, low: low - margin, high: high + margin, from, to }
    }

    /// Where a number lies.
    pub fn place(&self, value: f64) -> f64 {
        let number = if self.scale == Scale::Log { value.log10() } else { value };
        self.from + (number - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round values as text, and their places.
    pub fn ticks(&self) -> Vec<(String, f64)> {
        let values = match self.scale {
            Scale::Log => self.log_ticks(),
            Scale::Linear => linear_ticks(self.low, self.high),
        };
        values.into_iter().map(|v| (self.text(v), self.place(v))).collect()
    }

    /// A round number; on a log scale small ones by their power of ten.
    fn text(&self, value: f64) -> String {
        let (short, scientific) = (crate::number::short(value), format!("{value:e}"));
        let small = self.scale == Scale::Log && value < 0.1;
        if small && scientific.len() <= short.len() { scientific } else { short }
    }

    /// Powers of ten, with 2 and 5 times them on a short axis; round numbers where it is shorter
    /// still.
    fn log_ticks(&self) -> Vec<f64> {
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        let inside = |value: &f64| (self.low..=self.high).contains(&value.log10());
        let at = |every: usize, steps: &[u32]| -> Vec<f64> {
            let powers = (first..=last).filter(|power| power.rem_euclid(every as i32) == 0);
            let all = powers.flat_map(|power| steps.iter().map(move |step| (step, power)));
            // The nearest number to 3e-4 is not 3 times that to 1e-4.
            all.filter_map(|(step, power)| format!("{step}e{power}").parse().ok())
                .filter(inside)
                .collect()
        };
        let choices = [at(1, &[1, 2, 5]), at(1, &[1, 3]), at(1, &[1])];
        let fits = choices.into_iter().find(|ticks| ticks.len() <= MOST_TICKS);
        let every = ((last - first) as usize).div_ceil(MOST_TICKS).max(1);
        let ticks = fits.unwrap_or_else(|| at(every, &[1]));
        if ticks.len() > 2 {
            return ticks;
        }
        linear_ticks(10f64.powf(self.low), 10f64.powf(self.high))
    }
}

/// Multiples of 1, 2 or 5 times a power of ten, of which at most seven fit.
fn linear_ticks(low: f64, high: f64) -> Vec<f64> {
    let width = (high - low) / 6.0;
    let power = 10f64.powf(width.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|&s| s >= width);
    let step = step.unwrap_or(width);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|i| i as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(scale: Scale, low: f64, high: f64) -> Axis {
        Axis { scale, low, high, from: 0.0, to: 110.0 }
    }

    #[test]
    fn linear_ticks_are_round_and_inside() {
        assert_eq!(linear_ticks(-3.0, 107.0), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(axis(Scale::Linear, -3.0, 107.0).place(20.0), 23.0);
    }

    #[test]
    fn ticks_of_one_value_are_told_apart() {
        for values in [[0.0, 0.0], [32.432_432, 32.432_432], [7.0, 7.000_000_1], [-3.0, -3.0]] {
            let axis = Axis::over(Scale::Linear, values.into_iter(), 0.0, 100.0);
            let place = axis.place(values[0]);
            assert!((49.0..=51.0).contains(&place), "{values:?}: {place}");
            let mut texts: Vec<String> = axis.ticks().into_iter().map(|tick| tick.0).collect();
            let all = texts.len();
            texts.dedup();
            assert!((2..=7).contains(&all) && texts.len() == all, "{values:?}: {texts:?}");
            assert!(texts.iter().all(|text| text.len() <= 6), "{texts:?}");
        }
        let zero = Axis::over(Scale::Linear, [0.0].into_iter(), 0.0, 100.0);
        assert_eq!(zero.ticks()[0].0, "-1");
    }

    #[test]
    fn log_ticks_are_few_and_round() {
        let names = |low: f64, high: f64| -> Vec<String> {
            axis(Scale::Log, low, high).ticks().into_iter().map(|tick| tick.0).collect()
        };
        assert_eq!(names(-4.1, -1.9), ["1e-4", "3e-4", "1e-3", "3e-3", "1e-2"]);
        assert_eq!(names(0.5, 1.4), ["5", "10", "20"]);
        assert_eq!(names(0.8, 0.95), ["6.5", "7", "7.5", "8", "8.5"]);
        assert_eq!(names(-30.0, 3.0), ["1e-30", "1e-24", "1e-18", "1e-12", "1e-6", "1"]);
    }
}
