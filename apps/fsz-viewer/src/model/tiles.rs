//! What a stream tells of its tiles, and how much of it a reader sees at once.

use std::sync::OnceLock;

use fsz::format::{MAX_DIMS, RateByte, TILE_BLOCKS, TileGrid};
use fsz::{Progress, Stream, TileKind, TileRecord, TileRecords};
use rayon::prelude::*;

use crate::model::boxes::Boxes;
use crate::model::grid::unravel;

/// One tile, in a few bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tile {
    /// How it is stored.
    pub kind: TileKind,
    /// Compressed bytes: rate bytes and payload; of a box of `dense` its share of its chunk.
    pub bytes: u16,
    /// Elements stored exactly.
    pub escapes: u16,
    /// Elements.
    pub len: u16,
    /// Bits per element of each of its first blocks.
    first_rates: [u8; TILE_BLOCKS],
    /// Their sum over all of its blocks, of which streams of studies may have fewer or more.
    rate_sum: u16,
    /// None where the profile has no blocks.
    blocks: u8,
}

impl Tile {
    fn new(record: &TileRecord, len: usize) -> Tile {
        let tile = Tile::of(record.kind(), record.bytes, len, record.rates());
        Tile { escapes: u16::try_from(record.escapes).unwrap_or(u16::MAX), ..tile }
    }

    /// A tile of so many bytes and elements without escapes, with the rates of its blocks.
    pub fn of(kind: TileKind, bytes: u64, len: usize, rates: &[u8]) -> Tile {
        let mut first_rates = [0; TILE_BLOCKS];
        first_rates.iter_mut().zip(rates).for_each(|(rate, &of_block)| *rate = of_block);
        Tile {
            kind,
            bytes: u16::try_from(bytes).unwrap_or(u16::MAX),
            escapes: 0,
            len: u16::try_from(len).unwrap_or(u16::MAX),
            first_rates,
            rate_sum: rates.iter().map(|&rate| u16::from(rate)).sum(),
            blocks: rates.len() as u8,
        }
    }

    /// Bits per element of each of its first blocks; none where the profile has no blocks.
    pub fn rates(&self) -> &[u8] {
        &self.first_rates[..TILE_BLOCKS.min(self.blocks.into())]
    }

    /// Mean of the blocks' rates, in bits per element; without blocks its bits by its elements.
    pub fn mean_rate(&self) -> f32 {
        match self.blocks {
            0 => 8.0 * f32::from(self.bytes) / f32::from(self.len.max(1)),
            blocks => f32::from(self.rate_sum) / f32::from(blocks),
        }
    }
}

/// All tiles of a stream, or of the streams of an array: where they lie, and once they are read, how each is
/// stored.
#[derive(Clone, Debug, Default)]
pub struct Tiles {
    /// Where the tiles lie; of several streams one each.
    grids: Vec<TileGrid>,
    /// Of several streams.
    parts: Option<Parts>,
    /// What is known of them once they are read.
    read: OnceLock<Read>,
    /// Somebody has begun to read them.
    begun: OnceLock<()>,
}

/// What the records of tiles tell.
#[derive(Clone, Debug, Default)]
struct Read {
    tiles: Vec<Tile>,
    largest: u16,
    most_rate: u8,
    counts: [usize; TileKind::ALL.len()],
    histogram: Vec<(f64, usize)>,
}

/// Where the tiles of several streams lie.
#[derive(Clone, Debug)]
struct Parts {
    shape: Vec<u64>,
    boxes: Boxes,
    /// Number of the first tile of each.
    first: Vec<u64>,
}

/// Bins of the histogram of bytes.
const BINS: usize = 40;

impl Tiles {
    /// Where the tiles of a stream lie. None of them is read.
    pub fn of_stream(stream: &Stream<'_>) -> Tiles {
        Tiles::of_grid(stream.grid().clone())
    }

    /// Tiles that lie so. None of them is read.
    pub fn of_grid(grid: TileGrid) -> Tiles {
        Tiles { grids: vec![grid], ..Tiles::default() }
    }

    /// Where the tiles of several streams lie, each in its box of an array, counted on from one stream to
    /// the next.
    pub fn of_streams<'a>(
        shape: &[u64],
        streams: impl Iterator<Item = &'a Stream<'static>>,
        boxes: Boxes,
    ) -> Tiles {
        let grids: Vec<TileGrid> = streams.map(|stream| stream.grid().clone()).collect();
        let mut next = 0;
        let mut first = Vec::new();
        for grid in &grids {
            first.push(next);
            next += grid.tiles();
        }
        let parts = Some(Parts { shape: shape.to_vec(), boxes, first });
        Tiles { grids, parts, ..Tiles::default() }
    }

    /// Reads the records of a stream. Values are decoded only where the profile tells of its tiles no other
    /// way, and are not kept.
    ///
    /// # Errors
    /// When a record is damaged, or it is cancelled with `progress`, which counts other work.
    pub fn records(stream: &Stream<'_>, progress: &Progress) -> fsz::Result<Vec<Tile>> {
        let grid = stream.grid();
        let of_chunk = |records: &mut TileRecords<'_>, chunk| -> fsz::Result<Vec<Tile>> {
            progress.check()?;
            let records = records.chunk(chunk)?;
            let tile = |record: &TileRecord| Tile::new(record, grid.tile_len(record.index));
            Ok(records.iter().map(tile).collect())
        };
        let chunks = (0..stream.chunks()).into_par_iter();
        let tiles = chunks.map_init(|| stream.tile_records(), of_chunk);
        Ok(tiles.collect::<fsz::Result<Vec<_>>>()?.concat())
    }

    /// Reads the record of one tile, with those of its chunk.
    ///
    /// # Errors
    /// When there is no such tile, or a record is damaged.
    pub fn record(stream: &Stream<'_>, number: u64) -> fsz::Result<Tile> {
        let grid = stream.grid();
        let chunk = number / grid.tiles_per_chunk();
        let records = stream.tile_records().chunk(chunk)?;
        let found = records.iter().find(|record| record.index == number);
        let damaged = || fsz::Error::InvalidArgument(format!("there is no tile {number}"));
        found.map(|record| Tile::new(record, grid.tile_len(number))).ok_or_else(damaged)
    }

    /// Takes what was read of all tiles, in order; nothing when that is known.
    pub fn set(&self, tiles: Vec<Tile>) {
        let largest = tiles.iter().map(|t| t.bytes).max().unwrap_or(0);
        let rate = tiles.iter().map(Tile::mean_rate).fold(1.0, f32::max).ceil();
        // Values as they are have more bits than a rate can say.
        let most_rate = (rate as u8).min(RateByte::RATE);
        let counts = TileKind::ALL.map(|kind| tiles.iter().filter(|t| t.kind == kind).count());
        let width = f64::from(largest.max(1)) / BINS as f64;
        let mut histogram: Vec<(f64, usize)> =
            (0..BINS).map(|i| ((i as f64 + 0.5) * width, 0)).collect();
        for tile in &tiles {
            let bin = (f64::from(tile.bytes) / width) as usize;
            histogram[bin.min(BINS - 1)].1 += 1;
        }
        // Whoever was first has read the same.
        let _ = self.read.set(Read { tiles, largest, most_rate, counts, histogram });
    }

    /// They are being read from now on.
    pub fn begin(&self) {
        // They may be read again, where they were not read to the end.
        let _ = self.begun.set(());
    }

    /// Whether they are being read, or were, or could not be.
    pub fn is_begun(&self) -> bool {
        self.begun.get().is_some() || self.is_read()
    }

    /// Whether they are read.
    pub fn is_read(&self) -> bool {
        self.read.get().is_some()
    }

    /// A tile; none until they are read.
    pub fn get(&self, number: u64) -> Option<&Tile> {
        self.read.get()?.tiles.get(number as usize)
    }

    /// The tile that holds the element at a position in C order, and its number; none until they are read.
    pub fn of(&self, position: u64) -> Option<(u64, &Tile)> {
        let (number, _) = self.locate(position)?;
        Some((number, self.get(number)?))
    }

    /// The number of the tile that holds the element at a position in C order, and its place there.
    pub fn locate(&self, position: u64) -> Option<(u64, u64)> {
        let (part, first, position) = match &self.parts {
            None => (0, 0, position),
            Some(parts) => {
                // Mode of every point of a picture: it takes no memory.
                let mut index = [0; MAX_DIMS];
                let index = &mut index[..parts.shape.len()];
                unravel(position, &parts.shape, index);
                let (part, position) = parts.boxes.find(index)?;
                (part, parts.first[part], position)
            }
        };
        let (number, place) = self.grids.get(part)?.locate(position);
        Some((first + number, place as u64))
    }

    /// Which of several streams a tile belongs to, and its number there.
    pub fn part(&self, number: u64) -> Option<(usize, u64)> {
        let first = &self.parts.as_ref()?.first;
        let part = first.partition_point(|first| *first <= number).checked_sub(1)?;
        Some((part, number - first[part]))
    }

    /// Bytes of the largest tile.
    pub fn largest(&self) -> u16 {
        self.read.get().map_or(0, |read| read.largest)
    }

    /// Bits per element that the mean rate of no tile exceeds, at least 1.
    pub fn most_rate(&self) -> u8 {
        self.read.get().map_or(1, |read| read.most_rate)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Tile> {
        self.read.get().into_iter().flat_map(|read| &read.tiles)
    }

    /// How many there are of each of [`TileKind::ALL`].
    pub fn counts(&self) -> [usize; TileKind::ALL.len()] {
        self.read.get().map_or([0; TileKind::ALL.len()], |read| read.counts)
    }

    /// Middle of each bin of compressed bytes, and how many tiles are in it.
    pub fn histogram(&self) -> &[(f64, usize)] {
        self.read.get().map_or(&[], |read| &read.histogram)
    }

    /// Width of a bin in bytes.
    pub fn bin(&self) -> f64 {
        f64::from(self.largest().max(1)) / BINS as f64
    }

    /// How many there are, read or not.
    pub fn len(&self) -> usize {
        self.grids.iter().map(|grid| grid.tiles() as usize).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use fsz::{Bound, Codec, CompressOptions, Profile, Research};

    use super::*;

    /// As of the study's tiles, which have as many.
    #[test]
    fn the_mean_rate_is_that_of_all_blocks() {
        let values = ndarray::Array1::from_shape_fn(5000, |i| (i * i % 977) as f32);
        for blocks_per_tile in [4, 8, 16] {
            let research = Research { blocks_per_tile, ..Research::default() };
            let options =
                CompressOptions::new(Bound::Absolute(0.1)).profile(Profile::Paper(research));
            let stream = Codec::cpu().compress_with(values.view(), &options).unwrap();
            let tiles = Tiles::records(&stream, &Progress::new()).unwrap();
            for (tile, record) in tiles.iter().zip(stream.tiles()) {
                let record = record.unwrap();
                let rates = record.rates();
                assert_eq!(rates.len(), blocks_per_tile);
                let mean =
                    rates.iter().map(|&rate| f32::from(rate)).sum::<f32>() / rates.len() as f32;
                assert_eq!(tile.mean_rate(), mean);
                assert!(rates.starts_with(tile.rates()) && !tile.rates().is_empty());
            }
        }
    }
}
