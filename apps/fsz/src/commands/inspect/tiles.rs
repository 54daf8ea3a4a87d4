//! One line per tile, as CSV.

use std::io::{BufWriter, Write};
use std::path::Path;

use fsz::{Stream, TileKind};
use fsz_field::Output;

use crate::failure::Result;

/// Writes index, kind, order, centering, bytes, escapes and the rates of all tiles.
pub fn write(stream: &Stream<'_>, path: &Path, force: bool) -> Result<()> {
    let mut output = Output::create(path, force)?;
    let mut lines = BufWriter::new(&mut output);
    writeln!(lines, "index,kind,order,centered,bytes,escapes,rates")?;
    for tile in stream.info().tiles() {
        let tile = tile?;
        let rates: Vec<String> = tile.rates().iter().map(u8::to_string).collect();
        writeln!(
            lines,
            "{},{},{},{},{},{},{}",
            tile.index,
            name(tile.kind),
            tile.order,
            tile.centered,
            tile.bytes,
            tile.escapes,
            rates.join(" ")
        )?;
    }
    lines.flush()?;
    drop(lines);
    Ok(output.commit()?)
}

/// The kind by its name in the JSON output.
fn name(kind: TileKind) -> &'static str {
    match kind {
        TileKind::Lz1 => "lz1",
        TileKind::Lz2 => "lz2",
        TileKind::Lz1Centered => "lz1_centered",
        TileKind::Lz2Centered => "lz2_centered",
        TileKind::Constant => "constant",
        TileKind::Exceptions => "exceptions",
        TileKind::Verbatim => "verbatim",
    }
}
