//! The bound of every variable and step, checked element by element.

use crate::files::{Pair, Part, element_size};
use adios2::DataType;
use anyhow::{Result, bail};

/// What one step of a variable shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Check {
    /// The largest bound of its ADIOS2 blocks; 0 where values are stored exactly.
    pub bound: f64,
    pub largest_error: f64,
    pub elements: u64,
    /// Elements further off than the bound of their own ADIOS2 block, or not finite and changed.
    pub broken: u64,
    pub raw_bytes: u64,
    pub stored_bytes: u64,
}

/// Prints a table; whether all of it holds.
pub fn print(pair: &Pair) -> Result<bool> {
    let variables = pair.variables()?;
    if variables.is_empty() {
        bail!("the files hold no floating-point array");
    }
    println!("variable  step      MB   stored   ratio     bound  largest error  held");
    let mut held = true;
    for variable in &variables {
        for step in 0..variable.steps {
            let check = Check::of(&pair.parts(variable, step)?, variable.dtype)?;
            println!("{:<8} {step:>5} {}", variable.name, check.line());
            held &= check.broken == 0;
        }
    }
    Ok(held)
}

impl Check {
    /// Compares all ADIOS2 blocks of a step.
    pub fn of(parts: &[Part], dtype: DataType) -> Result<Self> {
        let mut check = Self::default();
        for part in parts {
            let bound = part.stream()?.map_or(0.0, |s| s.header().absolute_bound);
            check.compare(&part.original, &part.reconstruction, bound);
            check.raw_bytes += part.block.elements() * element_size(dtype);
            check.stored_bytes += part.stored_bytes(dtype);
        }
        Ok(check)
    }

    fn compare(&mut self, original: &[f64], reconstruction: &[f64], bound: f64) {
        self.bound = self.bound.max(bound);
        for (&d, &r) in original.iter().zip(reconstruction) {
            self.elements += 1;
            let error = (d - r).abs();
            if d.is_finite() && error <= bound {
                self.largest_error = self.largest_error.max(error);
            } else if d.to_bits() != r.to_bits() {
                self.broken += 1;
                self.largest_error = self.largest_error.max(error);
            }
        }
    }

    /// Raw bytes over stored bytes.
    pub fn ratio(&self) -> f64 {
        self.raw_bytes as f64 / self.stored_bytes.max(1) as f64
    }

    fn line(&self) -> String {
        let verdict = match self.broken {
            0 => "yes".to_string(),
            n => format!("NO: {n} of {} elements", self.elements),
        };
        format!(
            "{:>7.2} {:>8.3} {:>7.2} {:>9.2e} {:>14.6e}  {verdict}",
            self.raw_bytes as f64 / 1e6,
            self.stored_bytes as f64 / 1e6,
            self.ratio(),
            self.bound,
            self.largest_error,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_over_the_bound_and_changed_specials_are_counted() {
        let original = [1.0, 2.0, f64::NAN, f64::INFINITY, 5.0];
        let mut check = Check::default();
        check.compare(&original, &[1.25, 2.0, f64::NAN, f64::INFINITY, 5.0], 0.25);
        assert_eq!((check.broken, check.largest_error), (0, 0.25));
        check.compare(&original, &[1.5, 2.0, 0.0, f64::NEG_INFINITY, f64::NAN], 0.25);
        assert_eq!((check.broken, check.elements), (4, 10));
    }
}
