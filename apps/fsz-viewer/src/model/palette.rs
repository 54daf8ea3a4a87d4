//! Every colour of data, and the names and order of tile kinds.

use fsz::{TileCoding, TileKind};
use fsz_figure::Rgb;
use fsz_figure::palette::{TILE_CLASSES, tile_class};
use serde::{Deserialize, Serialize};

/// Where a value is NaN.
pub const NAN: [u8; 3] = [0x70, 0x2a, 0x6b];
/// Where a value is +Inf or -Inf: no colour of the maps is near it, for the ends of a scale are of numbers.
pub const INFINITE: [u8; 3] = [0x00, 0xd7, 0xff];
/// Where a value is a named missing one.
pub const MISSING: [u8; 3] = [0x46, 0x4a, 0x52];
/// Outside the field.
pub const OUTSIDE: [u8; 3] = [0x1e, 0x20, 0x24];
/// Where a region with a bound of its own begins.
pub const OUTLINE: [u8; 3] = [0x39, 0xff, 0x14];
/// Where an error is beyond the bound: no colour of the maps is near it.
pub const ALARM: [u8; 3] = [0xff, 0x00, 0xe6];

/// Maps for values: equal steps of value look like equal steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Map {
    /// Dark blue over green to yellow.
    #[default]
    Viridis,
    /// Black over purple to white.
    Magma,
    /// For readers with colour vision deficiencies.
    Cividis,
    /// Black to white.
    Grey,
    /// Blue over white to red, for values about a middle.
    BlueRed,
}

impl Map {
    /// All of them, in the order of the menu.
    pub const ALL: [Map; 5] = [Map::Viridis, Map::Magma, Map::Cividis, Map::Grey, Map::BlueRed];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Map::Viridis => "viridis",
            Map::Magma => "magma",
            Map::Cividis => "cividis",
            Map::Grey => "grey",
            Map::BlueRed => "blue–red",
        }
    }

    /// The colour at a place from 0 to 1.
    pub fn at(self, place: f64) -> [u8; 3] {
        let place = place.clamp(0.0, 1.0);
        let colour = match self {
            Map::Viridis => colorous::VIRIDIS.eval_continuous(place),
            Map::Magma => colorous::MAGMA.eval_continuous(place),
            Map::Cividis => colorous::CIVIDIS.eval_continuous(place),
            Map::Grey => return [(place * 255.0).round() as u8; 3],
            Map::BlueRed => colorous::RED_BLUE.eval_continuous(1.0 - place),
        };
        [colour.r, colour.g, colour.b]
    }

    /// 256 colours from low to high.
    pub fn table(self) -> [[u8; 3]; 256] {
        std::array::from_fn(|i| self.at(i as f64 / 255.0))
    }
}

/// The name of a kind in the legend.
pub fn kind_name(kind: TileKind) -> &'static str {
    TILE_CLASSES[tile_class(kind)].name
}

/// The name of a way of coding on screen.
pub fn coding_name(coding: TileCoding) -> &'static str {
    match coding {
        TileCoding::Linear => "linear interpolation",
        TileCoding::Cubic => "cubic interpolation",
        TileCoding::Smooth => "smooth interpolation",
        TileCoding::Blended => "blended interpolation",
        TileCoding::Exact => "exact bits",
        other => kind_name(other.kind()),
    }
}

/// The colour of a kind, safe for readers with colour vision deficiencies.
pub fn kind_colour(kind: TileKind) -> [u8; 3] {
    let Rgb(colour) = TILE_CLASSES[tile_class(kind)].colour;
    colour
}

/// Lines of the original, in plots.
pub const ORIGINAL: [u8; 3] = [0x99, 0x99, 0x99];
/// Lines of FSZ and of what it is compared with, safe for readers with colour vision deficiencies.
pub const LINES: [[u8; 3]; 3] = [[0x56, 0xb4, 0xe9], [0xe6, 0x9f, 0x00], [0xcc, 0x79, 0xa7]];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alarm_and_infinities_have_no_colour_of_a_map() {
        for (own, map) in
            [ALARM, INFINITE].into_iter().flat_map(|own| Map::ALL.map(|map| (own, map)))
        {
            for colour in map.table() {
                let far: i32 =
                    colour.iter().zip(own).map(|(&a, b)| (i32::from(a) - i32::from(b)).abs()).sum();
                assert!(far > 120, "{map:?} has {colour:?}");
            }
        }
    }
}
