//! One line per tile, as CSV.

use std::io::{BufWriter, Write};

use anyhow::Result;
use fsz::{Predictor, Stream};
use fsz_field::Output;
use fsz_figure::palette::{TILE_CLASSES, tile_class};

/// Writes index, kind, order, centering, bytes, escapes and the rates of all tiles.
pub fn write(stream: &Stream<'_>, mut output: Output) -> Result<()> {
    let mut lines = BufWriter::new(&mut output);
    writeln!(lines, "index,kind,order,centered,bytes,escapes,rates")?;
    for tile in stream.tiles() {
        let tile = tile?;
        let rates: Vec<String> = tile.rates().iter().map(u8::to_string).collect();
        writeln!(
            lines,
            "{},{},{},{},{},{},{}",
            tile.index,
            TILE_CLASSES[tile_class(tile.kind())].key,
            tile.predictor.map_or(1, Predictor::order),
            tile.predictor.is_some_and(Predictor::centered),
            tile.bytes,
            tile.escapes,
            rates.join(" ")
        )?;
    }
    lines.flush()?;
    drop(lines);
    Ok(output.commit()?)
}
