//! Missing values, as the user names them.

use anyhow::{Result, anyhow};
use fsz::format::MAX_MISSING;

/// Reads values with commas or spaces between them.
///
/// # Errors
/// What is wrong with them.
pub fn parse(text: &str) -> Result<Vec<f64>> {
    let parts = text.split([',', ';', ' ']).filter(|part| !part.is_empty());
    let values: Vec<f64> = parts
        .map(|part| part.parse().map_err(|_| anyhow!("“{part}” is not a number")))
        .collect::<Result<_>>()?;
    match values.len() {
        0..=MAX_MISSING => Ok(values),
        n => Err(anyhow!("{n} missing values: a stream can name at most {MAX_MISSING}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_or_refused() {
        assert!(parse("").unwrap().is_empty());
        assert_eq!(parse(" 1e20, -999;9.96921e36 ").unwrap(), [1e20, -999.0, 9.96921e36]);
        assert!(parse("1e20 none").is_err_and(|e| e.to_string().contains("none")));
        assert!(parse("1 2 3 4 5").is_err_and(|e| e.to_string().contains("at most 4")));
    }
}
