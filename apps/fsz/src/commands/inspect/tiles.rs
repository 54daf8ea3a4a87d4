//! One line per tile, as CSV.

use std::io::{BufWriter, Write};

use anyhow::{Context, Result};
use fsz::{Predictor, TileKind, TileRecord};
use fsz_field::{Fsz1Tile, Output};
use fsz_figure::palette::{TILE_CLASSES, tile_class};

/// What a line tells of a tile.
pub struct Line {
    index: u64,
    kind: TileKind,
    predictor: Option<Predictor>,
    bytes: u64,
    escapes: u32,
    rates: Vec<u8>,
}

impl From<TileRecord> for Line {
    fn from(tile: TileRecord) -> Line {
        let TileRecord { index, predictor, bytes, escapes, .. } = tile;
        Line { index, kind: tile.kind(), predictor, bytes, escapes, rates: tile.rates().to_vec() }
    }
}

impl From<Fsz1Tile> for Line {
    fn from(tile: Fsz1Tile) -> Line {
        let (kind, bytes, rates) = (tile.kind(), tile.bytes(), tile.rates.to_vec());
        let Fsz1Tile { index, predictor, .. } = tile;
        Line { index, kind, predictor: Some(predictor), bytes, escapes: 0, rates }
    }
}

/// Writes index, kind, order, centering, bytes, escapes and the rates of all tiles; how many there are.
pub fn write(tiles: impl Iterator<Item = Result<Line>>, mut output: Output) -> Result<u64> {
    let path = output.named().display().to_string();
    let mut lines = BufWriter::new(&mut output);
    writeln!(lines, "index,kind,order,centered,bytes,escapes,rates")
        .with_context(|| path.clone())?;
    let mut count = 0;
    for tile in tiles {
        let tile = tile?;
        count += 1;
        let rates: Vec<String> = tile.rates.iter().map(u8::to_string).collect();
        writeln!(
            lines,
            "{},{},{},{},{},{},{}",
            tile.index,
            TILE_CLASSES[tile_class(tile.kind)].key,
            tile.predictor.map_or(1, Predictor::order),
            tile.predictor.is_some_and(Predictor::centered),
            tile.bytes,
            tile.escapes,
            rates.join(" ")
        )
        .with_context(|| path.clone())?;
    }
    lines.flush().with_context(|| path.clone())?;
    drop(lines);
    output.commit()?;
    Ok(count)
}
