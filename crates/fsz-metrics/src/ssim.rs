//! Structural similarity of two fields.

use rayon::prelude::*;

use crate::error::{Result, holds, same_length};
use crate::sample::{Class, Missing, Sample};

/// Side of the window, in values.
const WINDOW: usize = 7;
/// The stabilising constants of the definition, relative to the value range.
const K1: f64 = 0.01;
const K2: f64 = 0.03;
/// Rows of windows that one task computes.
const BAND: usize = 64;

/// What [`ssim`] found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ssim {
    /// Mean over all windows of all slices; 1 for equal fields, NaN when there is no window.
    pub mean: f64,
    /// Windows that took part.
    pub windows: u64,
    /// Windows left out, because they touch a value that is not a number or is missing.
    pub left_out: u64,
}

/// Structural similarity index, the mean over the 2-D slices of a field.
///
/// Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment: from error visibility to
/// structural similarity", IEEE Transactions on Image Processing 13 (2004), equation 13, with
/// uniform 7 × 7 windows that lie wholly inside the slice, unbiased (co)variances, K₁ = 0.01,
/// K₂ = 0.03, and the value range of the whole original as the dynamic range: for a 2-D field the
/// same as scikit-image's `structural_similarity(a, b, data_range=max − min)` in double precision.
///
/// Slices are the planes of the last two axes that are longer than 1; a field with only one such
/// axis is compared by windows of 7 values along it. A side shorter than 7 shortens the window.
///
/// # Errors
/// When the lengths differ or the shape does not hold the values.
pub fn ssim<T: Sample>(
    original: &[T],
    reconstructed: &[T],
    shape: &[usize],
    missing: &Missing<T>,
) -> Result<Ssim> {
    same_length(original, reconstructed)?;
    holds(shape, original.len())?;
    if original.is_empty() {
        return Ok(Ssim { mean: f64::NAN, windows: 0, left_out: 0 });
    }
    let plane = Plane::of(shape);
    let range = value_range(original, missing);
    let bands = (plane.rows + 1 - plane.window_rows).div_ceil(BAND);
    let area = plane.rows * plane.columns;
    let slices = original.len() / area;
    let parts: Vec<Part> = (0..slices * bands)
        .into_par_iter()
        .map(|task| {
            let at = task / bands * area;
            let slices = (&original[at..at + area], &reconstructed[at..at + area]);
            plane.band(slices, task % bands * BAND, range, missing)
        })
        .collect();
    let all = parts.into_iter().fold(Part::default(), |a, b| Part {
        sum: a.sum + b.sum,
        windows: a.windows + b.windows,
        left_out: a.left_out + b.left_out,
    });
    Ok(Ssim { mean: all.sum / all.windows as f64, windows: all.windows, left_out: all.left_out })
}

#[derive(Default)]
struct Part {
    sum: f64,
    windows: u64,
    left_out: u64,
}

/// The sides of a slice and of the window on it.
struct Plane {
    rows: usize,
    columns: usize,
    window_rows: usize,
    window_columns: usize,
}

/// Sums of one window: of x, y, x², y², xy and of the values that take no part.
const SUMS: usize = 6;

impl Plane {
    fn of(shape: &[usize]) -> Plane {
        let mut long = shape.iter().rev().copied().filter(|&n| n != 1);
        let columns = long.next().unwrap_or(1);
        let rows = long.next().unwrap_or(1);
        let (window_rows, window_columns) = (rows.min(WINDOW), columns.min(WINDOW));
        Plane { rows, columns, window_rows, window_columns }
    }

    /// The windows whose first row is one of the `BAND` rows from `first`.
    fn band<T: Sample>(
        &self,
        (x, y): (&[T], &[T]),
        first: usize,
        range: f64,
        missing: &Missing<T>,
    ) -> Part {
        let last = (first + BAND).min(self.rows + 1 - self.window_rows);
        let across = self.columns + 1 - self.window_columns;
        // Variances do not change when the same number is taken from every value. Taking one of
        // the values away keeps the sums of squares from cancelling in fields with an offset.
        let shift = x.iter().find(|&&v| missing.class(v) == Class::Finite);
        let shift = shift.map_or(0.0, |v| v.to_f64());
        let mut ring = vec![vec![[0.0; SUMS]; across]; self.window_rows];
        let mut part = Part::default();
        for row in first..last + self.window_rows - 1 {
            let line = row * self.columns..(row + 1) * self.columns;
            let sums = &mut ring[row % self.window_rows];
            self.sum_row(&x[line.clone()], &y[line], shift, missing, sums);
            if row + 1 < first + self.window_rows {
                continue;
            }
            for column in 0..across {
                let mut window = [0.0; SUMS];
                for sums in &ring {
                    window.iter_mut().zip(&sums[column]).for_each(|(all, s)| *all += s);
                }
                if window[5] > 0.0 {
                    part.left_out += 1;
                } else {
                    part.windows += 1;
                    part.sum += self.similarity(&window, shift, range);
                }
            }
        }
        part
    }

    /// Sums over the window's columns, for every place of the window on one row.
    fn sum_row<T: Sample>(
        &self,
        x: &[T],
        y: &[T],
        shift: f64,
        missing: &Missing<T>,
        sums: &mut [[f64; SUMS]],
    ) {
        sums.fill([0.0; SUMS]);
        for (column, (&x, &y)) in x.iter().zip(y).enumerate() {
            let terms = match missing.pair(x, y) {
                Some((x, y)) => {
                    let (x, y) = (x - shift, y - shift);
                    [x, y, x * x, y * y, x * y, 0.0]
                }
                None => [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            };
            let from = (column + 1).saturating_sub(self.window_columns);
            let to = (column + 1).min(sums.len());
            for window in &mut sums[from..to] {
                window.iter_mut().zip(terms).for_each(|(all, term)| *all += term);
            }
        }
    }

    /// The index of one window from its sums.
    fn similarity(&self, sums: &[f64; SUMS], shift: f64, range: f64) -> f64 {
        let n = (self.window_rows * self.window_columns) as f64;
        let unbiased = n / (n - 1.0).max(1.0);
        let (mx, my) = (sums[0] / n, sums[1] / n);
        let vx = unbiased * (sums[2] / n - mx * mx);
        let vy = unbiased * (sums[3] / n - my * my);
        let vxy = unbiased * (sums[4] / n - mx * my);
        let (ux, uy) = (mx + shift, my + shift);
        let (c1, c2) = ((K1 * range).powi(2), (K2 * range).powi(2));
        let luminance = ratio(2.0 * ux * uy + c1, ux * ux + uy * uy + c1);
        luminance * ratio(2.0 * vxy + c2, vx + vy + c2)
    }
}

/// a / b, and 1 for 0 / 0, which a value range of 0 can lead to.
fn ratio(a: f64, b: f64) -> f64 {
    if a == b { 1.0 } else { a / b }
}

/// max − min of the numbers; 0 when there is none.
fn value_range<T: Sample>(values: &[T], missing: &Missing<T>) -> f64 {
    let number = |&&v: &&T| missing.class(v) == Class::Finite;
    let (min, max) = values
        .par_iter()
        .filter(number)
        .map(|v| (v.to_f64(), v.to_f64()))
        .reduce(|| (f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    (max - min).max(0.0)
}
