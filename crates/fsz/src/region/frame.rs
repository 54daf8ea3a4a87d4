//! A stream gets the section of its regions: header and index are the same but for it.

use std::ops::Range;

use crate::{
    error::{Error, Result},
    exec::Execution,
    format::{ALIGNMENT, CHECKSUM_ROW, Sections, header},
    options::CompressOptions,
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

/// Where a stream without regions begins in the memory for one with a section of so many bytes, so that its payload is where
/// it belongs: that of a field of this shape, which has these options with its regions, and the others without.
pub(super) fn begin(
    shape: &[u64],
    (options, without): (&CompressOptions, &CompressOptions),
    section: usize,
) -> usize {
    let [longer, shorter] = [options, without].map(|options| header::header_len(shape, options));
    longer - shorter + section.next_multiple_of(ALIGNMENT as usize)
}

/// Puts the section of regions into the stream of `len` bytes without them that [begins](begin) at `first` of `out`; its length
/// with them. The section has these parts, each at a multiple of 16 bytes.
pub(super) fn insert(
    out: &mut [u8],
    (first, len): (usize, usize),
    section: &[&[u8]],
    run: Execution<'_>,
) -> Result<usize> {
    let frame = Frame::new(&out[first..first + len], section_len(section) as u64)?;
    let Sections { heads, regions, payload, .. } = frame.sections.clone();
    let [heads, regions_end, payload] = [heads.start, regions.end, payload].map(|at| at as usize);
    let regions = regions.start as usize..regions_end;
    let old = |at: u64| first + at as usize;
    assert_eq!(old(frame.old_payload.start), payload, "the payload stays where it is");
    out.copy_within(old(frame.old_index.start)..old(frame.old_index.end), heads);
    out[regions_end..payload].fill(0);
    put_parts(&mut out[regions.clone()], section, run)?;
    let sum = run.byte_rows(&out[regions], frame.first_row());
    let whole = frame.stream_len() as usize;
    out[..heads].copy_from_slice(&frame.header(sum));
    Ok(whole)
}

/// The bytes of a section of these parts.
pub(super) fn section_len(parts: &[&[u8]]) -> usize {
    parts.iter().fold(0, |end: usize, part| end.next_multiple_of(ALIGNMENT as usize) + part.len())
}

/// Writes the parts of a section.
fn put_parts(section: &mut [u8], parts: &[&[u8]], run: Execution<'_>) -> Result<()> {
    /// Bytes that a thread copies at a time.
    const PIECE: usize = 1 << 20;
    let (mut rest, mut at, mut pieces) = (section, 0_usize, Vec::new());
    for part in parts {
        let start = at.next_multiple_of(ALIGNMENT as usize);
        let (padding, behind) = rest.split_at_mut(start - at);
        padding.fill(0);
        let (own, behind) = behind.split_at_mut(part.len());
        (rest, at) = (behind, start + part.len());
        pieces.extend(own.chunks_mut(PIECE).zip(part.chunks(PIECE)));
    }
    run.each(
        (pieces.len(), pieces.into_iter()),
        || Ok(()),
        |(), (to, from)| {
            to.copy_from_slice(from);
            run.check()
        },
    )
}
