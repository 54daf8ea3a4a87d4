//! Planes to pictures, by the GPU that draws the window.

use anyhow::Result;
use fsz_metrics::Limit;
use fsz_wgpu::{Colours, GpuSlice, Layout, Measure, Picture, Subject, TILE_KINDS};

use crate::model::palette::{self, Map, kind_colour};
use crate::view::paint::{self, CpuPainter};
use crate::view::painter::{Painted, Painter};

use crate::model::plane::Plane;
use crate::model::scene::{ErrorMode, Overlay, Scene};

/// Rates that the GPU adds up of a tile.
const BLOCKS: u32 = fsz::format::TILE_BLOCKS as u32;

/// The GPU that draws the window; the processor paints what does not lie on it.
#[derive(Debug)]
pub struct GpuPainter;

impl Painter for GpuPainter {
    fn values(&self, scene: &Scene<'_>, plane: &Plane, tiles: bool) -> Result<Painted> {
        match values(plane, scene, tiles) {
            Some(picture) => picture.map(Painted::Gpu),
            None => CpuPainter.values(scene, plane, tiles),
        }
    }

    fn errors(
        &self,
        scene: &Scene<'_>,
        error: &Plane,
        reconstructed: Option<&Plane>,
        original: Option<&Plane>,
    ) -> Result<Painted> {
        match errors(error, reconstructed, original, scene) {
            Some(picture) => picture.map(Painted::Gpu),
            None => CpuPainter.errors(scene, error, reconstructed, original),
        }
    }
}

/// Values on the map, with tiles over them where the scene has such; none where the plane is not on
/// the GPU, or its tiles are not.
///
/// # Errors
/// When the GPU fails.
fn values(plane: &Plane, scene: &Scene<'_>, tiles: bool) -> Option<Result<Picture>> {
    // Their outlines are the processor's.
    let slice = plane.slice.as_ref().filter(|_| scene.regions.is_none())?;
    let overlay = scene.tiles.filter(|_| tiles).and_then(|tiles| match scene.overlay {
        Overlay::Off => None,
        Overlay::Variants => Some(fsz_wgpu::Overlay::Kinds),
        Overlay::Rate => {
            Some(fsz_wgpu::Overlay::Rates { most: BLOCKS * u32::from(tiles.most_rate()) })
        }
        Overlay::Bytes => {
            Some(fsz_wgpu::Overlay::Bytes { most: u32::from(tiles.largest().max(1)) })
        }
    });
    if overlay.is_some() && slice.tiles().is_none() {
        return None;
    }
    let (low, high) = scene.scale.ends();
    let log = scene.scale.is_log();
    let subject = Subject::Values { low: low as f32, high: high as f32, log };
    let colours = Colours {
        overlay: overlay.map(|overlay| (overlay, scene.opacity)),
        ..colours(scene, scene.map)
    };
    Some(painted(slice, subject, None, plane, &colours))
}

/// Errors of a reconstruction; none where the planes are not on the GPU.
///
/// # Errors
/// When the GPU fails.
fn errors(
    error: &Plane,
    reconstructed: Option<&Plane>,
    original: Option<&Plane>,
    scene: &Scene<'_>,
) -> Option<Result<Picture>> {
    if scene.regions.is_some() {
        return None;
    }
    let (given, slice) = match &error.slice {
        Some(slice) => (true, slice),
        None => (false, reconstructed?.slice.as_ref()?),
    };
    let original = original?.slice.as_ref()?;
    let measure = match scene.error {
        ErrorMode::Signed => Measure::Signed,
        ErrorMode::Absolute => Measure::Absolute,
        ErrorMode::Relative => Measure::Relative,
    };
    let Limit { absolute, relative } = scene.limit;
    // A hair more, for what is rounded to be looked at.
    let share = (relative * (1.0 + 1e-6)) as f32;
    let (limit, bounded) = (absolute as f32, scene.bounded);
    let subject = Subject::Errors { measure, limit, share, bounded, given };
    Some(painted(slice, subject, Some(original), error, &colours(scene, scene.error.map())))
}

fn painted(
    slice: &GpuSlice,
    subject: Subject,
    original: Option<&GpuSlice>,
    plane: &Plane,
    colours: &Colours,
) -> Result<Picture> {
    let layout = Layout {
        rows: plane.size.rows as u32,
        columns: plane.size.columns as u32,
        step: paint::stride(plane) as u32,
    };
    Ok(slice.paint(subject, original, layout, colours)?)
}

fn colours(scene: &Scene<'_>, map: Map) -> Colours {
    Colours {
        map: map.table().map(word),
        nan: word(palette::NAN),
        infinite: word(palette::INFINITE),
        missing_colour: word(palette::MISSING),
        alarm: word(palette::ALARM),
        outside: word(palette::OUTSIDE),
        missing: scene.missing.iter().map(|&v| (v as f32).to_bits()).collect(),
        kinds: TILE_KINDS.map(|kind| word(kind_colour(kind))),
        scale: Map::Magma.table().map(word),
        overlay: None,
    }
}

/// RGBA, red in the lowest byte.
fn word([r, g, b]: [u8; 3]) -> u32 {
    u32::from_le_bytes([r, g, b, 255])
}
