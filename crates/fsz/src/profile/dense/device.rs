//! What a decoder on another device takes beside the chunks of a stream: the tables as slots, and the order of
//! its boxes as steps.

use super::{
    Predictor,
    order::{Grid, Order, Pass},
    predict::Rule,
    rans::{self, DecodingTables},
    tables::Tables,
};
use crate::{
    error::{Error, Result},
    format::{
        Axes,
        dense::{LANES, Taps},
    },
    profile::Profile,
    stream::Stream,
};

/// How the boxes of a stream of the profile `dense` are decoded, in words that a shader reads. The words are
/// no part of the format and may change with any release.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoxDecoding {
    /// Where the boxes lie.
    pub axes: Axes,
    /// log2 of the lattice points of a step.
    pub fine: u32,
    /// How much the nearest and the outer neighbours count in the finest grid, in sixteenths; `None` where
    /// the prediction is the mean of the nearest.
    pub weights: Option<(i32, i32)>,
    /// Whether the prediction of points that are odd along several axes is the Boolean sum of the means along
    /// each, whatever the weights.
    pub blended: bool,
    /// For each slot of each context the frequency of its symbol, the symbol, and the slot's place among those of
    /// the symbol: contexts of residuals, of differences, of flags.
    pub slots: Vec<u32>,
    /// The programs of the shapes that boxes have. The word of each shape tells where its program begins: bit
    /// i of a shape is set where boxes are cut short along axis i of the last three. A program is some numbers, its
    /// passes, and an entry a lane for each of its steps, of which the first is that of the corners.
    pub programs: Vec<u32>,
}

impl BoxDecoding {
    /// The bits of a slot that are the frequency.
    pub const SLOT_FREQUENCY: u32 = rans::SLOT_FREQUENCY;
    /// Where in a slot the symbol begins, of 8 bits.
    pub const SLOT_SYMBOL_SHIFT: u32 = rans::SLOT_SYMBOL_SHIFT;
    /// Where the place begins.
    pub const SLOT_PLACE_SHIFT: u32 = rans::SLOT_PLACE_SHIFT;
    /// Shapes of the boxes of a field.
    pub const SHAPES: u32 = 8;
    /// In a program: its passes, ...
    pub const PROGRAM_PASSES: u32 = 0;
    /// ... whether residuals tell of those around them, ...
    pub const PROGRAM_AROUND: u32 = 1;
    /// ... where its entries begin, ...
    pub const PROGRAM_ENTRIES: u32 = 2;
    /// ... and the first pass.
    pub const PROGRAM_LEN: u32 = 3;
    /// In a pass: its first step, ...
    pub const PASS_FIRST: u32 = 0;
    /// ... how many it has, ...
    pub const PASS_STEPS: u32 = 1;
    /// ... its odd axes, ...
    pub const PASS_AXES: u32 = 2;
    /// ... whether it is of the finest grid, ...
    pub const PASS_FINE: u32 = 3;
    /// ... elements to the neighbour along each odd axis, ...
    pub const PASS_DISTANCE: u32 = 4;
    /// ... elements to the box's last element, for points whose right neighbour that is, ...
    pub const PASS_LAST: u32 = 7;
    /// ... and the next pass.
    pub const PASS_LEN: u32 = 10;
    /// The bits of an entry that are a position in the box.
    pub const ENTRY_POSITION: u32 = 0xFFFF;
    /// Where the edges begin. In the finest grid bits 2i and 2i + 1: along the pass's axis i there is no outer
    /// neighbour to the left, to the right. In others bit i: the right neighbour is the box's last element.
    pub const ENTRY_EDGE_SHIFT: u32 = 16;
    /// The bit of a lane without a point: the entry is that of lane 0.
    pub const ENTRY_IDLE: u32 = 1 << 31;

    /// Those of a stream.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a stream of another profile, [`Error::Corrupt`] when its tables are damaged.
    pub fn of(stream: &Stream<'_>) -> Result<Self> {
        let Profile::Dense(dense) = stream.header().profile else {
            return Err(Error::unsupported("boxes in a stream of another profile than dense"));
        };
        // A field without elements has no tables.
        let slots = match stream.chunks() {
            0 => Vec::new(),
            _ => DecodingTables::new(&Tables::read(&stream.index().tables()?)?).slots,
        };
        let weights = match dense.choice.predictor {
            Predictor::Interpolation(taps) => Rule::Taps(taps).weights(),
            Predictor::Lorenzo => None,
        };
        let axes = stream.grid().axes();
        Ok(BoxDecoding {
            axes,
            fine: dense.choice.fine,
            weights: weights.map(|w| (w.near, w.far)),
            blended: dense.choice.predictor == Predictor::Interpolation(Taps::Blended),
            slots,
            programs: programs(&axes),
        })
    }
}

fn programs(axes: &Axes) -> Vec<u32> {
    let mut words = vec![0; BoxDecoding::SHAPES as usize];
    for shape in 0..BoxDecoding::SHAPES as usize {
        let extent: [usize; 3] = std::array::from_fn(|a| {
            let (all, full) = (axes.shape[a + 1], axes.extent[a + 1]);
            (if shape >> a & 1 == 1 { all % full } else { all.min(full) }) as usize
        });
        // Boxes that are not cut short along an axis are there only where one fits.
        let missing = |a: usize| shape >> a & 1 == 0 && axes.shape[a + 1] < axes.extent[a + 1];
        if extent.contains(&0) || (0..3).any(missing) {
            continue;
        }
        words[shape] = words.len() as u32;
        program(&Order::new(extent), extent, &mut words);
    }
    words
}

fn program(order: &Order, extent: [usize; 3], words: &mut Vec<u32>) {
    let passes = order.passes().count() as u32;
    let entries = words.len() as u32 + BoxDecoding::PROGRAM_LEN + BoxDecoding::PASS_LEN * passes;
    words.extend([passes, order.around() as u32, entries]);
    let mut first = 1;
    for (grid, pass) in order.passes() {
        let steps = pass.steps.len() as u32;
        words.extend([first, steps, pass.odd.count_ones(), grid.fine as u32]);
        let [distance, last] = neighbours(order, grid, pass, extent);
        words.extend(distance.into_iter().chain(last).map(|n| n as u32));
        first += steps;
    }
    step(&order.at[1..][..order.corners], |_| 0, words);
    for (grid, pass) in order.passes() {
        let mut points = &order.at[pass.first..][..pass.len];
        for &lanes in &pass.steps {
            let (own, others) = points.split_at(lanes as usize);
            step(own, |at| edge(grid, pass, extent, at), words);
            points = others;
        }
    }
}

/// The entries of a step.
fn step(points: &[u16], edge: impl Fn(u16) -> u32, words: &mut Vec<u32>) {
    let entry = |&at: &u16| at as u32 | edge(at) << BoxDecoding::ENTRY_EDGE_SHIFT;
    let idle = points.first().map_or(0, entry) | BoxDecoding::ENTRY_IDLE;
    words.extend(points.iter().map(entry).chain(std::iter::repeat(idle)).take(LANES));
}

/// Elements from an index to the next along each axis.
fn strides(extent: [usize; 3]) -> [usize; 3] {
    [extent[1] * extent[2], extent[2], 1]
}

/// The axes along which the points of a pass are odd.
fn odd_axes(pass: &Pass) -> impl Iterator<Item = usize> {
    (0..3).filter(|axis| pass.odd >> axis & 1 == 1)
}

/// The index of a position along an axis.
fn index(at: u16, axis: usize, extent: [usize; 3]) -> usize {
    at as usize / strides(extent)[axis] % extent[axis]
}

/// Elements to the neighbour along each odd axis, and to the box's last element from the last point of the
/// pass; in the finest grid both are the same.
fn neighbours(order: &Order, grid: &Grid, pass: &Pass, extent: [usize; 3]) -> [[usize; 3]; 2] {
    let points = &order.at[pass.first..][..pass.len];
    let [mut distance, mut last] = [[0; 3]; 2];
    for (i, axis) in odd_axes(pass).enumerate() {
        let stride = strides(extent)[axis];
        let end = points.iter().map(|&at| index(at, axis, extent)).max().expect("has points");
        distance[i] = grid.distance * stride;
        last[i] = if grid.fine { distance[i] } else { (extent[axis] - 1 - end) * stride };
    }
    [distance, last]
}

fn edge(grid: &Grid, pass: &Pass, extent: [usize; 3], at: u16) -> u32 {
    let edges = odd_axes(pass).enumerate().map(|(i, axis)| {
        let (own, n) = (index(at, axis, extent), extent[axis]);
        match grid.fine {
            true => ((own < 3) as u32 | ((own + 3 >= n) as u32) << 1) << (2 * i),
            false => ((own + grid.distance >= n) as u32) << i,
        }
    });
    edges.fold(0, |all, edge| all | edge)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element of a box but the first has one entry, in the box's program.
    #[test]
    fn programs_have_every_element_once() {
        for (shape, extent, shapes) in [
            ([1, 1, 1, 9000], [1, 1, 1, 4096], 2),
            ([2, 1, 128, 65], [1, 1, 64, 64], 2),
            ([1, 17, 33, 18], [1, 16, 16, 16], 8),
            ([1, 5, 32, 31], [1, 16, 16, 16], 2),
        ] {
            let axes = Axes { shape, counts: [1; 4], cell: [1; 4], extent };
            let words = programs(&axes);
            let at = |i: u32| words[i as usize];
            assert_eq!((0..8).filter(|&shape| at(shape) > 0).count(), shapes, "{shape:?}");
            for shape in (0..8).filter(|&shape| at(shape) > 0) {
                let len: u64 = (0..3)
                    .map(|a| match shape >> a & 1 {
                        1 => axes.shape[a + 1] % extent[a + 1],
                        _ => extent[a + 1],
                    })
                    .product();
                let program = at(shape);
                let passes = at(program + BoxDecoding::PROGRAM_PASSES);
                let entries = at(program + BoxDecoding::PROGRAM_ENTRIES);
                let behind = program + BoxDecoding::PROGRAM_LEN + BoxDecoding::PASS_LEN * passes;
                let last = behind - BoxDecoding::PASS_LEN;
                let steps = match passes {
                    0 => 1,
                    _ => at(last + BoxDecoding::PASS_FIRST) + at(last + BoxDecoding::PASS_STEPS),
                };
                let mut seen = vec![false; len as usize];
                for entry in &words[entries as usize..][..LANES * steps as usize] {
                    let place = &mut seen[(entry & BoxDecoding::ENTRY_POSITION) as usize];
                    let idle = entry & BoxDecoding::ENTRY_IDLE != 0;
                    assert!(idle || !std::mem::replace(place, true), "{shape:?}");
                }
                assert!(!seen[0] && seen[1..].iter().all(|&s| s), "{shape:?}");
            }
        }
    }
}
