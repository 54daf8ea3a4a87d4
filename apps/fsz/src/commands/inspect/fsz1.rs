//! A file of the paper author's own release.

use anyhow::Result;
use fsz::TileCounts;
use fsz_field::{Fsz1, Fsz1File, Shape};
use fsz_figure::number::{bytes, short};
use fsz_figure::palette::PREDICTORS;
use serde::Serialize;

use super::report::{Tiles, tiles};
use super::{Args, write_tiles};
use crate::terminal;

/// Header and tile counts, by the names of the JSON output.
#[derive(Debug, Serialize)]
struct Report {
    format: &'static str,
    dtype: &'static str,
    shape: Vec<u64>,
    elements: u64,
    raw_bytes: u64,
    compressed_bytes: u64,
    compression_ratio: f64,
    bits_per_value: f64,
    bound: Bound,
    quantization_step: f64,
    #[serde(with = "Tiles")]
    tiles: TileCounts,
}

/// The bound that the values were meant to keep: the file does not tell whether they do.
#[derive(Debug, Serialize)]
struct Bound {
    kind: &'static str,
    absolute: f64,
}

/// Shows a file.
pub fn inspect(args: &Args, quiet: bool) -> Result<()> {
    let file = Fsz1File::open(args.input())?;
    let stream = file.stream()?;
    if write_tiles(args, stream.tiles().map(|tile| Ok(tile.into())), quiet)? {
        return Ok(());
    }
    let report = Report::of(&stream)?;
    if args.json {
        return terminal::print_json(&report);
    }
    terminal::print(&format!("{}\n{}", terminal::named(args.input()), report.text()?))
}

impl Report {
    fn of(stream: &Fsz1<'_>) -> Result<Report> {
        let header = stream.header();
        let elements = header.elements();
        Ok(Report {
            format: "FSZ1",
            dtype: header.dtype.name(),
            shape: header.shape.clone(),
            elements,
            raw_bytes: stream.raw_bytes(),
            compressed_bytes: stream.compressed_bytes(),
            compression_ratio: stream.compression_ratio(),
            bits_per_value: 8.0 * stream.compressed_bytes() as f64 / elements as f64,
            bound: Bound { kind: "absolute", absolute: header.bound },
            quantization_step: header.step(),
            tiles: stream.tile_counts(),
        })
    }

    fn text(&self) -> Result<String> {
        let (shape, raw) = (Shape::new(&self.shape)?, bytes(self.raw_bytes));
        Ok(format!(
            "  field          {} {shape}, {raw}\n  stream         {}, ratio {:.2}, {:.2} bits per value, \
             FSZ1: written by the paper author's own release\n  bound          absolute {}, not certified: \
             check it with fsz verify\n  tiles          {}\n                 {PREDICTORS}\n",
            self.dtype,
            bytes(self.compressed_bytes),
            self.compression_ratio,
            self.bits_per_value,
            short(self.bound.absolute),
            tiles(&self.tiles)
        ))
    }
}
