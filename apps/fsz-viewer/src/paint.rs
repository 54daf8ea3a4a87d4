//! Planes to pictures.

use egui::{Color32, ColorImage};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::colours::{self, Map, Scale};
use crate::grid::Grid;
use crate::plane::{Place, Plane};
use crate::tiles::{Tile, Tiles, kind_colour};

/// The longest side of a picture: graphics cards take no longer one.
pub const LONGEST: usize = 8192;

/// Which error is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorMode {
    /// Reconstruction − original, over ± the bound.
    #[default]
    Signed,
    /// Its magnitude, from 0 to the bound.
    Absolute,
    /// Its magnitude by that of the original, on a logarithmic scale of six decades up to 1.
    Relative,
}

impl ErrorMode {
    /// All of them, in the order of the menu.
    pub const ALL: [ErrorMode; 3] = [ErrorMode::Signed, ErrorMode::Absolute, ErrorMode::Relative];

    /// The colours that it is shown in.
    pub fn map(self) -> Map {
        match self {
            ErrorMode::Signed => Map::BlueRed,
            ErrorMode::Absolute | ErrorMode::Relative => Map::Magma,
        }
    }

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            ErrorMode::Signed => "signed",
            ErrorMode::Absolute => "absolute",
            ErrorMode::Relative => "relative to the value",
        }
    }
}

/// What lies over the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Overlay {
    /// Nothing.
    #[default]
    Off,
    /// How each tile is stored.
    Variants,
    /// Mean bits per element of each tile's blocks.
    Rate,
    /// Compressed bytes of each tile.
    Bytes,
}

impl Overlay {
    /// All of them, in the order of the menu.
    pub const ALL: [Overlay; 4] = [Overlay::Off, Overlay::Variants, Overlay::Rate, Overlay::Bytes];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Overlay::Off => "none",
            Overlay::Variants => "variant of each tile",
            Overlay::Rate => "rate of each tile",
            Overlay::Bytes => "bytes of each tile",
        }
    }

    /// The colour of a tile.
    pub fn colour(self, tile: &Tile, tiles: &Tiles) -> [u8; 3] {
        match self {
            Overlay::Off => [0; 3],
            Overlay::Variants => kind_colour(tile.kind),
            Overlay::Rate => Map::Magma.at(f64::from(tile.mean_rate()) / 31.0),
            Overlay::Bytes => {
                Map::Magma.at(f64::from(tile.bytes) / f64::from(tiles.largest().max(1)))
            }
        }
    }
}

/// Every how many points of a plane one is drawn.
pub fn stride(plane: &Plane) -> usize {
    plane.size.rows.max(plane.size.columns).div_ceil(LONGEST).max(1)
}

/// Values on a map.
pub fn values(plane: &Plane, map: Map, scale: Scale, missing: &[f64]) -> ColorImage {
    let table = map.table();
    picture(plane, |value| {
        if missing.contains(&value) {
            colours::MISSING
        } else if value.is_nan() {
            colours::NAN
        } else {
            table[(scale.place(value) * 255.0).round() as usize]
        }
    })
}

/// Errors up to a limit, which is the bound where there is one: then those beyond it have the alarm colour.
/// `original` gives the values that relative errors are relative to.
pub fn errors(
    error: &Plane,
    original: Option<&Plane>,
    (limit, bounded): (f64, bool),
    mode: ErrorMode,
    missing: &[f64],
) -> ColorImage {
    let table = mode.map().table();
    let colour = |at: usize, error: f64| {
        let value = original.and_then(|o| o.values.get(at)).copied();
        if value.is_some_and(|v| missing.contains(&v)) {
            return colours::MISSING;
        }
        if !error.is_finite() || bounded && error.abs() > limit {
            return colours::ALARM;
        }
        let place = |p: f64| (p.clamp(0.0, 1.0) * 255.0).round() as usize;
        let share = if limit > 0.0 { error / limit } else { 0.0 };
        match mode {
            ErrorMode::Signed => table[place(0.5 + 0.5 * share)],
            ErrorMode::Absolute => table[place(share.abs())],
            ErrorMode::Relative => {
                let relative = error.abs() / value.unwrap_or(f64::NAN).abs();
                match error == 0.0 {
                    true => table[0],
                    false => table[place((relative.log10() + 6.0) / 6.0)],
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
pub fn overlay(
    image: &mut ColorImage,
    plane: &Plane,
    (grid, place): (&Grid, Place),
    (tiles, which): (&Tiles, Overlay),
    opacity: f32,
) {
    let step = stride(plane);
    let width = image.size[0].max(1);
    image.pixels.par_chunks_mut(width).enumerate().for_each(|(r, row)| {
        for (c, pixel) in row.iter_mut().enumerate() {
            let position = grid.position(place.axis, place.plane, r * step, c * step);
            if let Some((_, tile)) = position.and_then(|p| tiles.of(p)) {
                let [r, g, b] = which.colour(tile, tiles);
                *pixel = pixel.lerp_to_gamma(Color32::from_rgb(r, g, b), opacity);
            }
        }
    });
}

fn picture(plane: &Plane, colour: impl Fn(f64) -> [u8; 3] + Sync) -> ColorImage {
    indexed(plane, |_, value| colour(value))
}

fn indexed(plane: &Plane, colour: impl Fn(usize, f64) -> [u8; 3] + Sync) -> ColorImage {
    let step = stride(plane);
    let (rows, columns) = (plane.size.rows.div_ceil(step), plane.size.columns.div_ceil(step));
    let mut pixels = vec![Color32::BLACK; rows * columns];
    pixels.par_chunks_mut(columns.max(1)).enumerate().for_each(|(r, row)| {
        for (c, pixel) in row.iter_mut().enumerate() {
            let at = r * step * plane.size.columns + c * step;
            let [r, g, b] = match plane.values.get(at) {
                Some(&value) => colour(at, value),
                None => colours::OUTSIDE,
            };
            *pixel = Color32::from_rgb(r, g, b);
        }
    });
    ColorImage::new([columns, rows], pixels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::PlaneSize;

    fn plane(values: &[f64]) -> Plane {
        Plane::new(PlaneSize { rows: 1, columns: values.len() }, values.to_vec())
    }

    #[test]
    fn beyond_the_bound_is_alarming() {
        let error = plane(&[0.0, 1.0, 1.0001, -1.0001, f64::NAN]);
        for mode in ErrorMode::ALL {
            let image = errors(&error, Some(&plane(&[1.0; 5])), (1.0, true), mode, &[]);
            let [r, g, b] = colours::ALARM;
            let alarm: Vec<bool> =
                image.pixels.iter().map(|&p| p == Color32::from_rgb(r, g, b)).collect();
            assert_eq!(alarm, [false, false, true, true, true], "{mode:?}");
        }
    }

    #[test]
    fn values_that_are_no_numbers_have_colours_of_their_own() {
        let scale = Scale { low: 0.0, high: 1.0, log: false };
        let image = values(&plane(&[f64::NAN, -9.0, 0.5]), Map::Viridis, scale, &[-9.0]);
        let of = |[r, g, b]: [u8; 3]| Color32::from_rgb(r, g, b);
        assert_eq!(image.pixels[0], of(colours::NAN));
        assert_eq!(image.pixels[1], of(colours::MISSING));
        assert_eq!(image.pixels[2], of(Map::Viridis.table()[128]));
    }

    #[test]
    fn long_planes_are_drawn_with_every_kth_point() {
        let long = plane(&vec![1.0; LONGEST * 2 + 1]);
        let scale = Scale { low: 0.0, high: 1.0, log: false };
        assert_eq!(values(&long, Map::Grey, scale, &[]).size, [5462, 1]);
    }
}
