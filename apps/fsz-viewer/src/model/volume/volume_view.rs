//! How a field is looked at in three dimensions.

use serde::{Deserialize, Serialize};

use crate::model::scene::ErrorMode;
use crate::model::set::Set;
use crate::model::volume::clip_box::ClipBox;
use crate::model::volume::orbit::Orbit;
use crate::model::volume::transfer::Transfer;

/// Which values are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VolumeSource {
    /// The reconstruction; without one the original.
    #[default]
    Reconstruction,
    /// The original.
    Original,
    /// The magnitude of the error.
    Error,
    /// How tiles are stored.
    Kinds,
}

impl VolumeSource {
    /// All of them, in the order of the menu.
    pub const ALL: [VolumeSource; 4] = [
        VolumeSource::Reconstruction,
        VolumeSource::Original,
        VolumeSource::Error,
        VolumeSource::Kinds,
    ];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            VolumeSource::Reconstruction => "Reconstruction",
            VolumeSource::Original => "Original",
            VolumeSource::Error => "Absolute error",
            VolumeSource::Kinds => "Tile kinds",
        }
    }

    /// The nearest that there is of what is open.
    pub fn of(self, set: &Set) -> VolumeSource {
        let there = match self {
            VolumeSource::Original => set.original.is_some(),
            VolumeSource::Error => set.original.is_some() && set.subject.is_some(),
            VolumeSource::Kinds => set.subject.as_ref().is_some_and(|s| s.tiles().is_some()),
            VolumeSource::Reconstruction => set.subject.is_some(),
        };
        match there {
            true => self,
            false if set.subject.is_some() => VolumeSource::Reconstruction,
            false => VolumeSource::Original,
        }
    }
}

/// What is shown of the values along a line of sight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rendering {
    /// The greatest.
    #[default]
    Mip,
    /// All, by the transfer function.
    Compositing,
    /// The surface of one.
    Isosurface,
}

impl Rendering {
    /// All of them, in the order of the menu.
    pub const ALL: [Rendering; 3] = [Rendering::Mip, Rendering::Compositing, Rendering::Isosurface];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Rendering::Mip => "Maximum intensity",
            Rendering::Compositing => "Compositing",
            Rendering::Isosurface => "Isosurface",
        }
    }
}

/// How many kinds of tiles there are.
const KINDS: usize = fsz_wgpu::TILE_KINDS.len();

/// How a field is looked at in three dimensions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VolumeView {
    /// There is a pane for it.
    pub shown: bool,
    /// Which values.
    pub source: VolumeSource,
    /// What of them.
    pub rendering: Rendering,
    /// From where.
    pub orbit: Orbit,
    /// Which part of the field.
    pub clip: ClipBox,
    /// Opacities of values.
    pub transfer: Transfer,
    /// How thick a layer is that has these opacities: 1 for all of the field.
    pub density: f32,
    /// The value of the isosurface, by its place on the colour map.
    pub iso: f32,
    /// Opacity of the plane that the other panes show.
    pub section: f32,
    /// The kinds of tiles that are shown.
    pub kinds: [bool; KINDS],
}

impl Default for VolumeView {
    fn default() -> Self {
        VolumeView {
            shown: false,
            source: VolumeSource::default(),
            rendering: Rendering::default(),
            orbit: Orbit::default(),
            clip: ClipBox::default(),
            transfer: Transfer::default(),
            density: 10.0,
            iso: 0.5,
            section: 0.6,
            kinds: [true; KINDS],
        }
    }
}

impl VolumeView {
    /// What is shown along a line of sight: kinds of tiles have no order.
    pub fn rendering(&self, set: &Set) -> Rendering {
        match self.source.of(set) {
            VolumeSource::Kinds => Rendering::Compositing,
            _ => self.rendering,
        }
    }

    /// The nearest that is one: of a file that another program wrote.
    pub fn valid(mut self) -> VolumeView {
        let usual = VolumeView::default();
        let kept = |value: f32, low: f32, high: f32, usual: f32| match value.is_finite() {
            true => value.clamp(low, high),
            false => usual,
        };
        self.orbit = self.orbit.valid();
        self.density = kept(self.density, 1.0, 1000.0, usual.density);
        self.iso = kept(self.iso, 0.0, 1.0, usual.iso);
        self.section = kept(self.section, 0.0, 1.0, usual.section);
        self
    }
}

/// The error that a volume shows.
pub const ERROR: ErrorMode = ErrorMode::Absolute;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_and_forged_ones_are_valid() {
        let view = VolumeView { iso: 0.25, section: 0.0, ..VolumeView::default() };
        let text = serde_json::to_string(&view).unwrap();
        assert_eq!(serde_json::from_str::<VolumeView>(&text).unwrap().valid(), view);
        let forged = VolumeView { density: f32::NAN, iso: 9.0, section: -1.0, ..view };
        let valid = forged.valid();
        assert_eq!((valid.density, valid.iso, valid.section), (10.0, 1.0, 0.0));
    }
}
