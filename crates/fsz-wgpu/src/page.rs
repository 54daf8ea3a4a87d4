//! A stream cut into pages of whole chunks, each as large as a storage buffer may be.

use fsz::{Dtype, Stream};
use rayon::prelude::*;

use crate::checksum::tile_share;
use crate::error::{Error, Result};

/// Elements of a tile.
pub(crate) const TILE: u64 = 256;
/// Tiles of a chunk.
pub(crate) const CHUNK_TILES: u64 = 64;
/// Bytes of a tile's rates.
const RATES: usize = 8;

/// Consecutive chunks of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// First tile and number of tiles.
    pub tile: u64,
    pub tiles: u64,
    /// What the storage buffer holds: a word per chunk, where its payload begins in the page; the rate
    /// bytes; the payload.
    pub words: Vec<u32>,
}

/// The bytes of a page of `chunks` full chunks besides the payload.
pub(crate) fn index_bytes(chunks: u64) -> u64 {
    chunks * (4 + CHUNK_TILES * RATES as u64)
}

/// The largest payload of a chunk in bytes.
pub(crate) fn chunk_bytes(dtype: Dtype) -> u64 {
    CHUNK_TILES * TILE * dtype.size() as u64
}

/// The sections of a stream that are needed here (FORMAT.md, *Sections of a stream*).
struct Sections<'a> {
    rates: &'a [u8],
    sums: &'a [u8],
    payload: &'a [u8],
}

impl<'a> Sections<'a> {
    /// Of a stream whose header and lengths [`Stream`] has checked.
    fn of(stream: &'a Stream<'_>, tiles: u64) -> Option<Self> {
        let bytes = stream.as_bytes();
        let chunks = tiles.div_ceil(CHUNK_TILES) as usize;
        let header = u16::from_le_bytes([bytes[10], bytes[11]]) as usize;
        let rates = header.next_multiple_of(16);
        let sizes = (rates + RATES * tiles as usize).next_multiple_of(16);
        let offsets = (sizes + 2 * chunks).next_multiple_of(16);
        let sums = (offsets + 8 * chunks.div_ceil(64)).next_multiple_of(16);
        let payload = (sums + 4 * chunks).next_multiple_of(16);
        Some(Sections {
            rates: bytes.get(rates..rates + RATES * tiles as usize)?,
            sums: bytes.get(sums..sums + 4 * chunks)?,
            payload: bytes.get(payload..)?,
        })
    }
}

/// The pages of a stream of standard geometry. Every chunk's checksum is verified.
pub(crate) fn pages(stream: &Stream<'_>, limit: u64) -> Result<Vec<Page>> {
    let info = stream.info();
    let dtype = info.header().dtype;
    let smallest = index_bytes(1) + chunk_bytes(dtype);
    if limit < smallest {
        return Err(Error::InvalidArgument(format!(
            "pages of {limit} bytes are too small: a chunk takes up to {smallest}"
        )));
    }
    let tiles = info.header().elements().div_ceil(TILE);
    let corrupt = |what: &str| Error::Stream(fsz::Error::Corrupt(what.to_owned()));
    let sections = Sections::of(stream, tiles).ok_or_else(|| corrupt("sections are missing"))?;
    // Byte positions in the payload at which the chunks begin, and its end.
    let mut starts = Vec::with_capacity(tiles.div_ceil(CHUNK_TILES) as usize + 1);
    let mut lengths = Vec::with_capacity(tiles as usize);
    let mut at = 0u64;
    for (t, record) in info.tiles().enumerate() {
        if (t as u64).is_multiple_of(CHUNK_TILES) {
            starts.push(at);
        }
        let length = record?.bytes - RATES as u64;
        lengths.push(length as u16);
        at += length;
    }
    starts.push(at);
    if at != sections.payload.len() as u64 {
        return Err(corrupt("the tiles are not as long as the payload"));
    }
    verify(&sections, &starts, &lengths)?;
    let mut pages = Vec::new();
    let chunks = starts.len() as u64 - 1;
    let mut first = 0;
    while first < chunks {
        let mut end = first + 1;
        let bytes =
            |end: u64| index_bytes(end - first) + starts[end as usize] - starts[first as usize];
        while end < chunks && bytes(end + 1) <= limit {
            end += 1;
        }
        pages.push(page(&sections, &starts, first, end, tiles));
        first = end;
    }
    Ok(pages)
}

fn verify(sections: &Sections<'_>, starts: &[u64], lengths: &[u16]) -> Result<()> {
    lengths.par_chunks(CHUNK_TILES as usize).enumerate().try_for_each(|(c, lengths)| {
        let mut at = starts[c] as usize;
        let mut sum = 0u32;
        for (t, &length) in lengths.iter().enumerate() {
            let tile = c * CHUNK_TILES as usize + t;
            let rates = &sections.rates[RATES * tile..RATES * (tile + 1)];
            let end = at + length as usize;
            sum = sum.wrapping_add(tile_share(rates, &sections.payload[at..end], t));
            at = end;
        }
        let stored = &sections.sums[4 * c..4 * c + 4];
        if sum.to_le_bytes() == stored {
            return Ok(());
        }
        let what = format!("the checksum of chunk {c} does not match");
        Err(Error::Stream(fsz::Error::Corrupt(what)))
    })
}

fn page(sections: &Sections<'_>, starts: &[u64], first: u64, end: u64, tiles: u64) -> Page {
    let tile = first * CHUNK_TILES;
    let last = (end * CHUNK_TILES).min(tiles);
    let rates = &sections.rates[RATES * tile as usize..RATES * last as usize];
    let payload = starts[first as usize] as usize..starts[end as usize] as usize;
    let base = (end - first) + 2 * (last - tile);
    let begin = starts[first as usize];
    let mut words: Vec<u32> = starts[first as usize..end as usize]
        .iter()
        .map(|start| (base + (start - begin) / 4) as u32)
        .collect();
    let word = |b: &[u8; 4]| u32::from_le_bytes(*b);
    words.extend(rates.as_chunks::<4>().0.iter().map(word));
    words.extend(sections.payload[payload].as_chunks::<4>().0.iter().map(word));
    Page { tile, tiles: last - tile, words }
}
