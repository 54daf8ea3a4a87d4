//! A stream gets the section of its regions: header and index are the same but for it.

use crate::{
    error::{Error, Result},
    format::{
        Sections,
        checksum::byte_rows,
        header::{self, Header},
    },
    schedule::too_small,
};

/// Puts `section` into the stream of `len` bytes without regions at the begin of `out`; its length with them.
pub(super) fn insert(out: &mut [u8], len: usize, section: &[u8]) -> Result<usize> {
    let header = header::read(&out[..len])?;
    let old = header.sections(&header.grid()?)?;
    let head = before_payload(out, &header, &old, section)?;
    let payload = old.payload as usize..len;
    let whole = head.len() + payload.len();
    if whole > out.len() {
        return Err(too_small());
    }
    out.copy_within(payload, head.len());
    out[..head.len()].copy_from_slice(&head);
    Ok(whole)
}

/// What stands before the payload of a stream with these bytes, header and sections, when it has this section of regions.
fn before_payload(
    bytes: &[u8],
    header: &Header,
    old: &Sections,
    section: &[u8],
) -> Result<Vec<u8>> {
    let fields = header.fields();
    let len = section.len() as u64;
    let mut head = header::with_regions(&bytes[..fields.header_len as usize], header, len);
    let header_len = head.len();
    let grid = header.grid()?;
    let new = Sections::with_regions(header_len as u64, &grid, &header.profile, len)
        .ok_or_else(|| Error::invalid("a stream with regions is too large"))?;
    head.resize(new.payload as usize, 0);
    let parts = [
        (&old.heads, &new.heads),
        (&old.sizes, &new.sizes),
        (&old.offsets, &new.offsets),
        (&old.sums, &new.sums),
    ];
    for (from, to) in parts {
        let own = &bytes[from.start as usize..from.end as usize];
        head[to.start as usize..to.end as usize].copy_from_slice(own);
    }
    let regions = new.regions.start as usize..new.regions.end as usize;
    head[regions].copy_from_slice(section);
    let checksum = byte_rows(&head[header_len..], 0);
    header::finish(&mut head[..header_len], new.payload + fields.payload_len, checksum);
    Ok(head)
}
