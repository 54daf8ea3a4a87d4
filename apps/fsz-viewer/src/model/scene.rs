//! Everything that a picture depends on besides its values.

use fsz::format::TILE_BLOCKS;
use fsz_metrics::Limit;
use serde::{Deserialize, Serialize};

use crate::model::grid::Grid;
use crate::model::palette::{Map, kind_colour};
use crate::model::plane::Place;
use crate::model::regions::Regions;
use crate::model::scale::Scale;
use crate::model::tiles::{Tile, Tiles};

/// Which error is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorMode {
    /// Reconstruction − original, over ± the bound.
    #[default]
    Signed,
    /// Its magnitude, from 0 to the bound.
    Absolute,
    /// Its magnitude by that of the original, on a logarithmic scale of six decades up to 1.
    Relative,
}

impl ErrorMode {
    /// All of them, in the order of the menu.
    pub const ALL: [ErrorMode; 3] = [ErrorMode::Signed, ErrorMode::Absolute, ErrorMode::Relative];

    /// The colours that it is shown in.
    pub fn map(self) -> Map {
        match self {
            ErrorMode::Signed => Map::BlueRed,
            ErrorMode::Absolute | ErrorMode::Relative => Map::Magma,
        }
    }

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            ErrorMode::Signed => "Signed",
            ErrorMode::Absolute => "Absolute",
            ErrorMode::Relative => "Relative",
        }
    }
}

/// What lies over the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Overlay {
    /// Nothing.
    #[default]
    Off,
    /// How each tile is stored.
    Variants,
    /// Mean bits per element of each tile.
    Rate,
    /// Compressed bytes of each tile.
    Bytes,
}

impl Overlay {
    /// All of them, in the order of the menu.
    pub const ALL: [Overlay; 4] = [Overlay::Off, Overlay::Variants, Overlay::Rate, Overlay::Bytes];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Overlay::Off => "None",
            Overlay::Variants => "Tile kinds",
            Overlay::Rate => "Tile rates",
            Overlay::Bytes => "Tile sizes",
        }
    }

    /// The colour of a tile.
    pub fn colour(self, tile: &Tile, tiles: &Tiles) -> [u8; 3] {
        match self {
            Overlay::Off => [0; 3],
            Overlay::Variants => kind_colour(tile.kind),
            Overlay::Rate => {
                // In the steps that the GPU counts in: a bit of one of the blocks.
                let sum = (f64::from(tile.mean_rate()) * TILE_BLOCKS as f64).ceil();
                Map::Magma.at(sum / f64::from(tiles.most_rate()) / TILE_BLOCKS as f64)
            }
            Overlay::Bytes => {
                Map::Magma.at(f64::from(tile.bytes) / f64::from(tiles.largest().max(1)))
            }
        }
    }
}

/// How planes are shown.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Colours of values.
    pub map: Map,
    /// Their range.
    pub scale: Scale,
    /// Values that stand for none.
    pub missing: &'a [f64],
    /// Which error.
    pub error: ErrorMode,
    /// The error of the last colour: the absolute bound, or without one the plane's largest.
    pub limit: Limit,
    /// Parts of the field with limits of their own.
    pub regions: Option<&'a Regions>,
    /// The limit is a bound: what is beyond it has the alarm colour.
    pub bounded: bool,
    /// What lies over the reconstruction.
    pub overlay: Overlay,
    /// Its share, from 0 to 1.
    pub opacity: f32,
    /// The tiles of the reconstruction.
    pub tiles: Option<&'a Tiles>,
    /// The field's planes.
    pub grid: &'a Grid,
    /// Which plane it is.
    pub place: Place,
}
