//! What makes pictures of planes: the processor, or the GPU that draws the window.

use anyhow::Result;
use egui::{Color32, ColorImage};

use crate::model::plane::Plane;
use crate::model::scene::Scene;

/// Makes pictures of planes.
pub trait Painter {
    /// Values on the map; with the tiles over them where `tiles`.
    ///
    /// # Errors
    /// When the GPU fails.
    fn values(&self, scene: &Scene<'_>, plane: &Plane, tiles: bool) -> Result<Painted>;

    /// Errors of a reconstruction of an original.
    ///
    /// # Errors
    /// When the GPU fails.
    fn errors(
        &self,
        scene: &Scene<'_>,
        error: &Plane,
        reconstructed: Option<&Plane>,
        original: Option<&Plane>,
    ) -> Result<Painted>;
}

/// A picture, where it was painted.
#[derive(Debug)]
pub enum Painted {
    /// By the processor.
    Host(ColorImage),
    /// By the window's GPU.
    Gpu(fsz_wgpu::Picture),
}

impl Painted {
    /// The picture on the host.
    ///
    /// # Errors
    /// When the GPU does not give it back.
    pub fn host(self) -> Result<ColorImage> {
        match self {
            Painted::Host(image) => Ok(image),
            Painted::Gpu(picture) => read_back(&picture),
        }
    }
}

/// A picture of the GPU on the host.
///
/// # Errors
/// When the GPU does not give it back.
pub fn read_back(picture: &fsz_wgpu::Picture) -> Result<ColorImage> {
    let points = picture.read_back()?;
    let size = [picture.width() as usize, picture.height() as usize];
    let colour = |point: u32| {
        let [r, g, b, _] = point.to_le_bytes();
        Color32::from_rgb(r, g, b)
    };
    Ok(ColorImage::new(size, points.into_iter().map(colour).collect()))
}
