//! `fsz-viewer --bench FILE`: how fast planes come, without a window.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use fsz::Progress;
use fsz_field::Hints;
use fsz_wgpu::{Gpu, Look, Mode, VolumeColours};

use crate::model::catalog::Choice;
use crate::model::document::Document;
use crate::model::palette::Map;
use crate::model::plane::Place;
use crate::model::scale::Scale;
use crate::model::scene::{ErrorMode, Overlay, Scene};
use crate::model::set::Set;
use crate::model::volume::clip_box::ClipBox;
use crate::model::volume::orbit::Orbit;
use crate::model::volume::order::VolumeOrder;
use crate::model::volume::plan::plan;
use crate::model::volume::transfer::Transfer;
use crate::model::volume::unit::{in_unit, unit};
use crate::model::volume::volume_view::{Rendering, VolumeSource};
use crate::model::volume::{STEP, extent};
use crate::view::gpu_paint::GpuPainter;
use crate::view::paint::CpuPainter;
use crate::view::painter::{Painted, Painter};
use crate::work::decoder::{Decoder, DecoderChoice};
use crate::work::gpu_streams::GpuStreams;
use crate::work::open::opened;
use crate::work::shaders::with_shaders;
use crate::work::steps_ahead::{Course, OpenedSteps, StepsAhead};
use crate::work::volume::budget;
use crate::work::volume::load::Loader;

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
    let decoder = Decoder::open(choice, gpu.as_ref()).awaiting_shaders();
    let shaders = decoder.gpu_in_use().cloned();
    with_shaders(shaders.as_ref(), move || planes(path, hints, decoder))
}

/// The times of planes.
fn planes(path: &Path, hints: &Hints, mut decoder: Decoder) -> Result<String> {
    let start = Instant::now();
    let document = Document::open(path, hints)?;
    let grid = document.grid.clone();
    if grid.elements() == 0 {
        bail!("the field has no elements");
    }
    let painter: &dyn Painter = if decoder.paints() { &GpuPainter } else { &CpuPainter };
    let mut painted = "";
    let mut draw = |decoder: &mut Decoder, place: Place| -> Result<()> {
        let mut plane = decoder.plane(&document, place, false, &Progress::new())?;
        decoder.place(&mut plane, None);
        let picture = painter.values(&scene(&document, place), &plane, true)?;
        painted = match picture {
            Painted::Gpu(_) => "the GPU",
            Painted::Host(_) => "the CPU",
        };
        std::hint::black_box(picture.host()?);
        Ok(())
    };
    draw(&mut decoder, Place::default())?;
    let opened = start.elapsed();
    let note = decoder.note().map_or(String::new(), |note| format!("{note}\n"));
    let start = Instant::now();
    decoder.prepare(&document);
    let prepared = start.elapsed();
    let decoded = decoder.name(Some(&document), false);
    let mut rates = String::new();
    for axis in 0..grid.axes() {
        let all = grid.planes(axis);
        let count = all.min(PLANES);
        let start = Instant::now();
        for k in 0..count {
            draw(&mut decoder, Place { axis, plane: k * all / count })?;
        }
        let rate = count as f64 / start.elapsed().as_secs_f64();
        let _ = writeln!(rates, "{}: {rate:.1} planes per second", grid.axis_name(axis));
    }
    Ok(format!(
        "{note}{}: {} {}, decoded on {decoded}, rendered on {painted}\nfirst plane after {:.1} ms, ready for all others {:.1} ms later\n{rates}",
        document.title,
        crate::model::number_format::shape(grid.shape()),
        document.dtype.name(),
        opened.as_secs_f64() * 1e3,
        prepared.as_secs_f64() * 1e3
    ))
}

/// Points of the picture of a volume.
const SIZE: [u32; 2] = [1600, 1000];

/// Frames that are drawn of each rendering, and the longest that they may take.
const FRAMES: u32 = 240;
const LONGEST: Duration = Duration::from_secs(4);

/// Opens a file and draws it in three dimensions from all around.
///
/// # Errors
/// When the file cannot be read, is of less than three dimensions, or there is no GPU.
pub fn bench_volume(path: &Path, hints: &Hints, choice: DecoderChoice) -> Result<String> {
    let gpu = Gpu::headless()?;
    with_shaders(Some(&gpu), || frames(path, hints, choice, &gpu))
}

/// The times of the frames of a volume.
fn frames(path: &Path, hints: &Hints, choice: DecoderChoice, gpu: &Gpu) -> Result<String> {
    let decoder = Decoder::open(choice, None);
    let (streams, budget) = (GpuStreams::default(), budget(gpu));
    let start = Instant::now();
    let document = Document::open(path, hints)?;
    let (grid, name) = (document.grid.clone(), document.title.clone());
    if !grid.is_solid() {
        bail!("the field has no three dimensions");
    }
    let facts = document.facts.as_ref();
    let (low, high) = facts.map_or((0.0, 1.0), |f| (f.certificate.min, f.certificate.max));
    let unit = unit(document.dtype, low, high);
    let mut set = Set::default();
    let source = match document.is_reconstruction() {
        true => VolumeSource::Reconstruction,
        false => VolumeSource::Original,
    };
    match source {
        VolumeSource::Original => set.original = Some(document),
        _ => set.subject = Some(document),
    }
    let points = u64::from(SIZE[0]).next_power_of_two();
    let sampling = plan(grid.sides(), &ClipBox::default(), budget, points);
    let loader = Loader { decoder: &decoder, streams: &streams, gpu, budget };
    let volume = loader.volume(&set, (source, unit), sampling, Mode::Mip, || false)?;
    let volume = volume.context("it was given up")?;
    let colours = VolumeColours {
        map: Map::Viridis.table().map(|[r, g, b]| u32::from_le_bytes([r, g, b, 255])),
        opacity: Transfer::default().table(),
        range: Some((in_unit(low, unit), in_unit(high, unit), false)),
    };
    let longest = sampling.size().into_iter().max().unwrap_or(1);
    let mut order = VolumeOrder {
        number: 1,
        set,
        generation: 1,
        source,
        unit,
        clip: ClipBox::default(),
        points,
        look: Look {
            size: SIZE,
            rays: Orbit::default().rays(1.0),
            extent: extent(grid.sides()),
            sides: grid.sides(),
            clip: ClipBox::default().into(),
            step: STEP,
            mode: Mode::Mip,
            section: None,
        },
        colours,
        moving: false,
    };
    let mut orbit = Orbit::default();
    let mut draw = |mode: Mode, moving: bool| -> Result<()> {
        orbit.turn([1.0 / 120.0, 0.0]);
        (order.look.mode, order.moving) = (mode, moving);
        order.look.rays = orbit.rays(SIZE[0] as f32 / SIZE[1] as f32);
        let coarser = if gpu.is_software() { order.for_processor(longest) } else { 1 };
        volume.draw(&order.coarser(coarser), &order.colours)?;
        Ok(volume.wait()?)
    };
    draw(Mode::Mip, false)?;
    let [z, y, x] = sampling.stride;
    let mut text = format!(
        "{name}: {}, voxels of {z} × {y} × {x} elements, {} MB, drawn on {}\nfirst picture after {:.1} ms\n",
        crate::model::number_format::shape(grid.shape()),
        sampling.bytes() / 1_000_000,
        gpu.name(),
        start.elapsed().as_secs_f64() * 1e3
    );
    let iso = Mode::Isosurface { value: ((low + high) / 2.0) as f32 };
    for (rendering, mode) in [
        (Rendering::Mip, Mode::Mip),
        (Rendering::Compositing, Mode::Compositing { depth: 0.1 }),
        (Rendering::Isosurface, iso),
    ] {
        let (begin, mut frames) = (Instant::now(), 0);
        let mut slowest = Duration::ZERO;
        while frames < FRAMES && begin.elapsed() < LONGEST {
            let began = Instant::now();
            draw(mode, true)?;
            slowest = slowest.max(began.elapsed());
            frames += 1;
        }
        let rate = f64::from(frames) / begin.elapsed().as_secs_f64();
        let _ = writeln!(
            text,
            "{}: {rate:.1} frames per second while orbiting, {} × {}, slowest {:.1} ms",
            rendering.name(),
            SIZE[0],
            SIZE[1],
            slowest.as_secs_f64() * 1e3
        );
    }
    Ok(text)
}

/// Times that a series is gone through, each time in the other direction.
const TURNS: usize = 6;

/// Opens a folder of `.fsz` files and plays one plane of its steps, forwards and backwards in turns: open, upload, decode,
/// colours, and the picture on the host.
///
/// # Errors
/// When it cannot be read, or has less than two steps.
pub fn bench_series(path: &Path, choice: DecoderChoice) -> Result<String> {
    let gpu = match choice {
        DecoderChoice::Cpu => None,
        _ => Gpu::headless().ok(),
    };
    let streams = GpuStreams::default();
    let mut decoder = Decoder::open(choice, gpu.as_ref()).with_streams(streams.clone());
    decoder.hurry(true);
    let steps = OpenedSteps::default();
    let ahead = StepsAhead::start(steps.clone(), move || {
        Decoder::open(choice, gpu.as_ref()).with_streams(streams)
    })?;
    let shaders = decoder.gpu_in_use().cloned();
    let decoder = decoder.awaiting_shaders();
    with_shaders(shaders.as_ref(), move || played(path, decoder, &steps, &ahead))
}

/// The times of steps.
fn played(
    path: &Path,
    mut decoder: Decoder,
    steps: &OpenedSteps,
    ahead: &StepsAhead,
) -> Result<String> {
    let uncancelled = fsz::Progress::new();
    let (document, catalog) = opened(path, &Hints::default(), &Choice::default(), &uncancelled)?;
    let Some((catalog, first)) = catalog.filter(|(c, first)| c.steps(&first.variable) > 1) else {
        bail!("{} has no steps", path.display());
    };
    let count = catalog.steps(&first.variable);
    let place = Place { axis: 0, plane: document.grid.planes(0) / 2 };
    let painter: &dyn Painter = if decoder.paints() { &GpuPainter } else { &CpuPainter };
    let mut text = format!(
        "{}: {count} steps of {} {}, {} bytes each, decoded on {}\n",
        document.title,
        crate::model::number_format::shape(document.grid.shape()),
        document.dtype.name(),
        document.compressed_bytes().unwrap_or_else(|| document.raw_bytes()),
        decoder.name(Some(&document), false)
    );
    let mut step = 0;
    for turn in 0..TURNS {
        let backwards = turn % 2 == 1;
        let begin = Instant::now();
        let mut times = Vec::new();
        for _ in 0..count - 1 {
            let began = Instant::now();
            step = if backwards { step - 1 } else { step + 1 };
            let choice = Choice { step, ..first.clone() };
            let course =
                Course { path: path.to_owned(), choice: choice.clone(), steps: count, backwards };
            ahead.follow(course);
            let (document, _) = steps.open(path, &choice, &uncancelled)?;
            let mut plane = decoder.plane(&document, place, false, &Progress::new())?;
            decoder.place(&mut plane, None);
            let picture = painter.values(&scene(&document, place), &plane, false)?;
            std::hint::black_box(picture.host()?);
            times.push(began.elapsed().as_secs_f64() * 1e3);
        }
        let rate = times.len() as f64 / begin.elapsed().as_secs_f64();
        let slowest = times.iter().copied().fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "{}: {rate:.1} steps per second, first {:.1} ms, slowest {slowest:.1} ms",
            if backwards { "backwards" } else { "forwards" },
            times[0]
        );
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
