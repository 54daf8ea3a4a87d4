//! How far a reconstruction is from its original: a plane's figures, or a whole field's.

use fsz_field::{Field, Values};
use fsz_metrics::{
    Comparison, Histogram, Missing, Sample, Shell, compare, error_autocorrelation, error_histogram,
    power_spectrum, ssim,
};

use crate::document::Result;

/// Bins of the error histogram.
const BINS: usize = 81;
/// Lags of the autocorrelation.
const LAGS: usize = 64;

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
    /// Compares two fields of one shape and type.
    ///
    /// # Errors
    /// When they differ in shape or type.
    pub fn of(
        original: &Field,
        reconstructed: &Field,
        bound: Option<f64>,
        missing: &[f64],
    ) -> Result<Measures> {
        if original.shape() != reconstructed.shape() {
            return Err(format!(
                "the original has shape {}, the other field {}",
                original.shape(),
                reconstructed.shape()
            ));
        }
        let shape = original.shape().indices().map_err(|e| e.to_string())?;
        match (original.values(), reconstructed.values()) {
            (Values::F32(a), Values::F32(b)) => measure(a, b, &shape, bound, missing),
            (Values::F64(a), Values::F64(b)) => measure(a, b, &shape, bound, missing),
            _ => Err("one field is single precision and the other double".to_owned()),
        }
    }
}

fn measure<T: Sample>(
    a: &[T],
    b: &[T],
    shape: &[usize],
    bound: Option<f64>,
    missing: &[f64],
) -> Result<Measures> {
    let missing = Missing::<T>::new(missing);
    let text = |e: fsz_metrics::Error| e.to_string();
    let comparison = compare(a, b, &missing, bound).map_err(text)?;
    let limit = match bound {
        Some(bound) if bound > 0.0 => 1.25 * bound,
        _ => comparison.max_abs_error,
    };
    let histogram = match limit > 0.0 && limit.is_finite() {
        true => Some(error_histogram(a, b, &missing, limit, BINS).map_err(text)?),
        false => None,
    };
    let lags = LAGS.min(shape.last().map_or(0, |n| n.saturating_sub(1)));
    let autocorrelation = match lags {
        0 => Vec::new(),
        _ => error_autocorrelation(a, b, shape, shape.len() - 1, lags, &missing).map_err(text)?,
    };
    Ok(Measures {
        comparison,
        ssim: ssim(a, b, shape, &missing).map_err(text)?.mean,
        histogram,
        autocorrelation,
        spectra: [
            power_spectrum(a, shape, &missing).map_err(text)?,
            power_spectrum(b, shape, &missing).map_err(text)?,
        ],
    })
}
