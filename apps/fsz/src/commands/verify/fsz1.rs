//! A file of the paper author's own release: by how much it exceeds its bound.

use anyhow::{Result, bail};
use fsz::Element;
use fsz_field::{Field, Fsz1};
use fsz_figure::number::{percent, short};
use fsz_metrics::{Missing, Sample};
use serde::Serialize;

use crate::bar;

/// What was found, by the names of the JSON output.
#[derive(Debug, Serialize)]
pub struct Found {
    /// All of the below is as it must be.
    pub holds: bool,
    absolute_bound: f64,
    pub max_abs_error: f64,
    /// Largest error over the bound, less 1; 0 where the bound holds.
    excess: f64,
    /// Finite values beyond the bound.
    bound_violations: u64,
    elements: u64,
    /// NaN and ±Inf, which the format cannot hold.
    altered: u64,
}

/// Compares the stream with its original.
pub fn check<T: Element + Sample>(
    stream: &Fsz1<'_>,
    original: &Field,
    what: &str,
    quiet: bool,
) -> Result<Found> {
    let header = stream.header();
    let Some(values) = original.as_slice::<T>() else {
        bail!("the original is {}, the stream {}", original.dtype(), header.dtype);
    };
    let spinner = bar::spinner(what, quiet);
    let mut decoded = fsz_field::zeros::<T>(original.shape())?;
    stream.decode(&mut decoded)?;
    let missing = Missing::none();
    let seen = fsz_metrics::compare(values, &decoded, &missing, Some(header.bound.into()))?;
    spinner.finish_and_clear();
    let (bound_violations, altered) = (seen.beyond.unwrap_or(0), seen.changed_bits);
    let excess = if bound_violations > 0 { seen.max_abs_error / header.bound - 1.0 } else { 0.0 };
    Ok(Found {
        holds: bound_violations + altered == 0,
        absolute_bound: header.bound,
        max_abs_error: seen.max_abs_error,
        excess,
        bound_violations,
        elements: seen.elements,
        altered,
    })
}

impl Found {
    /// In one line.
    pub fn text(&self) -> String {
        let (error, bound) = (short(self.max_abs_error), short(self.absolute_bound));
        if self.holds {
            return format!("bound holds: max error {error} (bound {bound})");
        }
        let mut text = format!("bound VIOLATED: max error {error} (bound {bound}");
        if self.bound_violations > 0 {
            let beyond = percent(self.bound_violations, self.elements);
            text.push_str(&format!(", exceeded by {:.2} %", 100.0 * self.excess));
            text.push_str(&format!(
                "), violations: {} ({beyond} of the values)",
                self.bound_violations
            ));
        } else {
            text.push_str("), violations: 0");
        }
        text + &format!(", changed NaN or Inf: {}", self.altered)
    }
}
