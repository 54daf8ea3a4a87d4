//! What a decoded field is off by.

use anyhow::Result;
use fsz_metrics::{Missing, Sample};
use fsz_study::ErrorFound;

/// Errors of a decoded field over the absolute bound.
pub fn errors<T: Sample>(
    original: &[T],
    decoded: &[T],
    missing: &[f64],
    bound: f64,
) -> Result<ErrorFound> {
    let missing = Missing::new(missing);
    let found = fsz_metrics::compare(original, decoded, &missing, Some(bound.into()))?;
    // A constant field has no range, and a bound of 0.
    let of_bound = if found.max_abs_error == 0.0 { 0.0 } else { found.max_abs_error / bound };
    Ok(ErrorFound { of_bound, violations: found.violations().unwrap_or(0) })
}
