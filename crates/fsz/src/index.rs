//! Where chunks lie in a stream (FORMAT.md, *Sections of a stream*).

use std::ops::Range;

use crate::{
    error::{Error, Result},
    format::{
        GROUP_CHUNKS, Sections, TileGrid, WORD, checksum::rows, header::Header,
        tile_grid::TileShape,
    },
    profile::StoredChunk,
};

/// The sections of a validated stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Index<'a> {
    pub bytes: &'a [u8],
    pub header: &'a Header,
    pub grid: &'a TileGrid,
    pub sections: &'a Sections,
}

impl<'a> Index<'a> {
    fn section(&self, section: &Range<u64>, at: u64, len: u64) -> &'a [u8] {
        let begin = (section.start + at) as usize;
        &self.bytes[begin..begin + len as usize]
    }

    /// What the profile tells of a chunk's tiles outside of the payload.
    pub fn heads(&self, chunk: u64) -> &'a [u8] {
        let len = self.header.profile.head_len();
        let tiles = self.grid.chunk_tiles(chunk);
        self.section(&self.sections.heads, tiles.start * len, (tiles.end - tiles.start) * len)
    }

    fn size(&self, entry: u64) -> u64 {
        let len = self.sections.size_len;
        Sections::read_size(self.section(&self.sections.sizes, len * entry, len))
    }

    fn offset(&self, group: u64) -> u64 {
        let bytes =
            self.section(&self.sections.offsets, Sections::OFFSET * group, Sections::OFFSET);
        u64::from_le_bytes(std::array::from_fn(|i| bytes[i]))
    }

    fn checksum(&self, chunk: u64) -> u32 {
        let bytes = self.section(&self.sections.sums, Sections::SUM * chunk, Sections::SUM);
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// Where a chunk's payload lies in the payload, in bytes.
    pub fn payload(&self, chunk: u64) -> Result<Range<u64>> {
        let group = chunk / GROUP_CHUNKS;
        let before: u64 = (group * GROUP_CHUNKS..chunk).map(|c| self.size(c)).sum();
        let begin = self.offset(group).checked_add(before).and_then(|b| b.checked_mul(WORD as u64));
        let end = begin.and_then(|b| b.checked_add(WORD as u64 * self.size(chunk)));
        match (begin, end) {
            (Some(begin), Some(end)) if end <= self.header.fields().payload_len => Ok(begin..end),
            _ => Err(Error::corrupt("an index entry points behind the payload")),
        }
    }

    /// The profile's tables, verified; empty where it has none.
    pub fn tables(&self) -> Result<Vec<u32>> {
        let Sections { chunks, entries, .. } = *self.sections;
        if chunks == entries {
            return Ok(Vec::new());
        }
        let range = self.payload(chunks)?;
        let payload = &self.bytes[self.sections.payload as usize..];
        let words = payload[range.start as usize..range.end as usize].as_chunks::<WORD>().0;
        let words: Vec<u32> = words.iter().map(|b| u32::from_le_bytes(*b)).collect();
        if rows(&words, 0) != self.checksum(chunks) {
            return Err(Error::corrupt("the checksum of the tables does not match"));
        }
        Ok(words)
    }

    /// A chunk; `tiles` gets the shapes of its tiles.
    pub fn chunk<'b>(&self, chunk: u64, tiles: &'b mut Vec<TileShape>) -> Result<StoredChunk<'b>>
    where
        'a: 'b,
    {
        let range = self.payload(chunk)?;
        let payload = &self.bytes[self.sections.payload as usize..];
        self.grid.shapes(self.grid.chunk_tiles(chunk), tiles);
        Ok(StoredChunk {
            number: chunk,
            heads: self.heads(chunk),
            payload: &payload[range.start as usize..range.end as usize],
            tiles,
            checksum: self.checksum(chunk),
        })
    }

    /// Checks what the header does not tell: that chunks follow each other without gaps and fill the
    /// payload, and that the bytes between sections are zero.
    pub fn check(&self) -> Result<()> {
        let mut words = 0;
        for group in 0..self.sections.entries.div_ceil(GROUP_CHUNKS) {
            if self.offset(group) != words {
                return Err(Error::corrupt("an offset is not the sum of the sizes before it"));
            }
            let entries =
                group * GROUP_CHUNKS..((group + 1) * GROUP_CHUNKS).min(self.sections.entries);
            words += entries.map(|entry| self.size(entry)).sum::<u64>();
        }
        if words * WORD as u64 != self.header.fields().payload_len {
            return Err(Error::corrupt("the chunks do not fill the payload"));
        }
        for padding in self.sections.padding() {
            let len = padding.end - padding.start;
            if self.section(&padding, 0, len).iter().any(|&b| b != 0) {
                return Err(Error::corrupt("bytes between the sections are not zero"));
            }
        }
        Ok(())
    }
}
