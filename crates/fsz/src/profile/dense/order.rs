//! The order of a box: its corners, then grids from coarse to fine, in steps of up to 32 points (FORMAT.md,
//! *Dense: order*), and where the values of each grid lie while a box is walked through.
//!
//! The points of a grid are kept by the axes along which they are odd: eight arrays of one form, so that the
//! neighbours of a point have its place in another array, or one a stride away.

use super::vector::WIDTH;
use crate::format::dense::{BOX, LANES, MIN_COLUMNS};

/// The axes along which points are odd, as bits: axis `a` (0 is the slowest) has bit `a`.
pub(super) type Odd = usize;

/// The sets of odd axes, as they follow each other within a grid.
const ODD: [Odd; 7] = [0b001, 0b010, 0b100, 0b011, 0b101, 0b110, 0b111];
/// Arrays of a grid.
pub(super) const ARRAYS: usize = 8;

/// The order of boxes of one shape.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub len: usize,
    /// Positions in the box, in C order, of the points as they are coded.
    pub at: Vec<u16>,
    /// Corners but for the first.
    pub corners: usize,
    /// Grids that have points, from coarse to fine.
    pub grids: Vec<Grid>,
}

/// The points on a level, and those on higher ones.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// The finest one, whose interpolation may be cubic.
    pub fine: bool,
    /// Elements from a point to its neighbours along an axis along which it is odd.
    pub distance: usize,
    pub axes: [Axis; 3],
    /// Numbers from a place to the next along each axis.
    pub strides: [usize; 3],
    /// Numbers of an array.
    pub size: usize,
    pub passes: Vec<Pass>,
}

/// The points of a grid along an axis: so many even ones, and so many odd ones, of which each lies behind an
/// even one.
///
/// Places are: one for what stands in for a neighbour before the first; the even points; and before the last
/// one, if no odd point is before it, one for a neighbour behind the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub even: usize,
    pub odd: usize,
}

/// Points of a grid that are odd along the same axes.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    pub odd: Odd,
    /// The number of its first point, as points are coded, and how many there are.
    pub first: usize,
    pub len: usize,
    pub runs: Vec<Run>,
    /// Behind the others: runs whose points are not coded one after another.
    pub apart: Vec<Run>,
    /// How far the numbers of the points of such a run are from each other.
    pub stride: usize,
    /// Points of each step.
    pub steps: Vec<u8>,
}

/// At most eight points that lie one after another in their array. What vectors change behind them is
/// changed again before it counts: by a later run of the pass, or as what stands in for a neighbour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The place of the first, and its number in the pass.
    pub place: u16,
    pub number: u16,
    pub len: u16,
}

impl Axis {
    /// Of a single point, which has no neighbours.
    const ONE: Axis = Axis { even: 1, odd: 0 };

    /// Places along the axis.
    pub fn places(self) -> usize {
        if self.even == 1 { 1 } else { self.odd + 4 }
    }

    /// The place of an even point.
    pub fn place(self, even: usize) -> usize {
        match even {
            _ if self.even == 1 => 0,
            last if last > self.odd => last + 2,
            _ => even + 1,
        }
    }

    /// Whether a point of the grid as a whole is odd, and its number among those.
    pub fn split(self, point: usize) -> (bool, usize) {
        if point > 2 * self.odd { (false, self.odd + 1) } else { (point % 2 == 1, point / 2) }
    }

    /// Points in all.
    pub fn points(self) -> usize {
        self.even + self.odd
    }
}

/// A point: its position in the box, and its place in its array.
type Point = (u16, usize);

impl Order {
    /// The order of a box of so many elements along each axis, slowest first; none is 0.
    pub fn new(extent: [usize; 3]) -> Self {
        let strides = [extent[1] * extent[2], extent[2], 1];
        let len = extent.iter().product();
        assert!(len <= BOX, "a box of at most 4096 elements");
        let top = extent.iter().max().expect("three").next_power_of_two();
        let ends = |n: usize| if n > 1 { vec![0, n - 1] } else { vec![0] };
        let mut at = Vec::with_capacity(len);
        for z in ends(extent[0]) {
            for y in ends(extent[1]) {
                at.extend(
                    ends(extent[2]).iter().map(|x| (z * strides[0] + y * strides[1] + x) as u16),
                );
            }
        }
        let corners = at.len() - 1;
        let mut grids = Vec::new();
        let mut stride = top / 2;
        while stride > 0 {
            grids.extend(Grid::new(extent, strides, stride, &mut at));
            stride /= 2;
        }
        assert_eq!(at.len(), len, "every point has its turn");
        Order { len, at, corners, grids }
    }

    /// What the elements of a box have, as its points are coded.
    pub fn arrange<E: Copy>(&self, elements: &[E], points: &mut [E]) {
        let elements = &elements[..self.len];
        for (&at, point) in self.at.iter().zip(points) {
            // SAFETY: positions are those of the box's elements.
            *point = unsafe { *elements.get_unchecked(at as usize) };
        }
    }

    /// The way back.
    pub fn restore<E: Copy>(&self, points: &[E], elements: &mut [E]) {
        let elements = &mut elements[..self.len];
        for (&at, &point) in self.at.iter().zip(points) {
            // SAFETY: positions are those of the box's elements.
            unsafe { *elements.get_unchecked_mut(at as usize) = point };
        }
    }

    /// All passes.
    pub fn passes(&self) -> impl Iterator<Item = (&Grid, &Pass)> {
        self.grids.iter().flat_map(|grid| grid.passes.iter().map(move |pass| (grid, pass)))
    }

    /// The box is longer than 1 along several axes: residuals tell of those around them.
    pub fn around(&self) -> bool {
        self.grids.first().is_some_and(|g| g.axes.iter().filter(|a| a.even > 1).count() > 1)
    }
}

impl Grid {
    /// The grid of this stride, whose points follow those in `at`; `None` if it adds none.
    fn new(
        extent: [usize; 3],
        box_strides: [usize; 3],
        stride: usize,
        at: &mut Vec<u16>,
    ) -> Option<Self> {
        let indices = extent.map(|n| {
            let mut even: Vec<usize> = (0..n).step_by(2 * stride).collect();
            if even.last() != Some(&(n - 1)) {
                even.push(n - 1);
            }
            [even, (stride..n - 1).step_by(2 * stride).collect()]
        });
        let axes = [0, 1, 2].map(|a| match extent[a] {
            1 => Axis::ONE,
            _ => Axis { even: indices[a][0].len(), odd: indices[a][1].len() },
        });
        // Vectors that begin inside of a slab may end behind it.
        let row = axes[2].places() + if extent[0] == 1 { WIDTH } else { 0 };
        let plane = axes[1].places() * row + WIDTH;
        let strides = [plane, row, 1];
        let size = axes[0].places() * plane;
        let (fine, distance, passes) = (stride == 1, stride, Vec::new());
        let mut grid = Grid { fine, distance, axes, strides, size, passes };
        for odd in ODD {
            // Points along an axis: index in the box, and place.
            let points = [0, 1, 2].map(|a| -> Vec<(usize, usize)> {
                let is_odd = odd >> a & 1 == 1;
                let place = |i| if is_odd { i + 1 } else { axes[a].place(i) };
                let own = indices[a][is_odd as usize].iter().enumerate();
                own.map(|(i, &index)| (index, place(i))).collect()
            });
            if points.iter().any(Vec::is_empty) {
                continue;
            }
            let point = |[z, y, x]: [(usize, usize); 3]| -> Point {
                let dot = |p: [usize; 3], s: [usize; 3]| p[0] * s[0] + p[1] * s[1] + p[2] * s[2];
                (dot([z.0, y.0, x.0], box_strides) as u16, dot([z.1, y.1, x.1], strides))
            };
            let mut pass = Pass {
                odd,
                first: at.len(),
                len: points.iter().map(Vec::len).product(),
                runs: Vec::new(),
                apart: Vec::new(),
                stride: 0,
                steps: Vec::new(),
            };
            if stride > 1 {
                let [planes, rows, columns] = &points;
                let places = planes.iter().flat_map(|&z| {
                    rows.iter().flat_map(move |&y| columns.iter().map(move |&x| [z, y, x]))
                });
                let points: Vec<Point> = places.map(point).collect();
                pass.run(&points, at);
                pass.flat();
            } else {
                pass.columns(extent, &points, point, at);
            }
            grid.passes.push(pass);
        }
        (!grid.passes.is_empty()).then_some(grid)
    }

    /// Places from a point that is odd along the axes of `odd` to the next along the `i`-th of them, and
    /// the array that holds its neighbours along it.
    pub fn neighbours(&self, odd: Odd) -> impl Iterator<Item = (usize, usize)> {
        let axes = (0..3).filter(move |a| odd >> a & 1 == 1);
        axes.map(move |a| (self.strides[a], (odd ^ 1 << a) * self.size))
    }

    /// Numbers of all arrays, and of what vectors reach behind them.
    pub fn room(&self) -> usize {
        ARRAYS * self.size + 2 * self.strides[0] + 2 * WIDTH
    }
}

/// Points, of which the first has this number and the next one's is `stride` from it.
fn runs(points: &[Point], number: usize, stride: usize) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (i, &(_, place)) in points.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if run.end() == place && (run.len as usize) < WIDTH => run.len += 1,
            _ => {
                let number = (number + i * stride) as u16;
                runs.push(Run { place: place as u16, number, len: 1 });
            }
        }
    }
    runs
}

impl Run {
    fn end(self) -> usize {
        (self.place + self.len) as usize
    }
}

impl Pass {
    /// Points that are coded one after another.
    fn run(&mut self, points: &[Point], at: &mut Vec<u16>) {
        let number = at.len() - self.first;
        self.runs.extend(runs(points, number, 1));
        at.extend(points.iter().map(|p| p.0));
    }

    /// The points that are in no step yet: 32 a step.
    fn flat(&mut self) {
        let stepped: usize = self.steps.iter().map(|&n| n as usize).sum();
        let left = self.len - stepped;
        self.steps.extend((0..left).step_by(LANES).map(|i| (left - i).min(LANES) as u8));
    }

    /// The finest grid: whole groups of columns step along the slowest axis that is longer than 1, the rest
    /// is flat.
    fn columns(
        &mut self,
        extent: [usize; 3],
        [planes, rows, columns]: &[Vec<(usize, usize)>; 3],
        point: impl Fn([(usize, usize); 3]) -> Point,
        at: &mut Vec<u16>,
    ) {
        type Place = (usize, usize);
        if extent[0] == 1 && extent[1] == 1 {
            let points: Vec<Point> =
                columns.iter().map(|&x| point([planes[0], rows[0], x])).collect();
            self.run(&points, at);
            return self.flat();
        }
        // Indices along and across, and that of x, as those of a point.
        type Turn = fn(Place, Place, Place) -> [Place; 3];
        let (along, across, turn): (_, _, Turn) = if extent[0] > 1 {
            (planes, rows, |a, b, x| [a, b, x])
        } else {
            (rows, planes, |a, b, x| [b, a, x])
        };
        let all: Vec<(Place, Place)> =
            across.iter().flat_map(|&b| columns.iter().map(move |&x| (b, x))).collect();
        // The last element of an even extent is no two elements behind the one before.
        let even = match along[..] {
            [.., a, b] if b.0 - a.0 != 2 => along.len() - 1,
            _ => along.len(),
        };
        let slab = |a: Place, columns: &[(Place, Place)]| -> Vec<Point> {
            columns.iter().map(|&(b, x)| point(turn(a, b, x))).collect()
        };
        let mut grouped = 0;
        for group in all.chunks(LANES) {
            if group.len() < MIN_COLUMNS {
                break;
            }
            for &a in &along[..even] {
                self.run(&slab(a, group), at);
                self.steps.push(group.len() as u8);
            }
            grouped += group.len();
        }
        for &a in &along[even..] {
            self.run(&slab(a, &all[..grouped]), at);
        }
        // The other columns one after another; their points lie beside each other across.
        let first = at.len() - self.first;
        let rest = &all[grouped..];
        self.stride = along.len();
        for (i, &a) in along.iter().enumerate() {
            self.apart.extend(runs(&slab(a, rest), first + i, along.len()));
        }
        for &(b, x) in rest {
            at.extend(along.iter().map(|&a| point(turn(a, b, x)).0));
        }
        self.flat();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_comes_once() {
        for extent in
            [[1, 64, 64], [16, 16, 16], [1, 1, 4096], [1, 1, 1], [2, 2, 2], [15, 3, 7], [1, 63, 5]]
        {
            let order = Order::new(extent);
            let mut at: Vec<usize> = order.at.iter().map(|&at| at as usize).collect();
            at.sort_unstable();
            assert!(at.into_iter().eq(0..order.len), "{extent:?}");
            for (grid, pass) in order.passes() {
                let steps: usize = pass.steps.iter().map(|&n| n as usize).sum();
                let mut places: Vec<u16> = Vec::new();
                for run in pass.runs.iter().chain(&pass.apart) {
                    places.extend(run.place..run.place + run.len);
                }
                assert_eq!((steps, places.len()), (pass.len, pass.len), "{extent:?}");
                places.sort_unstable();
                assert!(places.windows(2).all(|p| p[0] < p[1]), "{extent:?}");
                assert!(places.iter().all(|&p| (p as usize) < grid.size), "{extent:?}");
            }
        }
    }
}
