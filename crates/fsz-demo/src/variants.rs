//! How the tiles of a stream are stored, as classes with a name and a colour.

use crate::canvas::Rgb;
use crate::picture::Class;
use anyhow::Result;
use fsz::{Stream, TileKind};

/// The classes in the order of the legend. The predictor gives the hue (LZ1 blue, LZ2 orange), and
/// centering makes it lighter.
const CLASSES: [(TileKind, &str, u32); 7] = [
    (TileKind::Lz1, "LZ1", 0x1f_5a92),
    (TileKind::Lz1Centered, "LZ1 centered", 0x7f_b2dd),
    (TileKind::Lz2, "LZ2", 0xc2_571a),
    (TileKind::Lz2Centered, "LZ2 centered", 0xf2_b27a),
    (TileKind::Constant, "constant", 0xe3_e5e8),
    (TileKind::Exceptions, "exceptions", 0x7a_4b94),
    (TileKind::Verbatim, "verbatim", 0x3a_3f47),
];

/// The class of each tile of a stream, in order.
pub fn of_tiles(stream: &Stream) -> Result<Vec<usize>> {
    let class = |kind| CLASSES.iter().position(|(k, ..)| *k == kind).unwrap_or(0);
    stream.tiles().map(|tile| Ok(class(tile?.kind()))).collect()
}

/// A legend of the classes that occur, with their shares, and the cells renumbered to fit it.
pub fn legend(cells: &[usize]) -> (Vec<usize>, Vec<Class>) {
    let count = |class| cells.iter().filter(|c| **c == class).count();
    let used: Vec<usize> = (0..CLASSES.len()).filter(|class| count(*class) > 0).collect();
    let entry = |&class: &usize| {
        let (_, name, colour) = CLASSES[class];
        let share = 100.0 * count(class) as f64 / cells.len() as f64;
        let name = if share < 0.95 {
            format!("{name} {share:.1} %")
        } else {
            format!("{name} {share:.0} %")
        };
        Class { name, colour: Rgb::hex(colour) }
    };
    let place = |class: &usize| used.iter().position(|u| u == class).unwrap_or(used.len());
    (cells.iter().map(place).collect(), used.iter().map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_lists_what_occurs() {
        let (cells, classes) = legend(&[2, 2, 4, 2]);
        assert_eq!(cells, [0, 0, 1, 0]);
        let names: Vec<&str> = classes.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["LZ2 75 %", "constant 25 %"]);
    }
}
