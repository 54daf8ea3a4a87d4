//! The slice of a field that pictures show: the whole of it, and a part enlarged.

use fsz_field::Scalar;
use fsz_metrics::{Class, Missing, Sample};

use super::picture::{Picture, index};

/// Pixels of a picture at most across and down.
const MOST: (usize, usize) = (300, 320);
/// Pixels of the shorter side of a long plane.
const LEAST: usize = 40;
/// Values on a side of the enlarged part, at most: the paper's zoom.
const ZOOM: usize = 48;
/// Share of a plane's side that the enlarged part takes at most: it is drawn twice as large or
/// larger.
const ZOOM_SHARE: usize = 5;

/// A plane of the last two axes.
#[derive(Debug)]
pub struct Slice {
    /// Which, counted along all axes before.
    pub index: usize,
    /// What the colours span.
    pub range: (f64, f64),
    start: usize,
    rows: usize,
    columns: usize,
    /// First row and column of the part to enlarge, and its side.
    zoom: (usize, usize, usize),
}

impl Slice {
    /// The middle one; none where the last two axes are no picture, or hold
    /// no number there.
    pub fn middle<T: Scalar + Sample>(
        shape: &[usize],
        values: &[T],
        missing: &Missing<T>,
    ) -> Option<Slice> {
        let &[.., rows, columns] = shape else { return None };
        if rows < 8 || columns < 8 {
            return None;
        }
        let index = shape[..shape.len() - 2].iter().product::<usize>() / 2;
        let start = index * rows * columns;
        let plane = numbers(&values[start..][..rows * columns], missing);
        let range = super::stats::range(plane.iter().copied().filter(|v| !v.is_nan()));
        if range.0 > range.1 {
            return None;
        }
        let zoom = liveliest(&plane, rows, columns);
        Some(Slice { index, range, start, rows, columns, zoom })
    }

    /// Its picture in these values of the whole field.
    pub fn picture<T: Scalar + Sample>(&self, values: &[T], missing: &Missing<T>) -> Picture {
        let plane = numbers(&values[self.start..][..self.rows * self.columns], missing);
        let colour =
            |row: usize, column: usize| index(plane[row * self.columns + column], self.range);
        let (width, height) = self.size();
        let mut picture = Picture::new(width, height, |x, y| {
            colour(y * self.rows / height, x * self.columns / width)
        });
        let (row, column, side) = self.zoom;
        let (top, left) = (row * height / self.rows, column * width / self.columns);
        let (down, across) = (side * height / self.rows, side * width / self.columns);
        picture.frame(left, top, across, down);
        // The inset goes to the corner that is farther from what it shows.
        let times = ((2 * width / 5).min(3 * height / 5) / side).max(1);
        let inset = (times * side).min(width).min(height);
        let x0 = if left + across / 2 > width / 2 { 0 } else { width - inset };
        let y0 = if top + down / 2 > height / 2 { 0 } else { height - inset };
        for y in 0..inset {
            for x in 0..inset {
                picture.put(x0 + x, y0 + y, colour(row + y / times, column + x / times));
            }
        }
        picture.frame(x0, y0, inset, inset);
        picture
    }

    /// Width and height: values are enlarged or left out evenly, so that none looks larger than
    /// another.
    fn size(&self) -> (usize, usize) {
        let fits = (MOST.0 / self.columns).min(MOST.1 / self.rows);
        if fits > 0 {
            return (fits * self.columns, fits * self.rows);
        }
        let step = self.columns.div_ceil(MOST.0).max(self.rows.div_ceil(MOST.1));
        let side = |values: usize| (values / step).max(LEAST.min(values));
        (side(self.columns), side(self.rows))
    }
}

/// The values; NaN for what is no number.
fn numbers<T: Scalar + Sample>(plane: &[T], missing: &Missing<T>) -> Vec<f64> {
    let number = |&v: &T| match missing.class(v) {
        Class::Finite => Sample::to_f64(v),
        _ => f64::NAN,
    };
    plane.iter().map(number).collect()
}

/// The square with the largest sum of differences along its rows, among those on a coarse grid
/// that hold numbers alone (else the first): its first row and column, and its side.
fn liveliest(plane: &[f64], rows: usize, columns: usize) -> (usize, usize, usize) {
    let side = ZOOM.min(rows / ZOOM_SHARE).min(columns / ZOOM_SHARE).max(4);
    let step = (side / 2).max(1);
    let mut best = (0, 0, f64::NEG_INFINITY);
    for row in (0..=rows - side).step_by(step) {
        for column in (0..=columns - side).step_by(step) {
            let lines = (row..row + side).map(|r| &plane[r * columns + column..][..side]);
            let sum: f64 = lines.flat_map(|l| l.windows(2).map(|p| (p[1] - p[0]).abs())).sum();
            if sum > best.2 {
                best = (row, column, sum);
            }
        }
    }
    (best.0, best.1, side)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zoom_goes_where_something_happens() {
        let mut plane = vec![0.0; 96 * 96];
        for i in 0..20 {
            plane[(60 + i) * 96 + 70 + i % 2] = 1.0;
        }
        let (row, column, side) = liveliest(&plane, 96, 96);
        assert_eq!(side, 19);
        assert!((54..=66).contains(&row) && (53..=70).contains(&column), "{row} {column}");
    }

    #[test]
    fn pictures_of_any_plane_are_of_a_sensible_size() {
        let cases = [
            ([8, 8], (296, 296)),
            ([192, 288], (288, 192)),
            ([720, 1440], (288, 144)),
            ([10, 36000], (300, 10)),
            ([5000, 8], (8, 312)),
        ];
        for (shape, size) in cases {
            let values = vec![1.0f32; shape[0] * shape[1]];
            let slice = Slice::middle(&shape, &values, &Missing::none()).unwrap();
            let picture = slice.picture(&values, &Missing::none());
            assert_eq!((picture.width, picture.height), size, "{shape:?}");
        }
        assert!(Slice::middle(&[7, 100], &[0f32; 700], &Missing::none()).is_none());
    }
}
