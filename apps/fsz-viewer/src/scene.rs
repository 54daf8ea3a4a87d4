//! Everything that a picture depends on besides its values, and the picture by whatever paints.

use egui::ColorImage;

use crate::colours::{Map, Scale};
use crate::document::Result;
use crate::gpu_paint;
use crate::grid::Grid;
use crate::paint::{self, ErrorMode, Overlay};
use crate::plane::{Place, Plane};
use crate::tiles::Tiles;

/// How planes are shown.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Paint on the GPU what lies there.
    pub gpu: bool,
    /// Colours of values.
    pub map: Map,
    /// Their range.
    pub scale: Scale,
    /// Values that stand for none.
    pub missing: &'a [f64],
    /// Which error.
    pub error: ErrorMode,
    /// The error of the last colour: the absolute bound, or without one the plane's largest.
    pub limit: f64,
    /// The limit is a bound: what is beyond it has the alarm colour.
    pub bounded: bool,
    /// What lies over the reconstruction.
    pub overlay: Overlay,
    /// Its share, from 0 to 1.
    pub opacity: f32,
    /// The tiles of the reconstruction.
    pub tiles: Option<&'a Tiles>,
    /// The field's planes.
    pub grid: &'a Grid,
    /// Which plane it is.
    pub place: Place,
}

/// A picture, where it was painted.
#[derive(Debug)]
pub enum Painted {
    /// By the processor.
    Host(ColorImage),
    /// By the window's GPU.
    Gpu(fsz_wgpu::Picture),
}

impl Scene<'_> {
    /// Values on the map; with the tiles over them where `tiles`.
    ///
    /// # Errors
    /// When the GPU fails.
    pub fn values(&self, plane: &Plane, tiles: bool) -> Result<Painted> {
        if self.gpu
            && let Some(picture) = gpu_paint::values(plane, self, tiles)
        {
            return picture.map(Painted::Gpu);
        }
        let mut image = paint::values(plane, self.map, self.scale, self.missing);
        if let Some(known) = self.tiles.filter(|_| tiles && self.overlay != Overlay::Off) {
            let (place, over) = ((self.grid, self.place), (known, self.overlay));
            paint::overlay(&mut image, plane, place, over, self.opacity);
        }
        Ok(Painted::Host(image))
    }

    /// Errors of a reconstruction of an original.
    ///
    /// # Errors
    /// When the GPU fails.
    pub fn errors(
        &self,
        error: &Plane,
        reconstructed: Option<&Plane>,
        original: Option<&Plane>,
    ) -> Result<Painted> {
        if let (true, Some(reconstructed), Some(original)) = (self.gpu, reconstructed, original)
            && let Some(picture) = gpu_paint::errors(error, reconstructed, original, self)
        {
            return picture.map(Painted::Gpu);
        }
        let image =
            paint::errors(error, original, (self.limit, self.bounded), self.error, self.missing);
        Ok(Painted::Host(image))
    }
}

impl Painted {
    /// The picture on the host.
    ///
    /// # Errors
    /// When the GPU does not give it back.
    pub fn host(self) -> Result<ColorImage> {
        match self {
            Painted::Host(image) => Ok(image),
            Painted::Gpu(picture) => crate::pane::host(&picture),
        }
    }
}
