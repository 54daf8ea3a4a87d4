//! A stream cut into pages of whole chunks, each as large as a storage buffer may be.

use std::borrow::Cow;
use std::ops::Range;

use fsz::{Stream, TileRecords};
use rayon::prelude::*;

use crate::error::{Error, Result};

/// What a page has of a chunk.
#[derive(Clone, Debug)]
pub(crate) struct Part<'a> {
    /// What is told of its tiles, whole words.
    pub heads: Cow<'a, [u8]>,
    pub payload: &'a [u8],
}

/// Consecutive chunks of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// First chunk and number of chunks.
    pub chunk: u64,
    pub chunks: u64,
    /// First tile and number of tiles.
    pub tile: u64,
    pub tiles: u64,
    /// What the storage buffer holds: a word per chunk, where its payload begins in the page; the heads;
    /// the payload.
    pub words: Vec<u32>,
}

/// Chunks that the calling thread reads alone: a plane's, which other threads would bring behind all that they have to do.
const ALONE: u64 = 64;

/// Bytes of a page for each chunk besides heads and payload.
const CHUNK_BYTES: u64 = 4;

impl Part<'_> {
    fn bytes(&self) -> u64 {
        CHUNK_BYTES + (self.heads.len() + self.payload.len()) as u64
    }
}

/// Bytes of the pages of a stream with so many chunks and bytes of heads and payload, and how many pages it
/// takes at most where a chunk takes `most`.
pub(crate) fn sizes(chunks: u64, heads_and_payload: u64, most: u64, limit: u64) -> (u64, u64) {
    let bytes = CHUNK_BYTES * chunks + heads_and_payload;
    // A page ends where the next chunk does not fit: it is full but for a chunk.
    (bytes, bytes.div_ceil(limit.saturating_sub(CHUNK_BYTES + most).max(1)))
}

/// The pages of some chunks of a stream. `part` verifies a chunk and tells what a page has of it; every thread has its own
/// reader of records for it.
pub(crate) fn pages<'s>(
    stream: &'s Stream<'_>,
    chunks: Range<u64>,
    limit: u64,
    part: impl Fn(&mut TileRecords<'s>, u64) -> fsz::Result<Part<'s>> + Sync,
) -> Result<Vec<Page>> {
    let first = chunks.start;
    let parts = if chunks.end - chunks.start <= ALONE {
        let mut records = stream.tile_records();
        chunks.map(|number| part(&mut records, number)).collect::<fsz::Result<Vec<_>>>()?
    } else {
        let numbers = chunks.into_par_iter();
        numbers.map_init(|| stream.tile_records(), &part).collect::<fsz::Result<Vec<_>>>()?
    };
    let most = parts.iter().map(Part::bytes).max().unwrap_or(0);
    if limit < most {
        return Err(Error::InvalidArgument(format!(
            "pages of {limit} bytes are too small: a chunk takes {most}"
        )));
    }
    let mut pages = Vec::new();
    let mut rest = &parts[..];
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |part: &&Part<'_>| {
            bytes += part.bytes();
            bytes <= limit
        };
        let count = rest.iter().take_while(fits).count();
        let (own, behind) = rest.split_at(count);
        let chunk = first + (parts.len() - rest.len()) as u64;
        let tile = stream.grid().chunk_tiles(chunk).start;
        let end = stream.grid().chunk_tiles(chunk + count as u64 - 1).end;
        let words = words(own);
        pages.push(Page { chunk, chunks: count as u64, tile, tiles: end - tile, words });
        rest = behind;
    }
    Ok(pages)
}

fn words(parts: &[Part<'_>]) -> Vec<u32> {
    let bytes: usize = parts.iter().map(|part| part.heads.len() + part.payload.len()).sum();
    let mut words = vec![0; parts.len() + bytes / 4];
    let (places, mut rest) = words.split_at_mut(parts.len());
    let mut at = places.len() + parts.iter().map(|part| part.heads.len()).sum::<usize>() / 4;
    for (place, part) in places.iter_mut().zip(parts) {
        *place = at as u32;
        at += part.payload.len() / 4;
    }
    let heads = parts.iter().map(|part| &*part.heads);
    let mut copies = Vec::new();
    for bytes in heads.chain(parts.iter().map(|part| part.payload)) {
        let (to, behind) = rest.split_at_mut(bytes.len() / 4);
        copies.push((to, bytes));
        rest = behind;
    }
    let copy = |(to, bytes): (&mut [u32], &[u8])| {
        for (word, bytes) in to.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
    };
    match parts.len() as u64 <= ALONE {
        true => copies.into_iter().for_each(copy),
        false => copies.into_par_iter().for_each(copy),
    }
    words
}
