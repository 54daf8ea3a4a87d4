//! `fsz-viewer --bench FILE`: how fast planes come, without a window.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use fsz_field::Hints;

use crate::colours::{Map, Scale};
use crate::decoder::{Decoder, Wanted};
use crate::document::{Document, Result};
use crate::paint;
use crate::plane::Place;

/// Planes measured along each axis.
const PLANES: u64 = 60;

/// Opens a file and goes through planes of each axis: decode and colours.
///
/// # Errors
/// When the file cannot be read.
pub fn bench(path: &Path, hints: &Hints, wanted: Wanted) -> Result<String> {
    let mut decoder = Decoder::open(wanted);
    let start = Instant::now();
    let document = Document::open(path, hints)?;
    let grid = document.grid.clone();
    if grid.elements() == 0 {
        return Err("the field has no elements".to_owned());
    }
    decoder.plane(&document, Place::default())?;
    let opened = start.elapsed();
    let (low, high) =
        document.facts.as_ref().map_or((0.0, 1.0), |f| (f.certificate.min, f.certificate.max));
    let scale = Scale { low, high, log: false };
    let note = decoder.note().map_or(String::new(), |note| format!("{note}\n"));
    let mut text = format!(
        "{note}{}: {} {}, decoded on {}\nopen to first plane: {:.1} ms\n",
        document.title,
        crate::words::shape(grid.shape()),
        document.dtype.name(),
        decoder.name(Some(&document)),
        opened.as_secs_f64() * 1e3
    );
    for axis in 0..grid.axes() {
        let all = grid.planes(axis);
        let count = all.min(PLANES);
        let start = Instant::now();
        for k in 0..count {
            let place = Place { axis, plane: k * all / count };
            let plane = decoder.plane(&document, place)?;
            std::hint::black_box(paint::values(&plane, Map::Viridis, scale, document.missing()));
        }
        let rate = count as f64 / start.elapsed().as_secs_f64();
        let _ = writeln!(text, "{}: {rate:.1} planes a second", grid.axis_name(axis));
    }
    Ok(text)
}
