//! `fsz-viewer --bench FILE`: how fast planes come, without a window.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use fsz_field::Hints;
use fsz_wgpu::Gpu;

use crate::model::document::Document;
use crate::model::palette::Map;
use crate::model::plane::Place;
use crate::model::scale::Scale;
use crate::model::scene::{ErrorMode, Overlay, Scene};
use crate::view::gpu_paint::GpuPainter;
use crate::view::paint::CpuPainter;
use crate::view::painter::Painter;
use crate::work::decoder::{Decoder, DecoderChoice};

/// Planes measured along each axis.
const PLANES: u64 = 60;

/// Opens a file and goes through planes of each axis: decode, colours, and the picture on the host.
///
/// # Errors
/// When the file cannot be read.
pub fn bench(path: &Path, hints: &Hints, choice: DecoderChoice) -> Result<String> {
    // What a window's GPU would be.
    let gpu = match choice {
        DecoderChoice::Cpu => None,
        _ => Gpu::headless().ok(),
    };
    let mut decoder = Decoder::open(choice, gpu.as_ref());
    let start = Instant::now();
    let document = Document::open(path, hints)?;
    let grid = document.grid.clone();
    if grid.elements() == 0 {
        bail!("the field has no elements");
    }
    decoder.plane(&document, Place::default(), false)?;
    let opened = start.elapsed();
    let note = decoder.note().map_or(String::new(), |note| format!("{note}\n"));
    let (painter, painted): (&dyn Painter, _) = match decoder.paints() {
        true => (&GpuPainter, "the GPU"),
        false => (&CpuPainter, "the CPU"),
    };
    let mut text = format!(
        "{note}{}: {} {}, decoded on {}, rendered on {painted}\nfirst plane after {:.1} ms\n",
        document.title,
        crate::model::number_format::shape(grid.shape()),
        document.dtype.name(),
        decoder.name(Some(&document), false),
        opened.as_secs_f64() * 1e3
    );
    for axis in 0..grid.axes() {
        let all = grid.planes(axis);
        let count = all.min(PLANES);
        let start = Instant::now();
        for k in 0..count {
            let place = Place { axis, plane: k * all / count };
            let mut plane = decoder.plane(&document, place, false)?;
            decoder.place(&mut plane, None);
            let picture = painter.values(&scene(&document, place), &plane, true)?;
            std::hint::black_box(picture.host()?);
        }
        let rate = count as f64 / start.elapsed().as_secs_f64();
        let _ = writeln!(text, "{}: {rate:.1} planes per second", grid.axis_name(axis));
    }
    Ok(text)
}

/// Values in viridis over the range of the field.
fn scene(document: &Document, place: Place) -> Scene<'_> {
    let facts = document.facts.as_ref();
    let (low, high) = facts.map_or((0.0, 1.0), |f| (f.certificate.min, f.certificate.max));
    Scene {
        map: Map::Viridis,
        scale: Scale { low, high, log: false },
        missing: document.missing(),
        error: ErrorMode::Signed,
        limit: 0.0.into(),
        regions: None,
        bounded: false,
        overlay: Overlay::Off,
        opacity: 0.0,
        tiles: facts.map(|f| &f.tiles),
        grid: &document.grid,
        place,
    }
}
