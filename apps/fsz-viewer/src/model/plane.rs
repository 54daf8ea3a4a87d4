//! The values of one plane of a field.

use std::sync::Arc;

use fsz_field::{Field, with_values};
use fsz_metrics::Sample;
use fsz_wgpu::GpuSlice;

use crate::model::grid::{Grid, PlaneSize};

/// A plane, row by row from the top. A folded field of one dimension ends before the last row does.
#[derive(Clone, Debug, Default)]
pub struct Plane {
    /// Rows and columns.
    pub size: PlaneSize,
    /// Values; single precision is exact in them.
    pub values: Vec<f64>,
    /// The values are rounded to single precision, though the field is double.
    pub rounded: bool,
    /// The same in single precision, where pictures are painted.
    pub slice: Option<Arc<GpuSlice>>,
}

impl Plane {
    /// A plane of `size` with these values.
    pub fn new(size: PlaneSize, values: Vec<f64>) -> Plane {
        Plane { size, values, rounded: false, slice: None }
    }

    /// A plane of `size` with the values of a field in C order.
    pub fn of(size: PlaneSize, field: &Field) -> Plane {
        Plane::new(size, with_values!(field.values(), v => v.iter().map(|v| v.to_f64()).collect()))
    }

    /// The value at a place; none outside the field.
    pub fn at(&self, row: usize, column: usize) -> Option<f64> {
        if column >= self.size.columns {
            return None;
        }
        self.values.get(row * self.size.columns + column).copied()
    }

    /// Whether a value of the plane is one of the missing values that a stream names: by its bits, as in the stream.
    pub fn is_missing(&self, value: f64, missing: &[f64]) -> bool {
        let here = |named: f64| if self.rounded { f64::from(named as f32) } else { named };
        missing.iter().any(|&named| here(named).to_bits() == value.to_bits())
    }

    /// Which values there are that lie on no scale.
    pub fn special(&self, missing: &[f64]) -> Special {
        let mut found = Special::default();
        for &value in self.values.iter().filter(|value| !missing.is_empty() || !value.is_finite()) {
            let is_missing = self.is_missing(value, missing);
            found.missing |= is_missing;
            found.nan |= !is_missing && value.is_nan();
            found.infinite |= !is_missing && value.is_infinite();
        }
        found
    }

    /// The numbers that are not missing.
    fn numbers(&self, missing: &[f64]) -> impl Iterator<Item = f64> {
        let values = self.values.iter().copied();
        values.filter(move |&v| v.is_finite() && !self.is_missing(v, missing))
    }

    /// Smallest and largest number that is not missing; none when there is none.
    pub fn range(&self, missing: &[f64]) -> Option<(f64, f64)> {
        let mut range: Option<(f64, f64)> = None;
        for v in self.numbers(missing) {
            let (low, high) = range.unwrap_or((v, v));
            range = Some((low.min(v), high.max(v)));
        }
        range
    }

    /// The numbers that a share `cut` at either end lies beyond; none when there is no number.
    pub fn percentiles(&self, cut: f64, missing: &[f64]) -> Option<(f64, f64)> {
        let mut numbers: Vec<f64> = self.numbers(missing).collect();
        let last = numbers.len().checked_sub(1)?;
        let skip = ((last as f64 * cut).round() as usize).min(last);
        let mut at = |place| *numbers.select_nth_unstable_by(place, f64::total_cmp).1;
        Some((at(skip), at(last - skip)))
    }
}

/// Which values a field or a plane has that lie on no scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Special {
    /// NaN.
    pub nan: bool,
    /// +Inf or -Inf.
    pub infinite: bool,
    /// Named missing values.
    pub missing: bool,
}

impl Special {
    /// Those of either.
    pub fn or(self, other: Special) -> Special {
        Special {
            nan: self.nan || other.nan,
            infinite: self.infinite || other.infinite,
            missing: self.missing || other.missing,
        }
    }
}

/// Which plane of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// One of the three axes that are shown.
    pub axis: usize,
    /// Along it.
    pub plane: u64,
}

impl Place {
    /// The nearest place that the grid has.
    pub fn within(self, grid: &Grid) -> Place {
        let axis = self.axis.min(grid.axes() - 1);
        Place { axis, plane: self.plane.min(grid.planes(axis).saturating_sub(1)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(values: &[f64]) -> Plane {
        Plane::new(PlaneSize { rows: 1, columns: values.len() }, values.to_vec())
    }

    #[test]
    fn missing_values_are_told_by_their_bits() {
        let of = plane(&[0.0, -0.0, 5.0, 7.0, 1e20]);
        assert_eq!(of.range(&[0.0, 1e20]), Some((-0.0, 7.0)));
        assert_eq!(of.percentiles(0.0, &[-0.0, 7.0, 1e20]), Some((0.0, 5.0)));
        let is_missing = |value| of.is_missing(value, &[0.0, f64::NAN]);
        assert_eq!([0.0, -0.0, f64::NAN, -f64::NAN].map(is_missing), [true, false, true, false]);
    }

    #[test]
    fn what_lies_on_no_scale_is_found() {
        let found = |values: &[f64], missing: &[f64]| plane(values).special(missing);
        let [nan, infinite, missing] =
            [[true, false, false], [false, true, false], [false, false, true]]
                .map(|[nan, infinite, missing]| Special { nan, infinite, missing });
        assert_eq!(found(&[1.0, f64::MAX], &[9.0]), Special::default());
        assert_eq!(found(&[1.0, f64::NAN], &[]), nan);
        assert_eq!(found(&[f64::NEG_INFINITY, 1.0], &[9.0]), infinite);
        assert_eq!(found(&[9.0, f64::INFINITY], &[9.0, f64::INFINITY]), missing);
        assert_eq!(found(&[9.0, f64::NAN, 1.0], &[9.0]), nan.or(missing));
    }

    /// As the GPU has those of double precision.
    #[test]
    fn missing_values_are_rounded_with_the_others() {
        let found = f64::from(1e20f32);
        let rounded = Plane { rounded: true, ..plane(&[found, 2.0, 3.0]) };
        assert_eq!(rounded.range(&[1e20]), Some((2.0, 3.0)));
        assert_eq!(plane(&[found, 2.0]).range(&[1e20]), Some((2.0, found)));
    }
}
