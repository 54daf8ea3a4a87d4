//! A field of any number of dimensions, looked at as planes.

use fsz::format::TILE;
use fsz_wgpu::Runs;

use crate::model::boxes::Box;

/// Elements of a row when a field of one dimension is folded.
pub const FOLD: u64 = 4 * TILE as u64;

/// The shape of a field, and the three sides it is shown with, slowest first.
///
/// Leading axes beyond three are taken together. A field of one dimension is folded into rows of
/// [`FOLD`] elements, the last of which may be shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    shape: Vec<u64>,
    sides: [u64; 3],
}

/// Rows and columns of a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaneSize {
    /// Down.
    pub rows: usize,
    /// Across.
    pub columns: usize,
}

impl Grid {
    /// A grid for a field of this shape, slowest axis first.
    pub fn new(shape: &[u64]) -> Grid {
        let sides = match shape {
            [] => [1, 1, 1],
            &[n] => [1, n.div_ceil(FOLD), n.min(FOLD)],
            &[h, w] => [1, h, w],
            [lead @ .., h, w] => [lead.iter().product(), *h, *w],
        };
        Grid { shape: shape.to_vec(), sides }
    }

    /// Sides of the field, slowest first.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The three sides that it is shown with, slowest first.
    pub fn sides(&self) -> [u64; 3] {
        self.sides
    }

    /// Whether it can be looked at in three dimensions.
    pub fn is_solid(&self) -> bool {
        self.axes() == 3 && self.elements() > 0
    }

    /// Where a point of a plane lies along the three axes: of its plane, row and column.
    pub fn place_of([plane, row, column]: [u64; 3], axis: usize) -> [u64; 3] {
        match axis {
            0 => [plane, row, column],
            1 => [row, plane, column],
            _ => [row, column, plane],
        }
    }

    /// The plane across an axis, row and column of a point.
    pub fn point_of([z, y, x]: [u64; 3], axis: usize) -> [u64; 3] {
        match axis {
            0 => [z, y, x],
            1 => [y, z, x],
            _ => [x, z, y],
        }
    }

    /// Planes along an axis of the three that are shown.
    pub fn planes(&self, axis: usize) -> u64 {
        self.sides[axis]
    }

    /// The axes that can be sliced: one for a field of up to two dimensions.
    pub fn axes(&self) -> usize {
        if self.shape.len() > 2 { 3 } else { 1 }
    }

    /// The axis that is shown for one of the field's own; none where the field has not so many. A field of up to two
    /// dimensions is shown whole.
    pub fn shown_axis(&self, own: usize) -> Option<usize> {
        let axes = self.shape.len();
        let shown = if axes > 2 { own.saturating_sub(axes - 3) } else { 0 };
        (own < axes.max(1)).then_some(shown)
    }

    /// What an axis is called.
    pub fn axis_name(&self, axis: usize) -> String {
        let axes = self.shape.len();
        match axes {
            0..=2 => "the whole field".to_owned(),
            3 => format!("axis {axis}"),
            _ if axis == 0 => format!("axes 0 to {}", axes - 3),
            _ => format!("axis {}", axes - 3 + axis),
        }
    }

    /// Size of the planes across an axis.
    pub fn plane(&self, axis: usize) -> PlaneSize {
        let [d, h, w] = self.sides.map(|n| n as usize);
        match axis {
            0 => PlaneSize { rows: h, columns: w },
            1 => PlaneSize { rows: d, columns: w },
            _ => PlaneSize { rows: d, columns: h },
        }
    }

    /// Position in C order of a point of a plane; none outside the field.
    pub fn position(&self, axis: usize, plane: u64, row: usize, column: usize) -> Option<u64> {
        let [z, y, x] = Grid::place_of([plane, row as u64, column as u64], axis);
        let [d, h, w] = self.sides;
        let position = (z * h + y) * w + x;
        let inside = z < d && y < h && x < w && position < self.elements();
        inside.then_some(position)
    }

    /// The index along each axis of the field of the element at a position in C order.
    pub fn index(&self, position: u64) -> Vec<u64> {
        let mut index = vec![0; self.shape.len()];
        unravel(position, &self.shape, &mut index);
        index
    }

    /// Start and count, an entry per axis of the field, of the box that a plane is.
    pub fn plane_box(&self, axis: usize, plane: u64) -> (Vec<u64>, Vec<u64>) {
        let mut start = vec![0; self.shape.len()];
        let mut count = self.shape.clone();
        let axes = self.shape.len();
        if axes < 3 {
            return (start, count);
        }
        let lead = axes - 2;
        if axis == 0 {
            let mut rest = plane;
            for k in (0..lead).rev() {
                start[k] = rest % self.shape[k];
                rest /= self.shape[k];
                count[k] = 1;
            }
        } else {
            start[lead + axis - 1] = plane;
            count[lead + axis - 1] = 1;
        }
        (start, count)
    }

    /// The elements of a plane as runs of consecutive ones.
    pub fn runs(&self, axis: usize, plane: u64) -> Runs {
        let [d, h, w] = self.sides;
        match axis {
            // The last row of a folded field may be shorter.
            0 => Runs {
                first: plane * h * w,
                stride: h * w,
                count: 1,
                len: (h * w).min(self.elements()),
            },
            1 => Runs { first: plane * w, stride: h * w, count: d, len: w },
            _ => Runs { first: plane, stride: w, count: d * h, len: 1 },
        }
    }

    /// The same plane within a box of the field: its axis is the same, its number another; none where it
    /// does not touch the box.
    pub fn plane_in(&self, axis: usize, plane: u64, part: &Box) -> Option<u64> {
        let (start, count) = self.plane_box(axis, plane);
        let common = part.common(&Box { start, count })?;
        let axes = self.shape.len();
        if axes < 3 {
            return Some(0);
        }
        let inner = |k: usize| common.start[k] - part.start[k];
        match axis {
            // Leading axes beyond three are taken together.
            0 => Some((0..axes - 2).fold(0, |plane, k| plane * part.count[k] + inner(k))),
            _ => Some(inner(axes - 3 + axis)),
        }
    }

    /// Number of elements.
    pub fn elements(&self) -> u64 {
        self.shape.iter().product()
    }
}

/// Writes the index along each axis of an array of this shape of the element at a position in C order.
pub fn unravel(mut position: u64, shape: &[u64], index: &mut [u64]) {
    for (i, &n) in index.iter_mut().zip(shape).rev() {
        *i = position % n.max(1);
        position /= n.max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every point of every plane is the element that the plane's box has there.
    #[test]
    fn planes_and_boxes_agree() {
        for shape in [vec![], vec![5], vec![2500], vec![3, 4], vec![3, 4, 5], vec![2, 3, 4, 5]] {
            let grid = Grid::new(&shape);
            for axis in 0..grid.axes() {
                let size = grid.plane(axis);
                for plane in 0..grid.planes(axis) {
                    let (start, count) = grid.plane_box(axis, plane);
                    let mut boxed = Vec::new();
                    for position in 0..grid.elements() {
                        let index = grid.index(position);
                        let inside = (0..shape.len())
                            .all(|k| (start[k]..start[k] + count[k]).contains(&index[k]));
                        if inside {
                            boxed.push(position);
                        }
                    }
                    let shown: Vec<u64> = (0..size.rows * size.columns)
                        .filter_map(|i| {
                            grid.position(axis, plane, i / size.columns, i % size.columns)
                        })
                        .collect();
                    assert_eq!(shown, boxed, "{shape:?} axis {axis} plane {plane}");
                    let Runs { first, stride, count, len } = grid.runs(axis, plane);
                    let run = |k| (0..len).map(move |i| first + k * stride + i);
                    let runs: Vec<u64> = (0..count).flat_map(run).collect();
                    assert_eq!(runs, boxed, "{shape:?} axis {axis} plane {plane}");
                }
            }
        }
    }

    #[test]
    fn points_and_places_are_inverse() {
        for axis in 0..3 {
            assert_eq!(Grid::point_of(Grid::place_of([7, 8, 9], axis), axis), [7, 8, 9]);
        }
    }

    #[test]
    fn nothing_lies_outside() {
        let grid = Grid::new(&[1030]);
        assert_eq!(grid.plane(0), PlaneSize { rows: 2, columns: 1024 });
        assert_eq!(grid.position(0, 0, 1, 5), Some(1029));
        assert_eq!(grid.position(0, 0, 1, 6), None);
        assert_eq!(Grid::new(&[0, 4]).position(0, 0, 0, 0), None);
    }
}
