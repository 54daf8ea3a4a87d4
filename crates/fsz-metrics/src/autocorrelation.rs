//! Whether the error at one point tells the error at the next.

use rayon::prelude::*;

use crate::error::{Error, Result, holds, same_length};
use crate::memory::collected;
use crate::sample::{Missing, Sample};
use crate::units::{largest_of_pairs, units};

/// Autocorrelation of the signed error e = d' − d along `axis`, for lags 1 to `lags`.
///
/// Entry `l − 1` is the mean of (e(x) − ē)(e(x + l) − ē) over the pairs of points that are `l`
/// apart along the axis, divided by the variance of e: the unbiased form of Box and Jenkins (Time
/// Series Analysis, chapter 2), and Z-checker's. ē and the variance are over all points that take
/// part. White noise gives values near 0 at every lag. An entry is NaN where no pair is that far
/// apart, and where the error is the same everywhere.
///
/// Pass the shape `[n]` and axis 0 for the flat sequence. Holds one `f64` per value in memory.
///
/// # Errors
/// When the lengths differ, the shape does not hold the values, there is no such axis, or no memory.
pub fn error_autocorrelation<T: Sample>(
    original: &[T],
    reconstructed: &[T],
    shape: &[usize],
    axis: usize,
    lags: usize,
    missing: &Missing<T>,
) -> Result<Vec<f64>> {
    same_length(original, reconstructed)?;
    holds(shape, original.len())?;
    let Some(&along) = shape.get(axis) else {
        return Err(Error::Argument(format!("there is no axis {axis} in shape {shape:?}")));
    };
    if original.is_empty() {
        return Ok(vec![f64::NAN; lags]);
    }
    let errors = centred_errors(original, reconstructed, missing)?;
    let variance = mean(errors.iter().map(|e| e * e));
    let stride: usize = shape[axis + 1..].iter().product();
    let correlation = |lag: usize| {
        if lag >= along {
            return f64::NAN;
        }
        let offset = lag * stride;
        let planes = errors.chunks_exact(along * stride);
        let products = planes.flat_map(|plane| {
            plane[..plane.len() - offset].iter().zip(&plane[offset..]).map(|(a, b)| a * b)
        });
        mean(products) / variance
    };
    Ok((1..=lags).into_par_iter().map(correlation).collect())
}

/// The signed errors minus their mean, in a unit in which their squares are numbers; NaN where the pair takes no part.
fn centred_errors<T: Sample>(
    original: &[T],
    reconstructed: &[T],
    missing: &Missing<T>,
) -> Result<Vec<f64>> {
    let units = units(largest_of_pairs(original, reconstructed, missing));
    let error =
        |(&a, &b): (&T, &T)| missing.pair(a, b).map_or(f64::NAN, |(a, b)| b * units - a * units);
    let mut errors = collected(original.par_iter().zip(reconstructed).map(error))?;
    let centre = mean(errors.iter().copied());
    errors.par_iter_mut().for_each(|e| *e -= centre);
    Ok(errors)
}

/// Mean of the values that are not NaN; NaN when there is none.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) =
        values.filter(|v| !v.is_nan()).fold((0.0, 0u64), |(sum, count), v| (sum + v, count + 1));
    sum / count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::same_in_each_unit;

    #[test]
    fn the_unit_of_a_field_changes_nothing() {
        let found = same_in_each_unit(|a, b| {
            error_autocorrelation(a, b, &[400], 0, 3, &Missing::none()).unwrap()
        });
        assert!((0.5..1.0).contains(&found[0]), "{found:?}");
    }
}
