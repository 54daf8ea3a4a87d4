//! Missing values, as told on the command line.

use anyhow::{Result, bail};
use fsz::DType;

/// Errs when a missing value has no counterpart in the field's type: it would become infinite, or 0.
pub fn check(missing: &[f64], dtype: DType) -> Result<()> {
    let fits = |value: &f64| {
        let single = *value as f32;
        dtype == DType::F64
            || single.is_finite() == value.is_finite() && (single == 0.0) == (*value == 0.0)
    };
    match missing.iter().find(|value| !fits(value)) {
        Some(value) => bail!("--missing {value:e}: out of range for {dtype}"),
        None => Ok(()),
    }
}
