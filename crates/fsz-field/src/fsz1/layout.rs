//! Where the blocks of a stream lie: not in the order of the field, but as the threads of a warp wrote them.
//!
//! A warp has 32 threads, and a thread has one tile, or four in large fields. All threads write their first
//! block side by side, then all their second one, and so on: the blocks of a *group*, the tiles of one warp,
//! are transposed.

use std::ops::Range;

use fsz::DType;
use fsz::format::{RateByte, TILE, TILE_BLOCKS, WORD};

use super::tile::{block_words, mean_bytes};

/// Threads of a warp.
const LANES: usize = 32;
/// A field of more values than this has four tiles a thread.
const LARGE: u64 = 20_000_000;
const TILES_OF_A_THREAD: usize = 4;

/// The order of blocks in a stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    tiles_of_a_thread: usize,
}

impl Layout {
    /// That of a field of so many values.
    pub(super) fn of(elements: u64) -> Layout {
        Layout { tiles_of_a_thread: if elements > LARGE { TILES_OF_A_THREAD } else { 1 } }
    }

    /// Tiles of a group.
    pub(super) fn group_tiles(self) -> usize {
        LANES * self.tiles_of_a_thread
    }

    /// Values of a group.
    pub(super) fn group_values(self) -> usize {
        TILE * self.group_tiles()
    }

    /// Where the blocks of a group's tiles lie behind its start, as `ranges[tile][block]`; the mean of a tile is
    /// the front of its block 0.
    pub(super) fn blocks(
        self,
        rates: &[[u8; TILE_BLOCKS]],
        dtype: DType,
    ) -> Vec<[Range<usize>; TILE_BLOCKS]> {
        let mut ranges = vec![[const { 0..0 }; TILE_BLOCKS]; rates.len()];
        let mut end = 0;
        for slot in 0..self.tiles_of_a_thread {
            for block in 0..TILE_BLOCKS {
                let tiles = (slot..rates.len()).step_by(self.tiles_of_a_thread);
                for tile in tiles {
                    let byte = RateByte(rates[tile][block]);
                    let mean = if block == 0 { mean_bytes(byte, dtype) } else { 0 };
                    let start = end;
                    end += WORD * block_words(byte) + mean;
                    ranges[tile][block] = start..end;
                }
            }
        }
        ranges
    }
}
