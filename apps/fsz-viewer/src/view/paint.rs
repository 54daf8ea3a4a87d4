//! Planes to pictures, by the processor.

use anyhow::Result;
use egui::{Color32, ColorImage};
use fsz_metrics::Limit;
use rayon::prelude::*;

use crate::model::grid::Grid;
use crate::model::palette::{self, Map};
use crate::model::plane::{Place, Plane};
use crate::model::scale::Scale;
use crate::model::scene::{ErrorMode, Overlay, Scene};
use crate::model::tiles::Tiles;
use crate::view::colour::rgb;
use crate::view::painter::{Painted, Painter};

/// The longest side of a picture: graphics cards take no longer one.
const LONGEST: usize = 8192;

/// The processor.
#[derive(Debug)]
pub struct CpuPainter;

impl Painter for CpuPainter {
    fn values(&self, scene: &Scene<'_>, plane: &Plane, tiles: bool) -> Result<Painted> {
        let mut image = values(plane, scene.map, scene.scale, scene.missing);
        if let Some(known) = scene.tiles.filter(|_| tiles && scene.overlay != Overlay::Off) {
            let (place, over) = ((scene.grid, scene.place), (known, scene.overlay));
            overlay(&mut image, plane, place, over, scene.opacity);
        }
        if let Some(regions) = regions(scene, plane) {
            outline(&mut image, &regions);
        }
        Ok(Painted::Host(image))
    }

    fn errors(
        &self,
        scene: &Scene<'_>,
        error: &Plane,
        _reconstructed: Option<&Plane>,
        original: Option<&Plane>,
    ) -> Result<Painted> {
        let regions = regions(scene, error);
        let limit = |point: usize| match (&regions, scene.regions) {
            (Some(of_points), Some(all)) => all.limit(of_points[point], scene.limit),
            _ => scene.limit,
        };
        let limit = (limit, scene.bounded);
        let mut image = errors(error, original, limit, scene.error, scene.missing);
        if let Some(regions) = regions {
            outline(&mut image, &regions);
        }
        Ok(Painted::Host(image))
    }
}

/// Every how many points of a plane one is drawn.
pub fn stride(plane: &Plane) -> usize {
    plane.size.rows.max(plane.size.columns).div_ceil(LONGEST).max(1)
}

/// The region of each point of a picture, where there are some.
fn regions(scene: &Scene<'_>, plane: &Plane) -> Option<Vec<u8>> {
    scene.regions.map(|all| all.of_plane(scene.grid, scene.place, plane.size, stride(plane)))
}

/// Draws where a region begins: the first points that are in another one than the points before or above.
fn outline(image: &mut ColorImage, regions: &[u8]) {
    let width = image.size[0].max(1);
    for (at, pixel) in image.pixels.iter_mut().enumerate() {
        let other = |neighbour: Option<usize>| neighbour.is_some_and(|n| regions[n] != regions[at]);
        let before = if at % width > 0 { Some(at - 1) } else { None };
        if other(before) || other(at.checked_sub(width)) {
            *pixel = pixel.lerp_to_gamma(rgb(palette::OUTLINE), 0.7);
        }
    }
}

/// The entry of a map that is nearest to a place from 0 to 1; of a place beyond these the last on that side. Not by `round`,
/// which is a call on processors that may be old: it took most of the time of a point.
fn entry(place: f64) -> usize {
    usize::from((place * 255.0 + 0.5) as u8)
}

/// Values on a map.
fn values(plane: &Plane, map: Map, scale: Scale, missing: &[f64]) -> ColorImage {
    let table = map.table();
    picture(plane, |value| {
        if plane.is_missing(value, missing) {
            palette::MISSING
        } else if value.is_nan() {
            palette::NAN
        } else if value.is_infinite() {
            palette::INFINITE
        } else {
            table[entry(scale.place(value))]
        }
    })
}

/// Errors up to the limit of each point, which is the bound where there is one: then those beyond it have the alarm colour.
/// `original` gives the values that relative errors are relative to.
fn errors(
    error: &Plane,
    original: Option<&Plane>,
    (limit, bounded): (impl Fn(usize) -> Limit + Sync, bool),
    mode: ErrorMode,
    missing: &[f64],
) -> ColorImage {
    let table = mode.map().table();
    let colour = |(point, at): (usize, usize), error: f64| {
        let of_original = original.and_then(|o| Some((o, *o.values.get(at)?)));
        if of_original.is_some_and(|(original, v)| original.is_missing(v, missing)) {
            return palette::MISSING;
        }
        let value = of_original.map(|(_, value)| value);
        let limit = limit(point).of(value.unwrap_or(0.0));
        if !error.is_finite() || bounded && error.abs() > limit {
            return palette::ALARM;
        }
        let share = if limit > 0.0 { error / limit } else { 0.0 };
        match mode {
            ErrorMode::Signed => table[entry(0.5 + 0.5 * share)],
            ErrorMode::Absolute => table[entry(share.abs())],
            ErrorMode::Relative => {
                let relative = error.abs() / value.unwrap_or(f64::NAN).abs();
                match error == 0.0 {
                    true => table[0],
                    false => table[entry((relative.log10() + 6.0) / 6.0)],
                }
            }
        }
    };
    indexed(error, colour)
}

/// The largest finite error of a plane.
pub fn largest(error: &Plane) -> f64 {
    error.values.iter().map(|e| e.abs()).filter(|e| e.is_finite()).fold(0.0, f64::max)
}

/// Lays the colours of tiles over a picture of a plane.
fn overlay(
    image: &mut ColorImage,
    plane: &Plane,
    (grid, place): (&Grid, Place),
    (tiles, overlay): (&Tiles, Overlay),
    opacity: f32,
) {
    let step = stride(plane);
    let width = image.size[0].max(1);
    image.pixels.par_chunks_mut(width).enumerate().for_each(|(r, row)| {
        for (c, pixel) in row.iter_mut().enumerate() {
            let position = grid.position(place.axis, place.plane, r * step, c * step);
            if let Some((_, tile)) = position.and_then(|p| tiles.of(p)) {
                *pixel = pixel.lerp_to_gamma(rgb(overlay.colour(tile, tiles)), opacity);
            }
        }
    });
}

fn picture(plane: &Plane, colour: impl Fn(f64) -> [u8; 3] + Sync) -> ColorImage {
    indexed(plane, |_, value| colour(value))
}

/// `colour` gets the number of a point in the picture and in the plane, and its value.
fn indexed(plane: &Plane, colour: impl Fn((usize, usize), f64) -> [u8; 3] + Sync) -> ColorImage {
    let step = stride(plane);
    let (rows, columns) = (plane.size.rows.div_ceil(step), plane.size.columns.div_ceil(step));
    let mut pixels = vec![Color32::BLACK; rows * columns];
    pixels.par_chunks_mut(columns.max(1)).enumerate().for_each(|(r, row)| {
        for (c, pixel) in row.iter_mut().enumerate() {
            let at = r * step * plane.size.columns + c * step;
            *pixel = rgb(match plane.values.get(at) {
                Some(&value) => colour((r * columns + c, at), value),
                None => palette::OUTSIDE,
            });
        }
    });
    ColorImage::new([columns, rows], pixels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::grid::PlaneSize;

    fn plane(values: &[f64]) -> Plane {
        Plane::new(PlaneSize { rows: 1, columns: values.len() }, values.to_vec())
    }

    #[test]
    fn beyond_the_bound_is_alarming() {
        let error = plane(&[0.0, 1.0, 1.0001, -1.0001, f64::NAN]);
        for mode in ErrorMode::ALL {
            let image = errors(&error, Some(&plane(&[1.0; 5])), (|_| 1.0.into(), true), mode, &[]);
            let alarm: Vec<bool> = image.pixels.iter().map(|&p| p == rgb(palette::ALARM)).collect();
            assert_eq!(alarm, [false, false, true, true, true], "{mode:?}");
        }
    }

    #[test]
    fn entries_are_the_nearest() {
        for k in 0..=2550 {
            let place = f64::from(k) / 2550.0;
            assert_eq!(entry(place), (place * 255.0).round() as usize, "{place}");
        }
        assert_eq!([-0.5, 1.5, f64::INFINITY, f64::NAN].map(entry), [0, 255, 255, 0]);
    }

    #[test]
    fn each_value_has_its_own_bound() {
        let (error, original) = (plane(&[0.2, 0.2, -2.0, 2.0]), plane(&[1.0, 0.0, 10.0, -30.0]));
        let limit = Limit { absolute: 0.1, relative: 0.1 };
        let mode = ErrorMode::Signed;
        let image = errors(&error, Some(&original), (|_| limit, true), mode, &[]);
        let alarm: Vec<bool> = image.pixels.iter().map(|&p| p == rgb(palette::ALARM)).collect();
        assert_eq!(alarm, [true, true, true, false]);
        // Two thirds of what the value may be off.
        let place = ((0.5f64 + 0.5 * 2.0 / 3.0) * 255.0).round() as usize;
        assert_eq!(image.pixels[3], rgb(mode.map().table()[place]));
    }

    #[test]
    fn values_that_are_no_numbers_have_colours_of_their_own() {
        let scale = Scale { low: 0.0, high: 1.0, log: false };
        let infinite = [f64::INFINITY, f64::NEG_INFINITY];
        let of = [f64::NAN, -9.0, 0.5, infinite[0], infinite[1], f64::MAX];
        let image = values(&plane(&of), Map::Viridis, scale, &[-9.0]);
        assert_eq!(image.pixels[0], rgb(palette::NAN));
        assert_eq!(image.pixels[1], rgb(palette::MISSING));
        assert_eq!(image.pixels[2], rgb(Map::Viridis.table()[128]));
        assert_eq!(image.pixels[3..5], [rgb(palette::INFINITE); 2]);
        assert_eq!(image.pixels[5], rgb(Map::Viridis.table()[255]));
        // By its bits, as the GPU and the stream tell it.
        let image = values(&plane(&[-0.0, 0.0]), Map::Viridis, scale, &[-0.0]);
        assert_eq!(image.pixels[0], rgb(palette::MISSING));
        assert_eq!(image.pixels[1], rgb(Map::Viridis.table()[0]));
    }

    #[test]
    fn long_planes_are_drawn_with_every_kth_point() {
        let long = plane(&vec![1.0; LONGEST * 2 + 1]);
        let scale = Scale { low: 0.0, high: 1.0, log: false };
        assert_eq!(values(&long, Map::Grey, scale, &[]).size, [5462, 1]);
    }
}
