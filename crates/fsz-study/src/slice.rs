//! The slice of a field that pictures show: the whole of it, and a part enlarged.

use fsz::Element;
use fsz_figure::{Canvas, Rect, Rgb, palette};
use fsz_metrics::{Class, Missing, Sample};

/// Pixels of a picture at most across and down.
const MOST: (usize, usize) = (300, 320);
/// Pixels of the shorter side of a long plane.
const LEAST: usize = 40;
/// Values on a side of the enlarged part, at most: the paper's zoom.
const ZOOM: usize = 48;
/// Share of a plane's side that the enlarged part takes at most: it is drawn twice as large or
/// larger.
const ZOOM_SHARE: usize = 5;

/// Colours of the scale: more cannot be told apart, and would make the files larger.
const COLOURS: f64 = 126.0;
const NO_NUMBER: Rgb = Rgb([128; 3]);
const FRAME: Rgb = Rgb([255; 3]);
/// Two pixels show on any size of screen.
const FRAME_LINE: usize = 2;

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
    pub fn middle<T: Element + Sample>(
        shape: &[usize],
        values: &[T],
        missing: &Missing<T>,
    ) -> Option<Slice> {
        let &[.., rows, columns] = shape else { return None };
        if rows < 8 || columns < 8 || values.is_empty() {
            return None;
        }
        let index = shape[..shape.len() - 2].iter().product::<usize>() / 2;
        let start = index * rows * columns;
        let plane = numbers(&values[start..][..rows * columns], missing);
        let range = crate::stats::range(plane.iter().copied().filter(|v| !v.is_nan()));
        if range.0 > range.1 {
            return None;
        }
        let zoom = liveliest(&plane, rows, columns);
        Some(Slice { index, range, start, rows, columns, zoom })
    }

    /// Its picture in these values of the whole field.
    pub fn picture<T: Element + Sample>(&self, values: &[T], missing: &Missing<T>) -> Canvas {
        let plane = numbers(&values[self.start..][..self.rows * self.columns], missing);
        let colour =
            |row: usize, column: usize| colour(plane[row * self.columns + column], self.range);
        let (width, height) = self.size();
        let mut canvas = Canvas::new(width, height, NO_NUMBER);
        canvas.fill_with(Rect { x: 0, y: 0, width, height }, |x, y| {
            colour(y * self.rows / height, x * self.columns / width)
        });
        let (row, column, side) = self.zoom;
        let part = Rect {
            x: column * width / self.columns,
            y: row * height / self.rows,
            width: side * width / self.columns,
            height: side * height / self.rows,
        };
        canvas.frame(part, FRAME_LINE, FRAME);
        // The inset goes to the corner that is farther from what it shows.
        let times = ((2 * width / 5).min(3 * height / 5) / side).max(1);
        let length = (times * side).min(width).min(height);
        let inset = Rect {
            x: if part.x + part.width / 2 > width / 2 { 0 } else { width - length },
            y: if part.y + part.height / 2 > height / 2 { 0 } else { height - length },
            width: length,
            height: length,
        };
        canvas.fill_with(inset, |x, y| colour(row + y / times, column + x / times));
        canvas.frame(inset, FRAME_LINE, FRAME);
        canvas
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

/// The colour of a value on a scale over `range`; NaN is no number.
fn colour(value: f64, (low, high): (f64, f64)) -> Rgb {
    if value.is_nan() {
        return NO_NUMBER;
    }
    let place = if high > low { (value - low) / (high - low) } else { 0.5 };
    let last = COLOURS - 1.0;
    palette::viridis((place.clamp(0.0, 1.0) * last).round() / last)
}

/// The values; NaN for what is no number.
fn numbers<T: Element + Sample>(plane: &[T], missing: &Missing<T>) -> Vec<f64> {
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
    fn values_have_places_on_the_scale() {
        let colours = [-1.0, 0.0, 1.0, 2.0].map(|v| colour(v, (0.0, 1.0)));
        assert!(colours[0] == colours[1] && colours[1] != colours[2] && colours[2] == colours[3]);
        assert_eq!(colour(f64::NAN, (0.0, 1.0)), NO_NUMBER);
        assert_eq!(colour(3.0, (3.0, 3.0)), colour(0.5, (0.0, 1.0)));
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
            assert_eq!(picture.size(), size, "{shape:?}");
        }
        assert!(Slice::middle(&[7, 100], &[0f32; 700], &Missing::none()).is_none());
        assert!(Slice::middle::<f32>(&[0, 40, 50], &[], &Missing::none()).is_none());
    }
}
