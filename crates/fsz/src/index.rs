//! Where tiles lie in a stream, and whether they are whole (FORMAT.md, *Sections* and *Checksums*).

use std::ops::Range;

use crate::{
    checksum::{WeightedSum, tile_share},
    choose::block_words,
    element::Dtype,
    error::{Error, Result},
    escape::{self, ESCAPES, Field},
    geometry::{CHUNK_ELEMENTS, GROUP_CHUNKS, Geometry},
    header::Header,
    layout::Layout,
};

/// The records of one tile that its rate bytes give.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Words of µ and blocks.
    pub coded: usize,
    /// Words behind them.
    pub escapes: usize,
    pub field: Option<Field>,
}

impl Shape {
    pub fn words(&self) -> usize {
        self.coded + self.escapes
    }
}

/// Reads the rate bytes of a tile of `count` elements.
#[inline(always)]
pub(crate) fn tile_shape(
    rates: &[u8],
    count: usize,
    dtype: Dtype,
    geometry: Geometry,
) -> Result<Shape> {
    let mut blocks = 0;
    let mut high = 0;
    for &rate in rates {
        blocks += block_words(rate & 31);
        high |= rate & 0xE0;
    }
    let coded = blocks * geometry.plane_words() + usize::from(rates[0] & 0x40 != 0);
    if rates[0] & ESCAPES == 0 {
        // Without escapes only block 0 has bits above the rate.
        if high & !(rates[0] & 0xC0) != 0 || rates[1..].iter().any(|r| r & 0xE0 != 0) {
            return Err(Error::corrupt("an escape field in a tile without escapes"));
        }
        return Ok(Shape { coded, escapes: 0, field: None });
    }
    let field = Field::read(rates, geometry)?;
    Ok(Shape { coded, escapes: field.words(count, dtype), field: Some(field) })
}

/// The sections of a validated stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Index<'a> {
    pub bytes: &'a [u8],
    pub header: &'a Header,
    pub layout: &'a Layout,
}

impl<'a> Index<'a> {
    fn section(&self, section: &Range<u64>, at: u64, len: u64) -> &'a [u8] {
        let begin = (section.start + at) as usize;
        &self.bytes[begin..begin + len as usize]
    }

    /// Elements of a chunk.
    pub fn chunk_elements(&self, chunk: u64) -> Range<u64> {
        let begin = chunk * CHUNK_ELEMENTS;
        begin..(begin + CHUNK_ELEMENTS).min(self.header.elements())
    }

    /// Rate bytes of a chunk.
    pub fn rates(&self, chunk: u64) -> &'a [u8] {
        let geometry = self.header.geometry;
        let elements = self.chunk_elements(chunk);
        let tiles = geometry.tiles(elements.end - elements.start);
        let per_chunk = (geometry.tiles_per_chunk() * geometry.blocks) as u64;
        self.section(&self.layout.rates, chunk * per_chunk, tiles * geometry.blocks as u64)
    }

    fn size(&self, chunk: u64) -> u64 {
        let bytes = self.section(&self.layout.sizes, 2 * chunk, 2);
        u16::from_le_bytes([bytes[0], bytes[1]]) as u64
    }

    /// Payload bytes of a chunk.
    pub fn payload(&self, chunk: u64) -> Result<&'a [u8]> {
        let group = chunk / GROUP_CHUNKS;
        let offset = self.section(&self.layout.offsets, 8 * group, 8);
        let offset = u64::from_le_bytes(std::array::from_fn(|i| offset[i]));
        let before: u64 = (group * GROUP_CHUNKS..chunk).map(|c| self.size(c)).sum();
        let end = offset.checked_add(before + self.size(chunk)).and_then(|e| e.checked_mul(4));
        match end {
            Some(end) if end <= self.header.payload_len => {
                let payload = &self.bytes[self.layout.payload as usize..];
                Ok(&payload[(end - 4 * self.size(chunk)) as usize..end as usize])
            }
            _ => Err(Error::corrupt("an index entry points behind the payload")),
        }
    }

    fn checksum(&self, chunk: u64) -> u32 {
        let bytes = self.section(&self.layout.sums, 4 * chunk, 4);
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// Checks a chunk's sizes and checksum, and that what its escaped tiles say is consistent.
    pub fn check(&self, chunk: u64) -> Result<()> {
        let (mut words, mut starts) = (Vec::new(), Vec::new());
        self.load(chunk, &mut words, &mut starts)?;
        let (geometry, dtype) = (self.header.geometry, self.header.dtype);
        let elements = self.chunk_elements(chunk);
        let mut left = (elements.end - elements.start) as usize;
        for (t, rates) in self.rates(chunk).chunks_exact(geometry.blocks).enumerate() {
            let count = left.min(geometry.tile_len());
            left -= count;
            let shape = tile_shape(rates, count, dtype, geometry)?;
            if let Some(field) = shape.field {
                let begin = starts[t] as usize + shape.coded;
                let words = &words[begin..starts[t + 1] as usize];
                escape::check(words, field, &self.header.missing_bits, count, dtype)?;
            }
        }
        Ok(())
    }

    /// Loads a chunk's payload into `words` and the first word of each tile into `starts`, one more than
    /// there are tiles. Checks the sizes and the chunk's checksum.
    pub fn load(&self, chunk: u64, words: &mut Vec<u32>, starts: &mut Vec<u32>) -> Result<()> {
        let payload = self.payload(chunk)?;
        words.clear();
        words.extend(payload.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)));
        let geometry = self.header.geometry;
        let elements = self.chunk_elements(chunk);
        let mut left = (elements.end - elements.start) as usize;
        let mut at = 0usize;
        let mut checksum = 0u32;
        starts.clear();
        starts.push(0);
        for (t, rates) in self.rates(chunk).chunks_exact(geometry.blocks).enumerate() {
            let count = left.min(geometry.tile_len());
            left -= count;
            let shape = tile_shape(rates, count, self.header.dtype, geometry)?;
            let end = at + shape.words();
            let tile = words.get(at..end).ok_or_else(|| {
                Error::corrupt(format!("the tiles of chunk {chunk} are longer than the chunk"))
            })?;
            let sum = WeightedSum::new().rates(rates).words(tile);
            checksum = checksum.wrapping_add(tile_share(sum.value(), t));
            at = end;
            starts.push(at as u32);
        }
        if at != words.len() {
            return Err(Error::corrupt(format!(
                "the tiles of chunk {chunk} are shorter than the chunk"
            )));
        }
        if checksum != self.checksum(chunk) {
            return Err(Error::corrupt(format!("the checksum of chunk {chunk} does not match")));
        }
        Ok(())
    }
}
