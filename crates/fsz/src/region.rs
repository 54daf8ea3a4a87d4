//! Decoding a part of a field: tiles, a box, a slice, without the rest.

use rayon::prelude::*;

use crate::{
    decode::{Decoder, Workspace},
    element::Element,
    error::{Error, Result},
    geometry::{CHUNK_ELEMENTS, MAX_TILE, element_count},
    index::Index,
    place::Run,
    stream::Stream,
};

/// Rows of a box that one thread takes at a time.
const ROWS: usize = 64;

/// Decodes the tiles `tiles` into `out`.
pub(crate) fn tiles<T: Element>(
    stream: &Stream<'_>,
    tiles: std::ops::Range<u64>,
    out: &mut [T],
    run: Run<'_>,
) -> Result<()> {
    let index = stream.index();
    let per_chunk = index.header.geometry.tiles_per_chunk() as u64;
    let tile_len = index.header.geometry.tile_len() as u64;
    let decoder = Decoder::new(index.header, run.level);
    if tiles.is_empty() {
        return Ok(());
    }
    // The first piece may begin in the middle of a chunk.
    let head = ((per_chunk - tiles.start % per_chunk) * tile_len).min(out.len() as u64) as usize;
    let (first, rest) = out.split_at_mut(head);
    let first_chunk = tiles.start / per_chunk;
    let decode = |work: &mut Workspace<T>, chunk: u64, from: u64, out: &mut [T]| {
        let count = (out.len() as u64).div_ceil(tile_len);
        decoder.chunk(&index, chunk, from as usize..(from + count) as usize, out, work)?;
        run.advance(size_of_val(out) as u64)
    };
    decode(&mut Workspace::new(), first_chunk, tiles.start % per_chunk, first)?;
    let len = CHUNK_ELEMENTS as usize;
    if run.parallel {
        rest.par_chunks_mut(len).enumerate().try_for_each_init(Workspace::new, |work, (i, out)| {
            decode(work, first_chunk + 1 + i as u64, 0, out)
        })
    } else {
        let mut work = Workspace::new();
        rest.chunks_mut(len)
            .enumerate()
            .try_for_each(|(i, out)| decode(&mut work, first_chunk + 1 + i as u64, 0, out))
    }
}

/// A box within a field, as rows of consecutive elements.
struct Rows {
    /// Axes of the field that a row does not span: counts, and distances in elements.
    counts: Vec<u64>,
    strides: Vec<u64>,
    first: u64,
    len: usize,
}

impl Rows {
    fn new(shape: &[u64], start: &[u64], count: &[u64]) -> Self {
        let mut stride = 1;
        let mut strides = vec![0; shape.len()];
        for axis in (0..shape.len()).rev() {
            strides[axis] = stride;
            stride *= shape[axis];
        }
        let first = start.iter().zip(&strides).map(|(s, stride)| s * stride).sum();
        // A row takes in every axis behind the first that the box does not fill.
        let mut axes = shape.len();
        let mut len = 1;
        while axes > 0 {
            axes -= 1;
            len *= count[axes];
            if count[axes] != shape[axes] {
                break;
            }
        }
        Rows {
            counts: count[..axes].to_vec(),
            strides: strides[..axes].to_vec(),
            first,
            len: len as usize,
        }
    }

    /// The field's element at which row `row` begins.
    fn begin(&self, mut row: u64) -> u64 {
        let mut at = self.first;
        for (count, stride) in self.counts.iter().zip(&self.strides).rev() {
            at += row % count * stride;
            row /= count;
        }
        at
    }
}

/// Decodes the box of `count` elements from `start` on into `out`.
pub(crate) fn boxed<T: Element>(
    stream: &Stream<'_>,
    start: &[u64],
    count: &[u64],
    out: &mut [T],
    run: Run<'_>,
) -> Result<()> {
    let shape = &stream.header().shape;
    check_box(shape, start, count)?;
    if out.is_empty() {
        return Ok(());
    }
    let index = stream.index();
    let decoder = Decoder::new(index.header, run.level);
    let rows = Rows::new(shape, start, count);
    let fill = |cursor: &mut Cursor<'_, T>, (piece, out): (usize, &mut [T])| {
        for (i, out) in out.chunks_mut(rows.len).enumerate() {
            cursor.read(rows.begin((piece * ROWS + i) as u64), out)?;
        }
        run.advance(size_of_val(out) as u64)
    };
    let new = || Cursor::new(&decoder, index);
    let len = rows.len * ROWS;
    if run.parallel {
        out.par_chunks_mut(len).enumerate().try_for_each_init(new, fill)
    } else {
        let mut cursor = new();
        out.chunks_mut(len).enumerate().try_for_each(|piece| fill(&mut cursor, piece))
    }
}

/// Checks that a box lies within a field.
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

/// Reads elements anywhere in a field, keeping the chunk and the tile at hand.
struct Cursor<'a, T> {
    decoder: &'a Decoder<'a, T>,
    index: Index<'a>,
    work: Workspace<T>,
    chunk: Option<u64>,
    tile: Option<u64>,
    elements: Box<[T; MAX_TILE]>,
}

impl<'a, T: Element> Cursor<'a, T> {
    fn new(decoder: &'a Decoder<'a, T>, index: Index<'a>) -> Self {
        Cursor {
            decoder,
            index,
            work: Workspace::new(),
            chunk: None,
            tile: None,
            elements: Box::new([T::default(); MAX_TILE]),
        }
    }

    fn read(&mut self, mut at: u64, mut out: &mut [T]) -> Result<()> {
        let geometry = self.index.header.geometry;
        let tile_len = geometry.tile_len() as u64;
        let per_chunk = geometry.tiles_per_chunk() as u64;
        while !out.is_empty() {
            let tile = at / tile_len;
            let begin = tile * tile_len;
            let len = tile_len.min(self.index.header.elements() - begin) as usize;
            if self.tile != Some(tile) {
                let chunk = tile / per_chunk;
                if self.chunk != Some(chunk) {
                    self.chunk = None;
                    self.work.load(&self.index, chunk)?;
                    self.chunk = Some(chunk);
                }
                self.tile = None;
                let t = (tile % per_chunk) as usize;
                let rates = self.index.rates(chunk);
                self.decoder.loaded(rates, t..t + 1, &mut self.elements[..len], &mut self.work)?;
                self.tile = Some(tile);
            }
            let from = (at - begin) as usize;
            let n = out.len().min(len - from);
            let (now, later) = out.split_at_mut(n);
            now.copy_from_slice(&self.elements[from..from + n]);
            out = later;
            at += n as u64;
        }
        Ok(())
    }
}
