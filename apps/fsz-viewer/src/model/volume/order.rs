//! A picture of a volume that is asked for, and what comes.

use fsz_wgpu::{Look, Picture, VolumeColours};

use crate::model::set::Set;
use crate::model::volume::clip_box::ClipBox;
use crate::model::volume::volume_view::VolumeSource;

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
        (self.generation, self.source) == (other.generation, other.source)
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
