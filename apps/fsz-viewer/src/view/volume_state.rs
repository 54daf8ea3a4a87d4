//! The pane of the volume: how large it is, and the picture that came.

use egui::{Color32, ColorImage};

use crate::model::volume::order::{VolumeNote, VolumePicture};
use crate::view::painter::Painted;

/// The pane of the volume.
#[derive(Debug, Default)]
pub struct VolumeState {
    /// Columns and rows of the picture that fills the pane; 0 before it was drawn.
    pub size: [u32; 2],
    /// Something moves: the next picture is about to be asked for.
    pub moving: bool,
    /// What is told with the last picture.
    pub note: Option<VolumeNote>,
    /// There was none.
    pub failed: bool,
    /// The picture that came last, until it is shown.
    come: Option<VolumePicture>,
    /// Of which order it is.
    number: Option<u64>,
    /// How many have come.
    count: u64,
}

impl VolumeState {
    /// Takes a picture of the order with a number.
    pub fn take(&mut self, number: u64, picture: VolumePicture) {
        (self.come, self.number) = (Some(picture), Some(number));
        self.count += 1;
    }

    /// Whether the picture that came last is of the order with a number.
    pub fn has(&self, number: u64) -> bool {
        self.number == Some(number)
    }

    /// The picture that came and was not shown yet, with its number.
    pub fn shown(&mut self) -> Option<(u64, Painted)> {
        let painted = match self.come.take()? {
            VolumePicture::Gpu(picture) => Painted::Gpu(picture),
            VolumePicture::Host(size, points) => Painted::Host(image(size, &points)),
        };
        Some((self.count, painted))
    }
}

/// A picture whose colours are premultiplied.
fn image(size: [usize; 2], points: &[u32]) -> ColorImage {
    let colour = |point: &u32| {
        let [r, g, b, a] = point.to_le_bytes();
        Color32::from_rgba_premultiplied(r, g, b, a)
    };
    ColorImage::new(size, points.iter().map(colour).collect())
}
