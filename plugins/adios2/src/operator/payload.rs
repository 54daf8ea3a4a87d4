//! Payloads at the place that ADIOS2 gives, and the values stored in one as they are.

use std::slice;

use crate::{
    block::Block,
    envelope::{Envelope, MAX_NAME, Mode},
};

/// Stores the values, with as much of the header as there is room for.
///
/// # Errors
/// There is no room even for the shortest header.
///
/// # Safety
/// As [`Operator::write`](super::Operator::write).
pub(super) unsafe fn write_raw(
    block: &Block<'_>,
    room: usize,
    out: *mut u8,
) -> Result<usize, String> {
    let body = if block.bytes() == 0 {
        &[]
    } else {
        // SAFETY: the values are readable, as bytes too.
        unsafe { slice::from_raw_parts(block.data, block.bytes()) }
    };
    let full = Envelope {
        mode: Mode::Raw,
        element_size: block.dtype.size() as u8,
        count: block.count.clone(),
        start: block.start.clone(),
        name: clip(&block.variable).as_bytes(),
        body,
    };
    let nameless = Envelope { start: None, name: b"", ..full.clone() };
    let flat = Envelope { count: vec![block.elements() as u64], ..nameless.clone() };
    let envelope = [full, nameless, flat]
        .into_iter()
        .find(|envelope| envelope.header_len() + body.len() <= room)
        .ok_or("the engine provides no room for its values: use shorter names of the plugin and its library")?;
    // SAFETY: there is room for it.
    Ok(unsafe { put(&envelope, out) })
}

/// # Safety
/// `out` is writable for the whole envelope, and is not part of its body.
pub(super) unsafe fn put(envelope: &Envelope<'_>, out: *mut u8) -> usize {
    let header = envelope.header();
    // SAFETY: promised by the caller.
    unsafe {
        out.copy_from_nonoverlapping(header.as_ptr(), header.len());
        out.add(header.len()).copy_from_nonoverlapping(envelope.body.as_ptr(), envelope.body.len());
    }
    header.len() + envelope.body.len()
}

/// The part of a name that can be recorded.
pub(super) fn clip(name: &str) -> &str {
    &name[..name.floor_char_boundary(MAX_NAME)]
}
