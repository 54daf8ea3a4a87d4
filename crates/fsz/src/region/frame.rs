//! A stream gets the section of its regions: header and index are the same but for it.

use std::ops::Range;

use crate::{
    error::{Error, Result},
    format::{CHECKSUM_ROW, Sections, checksum::byte_rows, header},
    schedule::too_small,
};

/// What becomes of a stream without regions.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Heads, sizes, offsets and sums of the stream without regions. With them they follow the longer header, and are
    /// the same.
    pub old_index: Range<u64>,
    /// Its payload, which follows the section.
    pub old_payload: Range<u64>,
    /// Those of the stream with regions.
    pub sections: Sections,
    header: Vec<u8>,
    metadata_checksum: u32,
}

impl Frame {
    /// With a section of `section` bytes, of a stream that begins with these bytes: its header, at least.
    pub fn new(bytes: &[u8], section: u64) -> Result<Self> {
        let header = header::read(bytes)?;
        let (grid, fields) = (header.grid()?, header.fields());
        let old = header.sections(&grid)?;
        let new = header::with_regions(&bytes[..fields.header_len as usize], &header, section);
        let sections = Sections::with_regions(new.len() as u64, &grid, &header.profile, section)
            .filter(|sections| sections.payload.checked_add(fields.payload_len).is_some());
        Ok(Frame {
            old_index: old.heads.start..old.payload,
            old_payload: old.payload..old.payload + fields.payload_len,
            sections: sections
                .ok_or_else(|| Error::invalid("a stream with regions is too large"))?,
            header: new,
            metadata_checksum: fields.metadata_checksum,
        })
    }

    /// Bytes of the stream with regions.
    pub fn stream_len(&self) -> u64 {
        self.sections.payload + (self.old_payload.end - self.old_payload.start)
    }

    /// The number of the section's first row in the metadata checksum.
    pub fn first_row(&self) -> u32 {
        const ROW_BYTES: u64 = 4 * CHECKSUM_ROW as u64;
        ((self.sections.regions.start - self.sections.heads.start) / ROW_BYTES) as u32
    }

    /// The header, given what the rows of the section add to the metadata checksum.
    pub fn header(mut self, section_sum: u32) -> Vec<u8> {
        let len = self.stream_len();
        let checksum = self.metadata_checksum.wrapping_add(section_sum);
        header::finish(&mut self.header, len, checksum);
        self.header
    }
}

/// Puts `section` into the stream of `len` bytes without regions at the begin of `out`; its length with them.
pub(super) fn insert(out: &mut [u8], len: usize, section: &[u8]) -> Result<usize> {
    let frame = Frame::new(&out[..len], section.len() as u64)?;
    let whole = frame.stream_len();
    if whole > out.len() as u64 {
        return Err(too_small());
    }
    let bytes = |range: &Range<u64>| range.start as usize..range.end as usize;
    let Sections { heads, regions, payload, .. } = frame.sections.clone();
    // From behind, so that nothing is overwritten before it is moved.
    out.copy_within(bytes(&frame.old_payload), payload as usize);
    out[regions.end as usize..payload as usize].fill(0);
    out.copy_within(bytes(&frame.old_index), heads.start as usize);
    out[bytes(&regions)].copy_from_slice(section);
    let sum = byte_rows(section, frame.first_row());
    out[..heads.start as usize].copy_from_slice(&frame.header(sum));
    Ok(whole as usize)
}
