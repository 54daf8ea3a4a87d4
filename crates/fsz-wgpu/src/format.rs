//! The numbers of the stream format (FORMAT.md) that pages and pictures depend on.

/// Elements of a tile.
pub(crate) const TILE: usize = 256;
/// Codes of a block.
pub(crate) const BLOCK: usize = 32;
/// Blocks of a tile, and so its rate bytes.
pub(crate) const TILE_BLOCKS: usize = TILE / BLOCK;
/// Tiles of a chunk.
pub(crate) const CHUNK_TILES: usize = 64;
/// The most missing values that a stream names.
pub(crate) const MAX_MISSING: usize = 4;
