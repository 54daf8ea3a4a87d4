//! The pointwise metrics: how far each value is from its original.

use crate::chunks::{fold_pairs, fold_pairs_watched};
use crate::error::{Error, Result, same_length};
use crate::limit::Limit;
use crate::sample::{Missing, Sample};
use crate::tally::Tally;
use crate::watch::{UNWATCHED, Watch};

/// What [`compare`] found.
///
/// `d` is an original value, `d'` its reconstruction. Means and maxima are over the pairs in
/// which both are finite and `d` is not missing ([`compared`](Self::compared) of them).
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Values in each field.
    pub elements: u64,
    /// Pairs that took part in the means and maxima.
    pub compared: u64,
    /// NaN in the original.
    pub nan: u64,
    /// ±Inf in the original.
    pub inf: u64,
    /// Named missing values in the original.
    pub missing: u64,
    /// NaN, ±Inf and missing values of the original that the reconstruction does not keep; any NaN stands for another.
    pub altered: u64,
    /// NaN, ±Inf and missing values of the original that lost a bit, any NaN's too.
    pub changed_bits: u64,
    /// Numbers of the original that are NaN or ±Inf in the reconstruction.
    pub lost: u64,
    /// Numbers further from d than the bound, decided exactly, and the lost ones; `None` without a bound.
    pub beyond: Option<u64>,
    /// Smallest number of the original (missing ones left out); NaN when there is none.
    pub min: f64,
    /// Largest number of the original (missing ones left out); NaN when there is none.
    pub max: f64,
    /// Largest |d − d'|; 0 when nothing was compared.
    pub max_abs_error: f64,
    /// Index in C order of the first pair with that error.
    pub max_abs_error_at: Option<u64>,
    /// Mean of d' − d; NaN when nothing was compared.
    pub mean_error: f64,
    /// Root of the mean of (d − d')²; NaN when nothing was compared.
    pub rmse: f64,
}

impl Comparison {
    /// Value range of the original: max − min.
    pub fn range(&self) -> f64 {
        self.max - self.min
    }

    /// RMSE divided by the value range of the original. 0 when every error is 0; NaN when there are errors and no
    /// range, or nothing was compared.
    pub fn nrmse(&self) -> f64 {
        match self.range() {
            _ if self.rmse == 0.0 => 0.0,
            0.0 => f64::NAN,
            _ => self.share_of_range(self.rmse),
        }
    }

    /// Largest error divided by the value range of the original. 0 when both are 0.
    pub fn max_range_error(&self) -> f64 {
        if self.max_abs_error == 0.0 { 0.0 } else { self.share_of_range(self.max_abs_error) }
    }

    /// An error divided by the value range, which may be more than an f64 holds.
    fn share_of_range(&self, error: f64) -> f64 {
        match self.range() {
            f64::INFINITY => 0.5 * error / self.half_range(),
            range => error / range,
        }
    }

    /// Of values whose range is infinite.
    fn half_range(&self) -> f64 {
        0.5 * self.max - 0.5 * self.min
    }

    /// Peak signal-to-noise ratio in dB: 20 log10(range) − 10 log10(MSE), with the value range of
    /// the original as the peak, as usual for scientific data. +Inf when every error is 0; NaN when there are
    /// errors and no range, or nothing was compared.
    pub fn psnr(&self) -> f64 {
        if self.rmse == 0.0 {
            return f64::INFINITY;
        }
        if self.range() == 0.0 {
            return f64::NAN;
        }
        let range = match self.range() {
            f64::INFINITY => self.half_range().log10() + 2f64.log10(),
            range => range.log10(),
        };
        20.0 * range - 20.0 * self.rmse.log10()
    }

    /// Points that break the bound: numbers beyond it, and values that had to be kept and were
    /// not. `None` without a bound.
    pub fn violations(&self) -> Option<u64> {
        self.beyond.map(|beyond| beyond + self.altered)
    }

    /// [`violations`](Self::violations) divided by the number of values; 0 for an empty field.
    pub fn violation_share(&self) -> Option<f64> {
        self.violations().map(|v| v as f64 / self.elements.max(1) as f64)
    }
}

/// Compares a reconstruction with its original, value by value.
///
/// With a `bound`, points beyond it are counted by exact arithmetic: a difference that only
/// rounds to the bound is told apart from one that equals it.
///
/// # Errors
/// When the lengths differ, or the bound is NaN, negative, or relative and above ½.
pub fn compare<T: Sample>(
    original: &[T],
    reconstructed: &[T],
    missing: &Missing<T>,
    bound: Option<Limit>,
) -> Result<Comparison> {
    compare_watched((original, reconstructed), missing, bound, UNWATCHED)
}

/// The same, watched: every value is done once.
///
/// # Errors
/// As [`compare`], and [`Error::Ended`].
pub fn compare_watched<T: Sample>(
    (original, reconstructed): (&[T], &[T]),
    missing: &Missing<T>,
    bound: Option<Limit>,
    watch: Watch<'_>,
) -> Result<Comparison> {
    same_length(original, reconstructed)?;
    check_bound(bound)?;
    let pairs = (original, reconstructed);
    let tally = tally_chunks(None, 0, pairs, missing, bound, watch)?.unwrap_or_default();
    let rmse = tally.rmse().unwrap_or_else(|| {
        let largest = tally.max_abs_error;
        let sum = scaled_sum_of_squares(original, reconstructed, missing, largest);
        largest * (sum / tally.compared as f64).sqrt()
    });
    Ok(Comparison::of(&tally, original.len(), bound, rmse))
}

/// Errs unless the bound is one.
pub(crate) fn check_bound(bound: Option<Limit>) -> Result<()> {
    match bound {
        Some(bound) if !bound.is_sound() => Err(Error::Argument(
            "a bound must be a number that is not negative, a relative one at most 1/2".into(),
        )),
        _ => Ok(()),
    }
}

/// Counts chunks of which the first begins at index `start`, after those that are `counted`.
pub(crate) fn tally_chunks<T: Sample>(
    counted: Option<Tally>,
    start: usize,
    pairs: (&[T], &[T]),
    missing: &Missing<T>,
    bound: Option<Limit>,
    watch: Watch<'_>,
) -> Result<Option<Tally>> {
    let of = |at: usize, a: &[T], b: &[T]| Tally::of(start + at, a, b, missing, bound);
    fold_pairs_watched(counted, pairs, watch, of, Tally::join)
}

impl Comparison {
    /// Of a field of so many values.
    pub(crate) fn of(tally: &Tally, elements: usize, bound: Option<Limit>, rmse: f64) -> Self {
        Comparison {
            elements: elements as u64,
            compared: tally.compared,
            nan: tally.nan,
            inf: tally.inf,
            missing: tally.missing,
            altered: tally.altered,
            changed_bits: tally.changed_bits,
            lost: tally.lost,
            beyond: bound.map(|_| tally.beyond),
            min: if tally.min <= tally.max { tally.min } else { f64::NAN },
            max: if tally.min <= tally.max { tally.max } else { f64::NAN },
            max_abs_error: tally.max_abs_error,
            max_abs_error_at: tally.max_abs_error_at,
            mean_error: tally.sum / tally.compared as f64,
            rmse,
        }
    }
}

/// Sum of ((d − d') / unit)².
fn scaled_sum_of_squares<T: Sample>(
    original: &[T],
    reconstructed: &[T],
    missing: &Missing<T>,
    unit: f64,
) -> f64 {
    fold_pairs(
        original,
        reconstructed,
        |_, a, b| {
            let pairs = a.iter().zip(b).filter_map(|(&a, &b)| missing.pair(a, b));
            pairs.map(|(a, b)| ((a - b) / unit).powi(2)).sum::<f64>()
        },
        |a, b| a + b,
    )
    .unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_outside_the_range_of_f64_do_not_spoil_the_rmse() {
        let missing = Missing::none();
        for scale in [1e-200, 1e200] {
            let found = compare(&[0.0, 2.0 * scale], &[scale, scale], &missing, None).unwrap();
            assert!((found.rmse / scale - 1.0).abs() < 1e-15, "{scale}");
            assert!((found.psnr() - 20.0 * 2f64.log10()).abs() < 1e-12, "{scale}");
        }
    }

    #[test]
    fn a_range_that_no_f64_holds_does_not_hide_errors() {
        let (original, other) = ([1.5e308, -1.5e308], [1.5e308 - 3e305, -1.5e308 + 3e305]);
        let found = compare(&original, &other, &Missing::none(), None).unwrap();
        assert!((found.nrmse() / 1e-3 - 1.0).abs() < 1e-9, "{}", found.nrmse());
        assert!((found.max_range_error() / 1e-3 - 1.0).abs() < 1e-9);
        assert!((found.psnr() - 60.0).abs() < 1e-6, "{}", found.psnr());
    }

    #[test]
    fn errors_of_a_field_of_one_value_have_no_range_to_be_measured_by() {
        let missing = Missing::none();
        let found = compare(&[3.0, 3.0], &[3.0, 3.5], &missing, None).unwrap();
        assert!(found.psnr().is_nan() && found.nrmse().is_nan());
        assert_eq!((found.max_abs_error, found.rmse), (0.5, 0.125f64.sqrt()));
        let found = compare(&[3.0, 3.0], &[3.0, 3.0], &missing, None).unwrap();
        assert_eq!((found.psnr(), found.nrmse()), (f64::INFINITY, 0.0));
    }

    #[test]
    fn an_empty_field_compares_without_numbers() {
        let found = compare::<f32>(&[], &[], &Missing::none(), Some(0.1.into())).unwrap();
        assert_eq!((found.elements, found.violations()), (0, Some(0)));
        assert_eq!(found.violation_share(), Some(0.0));
        assert!(found.min.is_nan() && found.rmse.is_nan() && found.psnr().is_nan());
    }

    #[test]
    fn bits_of_what_is_no_number_are_told_apart() {
        let bits = [0x7f80_0001, 0x7fc0_0000, 0x7fc0_0000, 0x7f80_0000, 0, 0x3f80_0000];
        let original: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
        let (missing, mut other) = (Missing::new(&[0.0]), original.clone());
        let altered = |other: &[f32]| {
            let found = compare(&original, other, &missing, None).unwrap();
            (found.altered, found.changed_bits)
        };
        assert_eq!(altered(&other), (0, 0));
        // A quiet NaN for a signalling one, another NaN, −Inf, −0 for a missing 0, another number.
        other[0] = f32::from_bits(0x7fc0_0001);
        other[1] = f32::from_bits(0xffc0_0000);
        assert_eq!(altered(&other), (0, 2));
        (other[3], other[4], other[5]) = (f32::NEG_INFINITY, -0.0, 2.0);
        assert_eq!(altered(&other).1, 4);
    }

    #[test]
    fn misuse_is_refused() {
        let missing = Missing::none();
        let length = compare(&[1.0, 2.0], &[1.0], &missing, None).unwrap_err();
        assert_eq!(length, Error::Length { original: 2, reconstructed: 1 });
        assert!(compare(&[1.0], &[1.0], &missing, Some(f64::NAN.into())).is_err());
        assert!(compare(&[1.0], &[1.0], &missing, Some(Limit::from(-1.0))).is_err());
    }
}
