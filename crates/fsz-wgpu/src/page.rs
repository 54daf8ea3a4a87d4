//! A stream cut into pages of whole chunks, each as large as a storage buffer may be.

use fsz::format::{CHUNK_TILES, TILE, TILE_BLOCKS};
use fsz::{Chunk, DType, Stream};
use rayon::prelude::*;

use crate::error::{Error, Result};

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
    chunks * (4 + (CHUNK_TILES * TILE_BLOCKS) as u64)
}

/// The largest payload of a chunk in bytes.
pub(crate) fn chunk_bytes(dtype: DType) -> u64 {
    (CHUNK_TILES * TILE * dtype.size()) as u64
}

/// The pages of a stream of standard geometry. Every chunk's checksum is verified.
pub(crate) fn pages(stream: &Stream<'_>, limit: u64) -> Result<Vec<Page>> {
    let info = &stream;
    let dtype = info.header().dtype;
    let smallest = index_bytes(1) + chunk_bytes(dtype);
    if limit < smallest {
        return Err(Error::InvalidArgument(format!(
            "pages of {limit} bytes are too small: a chunk takes up to {smallest}"
        )));
    }
    let verified: fsz::Result<Vec<Chunk<'_>>> =
        (0..stream.chunks()).into_par_iter().map(|number| stream.chunk(number)).collect();
    let mut rest = &verified?[..];
    if rest.iter().map(|chunk| chunk.payload.len()).sum::<usize>() != stream.payload().len() {
        let what = "the tiles are not as long as the payload";
        return Err(Error::Stream(fsz::Error::Corrupt(what.to_owned())));
    }
    let mut pages = Vec::new();
    let mut tile = 0;
    while !rest.is_empty() {
        let mut payload = 0;
        let fits = |(count, chunk): (usize, &Chunk<'_>)| {
            payload += chunk.payload.len() as u64;
            index_bytes(count as u64 + 1) + payload <= limit
        };
        let count = rest.iter().enumerate().map(fits).take_while(|fits| *fits).count();
        let (chunks, behind) = rest.split_at(count);
        let page = page(chunks, tile);
        tile += page.tiles;
        pages.push(page);
        rest = behind;
    }
    Ok(pages)
}

/// The page of these chunks, of which the first begins with tile `tile`.
fn page(chunks: &[Chunk<'_>], tile: u64) -> Page {
    let word = |b: &[u8; 4]| u32::from_le_bytes(*b);
    let rates: usize = chunks.iter().map(|chunk| chunk.heads.len()).sum();
    let mut at = chunks.len() + rates / 4;
    let mut words = Vec::new();
    for chunk in chunks {
        words.push(at as u32);
        at += chunk.payload.len() / 4;
    }
    words.reserve_exact(at - words.len());
    for bytes in chunks.iter().map(|c| c.heads).chain(chunks.iter().map(|c| c.payload)) {
        words.extend(bytes.as_chunks::<4>().0.iter().map(word));
    }
    Page { tile, tiles: (rates / TILE_BLOCKS) as u64, words }
}
