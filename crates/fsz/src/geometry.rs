//! How a field is cut: tiles of blocks, chunks of tiles, groups of chunks (FORMAT.md, *Words*).

use crate::error::{Error, Result};

/// Elements of a chunk, in every geometry.
pub(crate) const CHUNK_ELEMENTS: u64 = 16384;
/// Chunks of a group.
pub(crate) const GROUP_CHUNKS: u64 = 64;
/// Elements of a standard tile.
pub(crate) const TILE: usize = 256;
/// Codes of a standard block.
pub(crate) const BLOCK: usize = 32;
/// Most elements of a tile in any geometry.
pub(crate) const MAX_TILE: usize = 1024;
/// Most blocks of a tile in any geometry.
pub(crate) const MAX_BLOCKS: usize = 16;

/// Block length and blocks per tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub block_len: usize,
    pub blocks: usize,
}

impl Geometry {
    pub const STANDARD: Self = Geometry { block_len: BLOCK, blocks: TILE / BLOCK };

    pub fn new(block_len: usize, blocks: usize) -> Result<Self> {
        if !matches!(block_len, 32 | 64) {
            return Err(Error::invalid(format!("block length {block_len}: use 32 or 64")));
        }
        if !matches!(blocks, 4 | 8 | 16) {
            return Err(Error::invalid(format!("{blocks} blocks per tile: use 4, 8 or 16")));
        }
        Ok(Geometry { block_len, blocks })
    }

    pub fn is_standard(self) -> bool {
        self == Self::STANDARD
    }

    /// Elements of a full tile.
    pub fn tile_len(self) -> usize {
        self.block_len * self.blocks
    }

    /// Words of one bit-plane of a block.
    pub fn plane_words(self) -> usize {
        self.block_len / 32
    }

    pub fn tiles_per_chunk(self) -> usize {
        CHUNK_ELEMENTS as usize / self.tile_len()
    }

    pub fn tiles(self, elements: u64) -> u64 {
        elements.div_ceil(self.tile_len() as u64)
    }
}

/// The number of elements of a shape, or `None` when it overflows 64 bits.
pub(crate) fn element_count(shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1u64, |n, &d| n.checked_mul(d))
}
