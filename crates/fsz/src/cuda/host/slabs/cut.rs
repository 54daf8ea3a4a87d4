//! How a field is cut into slabs.

use std::ops::Range;

use crate::format::TileGrid;

/// Elements of a field that lie one after another, behind those of the slab before.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Slab {
    /// Elements of the field up to its end.
    pub end: u64,
    /// What holds them that does not hold elements of slabs before.
    pub chunks: Range<u64>,
}

/// Slabs of at most so many elements; of more where chunks reach over more, so that each is of chunks of its own.
pub(super) fn cut(grid: &TileGrid, shape: &[u64], most: u64) -> Vec<Slab> {
    let axes = grid.axes();
    let line = [grid.elements()];
    let shape = if grid.is_linear() { &line } else { shape };
    // Elements of chunks along an axis. Those before the last three have chunks of their own for each element.
    let chunk = |axis: usize| match shape[axis + 1..].iter().filter(|&&n| n != 1).count() {
        behind @ 0..3 if shape[axis] > 1 => axes.cell[3 - behind] * axes.extent[3 - behind],
        _ => 1,
    };
    let (mut axis, mut stride) = (0, shape[1..].iter().product::<u64>());
    while stride > most && chunk(axis) == 1 && axis + 1 < shape.len() {
        axis += 1;
        stride /= shape[axis];
    }
    let thick = (most / stride / chunk(axis)).max(1) * chunk(axis);
    let mut chunks = 0;
    let mut slab_to = |end: u64| {
        // No tile of it has a higher number than that of its last element, which is the last along each axis.
        let last = grid.locate(end - 1).0 / grid.tiles_per_chunk();
        let slab = Slab { end, chunks: chunks..last + 1 };
        chunks = last + 1;
        slab
    };
    let mut slabs = Vec::new();
    for outer in 0..shape[..axis].iter().product() {
        for first in (0..shape[axis]).step_by(thick as usize) {
            let behind = shape[axis].min(first + thick);
            slabs.push(slab_to((outer * shape[axis] + behind) * stride));
        }
    }
    slabs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dense, Layout, profile::Profile};

    fn check(shape: &[u64], layout: Layout, most: u64) -> Vec<Slab> {
        let what = format!("{shape:?} {layout:?} {most}");
        let profile = Profile::Dense(Dense::new().with_layout(layout));
        let grid = TileGrid::new(&profile, shape).expect("fits");
        let slabs = cut(&grid, shape, most);
        // The first element of each chunk and of those behind it.
        let mut first = vec![grid.elements(); grid.chunks() as usize + 1];
        for chunk in (0..grid.chunks()).rev() {
            let of = grid.chunk_tiles(chunk).flat_map(|tile| grid.runs(tile)).map(|(at, _)| at);
            first[chunk as usize] = of.min().expect("elements").min(first[chunk as usize + 1]);
        }
        let (mut end, mut chunks) = (0, 0);
        for slab in &slabs {
            assert!(slab.end > end && slab.chunks.start == chunks, "{what}");
            (end, chunks) = (slab.end, slab.chunks.end);
            assert!(chunks >= slab.chunks.start, "{what}");
            assert!(first[chunks as usize] >= end, "{what}: {chunks} chunks, {end} elements");
        }
        assert_eq!((end, chunks), (grid.elements(), grid.chunks()), "{what}");
        slabs
    }

    #[test]
    fn slabs_are_the_field_and_take_chunks_in_turn() {
        let shapes: [&[u64]; 8] = [
            &[1_000_003],
            &[1003, 997],
            &[100, 101, 102],
            &[1, 100, 1, 101, 102],
            &[3, 5, 40, 41, 42],
            &[7, 1, 9, 11_003],
            &[2, 2, 2, 2, 2, 2, 50, 60],
            &[2, 500_001],
        ];
        for shape in shapes {
            for layout in Layout::ALL {
                for most in [1, 4096, 100_000, 300_000, 1 << 30] {
                    check(shape, layout, most);
                }
            }
        }
    }

    #[test]
    fn a_large_field_has_slabs_of_the_size_asked() {
        for layout in Layout::ALL {
            let slabs = check(&[512, 512, 512], layout, 16 << 20);
            assert_eq!(slabs.len(), 8, "{layout:?}");
        }
    }
}
