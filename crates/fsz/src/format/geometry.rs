//! How the paper's profile cuts a field: tiles of blocks, chunks of tiles (FORMAT.md, *Glossary*).

use super::constants::MAX_DIMS;
use crate::error::{Error, Result};

/// Codes of a standard block.
pub const BLOCK: usize = 32;
/// Blocks of a standard tile.
pub const TILE_BLOCKS: usize = 8;
/// Elements of a standard tile.
pub const TILE: usize = BLOCK * TILE_BLOCKS;
/// Elements of a chunk, in every geometry.
pub const CHUNK: usize = 16384;
/// Tiles of a chunk in the standard geometry.
pub const CHUNK_TILES: usize = CHUNK / TILE;
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
    pub const STANDARD: Self = Geometry { block_len: BLOCK, blocks: TILE_BLOCKS };
    /// That with the most rate bytes: one for every 32 elements.
    pub const MOST_RATES: Self = Geometry { block_len: BLOCK, blocks: MAX_BLOCKS };

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
}

/// The number of elements of a shape, or `None` when it overflows 64 bits. An axis of length 0 makes a field
/// empty, however long the others are.
pub fn element_count(shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1u64, |n, &d| n.checked_mul(d))
}

/// Errs for more dimensions than a stream tells.
pub(crate) fn check_dims(shape: &[u64]) -> Result<()> {
    if shape.len() > MAX_DIMS {
        return Err(Error::invalid(format!("{} dimensions: at most {MAX_DIMS}", shape.len())));
    }
    Ok(())
}
