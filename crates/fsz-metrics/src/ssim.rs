//! Structural similarity of two fields.

use rayon::prelude::*;

use crate::error::{Error, Result, holds, same_length};
use crate::sample::{Missing, Sample};
use crate::units::{ends, units};
use crate::watch::{UNWATCHED, Watch};

/// Side of the window, in values.
const WINDOW: usize = 7;
/// The stabilising constants of the definition, relative to the value range.
const K1: f64 = 0.01;
const K2: f64 = 0.03;
/// Rows and columns of windows that one task computes: small enough for its sums to stay in cache.
const BAND_ROWS: usize = 64;
const BAND_COLUMNS: usize = 1024;

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
    ssim_watched((original, reconstructed), shape, missing, UNWATCHED)
}

/// The same, watched: every value is done once.
///
/// # Errors
/// As [`ssim`], and [`Error::Ended`].
pub fn ssim_watched<T: Sample>(
    (original, reconstructed): (&[T], &[T]),
    shape: &[usize],
    missing: &Missing<T>,
    watch: Watch<'_>,
) -> Result<Ssim> {
    same_length(original, reconstructed)?;
    let slices = Slices::of(original, shape, missing)?;
    let all = slices.add(Part::default(), (original, reconstructed), missing, watch)?;
    Ok(all.ssim())
}

/// The 2-D slices of a field, whose windows are compared.
#[derive(Debug)]
pub(crate) struct Slices {
    plane: Plane,
    scale: Scale,
}

impl Slices {
    /// # Errors
    /// When the shape does not hold the values.
    pub(crate) fn of<T: Sample>(
        original: &[T],
        shape: &[usize],
        missing: &Missing<T>,
    ) -> Result<Slices> {
        holds(shape, original.len())?;
        Ok(Slices { plane: Plane::of(shape), scale: Scale::of(original, missing) })
    }

    /// The values of one.
    pub(crate) fn area(&self) -> usize {
        self.plane.area()
    }

    /// Adds whole slices to those before.
    pub(crate) fn add<T: Sample>(
        &self,
        before: Part,
        (original, reconstructed): (&[T], &[T]),
        missing: &Missing<T>,
        watch: Watch<'_>,
    ) -> Result<Part> {
        let Slices { plane, scale } = self;
        if original.is_empty() {
            return Ok(before);
        }
        let down = plane.windows_down().div_ceil(BAND_ROWS);
        let across = plane.windows_across().div_ceil(BAND_COLUMNS);
        let area = plane.area();
        let slices = original.len() / area;
        let band = |task: usize| {
            let at = task / (down * across) * area;
            let slices = (&original[at..at + area], &reconstructed[at..at + area]);
            let (row, column) = (task / across % down, task % across);
            let part = plane.band(slices, row * BAND_ROWS, column * BAND_COLUMNS, *scale, missing);
            // Neighbouring bands share values: each counts those from its first row and column to the next band's.
            let rows = own(plane.rows, row, down, BAND_ROWS);
            let columns = own(plane.columns, column, across, BAND_COLUMNS);
            watch(rows * columns).then_some(part).ok_or(Error::Ended)
        };
        let tasks = (0..slices * down * across).into_par_iter();
        let parts = tasks.map(band).collect::<Result<Vec<Part>>>()?;
        Ok(parts.into_iter().fold(before, |a, b| Part {
            sum: a.sum + b.sum,
            windows: a.windows + b.windows,
            left_out: a.left_out + b.left_out,
        }))
    }
}

/// How much of a side is of band `at` of `bands`, of which each but the last has `length`.
fn own(side: usize, at: usize, bands: usize, length: usize) -> usize {
    if at + 1 < bands { length } else { side - at * length }
}

/// The windows of some bands.
#[derive(Debug, Default)]
pub(crate) struct Part {
    sum: f64,
    windows: u64,
    left_out: u64,
}

impl Part {
    /// What they are where they are all.
    pub(crate) fn ssim(&self) -> Ssim {
        let Part { sum, windows, left_out } = *self;
        Ssim { mean: sum / windows as f64, windows, left_out }
    }
}

/// The sides of a slice and of the window on it.
#[derive(Debug)]
struct Plane {
    rows: usize,
    columns: usize,
    window_rows: usize,
    window_columns: usize,
}

/// What is summed: x, y, x², y², xy, and 1 for a value that takes no part.
const SUMS: usize = 6;
/// The last of these.
const GAPS: usize = SUMS - 1;
/// A row of each.
type Rows = [Vec<f64>; SUMS];

impl Plane {
    fn of(shape: &[usize]) -> Plane {
        let mut long = shape.iter().rev().copied().filter(|&n| n != 1);
        let columns = long.next().unwrap_or(1);
        let rows = long.next().unwrap_or(1);
        let (window_rows, window_columns) = (rows.min(WINDOW), columns.min(WINDOW));
        Plane { rows, columns, window_rows, window_columns }
    }

    fn area(&self) -> usize {
        self.rows * self.columns
    }

    fn windows_down(&self) -> usize {
        self.rows + 1 - self.window_rows
    }

    fn windows_across(&self) -> usize {
        self.columns + 1 - self.window_columns
    }

    /// The windows whose first row and column are within a band's length of the given ones.
    fn band<T: Sample>(
        &self,
        (x, y): (&[T], &[T]),
        row: usize,
        column: usize,
        scale: Scale,
        missing: &Missing<T>,
    ) -> Part {
        let end = (row + BAND_ROWS).min(self.windows_down());
        let across = BAND_COLUMNS.min(self.windows_across() - column);
        let width = across + self.window_columns - 1;
        let lines = row..end + self.window_rows - 1;
        let line = |row: usize| row * self.columns + column..row * self.columns + column + width;
        // Variances do not change when the same number is taken from every value. Taking one of the values away, of
        // each field its own, keeps the sums of squares from cancelling in fields with an offset; and those of equal
        // values are 0, not what rounding leaves.
        let mut values = lines.clone().flat_map(|row| x[line(row)].iter().zip(&y[line(row)]));
        let shift = values.find_map(|(&x, &y)| scale.pair(x, y, missing)).unwrap_or((0.0, 0.0));
        let rows = |width: usize| -> Rows { std::array::from_fn(|_| vec![0.0; width]) };
        let mut terms: Vec<Rows> = (0..self.window_rows).map(|_| rows(width)).collect();
        // Rows in which some value takes no part.
        let mut gaps = vec![false; self.window_rows];
        let (mut columns, mut windows) = (rows(width), rows(across));
        let mut similar = vec![0.0; across];
        let mut part = Part::default();
        for next in lines {
            let slot = next % self.window_rows;
            let (x, y) = (&x[line(next)], &y[line(next)]);
            gaps[slot] = set_terms((x, y), (scale, shift), missing, &mut terms[slot]);
            if next + 1 < row + self.window_rows {
                continue;
            }
            let gap = gaps.contains(&true);
            let kinds = if gap { SUMS } else { GAPS };
            for kind in 0..kinds {
                set_sum(&mut columns[kind], terms.iter().map(|row| &row[kind][..]));
                let shifted = (0..self.window_columns).map(|k| &columns[kind][k..]);
                set_sum(&mut windows[kind], shifted);
            }
            self.similarities(&windows, shift, scale.range, &mut similar);
            for (at, &similar) in similar.iter().enumerate() {
                if gap && windows[GAPS][at] > 0.0 {
                    part.left_out += 1;
                } else {
                    part.windows += 1;
                    part.sum += similar;
                }
            }
        }
        part
    }

    /// The indices of windows from their sums.
    fn similarities(&self, sums: &Rows, shift: (f64, f64), range: f64, to: &mut [f64]) {
        let n = (self.window_rows * self.window_columns) as f64;
        let (share, unbiased) = (1.0 / n, n / (n - 1.0).max(1.0));
        let (c1, c2) = ((K1 * range).powi(2), (K2 * range).powi(2));
        let len = to.len();
        let [x, y, xx, yy, xy, _] = sums.each_ref().map(|row| &row[..len]);
        for i in 0..len {
            let (mx, my) = (x[i] * share, y[i] * share);
            let vx = unbiased * (xx[i] * share - mx * mx);
            let vy = unbiased * (yy[i] * share - my * my);
            let vxy = unbiased * (xy[i] * share - mx * my);
            let (ux, uy) = (mx + shift.0, my + shift.1);
            let luminance = ratio(2.0 * ux * uy + c1, ux * ux + uy * uy + c1);
            to[i] = luminance * ratio(2.0 * vxy + c2, vx + vy + c2);
        }
    }
}

/// Sets each sum to that of the parts, at most a window's side of them, at its place.
fn set_sum<'a>(sums: &mut [f64], parts: impl Iterator<Item = &'a [f64]>) {
    let len = sums.len();
    let mut all: [&[f64]; WINDOW] = [&[]; WINDOW];
    let mut count = 0;
    for (slot, part) in all.iter_mut().zip(parts) {
        *slot = &part[..len];
        count += 1;
    }
    if count == WINDOW {
        // One pass, and the sum stays in a register.
        let [a, b, c, d, e, f, g] = all;
        for i in 0..len {
            sums[i] = ((a[i] + b[i]) + (c[i] + d[i])) + ((e[i] + f[i]) + g[i]);
        }
        return;
    }
    sums.fill(0.0);
    for part in &all[..count] {
        sums.iter_mut().zip(*part).for_each(|(sum, term)| *sum += term);
    }
}

/// What the values of a part of a row contribute; whether some take no part.
fn set_terms<T: Sample>(
    (x, y): (&[T], &[T]),
    (scale, shift): (Scale, (f64, f64)),
    missing: &Missing<T>,
    terms: &mut Rows,
) -> bool {
    let len = x.len();
    let y = &y[..len];
    let [tx, ty, txx, tyy, txy, gaps] = terms.each_mut().map(|row| &mut row[..len]);
    let gap = missing.set_gaps(x, y, gaps);
    let (x, y) = (
        |i: usize| x[i].to_f64() * scale.factor - shift.0,
        |i: usize| y[i].to_f64() * scale.factor - shift.1,
    );
    let mut set = |i: usize, a: f64, b: f64| {
        (tx[i], ty[i], txx[i], tyy[i], txy[i]) = (a, b, a * a, b * b, a * b);
    };
    if gap {
        let take = |i: usize, value: f64| if gaps[i] > 0.0 { 0.0 } else { value };
        (0..len).for_each(|i| set(i, take(i, x(i)), take(i, y(i))));
    } else {
        (0..len).for_each(|i| set(i, x(i), y(i)));
    }
    gap
}

/// a / b, and 1 for 0 / 0, which a value range of 0 can lead to.
fn ratio(a: f64, b: f64) -> f64 {
    if a == b { 1.0 } else { a / b }
}

/// The unit that values are counted in.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// Units in 1.
    factor: f64,
    /// max − min of the numbers of the original, in units; 0 when there is none.
    range: f64,
}

impl Scale {
    fn of<T: Sample>(values: &[T], missing: &Missing<T>) -> Scale {
        let Some((min, max)) = ends(values, missing) else {
            return Scale { factor: 1.0, range: 0.0 };
        };
        let factor = units(min.abs().max(max.abs()));
        Scale { factor, range: max * factor - min * factor }
    }

    /// [`Missing::pair`], in units.
    fn pair<T: Sample>(&self, x: T, y: T, missing: &Missing<T>) -> Option<(f64, f64)> {
        missing.pair(x, y).map(|(x, y)| (x * self.factor, y * self.factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::same_in_each_unit;

    #[test]
    fn a_constant_field_that_stays_one_is_similar() {
        let found = ssim(&[3.5f32; 400], &[3.5028f32; 400], &[20, 20], &Missing::none()).unwrap();
        assert!((0.999..1.0).contains(&found.mean), "{found:?}");
    }

    #[test]
    fn the_unit_of_a_field_changes_nothing() {
        let found = same_in_each_unit(|a, b| ssim(a, b, &[20, 20], &Missing::none()).unwrap().mean);
        assert!((0.1..0.99).contains(&found));
    }
}
