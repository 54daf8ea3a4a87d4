//! What each way of coding a tile would cost.

use crate::tile_record::{Predictor, TileKind};

/// A way in which a tile can be coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TileCoding {
    /// Lorenzo prediction: a variant of `paper`; of `dense` the first or second order, not centered.
    Lorenzo(Predictor),
    /// Interpolation from two elements along each axis.
    Linear,
    /// Interpolation from four, (−1, 9, 9, −1) / 16.
    Cubic,
    /// Interpolation from four, (2, 6, 6, 2) / 16.
    Smooth,
    /// Interpolation that is cubic along one axis, and between several blends those along each.
    Blended,
    /// Differences of the elements' bits.
    Exact,
    /// The elements as they are.
    Verbatim,
}

impl TileCoding {
    /// Its name in messages, such as `cubic`.
    pub const fn name(self) -> &'static str {
        match self {
            TileCoding::Lorenzo(predictor) => TileKind::of(predictor).name(),
            TileCoding::Linear => "linear",
            TileCoding::Cubic => "cubic",
            TileCoding::Smooth => "smooth",
            TileCoding::Blended => "blended",
            TileCoding::Exact => "exact",
            TileCoding::Verbatim => "verbatim",
        }
    }

    /// How a tile that is coded so is shown.
    pub const fn kind(self) -> TileKind {
        match self {
            TileCoding::Lorenzo(predictor) => TileKind::of(predictor),
            TileCoding::Linear | TileCoding::Cubic | TileCoding::Smooth | TileCoding::Blended => {
                TileKind::Interpolated
            }
            TileCoding::Exact | TileCoding::Verbatim => TileKind::Verbatim,
        }
    }
}

/// What a way of coding would cost a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TileCost {
    /// How the tile would be coded.
    pub coding: TileCoding,
    /// Bytes: of `paper` those of the centering value and of the blocks, without the tile's exceptions; of
    /// `dense` those of the symbols, counted as an encoder counts them (FORMAT.md, *Dense: choose*) by tables
    /// that are fitted to this box, and of the elements that are listed.
    pub bytes: u64,
    /// Whether the tile is coded so.
    pub chosen: bool,
}
