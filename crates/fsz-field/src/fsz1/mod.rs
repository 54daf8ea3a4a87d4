//! Files of the paper author's own FSZ release (magic `FSZ1`): read, never written.
//!
//! docs/fsz1.md of the repository describes the format. It has nothing in common with the streams of the
//! crate `fsz` but the design of a tile: 8 blocks of 32 values, four predictors, rates and bit-planes. There
//! are no checksums, so not all damage can be found; what is found ends in a typed error, and what is not
//! gives other values.

mod decode;
mod file;
mod header;
mod layout;
mod tile;

pub use file::{Fsz1Field, Fsz1File};
pub use header::{FSZ1_HEADER, FSZ1_MAGIC, Fsz1Header};
pub use tile::Fsz1Tile;

use decode::Real;
use fsz::format::{TILE, TILE_BLOCKS};
use fsz::{DType, Element, Error, Result, TileCounts, TileKind};
use layout::Layout;
use rayon::prelude::*;

/// A stream of the author's release, checked as far as its sizes and rate bytes go; nothing is decoded.
#[derive(Debug, Clone)]
pub struct Fsz1<'a> {
    header: Fsz1Header,
    layout: Layout,
    /// Eight rate bytes a tile.
    rates: &'a [[u8; TILE_BLOCKS]],
    payload: &'a [u8],
    /// Where each group of tiles begins in the payload.
    starts: Vec<usize>,
}

impl<'a> Fsz1<'a> {
    /// Opens the bytes of a whole file.
    ///
    /// # Errors
    /// [`Error::Truncated`] when bytes are missing, [`Error::Unsupported`] for another version or unknown
    /// flags, [`Error::Corrupt`] when sizes, rate bytes and bound contradict each other or the format.
    pub fn open(bytes: &'a [u8]) -> Result<Fsz1<'a>> {
        let (header, stream) = Fsz1Header::read(bytes)?;
        let tiles = header.elements().div_ceil(TILE as u64);
        let rate_bytes = tiles.saturating_mul(TILE_BLOCKS as u64);
        if rate_bytes > stream.len() as u64 {
            return Err(Error::Corrupt(format!(
                "{tiles} tiles need {rate_bytes} rate bytes, the stream has {} bytes",
                stream.len()
            )));
        }
        let (rates, payload) = stream.split_at(rate_bytes as usize);
        let rates: &[[u8; TILE_BLOCKS]] = rates.as_chunks().0;
        let layout = Layout::of(header.elements());
        let mut starts = Vec::with_capacity(rates.len() / layout.group_tiles() + 1);
        let mut end = 0;
        for (index, rates) in rates.iter().enumerate() {
            if index % layout.group_tiles() == 0 {
                starts.push(end);
            }
            end += Fsz1Tile::new(index as u64, rates, header.dtype)?.payload_bytes;
        }
        if end != payload.len() {
            return Err(Error::Corrupt(format!(
                "the rates make {end} payload bytes, there are {}",
                payload.len()
            )));
        }
        Ok(Fsz1 { header, layout, rates, payload, starts })
    }

    /// Element type, shape and bound.
    pub fn header(&self) -> &Fsz1Header {
        &self.header
    }

    /// Bytes of the field.
    pub fn raw_bytes(&self) -> u64 {
        self.header.elements() * self.header.dtype.size() as u64
    }

    /// Bytes of the file.
    pub fn compressed_bytes(&self) -> u64 {
        (FSZ1_HEADER + self.rates.as_flattened().len() + self.payload.len()) as u64
    }

    /// Bytes of the field by bytes of the file.
    pub fn compression_ratio(&self) -> f64 {
        self.raw_bytes() as f64 / self.compressed_bytes() as f64
    }

    /// The tiles in order: predictor, rates and bytes of each.
    pub fn tiles(&self) -> impl Iterator<Item = Fsz1Tile> {
        let tile = |(i, rates)| Fsz1Tile::of_checked(i as u64, rates, self.header.dtype);
        self.rates.iter().enumerate().map(tile)
    }

    /// How many tiles each predictor has.
    pub fn tile_counts(&self) -> TileCounts {
        let mut counts = TileCounts::default();
        for tile in self.tiles() {
            counts.count += 1;
            *match tile.kind() {
                TileKind::Lz2 => &mut counts.lz2,
                TileKind::Lz1Centered => &mut counts.lz1_centered,
                TileKind::Lz2Centered => &mut counts.lz2_centered,
                _ => &mut counts.lz1,
            } += 1;
        }
        counts
    }

    /// Values of a group: the consecutive tiles whose blocks lie between each other, so that they are decoded
    /// together. The last group of a field has fewer.
    pub fn group_values(&self) -> usize {
        self.layout.group_values()
    }

    /// Decodes the whole field, on all threads of rayon's pool.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when `out` has not the length or type of the field; [`Error::Corrupt`]
    /// when a tile cannot have been written by the author's release.
    pub fn decode<T: Element>(&self, out: &mut [T]) -> Result<()> {
        if out.len() as u64 != self.header.elements() {
            return Err(Error::InvalidArgument(format!(
                "room for {} values, not {}",
                out.len(),
                self.header.elements()
            )));
        }
        let groups = out.par_chunks_mut(self.group_values()).enumerate();
        groups.try_for_each(|(group, out)| self.decode_group(group, out))
    }

    /// Decodes the values of one group.
    ///
    /// # Errors
    /// As those of [`decode`](Fsz1::decode), and [`Error::InvalidArgument`] when there is no such group.
    pub fn decode_group<T: Element>(&self, group: usize, out: &mut [T]) -> Result<()> {
        let (found, asked) = (self.header.dtype, T::DTYPE);
        match asked {
            _ if asked != found => {
                Err(Error::InvalidArgument(format!("the values are {found}, not {asked}")))
            }
            DType::F32 => self.decode_as::<T, f32>(group, out),
            DType::F64 => self.decode_as::<T, f64>(group, out),
        }
    }

    /// `T` and `U` are one type.
    fn decode_as<T: Element, U: Real>(&self, group: usize, out: &mut [T]) -> Result<()> {
        let first = group.saturating_mul(self.layout.group_tiles());
        let (Some(&start), Some(rates)) = (self.starts.get(group), self.rates.get(first..)) else {
            return Err(Error::InvalidArgument(format!("there is no group {group} of tiles")));
        };
        let rates = &rates[..rates.len().min(self.layout.group_tiles())];
        let values =
            (self.header.elements() - (first * TILE) as u64).min(self.group_values() as u64);
        if out.len() as u64 != values {
            let room = out.len();
            return Err(Error::InvalidArgument(format!("room for {room} values, not {values}")));
        }
        let ranges = self.layout.blocks(rates, self.header.dtype);
        let (payload, step) = (&self.payload[start..], U::of_f64(self.header.step()));
        let mut decoded = [U::of_f64(0.0); TILE];
        for (i, out) in out.chunks_mut(TILE).enumerate() {
            let blocks = ranges[i].clone().map(|range| &payload[range]);
            decode::tile(&rates[i], blocks, step, &mut decoded)
                .map_err(|why| Error::Corrupt(format!("tile {}: {why}", first + i)))?;
            for (out, value) in out.iter_mut().zip(&decoded) {
                *out = T::from_bits64(value.bits());
            }
        }
        Ok(())
    }
}
