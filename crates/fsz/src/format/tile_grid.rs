//! Where the tiles of a field lie: gather and scatter (FORMAT.md, *Gather*).

use std::{iter, ops::Range};

use super::{
    box_runs::{Run, rows_of_box},
    geometry::element_count,
    profile::{Profile, TileOrder},
};

/// The tiles of a field of some shape. What it tells of tiles, chunks and elements that the field does not have means nothing,
/// and may be a panic.
#[derive(Clone, Debug)]
pub struct TileGrid {
    order: Order,
    shape: Vec<u64>,
    elements: u64,
    tiles: u64,
    tiles_per_chunk: u64,
}

#[derive(Clone, Debug, PartialEq)]
enum Order {
    /// Elements of a tile.
    Linear(u64),
    Boxes(Boxes),
}

/// Boxes along the last three axes that are longer than 1; those before count as one.
#[derive(Clone, Debug, PartialEq)]
struct Boxes {
    /// Elements and boxes along each of the four axes.
    shape: [u64; 4],
    counts: [u64; 4],
    extent: [u64; 4],
    /// Boxes of a cell, whose numbers follow each other.
    cell: [u64; 4],
}

/// Tiles as boxes along four axes, the first of which has one element a box (FORMAT.md, *Gather*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Axes {
    /// Elements along each axis.
    pub shape: [u64; 4],
    /// Tiles along each.
    pub counts: [u64; 4],
    /// Tiles of a cell along each.
    pub cell: [u64; 4],
    /// Elements of a tile along each.
    pub extent: [u64; 4],
}

/// Elements of a tile along the axes of its box, slowest first; of consecutive elements the last tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileShape(pub [u32; 3]);

impl TileShape {
    /// Elements of the tile.
    pub fn len(self) -> usize {
        self.0.iter().map(|&n| n as usize).product()
    }
}

/// The tiles of one chunk that hold a part of a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The chunk's number.
    pub chunk: u64,
    /// Its tiles, counted within it, in rising ranges.
    pub tiles: Vec<Range<usize>>,
}

impl TileGrid {
    /// `None` when the number of elements overflows 64 bits.
    pub(crate) fn new(profile: &Profile, shape: &[u64]) -> Option<Self> {
        let elements = element_count(shape)?;
        let tile_len = profile.tile_len() as u64;
        let (order, tiles) = match profile.order() {
            TileOrder::Linear => (Order::Linear(tile_len), elements.div_ceil(tile_len)),
            TileOrder::Boxes(extent) => {
                let boxes = Boxes::new(shape, extent, profile.chunk_tiles() as u64);
                let tiles = if elements == 0 { 0 } else { boxes.counts.iter().product() };
                (Order::Boxes(boxes), tiles)
            }
        };
        let tiles_per_chunk = profile.chunk_tiles() as u64;
        Some(TileGrid { order, shape: shape.to_vec(), elements, tiles, tiles_per_chunk })
    }

    /// The tiles of a field where they are consecutive elements, as in the profile `paper`. `None` when the number
    /// of elements overflows 64 bits.
    pub fn linear(shape: &[u64]) -> Option<Self> {
        TileGrid::new(&Profile::default(), shape)
    }

    /// Elements of the field.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Tiles of the field.
    pub fn tiles(&self) -> u64 {
        self.tiles
    }

    /// Chunks of the field.
    pub fn chunks(&self) -> u64 {
        self.tiles.div_ceil(self.tiles_per_chunk)
    }

    /// Tiles of a chunk; the last one may have fewer.
    pub fn tiles_per_chunk(&self) -> u64 {
        self.tiles_per_chunk
    }

    /// The tiles of a chunk.
    pub fn chunk_tiles(&self, chunk: u64) -> Range<u64> {
        let begin = chunk * self.tiles_per_chunk;
        begin..(begin + self.tiles_per_chunk).min(self.tiles)
    }

    /// How many chunks at the beginning have all their elements among so many first ones of the field, in C order; some
    /// more may have them, too.
    #[cfg(feature = "cuda")]
    pub(crate) fn chunks_within(&self, elements: u64) -> u64 {
        let (mut within, mut beyond) = (0, self.chunks() + 1);
        while beyond - within > 1 {
            let chunks = within.midpoint(beyond);
            let last = self.chunk_tiles(chunks - 1).end - 1;
            if self.end_of(last) <= elements {
                within = chunks;
            } else {
                beyond = chunks;
            }
        }
        within
    }

    /// So many first elements of the field hold those of a tile and of all before it.
    #[cfg(feature = "cuda")]
    fn end_of(&self, tile: u64) -> u64 {
        match &self.order {
            Order::Linear(len) => self.elements.min((tile + 1) * len),
            Order::Boxes(boxes) => boxes.end_of(tile),
        }
    }

    /// Elements of a tile.
    pub fn tile_len(&self, tile: u64) -> usize {
        match &self.order {
            Order::Linear(len) => (*len).min(self.elements - tile * len) as usize,
            Order::Boxes(boxes) => boxes.counts_of(tile).iter().product::<u64>() as usize,
        }
    }

    /// Elements of a tile that no end of the field cuts short.
    pub fn full_tile_len(&self) -> usize {
        match &self.order {
            Order::Linear(len) => *len as usize,
            Order::Boxes(boxes) => boxes.extent.iter().product::<u64>() as usize,
        }
    }

    /// Elements of some tiles together.
    pub fn len_of(&self, tiles: Range<u64>) -> u64 {
        match &self.order {
            Order::Linear(len) => {
                (tiles.end * len).min(self.elements) - (tiles.start * len).min(self.elements)
            }
            Order::Boxes(_) => tiles.map(|tile| self.tile_len(tile) as u64).sum(),
        }
    }

    /// The tile that holds the element at `index` in C order, and its position in the tile.
    pub fn locate(&self, index: u64) -> (u64, usize) {
        match &self.order {
            Order::Linear(len) => (index / len, (index % len) as usize),
            Order::Boxes(boxes) => boxes.locate(index),
        }
    }

    /// The elements of a tile in its order, as runs of consecutive elements of the field.
    pub fn runs(&self, tile: u64) -> impl Iterator<Item = Run> + use<'_> {
        let (linear, boxed) = match &self.order {
            Order::Linear(len) => (Some((tile * len, self.tile_len(tile))), None),
            Order::Boxes(boxes) => (None, Some(boxes.rows(tile))),
        };
        linear.into_iter().chain(boxed.into_iter().flatten())
    }

    /// The tiles as boxes; consecutive elements are boxes along one axis.
    pub fn axes(&self) -> Axes {
        match &self.order {
            Order::Linear(len) => Axes {
                shape: [1, 1, 1, self.elements],
                counts: [1, 1, 1, self.tiles],
                cell: [1, 1, 1, self.tiles_per_chunk],
                extent: [1, 1, 1, *len],
            },
            Order::Boxes(Boxes { shape, counts, extent, cell }) => {
                Axes { shape: *shape, counts: *counts, cell: *cell, extent: *extent }
            }
        }
    }

    /// Whether tiles are consecutive elements, one tile behind the other.
    pub fn is_linear(&self) -> bool {
        matches!(self.order, Order::Linear(_))
    }

    /// The elements of a chunk of the field `data`, tile by tile: where they lie one after another, those of
    /// the field, else in `room`.
    pub(crate) fn gather<'a, T: Copy>(
        &self,
        data: &'a [T],
        chunk: u64,
        shapes: &mut Vec<TileShape>,
        room: &'a mut Vec<T>,
    ) -> &'a [T] {
        let tiles = self.chunk_tiles(chunk);
        self.shapes(tiles.clone(), shapes);
        match &self.order {
            Order::Linear(tile_len) => {
                let begin = (tiles.start * tile_len) as usize;
                let len: usize = shapes.iter().map(|s| s.len()).sum();
                &data[begin..begin + len]
            }
            Order::Boxes(boxes) => {
                room.clear();
                for (begin, len) in tiles.flat_map(|tile| boxes.rows(tile)) {
                    append(room, &data[begin as usize..begin as usize + len]);
                }
                room
            }
        }
    }

    /// The elements of one tile of the field `data`, and its shape.
    pub(crate) fn gather_tile<T: Copy>(
        &self,
        data: &[T],
        tile: u64,
        out: &mut Vec<T>,
    ) -> TileShape {
        out.clear();
        for (begin, len) in self.runs(tile) {
            append(out, &data[begin as usize..begin as usize + len]);
        }
        self.shape_of(tile)
    }

    /// Whether the tiles of another grid of the same field are the same.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.order == other.order
    }

    /// The shape of a tile.
    pub(crate) fn shape_of(&self, tile: u64) -> TileShape {
        match &self.order {
            Order::Linear(_) => TileShape([1, 1, self.tile_len(tile) as u32]),
            Order::Boxes(boxes) => {
                let [_, sides @ ..] = boxes.counts_of(tile).map(|n| n as u32);
                TileShape(sides)
            }
        }
    }

    /// The shapes of some tiles.
    pub(crate) fn shapes(&self, tiles: Range<u64>, shapes: &mut Vec<TileShape>) {
        shapes.clear();
        shapes.extend(tiles.map(|tile| self.shape_of(tile)));
    }

    /// The tiles that hold a part of the box of `count` elements from `start` on, by chunk, rising; of a box without
    /// elements, none.
    pub(crate) fn touched<'a>(
        &'a self,
        start: &[u64],
        count: &[u64],
    ) -> Box<dyn Iterator<Item = Touched> + Send + 'a> {
        match &self.order {
            _ if count.contains(&0) => Box::new(iter::empty()),
            Order::Linear(len) => {
                let rows = rows_of_box(&self.shape, start, count);
                self.by_chunk(
                    rows.map(move |(begin, n)| begin / len..(begin + n as u64 - 1) / len + 1),
                )
            }
            Order::Boxes(_) if count == self.shape => self.by_chunk(iter::once(0..self.tiles)),
            Order::Boxes(boxes) => {
                let mut tiles = boxes.touched(&self.shape, start, count);
                tiles.sort_unstable();
                self.by_chunk(tiles.into_iter().map(|tile| tile..tile + 1))
            }
        }
    }

    /// Ranges of tiles, which rise and are not empty, by chunk.
    fn by_chunk<'a>(
        &'a self,
        mut tiles: impl Iterator<Item = Range<u64>> + Send + 'a,
    ) -> Box<dyn Iterator<Item = Touched> + Send + 'a> {
        let mut next = tiles.next();
        Box::new(iter::from_fn(move || {
            let chunk = next.as_ref()?.start / self.tiles_per_chunk;
            let (own, mut touched) = (self.chunk_tiles(chunk), Vec::<Range<usize>>::new());
            while let Some(all) = next.take_if(|all| all.start < own.end) {
                let (first, end) = (all.start.max(own.start), all.end.min(own.end));
                let within = (first - own.start) as usize..(end - own.start) as usize;
                match touched.last_mut() {
                    Some(last) if within.start <= last.end => last.end = last.end.max(within.end),
                    _ => touched.push(within),
                }
                next = if all.end > own.end { Some(own.end..all.end) } else { tiles.next() };
            }
            Some(Touched { chunk, tiles: touched })
        }))
    }

    /// No more chunks than this hold a part of the box.
    pub(crate) fn most_touched(&self, start: &[u64], count: &[u64]) -> u64 {
        match &self.order {
            _ if count.contains(&0) => 0,
            Order::Linear(len) => {
                let sides = start.iter().zip(count).zip(&self.shape);
                let (first, last) = sides.fold((0, 0), |(first, last), ((start, count), n)| {
                    (first * n + start, last * n + start + count - 1)
                });
                let chunk = |element: u64| element / len / self.tiles_per_chunk;
                chunk(last) - chunk(first) + 1
            }
            Order::Boxes(boxes) => {
                let (lead, planes) = boxes.ranges(&self.shape, start, count);
                let sides = planes.iter().map(|side| side.end - side.start);
                (lead.len() as u64 * sides.product::<u64>()).min(self.chunks())
            }
        }
    }
}

impl Boxes {
    fn new(shape: &[u64], extent: [u32; 3], chunk_tiles: u64) -> Self {
        let long: Vec<u64> = shape.iter().copied().filter(|&n| n != 1).collect();
        let (lead, last) = long.split_at(long.len().saturating_sub(3));
        let mut four = [1; 4];
        // Only of a field without elements that overflows, and none of its boxes counts.
        four[0] = element_count(lead).unwrap_or(0);
        four[4 - last.len()..].copy_from_slice(last);
        let extent = [1, extent[0] as u64, extent[1] as u64, extent[2] as u64];
        let counts: [u64; 4] = std::array::from_fn(|a| four[a].div_ceil(extent[a]));
        Boxes { shape: four, counts, extent, cell: cell(counts, chunk_tiles) }
    }

    /// Boxes before those of the same cell, cells before it along an axis taken as whole: for each axis the
    /// boxes of a slab one cell thick, `thick` being the cell's boxes along the axes before.
    fn slab(&self, axis: usize, thick: &[u64; 4]) -> u64 {
        let before: u64 = thick[..axis].iter().product();
        let behind: u64 = self.counts[axis + 1..].iter().product();
        before * self.cell[axis] * behind
    }

    /// The number of a box.
    fn number(&self, at: [u64; 4]) -> u64 {
        let (mut tile, mut thick) = (0, [1; 4]);
        for a in 0..4 {
            let cell = at[a] / self.cell[a];
            tile += cell * self.slab(a, &thick);
            thick[a] = self.cell[a].min(self.counts[a] - cell * self.cell[a]);
        }
        tile + (0..4).fold(0, |n, a| n * thick[a] + at[a] % self.cell[a])
    }

    /// The place of a tile among the boxes.
    fn position(&self, mut tile: u64) -> [u64; 4] {
        let (mut at, mut thick) = ([0; 4], [1; 4]);
        for a in 0..4 {
            let slab = self.slab(a, &thick);
            at[a] = tile / slab * self.cell[a];
            tile %= slab;
            thick[a] = self.cell[a].min(self.counts[a] - at[a]);
        }
        for a in (0..4).rev() {
            at[a] += tile % thick[a];
            tile /= thick[a];
        }
        at
    }

    /// So many first elements of the field hold those of a tile and of all before it: up to the last element of its cell.
    #[cfg(feature = "cuda")]
    fn end_of(&self, tile: u64) -> u64 {
        let at = self.position(tile);
        let end: [u64; 4] = std::array::from_fn(|a| {
            let cells = at[a] / self.cell[a] + 1;
            self.shape[a].min(cells * self.cell[a] * self.extent[a])
        });
        ((at[0] * self.shape[1] + end[1] - 1) * self.shape[2] + end[2] - 1) * self.shape[3] + end[3]
    }

    /// The tiles that hold a part of a box of the field.
    fn touched(&self, shape: &[u64], start: &[u64], count: &[u64]) -> Vec<u64> {
        let (lead, [planes, rows, columns]) = self.ranges(shape, start, count);
        let mut tiles = Vec::new();
        for outer in lead {
            for z in planes.clone() {
                for y in rows.clone() {
                    tiles.extend(columns.clone().map(|x| self.number([outer, z, y, x])));
                }
            }
        }
        tiles
    }

    /// The tiles that hold a part of a box: by the numbers of its leading elements, and along the last three axes.
    fn ranges(&self, shape: &[u64], start: &[u64], count: &[u64]) -> (Vec<u64>, [Range<u64>; 3]) {
        let (lead, start, count) = self.reduce(shape, start, count);
        let range = |a: usize| {
            let extent = self.extent[a + 1];
            start[a] / extent..(start[a] + count[a] - 1) / extent + 1
        };
        (lead, std::array::from_fn(range))
    }

    /// Elements of a tile along each axis.
    fn counts_of(&self, tile: u64) -> [u64; 4] {
        let at = self.position(tile);
        std::array::from_fn(|a| self.extent[a].min(self.shape[a] - at[a] * self.extent[a]))
    }

    fn locate(&self, mut index: u64) -> (u64, usize) {
        let mut at = [0; 4];
        for a in (0..4).rev() {
            at[a] = index % self.shape[a];
            index /= self.shape[a];
        }
        let tile = self.number(std::array::from_fn(|a| at[a] / self.extent[a]));
        let counts = self.counts_of(tile);
        let position = (0..4).fold(0, |n, a| n * counts[a] + at[a] % self.extent[a]);
        (tile, position as usize)
    }

    fn rows(&self, tile: u64) -> impl Iterator<Item = Run> + use<> {
        let (at, counts) = (self.position(tile), self.counts_of(tile));
        let begin: [u64; 4] = std::array::from_fn(|a| at[a] * self.extent[a]);
        let shape = self.shape;
        (0..counts[1]).flat_map(move |z| {
            (0..counts[2]).map(move |y| {
                let row = (begin[0] * shape[1] + begin[1] + z) * shape[2] + begin[2] + y;
                (row * shape[3] + begin[3], counts[3] as usize)
            })
        })
    }

    /// A box as the numbers of its leading elements, and start and count along the last three axes; axes of
    /// one element are left out.
    fn reduce(
        &self,
        shape: &[u64],
        start: &[u64],
        count: &[u64],
    ) -> (Vec<u64>, [u64; 3], [u64; 3]) {
        let long = |numbers: &[u64]| -> Vec<u64> {
            shape.iter().zip(numbers).filter(|(n, _)| **n != 1).map(|(_, &k)| k).collect()
        };
        let (shape, start, count) = (long(shape), long(start), long(count));
        let lead = shape.len().saturating_sub(3);
        let leading = rows_of_box(&shape[..lead], &start[..lead], &count[..lead])
            .flat_map(|(begin, n)| begin..begin + n as u64)
            .collect();
        let (mut from, mut n) = ([0; 3], [1; 3]);
        let own = shape.len() - lead;
        from[3 - own..].copy_from_slice(&start[lead..]);
        n[3 - own..].copy_from_slice(&count[lead..]);
        (leading, from, n)
    }
}

/// Appends a row, whole pieces of 16 elements without a call.
#[inline(always)]
fn append<T: Copy>(out: &mut Vec<T>, row: &[T]) {
    let (pieces, rest) = row.as_chunks::<16>();
    pieces.iter().for_each(|piece| out.extend_from_slice(piece));
    out.extend_from_slice(rest);
}

/// The boxes of a cell along each axis: those of a chunk lie together, so that a plane along any axis
/// touches few chunks. Doubled along the axis that has the most boxes for each box of the cell.
fn cell(counts: [u64; 4], chunk_tiles: u64) -> [u64; 4] {
    let mut cell = [1; 4];
    while cell.iter().product::<u64>() < chunk_tiles {
        let cells =
            |a: &usize| counts[*a] as u128 * (cell[1] * cell[2] * cell[3] / cell[*a]) as u128;
        let most = (1..4).rev().max_by_key(cells).expect("three axes");
        cell[most] *= 2;
    }
    cell
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use crate::format::dense::Layout;
    use crate::profile::dense::Dense;

    /// Where all of some chunks' elements end, found tile by tile.
    fn end_of_chunks(grid: &TileGrid, chunks: u64) -> u64 {
        let tiles = (0..chunks).flat_map(|chunk| grid.chunk_tiles(chunk));
        let ends = tiles.flat_map(|tile| grid.runs(tile)).map(|(begin, len)| begin + len as u64);
        ends.max().unwrap_or(0)
    }

    #[test]
    fn touched_tiles_are_those_with_elements_of_the_box() {
        let boxes: [[&[u64]; 3]; 7] = [
            [&[70_001], &[4_000], &[60_000]],
            [&[301, 333], &[17, 100], &[200, 150]],
            [&[40, 60, 70], &[3, 5, 60], &[30, 1, 10]],
            [&[40, 60, 70], &[0, 0, 0], &[40, 60, 70]],
            [&[3, 40, 50, 60], &[1, 20, 0, 0], &[2, 3, 50, 60]],
            [&[40, 60, 70], &[3, 5, 60], &[30, 0, 10]],
            [&[], &[], &[]],
        ];
        let dense = |layout| Profile::Dense(Dense::new().with_layout(layout));
        let profiles = Layout::ALL.map(dense).into_iter().chain([Profile::default()]);
        for (profile, [shape, start, count]) in
            profiles.flat_map(|profile| boxes.map(|own| (profile, own)))
        {
            let grid = TileGrid::new(&profile, shape).expect("a field");
            let rows = rows_of_box(shape, start, count);
            let elements = rows.flat_map(|(first, n)| first..first + n as u64);
            let tiles = std::collections::BTreeSet::from_iter(elements.map(|i| grid.locate(i).0));
            let touched = Vec::from_iter(grid.touched(start, count));
            assert!(touched.is_sorted_by(|a, b| a.chunk < b.chunk));
            let of_chunk = |touched: &Touched| {
                let first = grid.chunk_tiles(touched.chunk).start;
                assert!(touched.tiles.is_sorted_by(|a, b| a.end < b.start));
                let tiles = touched.tiles.clone().into_iter().flatten();
                tiles.map(move |tile| first + tile as u64)
            };
            let found = Vec::from_iter(touched.iter().flat_map(of_chunk));
            assert_eq!(found, Vec::from_iter(tiles), "{profile:?} {shape:?} {start:?} {count:?}");
            let most = grid.most_touched(start, count);
            assert!((touched.len() as u64..=grid.chunks()).contains(&most), "{most}");
        }
    }

    #[test]
    fn chunks_within_the_first_elements_are_whole() {
        let shapes: [&[u64]; 7] = [
            &[70_001],
            &[301, 333],
            &[40, 60, 70],
            &[3, 40, 50, 60],
            &[2, 3, 9, 17, 131],
            &[1, 5000, 1, 33],
            &[0, 7],
        ];
        for layout in Layout::ALL {
            for shape in shapes {
                let profile = Profile::Dense(Dense::new().with_layout(layout));
                let grid = TileGrid::new(&profile, shape).expect("a field");
                let what = format!("{layout:?} {shape:?}");
                assert_eq!(grid.chunks_within(grid.elements()), grid.chunks(), "{what}");
                let mut before = 0;
                for elements in (0..grid.elements()).step_by(997) {
                    let within = grid.chunks_within(elements);
                    assert!(end_of_chunks(&grid, within) <= elements, "{what}: {elements}");
                    assert!(within >= before, "{what}: {elements}");
                    before = within;
                }
                // Most of a large field is not kept waiting for its end.
                let most = grid.chunks_within(grid.elements() * 9 / 10);
                let far = grid.chunks() > 12 && shape[0] > 12;
                assert!(!far || most * 2 >= grid.chunks(), "{what}: {most} of {}", grid.chunks());
            }
        }
    }
}
