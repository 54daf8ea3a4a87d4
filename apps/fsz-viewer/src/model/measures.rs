//! How far a reconstruction is from its original: a plane's figures, or a whole field's.

use anyhow::{Context, Result, bail};
use fsz::Progress;
use fsz_field::{Field, with_values};
use fsz_metrics::{
    Comparison, Histogram, Limit, Missing, Sample, Shell, compare, error_autocorrelation,
    error_histogram, power_spectrum, ssim,
};

/// Bins of the error histogram.
const BINS: usize = 81;
/// Lags of the autocorrelation.
const LAGS: usize = 64;

/// How much of a progress one comparison is.
pub const STEPS: u64 = 6;

/// What is said of a comparison that the user stopped.
pub const STOPPED: &str = "the metrics were cancelled";

/// Everything that is shown of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Measures {
    /// Errors and counts.
    pub comparison: Comparison,
    /// Mean structural similarity.
    pub ssim: f64,
    /// Signed error over ± the bound, a little beyond it on either side.
    pub histogram: Option<Histogram>,
    /// Of the error, along the fastest axis, from lag 1.
    pub autocorrelation: Vec<f64>,
    /// Of original and reconstruction.
    pub spectra: [Vec<Shell>; 2],
}

impl Measures {
    /// Compares two fields of one shape and type, in `STEPS` steps of `progress`.
    ///
    /// # Errors
    /// When they differ in shape or type, and `STOPPED` when the progress was cancelled.
    pub fn of(
        original: &Field,
        reconstructed: &Field,
        bound: Option<Limit>,
        missing: &[f64],
        progress: &Progress,
    ) -> Result<Measures> {
        if original.shape() != reconstructed.shape() {
            bail!(
                "the original has shape {}, the reconstruction {}",
                original.shape(),
                reconstructed.shape()
            );
        }
        let shape = original.shape().indices()?;
        with_values!(original.values(), a => {
            let b = reconstructed.as_slice().context("one field is f32 and the other f64")?;
            measure(a, b, &shape, (bound, missing), progress)
        })
    }
}

fn measure<T: Sample>(
    a: &[T],
    b: &[T],
    shape: &[usize],
    (bound, missing): (Option<Limit>, &[f64]),
    progress: &Progress,
) -> Result<Measures> {
    let missing = Missing::<T>::new(missing);
    let step = || progress.advance(1).context(STOPPED);
    let comparison = compare(a, b, &missing, bound)?;
    step()?;
    let limit = match bound {
        Some(Limit { absolute, relative: 0.0 }) if absolute > 0.0 => 1.25 * absolute,
        _ => comparison.max_abs_error,
    };
    let histogram = match limit > 0.0 && limit.is_finite() {
        true => Some(error_histogram(a, b, &missing, limit, BINS)?),
        false => None,
    };
    step()?;
    let lags = LAGS.min(shape.last().map_or(0, |n| n.saturating_sub(1)));
    let autocorrelation = match lags {
        0 => Vec::new(),
        _ => error_autocorrelation(a, b, shape, shape.len() - 1, lags, &missing)?,
    };
    step()?;
    let ssim = ssim(a, b, shape, &missing)?.mean;
    step()?;
    let before = power_spectrum(a, shape, &missing)?;
    step()?;
    let after = power_spectrum(b, shape, &missing)?;
    step()?;
    Ok(Measures { comparison, ssim, histogram, autocorrelation, spectra: [before, after] })
}

#[cfg(test)]
mod tests {
    use fsz_field::Shape;

    use super::*;

    #[test]
    fn a_stopped_comparison_says_so() {
        let of = |plus: f32| {
            let values: Vec<f32> = (0..600).map(|i| (i as f32 * 0.1).sin() + plus).collect();
            Field::new(Shape::new(&[20, 30]).unwrap(), values).unwrap()
        };
        let (a, b, progress) = (of(0.0), of(0.25), Progress::new());
        progress.begin(STEPS);
        let found = Measures::of(&a, &b, Some(0.5.into()), &[], &progress).unwrap();
        assert!((found.comparison.max_abs_error - 0.25).abs() < 1e-6);
        assert_eq!(progress.done(), progress.total());
        progress.cancel();
        let stopped = Measures::of(&a, &b, Some(0.5.into()), &[], &progress);
        assert_eq!(stopped.unwrap_err().to_string(), STOPPED);
    }
}
