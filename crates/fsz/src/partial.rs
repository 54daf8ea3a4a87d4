//! Decoding tiles and boxes of a field without the rest: unpack, integrate, dequantize, scatter.

use std::ops::Range;

use crate::{
    element::Element,
    error::{Error, Result},
    exec::Execution,
    format::{Touched, box_runs::run_in_box, geometry::element_count, tile_grid::TileShape},
    index::Index,
    profile::ChunkDecoder,
    selection::{Boxed, Selection},
    stream::Stream,
};

/// Reads chunks, one after another.
struct Reader<'a, T> {
    index: Index<'a>,
    decoder: Box<dyn ChunkDecoder<T> + 'a>,
    shapes: Vec<TileShape>,
}

impl<'a, T: Element> Reader<'a, T> {
    fn new(index: Index<'a>, tables: &[u32], run: Execution<'_>) -> Result<Self> {
        let decoder = index.header.profile.decoder(index.header.decoding(), tables, run.level)?;
        Ok(Reader { index, decoder, shapes: Vec::new() })
    }

    /// Decodes tiles of a chunk, counted within it, to `out`, tile by tile.
    fn tiles(&mut self, chunk: u64, tiles: Range<usize>, out: &mut [T]) -> Result<()> {
        self.decoder.load(self.index.chunk(chunk, &mut self.shapes)?)?;
        self.decoder.decode(tiles, out)
    }
}

/// Decodes a part of a field into `out`, which has exactly its elements.
pub(crate) fn decode<T: Element>(
    stream: &Stream<'_>,
    selection: &Selection<'_>,
    out: &mut [T],
    run: Execution<'_>,
) -> Result<()> {
    let shape = &stream.header().shape;
    match selection {
        Selection::Field if stream.grid().is_linear() => {
            tiles(stream, 0..stream.grid().tiles(), out, run)
        }
        Selection::Field => boxed(stream, (&vec![0; shape.len()], shape), out, run),
        Selection::Tiles(part) => tiles(stream, part.clone(), out, run),
        Selection::Box(part) => boxed(stream, *part, out, run),
    }
}

/// Decodes the tiles `tiles` into `out`, tile by tile.
fn tiles<T: Element>(
    stream: &Stream<'_>,
    tiles: Range<u64>,
    mut out: &mut [T],
    run: Execution<'_>,
) -> Result<()> {
    let index = stream.index();
    let grid = index.grid;
    if tiles.is_empty() {
        return Ok(());
    }
    // The pieces of the output, a chunk each; the first may begin in the middle of a chunk.
    let per_chunk = grid.tiles_per_chunk();
    let chunks = tiles.start / per_chunk..(tiles.end - 1) / per_chunk + 1;
    let pieces = chunks.clone().map(|chunk| {
        let all = grid.chunk_tiles(chunk);
        let own = tiles.start.max(all.start)..tiles.end.min(all.end);
        let (piece, rest) =
            std::mem::take(&mut out).split_at_mut(grid.len_of(own.clone()) as usize);
        out = rest;
        (chunk, (own.start - all.start) as usize..(own.end - all.start) as usize, piece)
    });
    let count = (chunks.end - chunks.start) as usize;
    let tables = index.tables()?;
    run.each(
        (count, pieces),
        || Reader::new(index, &tables, run),
        |reader, (chunk, tiles, out)| {
            reader.tiles(chunk, tiles, out)?;
            run.advance(size_of_val(out) as u64)
        },
    )
}

/// Checks that a box lies within a field; its number of elements.
pub(crate) fn check_box(shape: &[u64], start: &[u64], count: &[u64]) -> Result<u64> {
    let inside = start.len() == shape.len()
        && count.len() == shape.len()
        && shape
            .iter()
            .zip(start.iter().zip(count))
            .all(|(&n, (&s, &c))| s.checked_add(c).is_some_and(|end| end <= n));
    if !inside {
        return Err(Error::invalid(format!(
            "the box of {count:?} elements from {start:?} on is not inside a field of shape {shape:?}"
        )));
    }
    element_count(count).ok_or_else(|| Error::invalid("the box is too large"))
}

/// The slice at `index` of axis number `axis` (0 is the slowest) as a box: where it starts, and how many
/// elements it has along each axis.
///
/// # Errors
/// [`Error::InvalidArgument`] for a slice that a field of this shape does not have.
pub fn slice_box(shape: &[u64], axis: usize, index: u64) -> Result<(Vec<u64>, Vec<u64>)> {
    let Some(&side) = shape.get(axis) else {
        return Err(Error::invalid(match shape.len() {
            0 => "a field of one value, without axes, has no slices".to_owned(),
            dims => format!("axis {axis} of a field of {dims} dimensions: they are counted from 0"),
        }));
    };
    if index >= side {
        return Err(Error::invalid(format!(
            "slice {index} of an axis of {side} elements: they are counted from 0"
        )));
    }
    let (mut start, mut count) = (vec![0; shape.len()], shape.to_vec());
    (start[axis], count[axis]) = (index, 1);
    Ok((start, count))
}

/// Memory that threads write at places of their own.
struct Shared<T>(*mut T, usize);

// SAFETY: threads write through `copy` alone, no two of them at the same place.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    /// # Safety
    /// No other thread writes these places, and the memory is still borrowed.
    unsafe fn copy(&self, at: usize, from: &[T]) {
        assert!(at.checked_add(from.len()).is_some_and(|end| end <= self.1), "inside the output");
        // SAFETY: inside the memory, as was checked; the caller vouches for the rest.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), self.0.add(at), from.len()) }
    }
}

/// Decodes the box of `count` elements from `start` on into `out`.
fn boxed<T: Element>(
    stream: &Stream<'_>,
    (start, count): Boxed<'_>,
    out: &mut [T],
    run: Execution<'_>,
) -> Result<()> {
    let shape = &stream.header().shape;
    if out.is_empty() {
        return Ok(());
    }
    let whole = count == &shape[..];
    let index = stream.index();
    // More may be said to be touched than are: they are found as threads ask for them.
    let (most, touched) = (index.grid.most_touched(start, count), index.grid.touched(start, count));
    let shared = Shared(out.as_mut_ptr(), out.len());
    let tables = index.tables()?;
    let state = || Ok((Reader::new(index, &tables, run)?, Vec::new()));
    run.each((most as usize, touched), state, |(reader, elements), part| {
        let Touched { chunk, tiles } = part;
        let first = index.grid.chunk_tiles(chunk).start;
        reader.decoder.load(index.chunk(chunk, &mut reader.shapes)?)?;
        let mut bytes = 0;
        for tiles in tiles {
            elements
                .resize(reader.shapes[tiles.clone()].iter().map(|t| t.len()).sum(), T::default());
            reader.decoder.decode(tiles.clone(), elements)?;
            let mut rest = &elements[..];
            for tile in tiles {
                for field_run in index.grid.runs(first + tile as u64) {
                    let (own, after) = rest.split_at(field_run.1);
                    rest = after;
                    if whole {
                        // SAFETY: every element of the field is in one tile, which one thread decodes;
                        // `out` is borrowed until all threads have ended.
                        unsafe { shared.copy(field_run.0 as usize, own) }
                        bytes += size_of_val(own);
                        continue;
                    }
                    run_in_box(field_run, shape, start, count, |from, to, n| {
                        // SAFETY: as above.
                        unsafe { shared.copy(to, &own[from..from + n]) }
                        bytes += n * size_of::<T>();
                    });
                }
            }
        }
        run.advance(bytes as u64)
    })
}
