//! What a stream tells without being decoded: header, certificate, and a record per tile.

use crate::{
    certificate::Certificate,
    error::Result,
    escape::{Kind, escaped_count},
    header::Header,
    index::tile_shape,
    stream::Stream,
};

/// How a tile is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileKind {
    /// First-order Lorenzo prediction.
    Lz1,
    /// Second-order Lorenzo prediction.
    Lz2,
    /// First-order Lorenzo prediction of centered codes.
    Lz1Centered,
    /// Second-order Lorenzo prediction of centered codes.
    Lz2Centered,
    /// One repeated bit pattern, stored exactly.
    Constant,
    /// One of the four variants, with some elements stored exactly.
    Exceptions,
    /// All elements stored exactly.
    Verbatim,
}

/// One tile.
#[derive(Clone, Copy, Debug)]
pub struct TileRecord {
    /// Position of the tile; its first element is this times the tile length.
    pub index: u64,
    /// How it is stored.
    pub kind: TileKind,
    /// Order of its predictor: 1 or 2.
    pub order: u8,
    /// Whether its codes are centered.
    pub centered: bool,
    /// Compressed bytes: rate bytes and payload.
    pub bytes: u64,
    /// Elements stored exactly.
    pub escapes: u32,
    rates: [u8; 16],
    blocks: u8,
}

impl TileRecord {
    /// Bits per element of each block.
    pub fn rates(&self) -> &[u8] {
        &self.rates[..self.blocks as usize]
    }
}

/// How many tiles are stored how. Each tile counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileCounts {
    /// All tiles.
    pub count: u64,
    /// [`TileKind::Lz1`].
    pub lz1: u64,
    /// [`TileKind::Lz2`].
    pub lz2: u64,
    /// [`TileKind::Lz1Centered`].
    pub lz1_centered: u64,
    /// [`TileKind::Lz2Centered`].
    pub lz2_centered: u64,
    /// [`TileKind::Constant`].
    pub constant: u64,
    /// [`TileKind::Exceptions`].
    pub exceptions: u64,
    /// [`TileKind::Verbatim`].
    pub verbatim: u64,
}

/// Everything that can be known of a stream without decoding it.
#[derive(Clone, Copy, Debug)]
pub struct Info<'a> {
    stream: &'a Stream<'a>,
}

impl<'a> Info<'a> {
    pub(crate) fn new(stream: &'a Stream<'a>) -> Self {
        Info { stream }
    }

    /// The header.
    pub fn header(&self) -> &'a Header {
        self.stream.header()
    }

    /// The certificate.
    pub fn certificate(&self) -> &'a Certificate {
        self.stream.certificate()
    }

    /// Bytes of the uncompressed field.
    pub fn raw_bytes(&self) -> u64 {
        self.header().elements() * self.header().dtype.size() as u64
    }

    /// Bytes of the stream.
    pub fn compressed_bytes(&self) -> u64 {
        self.stream.as_bytes().len() as u64
    }

    /// Uncompressed bytes over stream bytes; 0 for an empty field.
    pub fn compression_ratio(&self) -> f64 {
        self.raw_bytes() as f64 / self.compressed_bytes() as f64
    }

    /// Elements of a full tile.
    pub fn tile_len(&self) -> usize {
        self.header().geometry.tile_len()
    }

    /// The tiles by kind, from the rate bytes alone.
    pub fn tile_counts(&self) -> TileCounts {
        let mut counts = TileCounts::default();
        for rates in self.rates() {
            counts.count += 1;
            *match kind_of(rates) {
                TileKind::Lz1 => &mut counts.lz1,
                TileKind::Lz2 => &mut counts.lz2,
                TileKind::Lz1Centered => &mut counts.lz1_centered,
                TileKind::Lz2Centered => &mut counts.lz2_centered,
                TileKind::Constant => &mut counts.constant,
                TileKind::Exceptions => &mut counts.exceptions,
                TileKind::Verbatim => &mut counts.verbatim,
            } += 1;
        }
        counts
    }

    fn rates(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let index = self.stream.index();
        let blocks = index.header.geometry.blocks;
        (0..index.layout.chunks).flat_map(move |chunk| index.rates(chunk).chunks_exact(blocks))
    }

    /// A record per tile. The payload is read only where a mask must be counted.
    ///
    /// Each item is an error when the tile's records contradict each other.
    pub fn tiles(&self) -> impl Iterator<Item = Result<TileRecord>> + use<'a> {
        let index = self.stream.index();
        let header = index.header;
        let tile_len = header.geometry.tile_len() as u64;
        let mut at = index.layout.payload as usize;
        self.rates().enumerate().map(move |(i, rates)| {
            let i = i as u64;
            let count = tile_len.min(header.elements() - i * tile_len) as usize;
            let shape = tile_shape(rates, count, header.dtype, header.geometry)?;
            let escapes = match shape.field {
                None => 0,
                Some(field) => {
                    let begin = at + 4 * shape.coded;
                    let words = index
                        .bytes
                        .get(begin..begin + 4 * shape.escapes)
                        .ok_or_else(|| crate::Error::corrupt("tiles longer than the payload"))?;
                    let words: Vec<u32> =
                        words.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
                    escaped_count(&words, field, count, header.dtype)? as u32
                }
            };
            at += 4 * shape.words();
            let mut stored = [0; 16];
            for (s, r) in stored.iter_mut().zip(rates) {
                *s = r & 31;
            }
            Ok(TileRecord {
                index: i,
                kind: kind_of(rates),
                order: 1 + (rates[0] >> 7),
                centered: rates[0] & 0x40 != 0,
                bytes: (rates.len() + 4 * shape.words()) as u64,
                escapes,
                rates: stored,
                blocks: rates.len() as u8,
            })
        })
    }
}

fn kind_of(rates: &[u8]) -> TileKind {
    if rates[0] & crate::escape::ESCAPES != 0 {
        return match Kind::of_rates(rates) {
            Some(Kind::Constant) => TileKind::Constant,
            Some(Kind::Exceptions) => TileKind::Exceptions,
            Some(Kind::Verbatim) | None => TileKind::Verbatim,
        };
    }
    match (rates[0] & 0x80 != 0, rates[0] & 0x40 != 0) {
        (false, false) => TileKind::Lz1,
        (true, false) => TileKind::Lz2,
        (false, true) => TileKind::Lz1Centered,
        (true, true) => TileKind::Lz2Centered,
    }
}
