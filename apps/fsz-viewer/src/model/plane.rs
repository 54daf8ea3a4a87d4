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

    /// Smallest and largest number that is not missing; none when there is none.
    pub fn range(&self, missing: &[f64]) -> Option<(f64, f64)> {
        let mut range: Option<(f64, f64)> = None;
        for &v in self.values.iter().filter(|v| v.is_finite() && !missing.contains(v)) {
            let (low, high) = range.unwrap_or((v, v));
            range = Some((low.min(v), high.max(v)));
        }
        range
    }

    /// The numbers that a share `cut` at either end lies beyond; none when there is no number.
    pub fn percentiles(&self, cut: f64, missing: &[f64]) -> Option<(f64, f64)> {
        let mut numbers: Vec<f64> = self.values.clone();
        numbers.retain(|v| v.is_finite() && !missing.contains(v));
        let last = numbers.len().checked_sub(1)?;
        let skip = ((last as f64 * cut).round() as usize).min(last);
        let mut at = |place| *numbers.select_nth_unstable_by(place, f64::total_cmp).1;
        Some((at(skip), at(last - skip)))
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
