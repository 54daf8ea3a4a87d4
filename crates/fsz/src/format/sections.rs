//! Where the sections of a stream lie, and how long a stream can get (FORMAT.md, *Sections of a stream* and
//! *Bounds on size*).

use std::ops::Range;

use super::{
    constants::{ALIGNMENT, GROUP_CHUNKS, MAX_HEADER},
    geometry::{Geometry, element_count},
    profile::Profile,
    tile_grid::TileGrid,
};
use crate::{
    dtype::DType,
    error::{Error, Result},
    research::Research,
};

/// Byte ranges of the sections between header and payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sections {
    /// Tiles of the field.
    pub tiles: u64,
    /// Chunks of the field.
    pub chunks: u64,
    /// What the profile tells of each tile outside of the payload: rate bytes.
    pub heads: Range<u64>,
    /// The payload words of each chunk.
    pub sizes: Range<u64>,
    /// The payload words before each group.
    pub offsets: Range<u64>,
    /// The checksum of each chunk.
    pub sums: Range<u64>,
    /// Where the payload begins.
    pub payload: u64,
}

impl Sections {
    /// Bytes of an entry of `sizes`.
    pub const SIZE: u64 = 2;
    /// Bytes of an entry of `offsets`.
    pub const OFFSET: u64 = 8;
    /// Bytes of an entry of `sums`.
    pub const SUM: u64 = 4;

    /// `None` when a position overflows 64 bits.
    pub(crate) fn new(header_len: u64, grid: &TileGrid, head_len: u64) -> Option<Self> {
        let (tiles, chunks) = (grid.tiles(), grid.chunks());
        let groups = chunks.div_ceil(GROUP_CHUNKS);
        let mut end = header_len;
        let mut section = |bytes: Option<u64>| {
            let start = end.checked_next_multiple_of(ALIGNMENT)?;
            end = start.checked_add(bytes?)?;
            Some(start..end)
        };
        let heads = section(tiles.checked_mul(head_len))?;
        let sizes = section(chunks.checked_mul(Self::SIZE))?;
        let offsets = section(groups.checked_mul(Self::OFFSET))?;
        let sums = section(chunks.checked_mul(Self::SUM))?;
        let payload = section(Some(0))?.start;
        Some(Sections { tiles, chunks, heads, sizes, offsets, sums, payload })
    }

    /// The bytes between the sections, which are zero.
    pub(crate) fn padding(&self) -> [Range<u64>; 4] {
        [
            self.heads.end..self.sizes.start,
            self.sizes.end..self.offsets.start,
            self.offsets.end..self.sums.start,
            self.sums.end..self.payload,
        ]
    }
}

/// The most bytes that a stream of such a field can take, whatever its values and options.
///
/// `shape` is in elements, slowest axis first. Proven in FORMAT.md, *Bounds on size*.
///
/// # Errors
/// [`Error::InvalidArgument`] when the field's size overflows 64 bits.
pub fn max_compressed_len(shape: &[u64], dtype: DType) -> Result<u64> {
    let Geometry { block_len, blocks } = Geometry::MOST_RATES;
    let profile =
        Profile::Paper(Research { block_len, blocks_per_tile: blocks, ..Research::default() });
    element_count(shape)
        .and_then(|elements| {
            let grid = TileGrid::new(&profile, shape)?;
            let sections = Sections::new(MAX_HEADER as u64, &grid, profile.head_len())?;
            sections.payload.checked_add(elements.checked_mul(dtype.size() as u64)?)
        })
        .filter(|&len| len <= i64::MAX as u64)
        .ok_or_else(|| Error::invalid(format!("a field of shape {shape:?} is too large")))
}
