//! How the tiles of a stream are stored, as classes with a name and a colour.

use anyhow::Result;
use fsz::Stream;
use fsz_figure::palette::{TILE_CLASSES, tile_class};
use fsz_figure::panels::Class;

/// The class of each tile of a stream, in order.
pub fn of_tiles(stream: &Stream) -> Result<Vec<usize>> {
    stream.tiles().map(|tile| Ok(tile_class(tile?.kind()))).collect()
}

/// A legend of the classes that occur, with their shares, and the cells renumbered to fit it.
pub fn legend(cells: &[usize]) -> (Vec<usize>, Vec<Class>) {
    let count = |class| cells.iter().filter(|c| **c == class).count();
    let used: Vec<usize> = (0..TILE_CLASSES.len()).filter(|class| count(*class) > 0).collect();
    let entry = |&class: &usize| {
        let share = 100.0 * count(class) as f64 / cells.len() as f64;
        let decimals = usize::from(share < 0.95);
        let name = format!("{} {share:.decimals$} %", TILE_CLASSES[class].name);
        Class { name, colour: TILE_CLASSES[class].colour }
    };
    let place = |class: &usize| used.iter().position(|u| u == class).unwrap_or(used.len());
    (cells.iter().map(place).collect(), used.iter().map(entry).collect())
}

#[cfg(test)]
mod tests {
    use fsz::TileKind;

    use super::*;

    #[test]
    fn the_legend_lists_what_occurs() {
        let [lz2, constant] = [TileKind::Lz2, TileKind::Constant].map(tile_class);
        let (cells, classes) = legend(&[lz2, lz2, constant, lz2]);
        assert_eq!(cells, [0, 0, 1, 0]);
        let names: Vec<&str> = classes.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["LZ2 75 %", "constant 25 %"]);
    }
}
