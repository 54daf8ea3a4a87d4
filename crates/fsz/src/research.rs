//! The switches of the paper's profile.

use crate::{error::Result, format::geometry::Geometry};

/// What the centering value µ of a tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Centering {
    /// No centering.
    Off,
    /// The tile's first code: the default.
    FirstCode,
    /// The mean of the tile's codes, as in the paper.
    Mean,
}

/// Switches for studies of the algorithm. The default is the product; everything else is for the CPU only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Research {
    /// Carry the prediction across the blocks of a tile (paper, section on cross-block state).
    pub cross_block: bool,
    /// Offer centered variants.
    pub centering: Centering,
    /// Offer second-order variants.
    pub order2: bool,
    /// Codes per block: 32 or 64.
    pub block_len: usize,
    /// Blocks per tile: 4, 8 or 16.
    pub blocks_per_tile: usize,
}

impl Default for Research {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl Research {
    /// The algorithm as the paper has it.
    pub(crate) const STANDARD: Self = Research {
        cross_block: true,
        centering: Centering::FirstCode,
        order2: true,
        block_len: Geometry::STANDARD.block_len,
        blocks_per_tile: Geometry::STANDARD.blocks,
    };

    pub(crate) fn geometry(&self) -> Result<Geometry> {
        Geometry::new(self.block_len, self.blocks_per_tile)
    }
}
