//! What a panel sees.

use crate::model::comparison::CodecComparison;
use crate::model::rate_distortion::RateDistortion;
use crate::model::session::Session;
use crate::model::settings::Settings;
use crate::view::state::ViewState;
use crate::work::jobs::Work;

/// What a panel sees.
#[derive(Clone, Copy, Debug)]
pub struct PanelInput<'a> {
    /// What is open.
    pub session: &'a Session,
    /// How it is looked at.
    pub view: &'a ViewState,
    /// Long work that is under way.
    pub works: &'a [Work],
    /// A file, a plane or a figure is still to come.
    pub reading: bool,
    /// What zfp makes of the original.
    pub comparison: &'a CodecComparison,
    /// Rate and distortion of the original.
    pub rate_distortion: &'a RateDistortion,
}

impl<'a> PanelInput<'a> {
    /// Whether there is a pane of the volume.
    pub fn shows_volume(&self) -> bool {
        let solid = self.session.set.leader().is_some_and(|leader| leader.grid.is_solid());
        solid && self.settings().volume.shown
    }

    /// The choices of the user.
    pub fn settings(&self) -> &'a Settings {
        &self.view.settings
    }
}
