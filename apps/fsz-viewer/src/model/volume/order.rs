//! A picture of a volume that is asked for, and what comes.

use fsz_wgpu::{Look, Picture, VolumeColours};

use crate::model::set::Set;
use crate::model::volume::clip_box::ClipBox;
use crate::model::volume::volume_view::VolumeSource;

/// Samples that the processor takes in about a second, at most.
const STILL_SAMPLES: f64 = 3e7;

/// The same in a quarter of it.
const MOVING_SAMPLES: f64 = 6e6;

/// A picture that is asked for.
#[derive(Clone, Debug)]
pub struct VolumeOrder {
    /// It is the newest that has the greatest number.
    pub number: u64,
    /// The fields that are open.
    pub set: Set,
    /// Theirs.
    pub generation: u64,
    /// What is shown of them.
    pub source: VolumeSource,
    /// What the values are counted in, those of the colours and the surface too.
    pub unit: f64,
    /// Which part.
    pub clip: ClipBox,
    /// The points that the longest side of the field takes on the screen.
    pub points: u64,
    /// From where, and how.
    pub look: Look,
    /// In which colours.
    pub colours: VolumeColours,
    /// It is moving: the next is about to be asked for.
    pub moving: bool,
}

impl VolumeOrder {
    /// Whether both ask for the same picture.
    pub fn is_same(&self, other: &VolumeOrder) -> bool {
        self.has_same_values(other)
            && self.clip == other.clip
            && self.points == other.points
            && self.look == other.look
            && self.colours == other.colours
            && self.moving == other.moving
    }

    /// Whether both show the same values.
    pub fn has_same_values(&self, other: &VolumeOrder) -> bool {
        (self.generation, self.source, self.unit) == (other.generation, other.source, other.unit)
    }

    /// Of points and samples one in how many along each axis the processor draws, of a volume of so many voxels along
    /// its longest side: as many as take it about a second, or while something moves a quarter of one.
    pub fn for_processor(&self, longest: u64) -> u32 {
        let [width, height] = self.look.size.map(f64::from);
        let samples = width * height * longest as f64 / f64::from(self.look.step);
        let most = if self.moving { MOVING_SAMPLES } else { STILL_SAMPLES };
        ((samples / most).cbrt().ceil() as u32).max(1)
    }

    /// The same picture with fewer points and samples: one of `by` along each axis.
    pub fn coarser(&self, by: u32) -> Look {
        let size = self.look.size.map(|side| side.div_ceil(by).max(1));
        Look { size, step: self.look.step * by as f32, ..self.look }
    }
}

/// The picture. Its colours are premultiplied.
#[derive(Clone, Debug)]
pub enum VolumePicture {
    /// On the GPU that draws the window.
    Gpu(Picture),
    /// On the host: columns, rows, and points, red in the lowest byte.
    Host([usize; 2], Vec<u32>),
}

/// What is told with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeNote {
    /// Elements that a voxel stands for, along each axis.
    pub stride: [u64; 3],
}

#[cfg(test)]
mod tests {
    use fsz_wgpu::Mode;

    use super::*;
    use crate::model::volume::orbit::Orbit;

    #[test]
    fn the_processor_draws_coarser_what_is_large_or_moves() {
        let order = |size, moving| VolumeOrder {
            number: 1,
            set: Set::default(),
            generation: 1,
            source: VolumeSource::default(),
            unit: 1.0,
            clip: ClipBox::default(),
            points: 512,
            look: Look {
                size,
                rays: Orbit::default().rays(1.0),
                extent: [0.5; 3],
                sides: [8; 3],
                clip: ClipBox::default().into(),
                step: 0.75,
                mode: Mode::Mip,
                section: None,
            },
            colours: VolumeColours { map: [0; 256], opacity: [0.0; 256], range: None },
            moving,
        };
        assert_eq!(order([300, 200], false).for_processor(40), 1);
        let large = [false, true].map(|moving| order([1600, 1000], moving).for_processor(256));
        assert_eq!(large, [3, 5]);
        let look = order([1600, 1001], true).coarser(5);
        assert_eq!((look.size, look.step), ([320, 201], 3.75));
    }
}
