//! Whether a field can still be differentiated after compression.

use rayon::prelude::*;

use crate::error::{Result, holds, same_length};
use crate::sample::{Missing, Sample};
use crate::units::{largest_of_pairs, units};

/// Points that one task computes; fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 1 << 16;

/// What [`derivative_error`] found. Both figures are 0 for equal fields. Where the original has no
/// derivative other than 0 they are +Inf, and NaN if the error has none either, or no point takes part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DerivativeError {
    /// RMS of the gradient of the error over the RMS of the gradient of the original.
    pub gradient: f64,
    /// The same for the Laplacian.
    pub laplacian: f64,
    /// Points that took part.
    pub points: u64,
}

/// Error of the gradient and of the Laplacian, relative to the original's.
///
/// Second-order central differences with a spacing of 1 along every axis of at least 3 values, at the
/// points that have both neighbours along each of them (those of `numpy.gradient` without its edges).
/// Points with a neighbour that is not a number or is missing take no part.
///
/// # Errors
/// When the lengths differ or the shape does not hold the values.
pub fn derivative_error<T: Sample>(
    original: &[T],
    reconstructed: &[T],
    shape: &[usize],
    missing: &Missing<T>,
) -> Result<DerivativeError> {
    same_length(original, reconstructed)?;
    holds(shape, original.len())?;
    let mut axes = Vec::new();
    let mut stride = 1;
    for &side in shape.iter().rev() {
        if side > 2 {
            axes.push((stride, side));
        }
        stride *= side;
    }
    let units = units(largest_of_pairs(original, reconstructed, missing));
    let stencil = Stencil { original, reconstructed, missing, units, axes };
    let chunks: Vec<Sums> = (0..original.len().div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| stencil.sums(chunk * CHUNK..original.len().min((chunk + 1) * CHUNK)))
        .collect();
    let sums = chunks.into_iter().fold(Sums::default(), Sums::join);
    Ok(DerivativeError {
        gradient: (sums.gradient[1] / sums.gradient[0]).sqrt(),
        laplacian: (sums.laplacian[1] / sums.laplacian[0]).sqrt(),
        points: sums.points,
    })
}

/// Sums of squares: of the original and of the error.
#[derive(Debug, Default)]
struct Sums {
    gradient: [f64; 2],
    laplacian: [f64; 2],
    points: u64,
}

impl Sums {
    fn join(self, other: Sums) -> Sums {
        let add = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
        Sums {
            gradient: add(self.gradient, other.gradient),
            laplacian: add(self.laplacian, other.laplacian),
            points: self.points + other.points,
        }
    }
}

struct Stencil<'a, T> {
    original: &'a [T],
    reconstructed: &'a [T],
    missing: &'a Missing<T>,
    /// Units in 1.
    units: f64,
    /// Stride and side of each axis that can be differentiated along.
    axes: Vec<(usize, usize)>,
}

impl<T: Sample> Stencil<'_, T> {
    fn sums(&self, points: std::ops::Range<usize>) -> Sums {
        let mut sums = Sums::default();
        if !self.axes.is_empty() {
            points.for_each(|at| {
                // A point at an edge, or beside what is no number, takes no part.
                let _ = self.add(at, &mut sums);
            });
        }
        sums
    }

    fn add(&self, at: usize, sums: &mut Sums) -> Option<()> {
        let inside = |&(stride, side): &(usize, usize)| {
            let place = at / stride % side;
            place > 0 && place + 1 < side
        };
        if !self.axes.iter().all(inside) {
            return None;
        }
        let centre = self.values(at)?;
        let (mut gradient, mut laplacian) = ([0.0; 2], [0.0; 2]);
        for &(stride, _) in &self.axes {
            let (before, after) = (self.values(at - stride)?, self.values(at + stride)?);
            for i in 0..2 {
                gradient[i] += (0.5 * (after[i] - before[i])).powi(2);
                laplacian[i] += after[i] - 2.0 * centre[i] + before[i];
            }
        }
        for i in 0..2 {
            sums.gradient[i] += gradient[i];
            sums.laplacian[i] += laplacian[i].powi(2);
        }
        sums.points += 1;
        Some(())
    }

    /// The value and its error, in units.
    fn values(&self, at: usize) -> Option<[f64; 2]> {
        let (a, b) = self.missing.pair(self.original[at], self.reconstructed[at])?;
        let (a, b) = (a * self.units, b * self.units);
        Some([a, b - a])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::same_in_each_unit;

    #[test]
    fn the_unit_of_a_field_changes_nothing() {
        let found =
            same_in_each_unit(|a, b| derivative_error(a, b, &[20, 20], &Missing::none()).unwrap());
        assert!((0.1..10.0).contains(&found.gradient));
    }
}
