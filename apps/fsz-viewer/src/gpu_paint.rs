//! Planes to pictures by a GPU: what `paint` does on the processor.

use fsz_wgpu::{Colours, GpuSlice, Layout, Measure, Picture, Subject};

use crate::colours::{self, Map};
use crate::document::Result;
use crate::paint::{self, ErrorMode, Overlay};
use crate::plane::Plane;
use crate::scene::Scene;
use crate::tiles::{KINDS, kind_colour};

/// Values on the map, with tiles over them where the scene has such; none where the plane is not on
/// the GPU, or its tiles are not.
///
/// # Errors
/// When the GPU fails.
pub fn values(plane: &Plane, scene: &Scene<'_>, tiles: bool) -> Option<Result<Picture>> {
    let slice = plane.slice.as_ref()?;
    let overlay = scene.tiles.filter(|_| tiles).and_then(|tiles| match scene.overlay {
        Overlay::Off => None,
        Overlay::Variants => Some(fsz_wgpu::Overlay::Kinds),
        Overlay::Rate => Some(fsz_wgpu::Overlay::Rates),
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
pub fn errors(
    error: &Plane,
    reconstructed: &Plane,
    original: &Plane,
    scene: &Scene<'_>,
) -> Option<Result<Picture>> {
    let (given, slice) = match &error.slice {
        Some(slice) => (true, slice),
        None => (false, reconstructed.slice.as_ref()?),
    };
    let original = original.slice.as_ref()?;
    let measure = match scene.error {
        ErrorMode::Signed => Measure::Signed,
        ErrorMode::Absolute => Measure::Absolute,
        ErrorMode::Relative => Measure::Relative,
    };
    let (limit, bounded) = (scene.limit as f32, scene.bounded);
    let subject = Subject::Errors { measure, limit, bounded, given };
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
    slice.paint(subject, original, layout, colours).map_err(|e| e.to_string())
}

fn colours(scene: &Scene<'_>, map: Map) -> Colours {
    Colours {
        map: map.table().map(word),
        nan: word(colours::NAN),
        missing_colour: word(colours::MISSING),
        alarm: word(colours::ALARM),
        outside: word(colours::OUTSIDE),
        missing: scene.missing.iter().map(|&v| (v as f32).to_bits()).collect(),
        kinds: KINDS.map(|kind| word(kind_colour(kind))),
        scale: Map::Magma.table().map(word),
        overlay: None,
    }
}

/// RGBA, red in the lowest byte.
fn word([r, g, b]: [u8; 3]) -> u32 {
    u32::from_le_bytes([r, g, b, 255])
}
