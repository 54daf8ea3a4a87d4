//! The range of a series: of all its steps together.

use std::sync::Arc;

use anyhow::Result;
use fsz::{Element, Progress};
use fsz_field::{Field, with_values};
use fsz_metrics::{Class, Missing, Sample};
use rayon::prelude::*;

/// Values that a thread looks at between two looks at whether to stop.
const PART: usize = 1 << 18;
/// A stream tells its bound, not the range that it follows from: the quotient is rounded.
const ROUNDING: f64 = 1e-12;

/// The smallest and the largest finite, not missing value; NaN where there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    pub min: f64,
    pub max: f64,
}

impl Range {
    const NONE: Range = Range { min: f64::NAN, max: f64::NAN };

    /// The range of a field.
    pub fn of(field: &Field, progress: &Arc<Progress>) -> Result<Range> {
        progress.begin(field.values().len() as u64);
        Ok(with_values!(field.values(), values => of_values(values, field.missing(), progress)?))
    }

    /// Takes another range in.
    pub fn include(&mut self, other: Range) {
        // The smaller and the larger of a number and NaN are the number.
        *self = Range { min: self.min.min(other.min), max: self.max.max(other.max) };
    }

    /// Both ends, 0 where there is no value at all: then nothing is to be bounded.
    pub fn ends(self) -> (f64, f64) {
        if self.min.is_nan() { (0.0, 0.0) } else { (self.min, self.max) }
    }

    /// This share of the range, as the codec takes it.
    pub fn share(self, share: f64) -> f64 {
        (share * self.width()).min(f64::MAX)
    }

    /// The largest value less the smallest one; the largest `f64` where none holds it.
    pub fn width(self) -> f64 {
        let (min, max) = self.ends();
        (max - min).min(f64::MAX)
    }

    /// Whether this share of the range is that absolute bound.
    pub fn gives(self, share: f64, absolute: f64) -> bool {
        let wanted = self.share(share);
        (wanted - absolute).abs() <= ROUNDING * wanted
    }
}

fn of_values<T: Element + Sample>(
    values: &[T],
    missing: &[f64],
    progress: &Progress,
) -> fsz::Result<Range> {
    let missing = Missing::<T>::new(missing);
    let part = |part: &[T]| {
        let mut range = Range::NONE;
        for &value in part {
            if missing.class(value) == Class::Finite {
                let value = Sample::to_f64(value);
                range.include(Range { min: value, max: value });
            }
        }
        progress.advance(part.len() as u64).map(|()| range)
    };
    let merge = |mut a: Range, b: Range| {
        a.include(b);
        Ok(a)
    };
    values.par_chunks(PART).map(part).try_reduce(|| Range::NONE, merge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_or_missing_does_not_count() {
        let mut values: Vec<f32> = (0..300_000).map(|i| i as f32 * 0.5).collect();
        (values[3], values[4], values[299_999]) = (f32::NAN, f32::NEG_INFINITY, 1e20);
        let range = of_values(&values, &[1e20], &Progress::new()).unwrap();
        assert_eq!(range, Range { min: 0.0, max: 149_999.0 });
        let none = of_values(&[f64::NAN, f64::INFINITY], &[], &Progress::new()).unwrap();
        assert_eq!(none.ends(), (0.0, 0.0));
        let mut both = none;
        both.include(range);
        assert_eq!(both, range);
        let cancelled = Progress::new();
        cancelled.cancel();
        assert!(matches!(of_values(&values, &[], &cancelled), Err(fsz::Error::Cancelled)));
    }
}
