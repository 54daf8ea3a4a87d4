//! Counts and sums behind [`compare`](crate::compare).

use crate::limit::Limit;
use crate::sample::{Class, Missing, Sample};
use crate::units::{greater, lesser};

/// Values that are looked at together: all numbers, or one by one.
const BLOCK: usize = 1024;
/// Independent sums of a block.
const LANES: usize = 8;

/// Counts and sums of one chunk.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) compared: u64,
    pub(crate) nan: u64,
    pub(crate) inf: u64,
    pub(crate) missing: u64,
    pub(crate) altered: u64,
    pub(crate) changed_bits: u64,
    pub(crate) lost: u64,
    pub(crate) beyond: u64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) max_abs_error: f64,
    pub(crate) max_abs_error_at: Option<u64>,
    pub(crate) sum: f64,
    pub(crate) sum_of_squares: f64,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            compared: 0,
            nan: 0,
            inf: 0,
            missing: 0,
            altered: 0,
            changed_bits: 0,
            lost: 0,
            beyond: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            max_abs_error: 0.0,
            max_abs_error_at: None,
            sum: 0.0,
            sum_of_squares: 0.0,
        }
    }
}

impl Tally {
    /// Counts a chunk that begins at index `start`.
    pub(crate) fn of<T: Sample>(
        start: usize,
        original: &[T],
        reconstructed: &[T],
        missing: &Missing<T>,
        bound: Option<Limit>,
    ) -> Tally {
        let mut tally = Tally::default();
        let blocks = original.chunks(BLOCK).zip(reconstructed.chunks(BLOCK));
        for (i, (a, b)) in blocks.enumerate() {
            let start = start + i * BLOCK;
            if missing.none_in(a) && Missing::none().none_in(b) {
                tally = tally.join(Tally::of_numbers(start, a, b, bound));
            } else {
                tally.add_all(start, a, b, missing, bound);
            }
        }
        tally
    }

    /// The root of the mean square, unless the squares left the range of f64: then they are to be measured in units of the
    /// largest error.
    pub(crate) fn rmse(&self) -> Option<f64> {
        let mean_square = self.sum_of_squares / self.compared as f64;
        let largest = self.max_abs_error;
        let is_out = largest > 0.0 && largest.is_finite() && !mean_square.is_normal();
        (!is_out).then(|| mean_square.sqrt())
    }

    /// Counts a block whose values are all numbers, in lanes that the compiler can keep in vector
    /// registers.
    fn of_numbers<T: Sample>(start: usize, a: &[T], b: &[T], bound: Option<Limit>) -> Tally {
        let mut min = [f64::INFINITY; LANES];
        let mut max = [f64::NEG_INFINITY; LANES];
        let mut largest = [0.0; LANES];
        let mut sum = [0.0; LANES];
        let mut squares = [0.0; LANES];
        let (a_lanes, a_rest) = a.as_chunks::<LANES>();
        let (b_lanes, b_rest) = b.as_chunks::<LANES>();
        for (a, b) in a_lanes.iter().zip(b_lanes) {
            for lane in 0..LANES {
                let value = a[lane].to_f64();
                let error = b[lane].to_f64() - value;
                min[lane] = lesser(min[lane], value);
                max[lane] = greater(max[lane], value);
                largest[lane] = greater(largest[lane], error.abs());
                sum[lane] += error;
                squares[lane] += error * error;
            }
        }
        let mut tally = Tally {
            compared: (a_lanes.len() * LANES) as u64,
            min: min.into_iter().fold(f64::INFINITY, lesser),
            max: max.into_iter().fold(f64::NEG_INFINITY, greater),
            max_abs_error: largest.into_iter().fold(0.0, greater),
            sum: sum.into_iter().sum(),
            sum_of_squares: squares.into_iter().sum(),
            ..Tally::default()
        };
        let largest = tally.max_abs_error;
        let errors = || a_lanes.as_flattened().iter().zip(b_lanes.as_flattened());
        let is_largest = |(a, b): (&T, &T)| (b.to_f64() - a.to_f64()).abs() == largest;
        tally.max_abs_error_at = errors().position(is_largest).map(|at| (start + at) as u64);
        // The rounded difference is below the bound only if the exact one is.
        if let Some(bound) = bound.filter(|bound| largest >= bound.absolute) {
            let beyond = |(a, b): &(&T, &T)| bound.is_exceeded(a.to_f64(), b.to_f64());
            tally.beyond = errors().filter(beyond).count() as u64;
        }
        let rest = start + a.len() - a_rest.len();
        tally.add_all(rest, a_rest, b_rest, &Missing::none(), bound);
        tally
    }

    /// Counts values one by one.
    fn add_all<T: Sample>(
        &mut self,
        start: usize,
        original: &[T],
        reconstructed: &[T],
        missing: &Missing<T>,
        bound: Option<Limit>,
    ) {
        for (i, (&a, &b)) in original.iter().zip(reconstructed).enumerate() {
            let class = missing.class(a);
            self.changed_bits += u64::from(class != Class::Finite && !a.same_bits(b));
            match class {
                Class::Finite => self.add(start + i, a.to_f64(), b.to_f64(), bound),
                Class::Missing => {
                    self.missing += 1;
                    self.altered += u64::from(a != b);
                }
                Class::Inf => {
                    self.inf += 1;
                    self.altered += u64::from(a != b);
                }
                Class::Nan => {
                    self.nan += 1;
                    self.altered += u64::from(!b.to_f64().is_nan());
                }
            }
        }
    }

    fn add(&mut self, index: usize, a: f64, b: f64, bound: Option<Limit>) {
        self.min = self.min.min(a);
        self.max = self.max.max(a);
        if !b.is_finite() {
            self.lost += 1;
            self.beyond += u64::from(bound.is_some());
            return;
        }
        let error = b - a;
        self.compared += 1;
        self.sum += error;
        self.sum_of_squares += error * error;
        if error.abs() > self.max_abs_error || self.max_abs_error_at.is_none() {
            self.max_abs_error = error.abs();
            self.max_abs_error_at = Some(index as u64);
        }
        self.beyond += u64::from(bound.is_some_and(|bound| bound.is_exceeded(a, b)));
    }

    /// Both together; `next` comes later.
    pub(crate) fn join(self, next: Tally) -> Tally {
        let later = next.max_abs_error > self.max_abs_error || self.max_abs_error_at.is_none();
        Tally {
            compared: self.compared + next.compared,
            nan: self.nan + next.nan,
            inf: self.inf + next.inf,
            missing: self.missing + next.missing,
            altered: self.altered + next.altered,
            changed_bits: self.changed_bits + next.changed_bits,
            lost: self.lost + next.lost,
            beyond: self.beyond + next.beyond,
            min: self.min.min(next.min),
            max: self.max.max(next.max),
            max_abs_error: self.max_abs_error.max(next.max_abs_error),
            max_abs_error_at: if later { next.max_abs_error_at } else { self.max_abs_error_at },
            sum: self.sum + next.sum,
            sum_of_squares: self.sum_of_squares + next.sum_of_squares,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_numbers_count_as_values_one_by_one_do() {
        let value = |i: usize| ((i * 7919) % 1000) as f64 / 64.0;
        let a: Vec<f64> = (0..5000).map(value).collect();
        let b: Vec<f64> = (0..5000).map(|i| value(i) + value(i * 31) / 128.0 - 0.05).collect();
        for len in [0, 1, 7, 8, 9, 1023, 1024, 1025, 5000] {
            let none = Missing::none();
            let absolute = [0.05, value(31 * 3) / 128.0 - 0.05, 1.0].map(|b| Some(Limit::from(b)));
            let relative = Some(Limit { absolute: 0.01, relative: 0.01 });
            for bound in absolute.into_iter().chain([None, relative]) {
                let fast = Tally::of(10, &a[..len], &b[..len], &none, bound);
                let mut slow = Tally::default();
                slow.add_all(10, &a[..len], &b[..len], &none, bound);
                assert_eq!(
                    (fast.compared, fast.beyond, fast.min, fast.max),
                    (slow.compared, slow.beyond, slow.min, slow.max)
                );
                assert_eq!(
                    (fast.max_abs_error, fast.max_abs_error_at),
                    (slow.max_abs_error, slow.max_abs_error_at)
                );
                assert!((fast.sum - slow.sum).abs() < 1e-9, "{len}");
                assert!((fast.sum_of_squares - slow.sum_of_squares).abs() < 1e-9, "{len}");
            }
        }
    }
}
