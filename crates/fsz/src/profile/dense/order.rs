//! The order of a box: its corners, then grids from coarse to fine, in steps of up to 32 points (FORMAT.md,
//! *Dense: order*).

use crate::format::dense::{BOX, LANES, MIN_COLUMNS};

/// A point of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    /// Position in the box, in C order.
    pub at: u16,
    /// In a coarse pass, bit i: along the pass's axis i the right neighbour is the box's last element. In a
    /// fine pass, bits 2i and 2i + 1: there is no outer neighbour to the left, to the right.
    pub edge: u16,
}

/// Points of one grid that are odd along the same axes.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    /// The finest grid, whose interpolation may be cubic.
    pub fine: bool,
    /// The box is longer than 1 along several axes: residuals tell of those around them.
    pub around: bool,
    /// Axes along which the points are odd, 1 to 3.
    pub axes: usize,
    /// Elements to the neighbour along each of them.
    pub distance: [usize; 3],
    /// Elements to the box's last element, for points whose right neighbour it is.
    pub last: [usize; 3],
    /// Points of each step: it takes so many of the order's points.
    pub steps: Vec<u8>,
    pub points: Vec<Point>,
}

/// The order of boxes of one shape.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub len: usize,
    /// Positions of the corners but for the first.
    pub corners: Vec<u16>,
    pub passes: Vec<Pass>,
}

/// The sets of odd axes, as they follow each other within a grid; axis 0 is the slowest.
const ODD: [[bool; 3]; 7] = [
    [true, false, false],
    [false, true, false],
    [false, false, true],
    [true, true, false],
    [true, false, true],
    [false, true, true],
    [true, true, true],
];

impl Order {
    /// The order of a box of so many elements along each axis, slowest first; none is 0.
    pub fn new(extent: [usize; 3]) -> Self {
        let strides = [extent[1] * extent[2], extent[2], 1];
        let len = extent.iter().product();
        assert!(len <= BOX, "a box of at most 4096 elements");
        let top = extent.iter().max().expect("three").next_power_of_two();
        let ends = |n: usize| if n > 1 { vec![0, n - 1] } else { vec![0] };
        let mut corners = Vec::new();
        for z in ends(extent[0]) {
            for y in ends(extent[1]) {
                for x in ends(extent[2]) {
                    corners.push((z * strides[0] + y * strides[1] + x) as u16);
                }
            }
        }
        corners.remove(0);
        let mut passes = Vec::new();
        let mut stride = top / 2;
        while stride > 0 {
            passes
                .extend(ODD.iter().filter_map(|odd| Pass::new(extent, strides, top, stride, *odd)));
            stride /= 2;
        }
        Order { len, corners, passes }
    }
}

/// The grid that an index along an axis of n elements belongs to: the ends to the coarsest.
fn level(index: usize, n: usize, top: usize) -> usize {
    if index == 0 || index == n - 1 { top } else { top.min(1 << index.trailing_zeros()) }
}

impl Pass {
    fn new(
        extent: [usize; 3],
        strides: [usize; 3],
        top: usize,
        stride: usize,
        odd: [bool; 3],
    ) -> Option<Self> {
        let indices: [Vec<usize>; 3] = std::array::from_fn(|axis| {
            let of = |i: &usize| {
                let level = level(*i, extent[axis], top);
                if odd[axis] { level == stride } else { level > stride }
            };
            (0..extent[axis]).filter(of).collect()
        });
        if indices.iter().any(Vec::is_empty) {
            return None;
        }
        let axes: Vec<usize> = (0..3).filter(|&axis| odd[axis]).collect();
        let mut pass = Pass {
            fine: stride == 1,
            around: extent.iter().filter(|&&n| n > 1).count() > 1,
            axes: axes.len(),
            distance: [0; 3],
            last: [0; 3],
            steps: Vec::new(),
            points: Vec::new(),
        };
        for (i, &axis) in axes.iter().enumerate() {
            let end = indices[axis].last().expect("not empty");
            pass.distance[i] = stride * strides[axis];
            pass.last[i] = (extent[axis] - 1 - end) * strides[axis];
        }
        let point = |at: [usize; 3]| {
            let mut edge = 0;
            for (i, &axis) in axes.iter().enumerate() {
                edge |= if stride == 1 {
                    ((at[axis] < 3) as u16) << (2 * i)
                        | ((at[axis] + 3 >= extent[axis]) as u16) << (2 * i + 1)
                } else {
                    ((at[axis] + stride >= extent[axis]) as u16) << i
                };
            }
            let at = at[0] * strides[0] + at[1] * strides[1] + at[2];
            Point { at: at as u16, edge }
        };
        if stride > 1 {
            let [planes, rows, columns] = &indices;
            let places = planes.iter().flat_map(|&z| {
                rows.iter().flat_map(move |&y| columns.iter().map(move |&x| [z, y, x]))
            });
            pass.flat(places.map(point));
        } else {
            pass.columns(extent, &indices, point);
        }
        Some(pass)
    }

    /// Points one after another, 32 a step.
    fn flat(&mut self, points: impl Iterator<Item = Point>) {
        let begin = self.points.len();
        self.points.extend(points);
        let added = self.points.len() - begin;
        self.steps.extend((0..added).step_by(LANES).map(|at| LANES.min(added - at) as u8));
    }

    /// The finest grid: whole groups of columns step along the slowest axis that is longer than 1, the rest
    /// is flat.
    fn columns(
        &mut self,
        extent: [usize; 3],
        [planes, rows, columns]: &[Vec<usize>; 3],
        point: impl Fn([usize; 3]) -> Point,
    ) {
        if extent[0] == 1 && extent[1] == 1 {
            return self.flat(columns.iter().map(|&x| point([0, 0, x])));
        }
        // Indices along and across, and that of x, as those of a point.
        type Place = fn(usize, usize, usize) -> [usize; 3];
        let (along, across, place): (_, _, Place) = if extent[0] > 1 {
            (planes, rows, |a, b, x| [a, b, x])
        } else {
            (rows, planes, |a, b, x| [b, a, x])
        };
        let all: Vec<(usize, usize)> =
            across.iter().flat_map(|&b| columns.iter().map(move |&x| (b, x))).collect();
        // The last element of an even extent is no two elements behind the one before.
        let even = match along[..] {
            [.., a, b] if b - a != 2 => along.len() - 1,
            _ => along.len(),
        };
        let mut grouped = 0;
        for group in all.chunks(LANES) {
            if group.len() < MIN_COLUMNS {
                break;
            }
            for &a in &along[..even] {
                self.points.extend(group.iter().map(|&(b, x)| point(place(a, b, x))));
                self.steps.push(group.len() as u8);
            }
            grouped += group.len();
        }
        let ends = along[even..].iter().flat_map(|&a| {
            let place = &place;
            all[..grouped].iter().map(move |&(b, x)| place(a, b, x))
        });
        let rest = all[grouped..].iter().flat_map(|&(b, x)| {
            let place = &place;
            along.iter().map(move |&a| place(a, b, x))
        });
        let flat: Vec<Point> = ends.chain(rest).map(point).collect();
        self.flat(flat.into_iter());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_comes_once_and_after_its_neighbours() {
        let mut shapes = vec![[1, 64, 64], [16, 16, 16], [1, 1, 4096], [1, 1, 1], [2, 2, 2]];
        for z in [1, 2, 3, 4, 5, 9, 15] {
            for y in [1, 2, 3, 8, 11, 16] {
                shapes.extend([1, 2, 3, 4, 6, 7, 13, 16].map(|x| [z, y, x]));
            }
        }
        for n in 1..64 {
            shapes.push([1, 64, n]);
            shapes.push([1, n, 63]);
        }
        for extent in shapes {
            let order = Order::new(extent);
            let mut known = vec![false; order.len];
            let mut take = |at: usize| assert!(!std::mem::replace(&mut known[at], true));
            take(0);
            order.corners.iter().for_each(|&c| take(c as usize));
            for pass in &order.passes {
                let points: usize = pass.steps.iter().map(|&n| n as usize).sum();
                assert_eq!(points, pass.points.len());
                for p in &pass.points {
                    for i in 0..pass.axes {
                        let clamped = !pass.fine && p.edge >> i & 1 == 1;
                        let right = if clamped { pass.last[i] } else { pass.distance[i] };
                        assert!(known[p.at as usize - pass.distance[i]], "{extent:?} {p:?}");
                        assert!(known[p.at as usize + right], "{extent:?} {p:?}");
                    }
                }
                for p in &pass.points {
                    assert!(!std::mem::replace(&mut known[p.at as usize], true));
                }
            }
            assert!(known.iter().all(|&k| k), "{extent:?}");
        }
    }
}
