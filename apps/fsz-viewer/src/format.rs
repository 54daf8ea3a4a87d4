//! The numbers of the stream format (FORMAT.md) that the viewer depends on.

/// Elements of a tile.
pub(crate) const TILE: usize = 256;
/// Codes of a block.
pub(crate) const BLOCK: usize = 32;
/// Blocks of a tile.
pub(crate) const TILE_BLOCKS: usize = TILE / BLOCK;
/// The bits of a rate byte that are the rate; the largest rate.
pub(crate) const RATE_MASK: u8 = 0x1f;
/// The most axes of a field.
pub(crate) const MAX_DIMS: usize = 8;
/// The most missing values that a stream names.
pub(crate) const MAX_MISSING: usize = 4;
