//! Where the sections of a stream lie, and how long a stream can get (FORMAT.md, *Sections* and *Bounds on size*).

use std::ops::Range;

use crate::{
    element::Dtype,
    error::{Error, Result},
    geometry::{CHUNK_ELEMENTS, GROUP_CHUNKS, Geometry, element_count},
};

/// Longest header in bytes.
pub(crate) const MAX_HEADER: u64 = 1344;

/// Byte ranges of the sections between header and payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub tiles: u64,
    pub chunks: u64,
    pub rates: Range<u64>,
    pub sizes: Range<u64>,
    pub offsets: Range<u64>,
    pub sums: Range<u64>,
    /// Where the payload begins.
    pub payload: u64,
}

impl Layout {
    /// `None` when a position overflows 64 bits.
    pub fn new(header_len: u64, elements: u64, geometry: Geometry) -> Option<Self> {
        let tiles = geometry.tiles(elements);
        let chunks = elements.div_ceil(CHUNK_ELEMENTS);
        let groups = chunks.div_ceil(GROUP_CHUNKS);
        let mut end = header_len;
        let mut section = |bytes: Option<u64>| {
            let start = end.checked_next_multiple_of(16)?;
            end = start.checked_add(bytes?)?;
            Some(start..end)
        };
        let rates = section(tiles.checked_mul(geometry.blocks as u64))?;
        let sizes = section(chunks.checked_mul(2))?;
        let offsets = section(groups.checked_mul(8))?;
        let sums = section(chunks.checked_mul(4))?;
        let payload = section(Some(0))?.start;
        Some(Layout { tiles, chunks, rates, sizes, offsets, sums, payload })
    }
}

/// The most bytes that a stream of such a field can take, whatever its values and options.
///
/// `shape` is in elements, slowest axis first. Proven in FORMAT.md, *Bounds on size*.
///
/// # Errors
/// [`Error::InvalidArgument`] when the field's size overflows 64 bits.
pub fn max_compressed_len(shape: &[u64], dtype: Dtype) -> Result<u64> {
    // The research geometry with the most rate bytes: one for every 32 elements, tiles of 512.
    let geometry = Geometry { block_len: 32, blocks: 16 };
    element_count(shape)
        .and_then(|elements| {
            let layout = Layout::new(MAX_HEADER, elements, geometry)?;
            layout.payload.checked_add(elements.checked_mul(dtype.size() as u64)?)
        })
        .filter(|&len| len <= i64::MAX as u64)
        .ok_or_else(|| Error::invalid(format!("a field of shape {shape:?} is too large")))
}
