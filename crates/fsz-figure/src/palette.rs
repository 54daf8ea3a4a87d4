//! Colours, and the names of what they stand for.

use fsz::TileKind;

use crate::canvas::Rgb;

/// How a way of storing a tile is named and drawn.
#[derive(Debug, Clone, Copy)]
pub struct TileClass {
    /// The way.
    pub kind: TileKind,
    /// Its name in JSON and CSV.
    pub key: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// Its colour (Paul Tol's bright scheme): readers with colour vision deficiencies tell them apart.
    pub colour: Rgb,
}

/// All ways of storing a tile, in the order of legends.
pub const TILE_CLASSES: [TileClass; 8] = [
    class(TileKind::Lz1, "LZ1", 0x44_77aa),
    class(TileKind::Lz2, "LZ2", 0x22_8833),
    class(TileKind::Lz1Centered, "LZ1 + centering", 0x66_ccee),
    class(TileKind::Lz2Centered, "LZ2 + centering", 0xcc_bb44),
    class(TileKind::Interpolated, "interpolation", 0x33_2288),
    class(TileKind::Constant, "constant", 0xbb_bbbb),
    class(TileKind::Exceptions, "exceptions", 0xee_6677),
    class(TileKind::Verbatim, "verbatim", 0xaa_3377),
];

/// What the names of the predictors mean, once on every surface.
pub const PREDICTORS: &str = "LZ1, LZ2: first-, second-order Lorenzo";

const fn class(kind: TileKind, name: &'static str, colour: u32) -> TileClass {
    TileClass { kind, key: kind.name(), name, colour: Rgb::hex(colour) }
}

/// The index in [`TILE_CLASSES`] of a way of storing a tile.
pub fn tile_class(kind: TileKind) -> usize {
    TILE_CLASSES.iter().position(|class| class.kind == kind).unwrap_or(0)
}

/// Colours of the series of a plot (Okabe and Ito, 2008, and some more): readers with colour vision
/// deficiencies tell them apart.
pub const SERIES: [&str; 10] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777", "#8c6d31",
    "#7f3c8d", "#c0392b",
];

/// A colour for each place from 0 to 1.
pub type Palette = fn(f64) -> Rgb;

/// For values: equal steps of value look like equal steps.
pub fn viridis(place: f64) -> Rgb {
    colorous::VIRIDIS.eval_continuous(place).into()
}

/// For signed errors: blue below, white at none, red above.
pub fn blue_red(place: f64) -> Rgb {
    colorous::RED_BLUE.eval_continuous(1.0 - place).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_found_and_has_its_own_name_and_colour() {
        for (i, class) in TILE_CLASSES.iter().enumerate() {
            assert_eq!(tile_class(class.kind), i);
            let others = &TILE_CLASSES[..i];
            assert!(others.iter().all(|o| o.colour != class.colour && o.key != class.key));
        }
    }
}
