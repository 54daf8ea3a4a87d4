//! Where the sections of a stream lie, and how long a stream can get (FORMAT.md, *Sections of a stream* and
//! *Bounds on size*).

use std::ops::Range;

use super::{
    constants::{ALIGNMENT, GROUP_CHUNKS, MAX_HEADER},
    dense,
    geometry::{Geometry, check_dims, element_count},
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
    /// Entries of the index: one a chunk, and one for the profile's tables where it has some.
    pub entries: u64,
    /// Bytes of an entry of `sizes`.
    pub size_len: u64,
    /// What the profile tells of each tile outside of the payload: rate bytes.
    pub heads: Range<u64>,
    /// The payload words of each entry.
    pub sizes: Range<u64>,
    /// The payload words before each group.
    pub offsets: Range<u64>,
    /// The checksum of each entry.
    pub sums: Range<u64>,
    /// Regions with bounds of their own; empty where there are none.
    pub regions: Range<u64>,
    /// Where the payload begins.
    pub payload: u64,
}

impl Sections {
    /// Bytes of an entry of `offsets`.
    pub const OFFSET: u64 = 8;
    /// Bytes of an entry of `sums`.
    pub const SUM: u64 = 4;

    /// Of a stream without regions; `None` when a position overflows 64 bits.
    pub(crate) fn new(header_len: u64, grid: &TileGrid, profile: &Profile) -> Option<Self> {
        Self::with_regions(header_len, grid, profile, 0)
    }

    /// With so many bytes of regions.
    pub(crate) fn with_regions(
        header_len: u64,
        grid: &TileGrid,
        profile: &Profile,
        regions_len: u64,
    ) -> Option<Self> {
        let (tiles, chunks) = (grid.tiles(), grid.chunks());
        let entries = if profile.has_tables() && chunks > 0 { chunks + 1 } else { chunks };
        let groups = entries.div_ceil(GROUP_CHUNKS);
        let size_len = profile.size_len();
        let mut end = header_len;
        let mut section = |bytes: Option<u64>| {
            let start = end.checked_next_multiple_of(ALIGNMENT)?;
            end = start.checked_add(bytes?)?;
            Some(start..end)
        };
        let heads = section(tiles.checked_mul(profile.head_len()))?;
        let sizes = section(entries.checked_mul(size_len))?;
        let offsets = section(groups.checked_mul(Self::OFFSET))?;
        let sums = section(entries.checked_mul(Self::SUM))?;
        let regions = section(Some(regions_len))?;
        let payload = section(Some(0))?.start;
        Some(Sections {
            tiles,
            chunks,
            entries,
            size_len,
            heads,
            sizes,
            offsets,
            sums,
            regions,
            payload,
        })
    }

    /// The payload words that an entry of `sizes` tells, whatever its length.
    pub(crate) fn read_size(entry: &[u8]) -> u64 {
        entry.iter().rev().fold(0, |size, &byte| size << 8 | byte as u64)
    }

    /// The bytes between the sections, which are zero.
    pub(crate) fn padding(&self) -> [Range<u64>; 5] {
        [
            self.heads.end..self.sizes.start,
            self.sizes.end..self.offsets.start,
            self.offsets.end..self.sums.start,
            self.sums.end..self.regions.start,
            self.regions.end..self.payload,
        ]
    }
}

/// The most bytes that a stream of such a field can take, whatever its values and options, without regions: with them it is
/// [`CompressOptions::max_compressed_len`](crate::CompressOptions::max_compressed_len).
///
/// `shape` is in elements, slowest axis first. Proven in FORMAT.md, *Bounds on size*.
///
/// # Errors
/// [`Error::InvalidArgument`] when the field's size overflows 64 bits, or it has more dimensions than a stream tells.
pub fn max_compressed_len(shape: &[u64], dtype: DType) -> Result<u64> {
    check_dims(shape)?;
    let Geometry { block_len, blocks } = Geometry::MOST_RATES;
    let paper =
        Profile::Paper(Research { block_len, blocks_per_tile: blocks, ..Research::default() });
    element_count(shape)
        .and_then(|elements| {
            let grid = TileGrid::new(&paper, shape)?;
            let sections = Sections::new(MAX_HEADER as u64, &grid, &paper)?;
            let most = sections.payload.max(dense::most_beside_elements(elements));
            most.checked_add(elements.checked_mul(dtype.size() as u64)?)
        })
        .filter(|&len| len <= i64::MAX as u64)
        .ok_or_else(|| Error::invalid(format!("a field of shape {shape:?} is too large")))
}
