//! How what is open is looked at.

use anyhow::Result;
use egui::Rect;

use crate::model::palette::Map;
use crate::model::pane_kind::PaneKind;
use crate::model::plane::Place;
use crate::model::planes::Planes;
use crate::model::probe::{Probe, ProbedTile};
use crate::model::raw_dialog::RawDialog;
use crate::model::scale::Scale;
use crate::model::session::Session;
use crate::model::set::Set;
use crate::model::settings::Settings;
use crate::model::volume::volume_view::{ERROR, VolumeSource};
use crate::view::arrangement::Arrangement;
use crate::view::camera::Camera;
use crate::view::pictures::{Pictures, Ranges};
use crate::view::volume_state::VolumeState;
use crate::view::window_gpu::WindowGpu;

/// What a probe is of: the cursor, and the planes that are shown.
type Probed = ((usize, usize), (Place, u64), Option<(Place, u64)>);

/// How what is open is looked at.
#[derive(Debug)]
pub struct ViewState {
    /// The choices of the user.
    pub settings: Settings,
    /// Which part of the plane is seen.
    pub camera: Camera,
    /// The part of the plane that the panes show, in parts of it.
    pub visible: Rect,
    /// The point under the pointer.
    pub cursor: Option<(usize, usize)>,
    /// The cursor stays where it was clicked.
    pub pinned: bool,
    /// What is under the cursor.
    pub probe: Option<Probe>,
    probed: Option<Probed>,
    probed_tile: Option<(u64, u64)>,
    /// The pictures of the panes.
    pub pictures: Pictures,
    /// Ranges of the planes that are shown.
    pub ranges: Ranges,
    /// Where the user put the panes.
    pub arrangement: Option<Arrangement>,
    /// The window's GPU, where it paints.
    pub window_gpu: Option<WindowGpu>,
    /// The messages that are shown.
    pub messages: Vec<String>,
    /// What is worth knowing, and no error.
    pub notes: Vec<String>,
    /// Files that do not tell what is in them; the first is asked about.
    pub raw_dialogs: Vec<RawDialog>,
    /// The path in the menu.
    pub typed_path: String,
    /// The name of a stream in the menu.
    pub typed_stream: String,
    /// What the window is called.
    pub window_name: String,
    /// The keys are shown.
    pub help: bool,
    /// The panels at both sides are hidden, which leaves all of the window to the panes.
    pub bare: bool,
    /// Show the original in the reconstruction's place.
    pub blink: bool,
    /// Where the line lies that wipes from original to reconstruction.
    pub wipe: Option<f32>,
    /// Go on to the next step as soon as one is shown.
    pub playing: bool,
    /// The step before is the next.
    pub backwards: bool,
    /// The pane of the volume.
    pub volume: VolumeState,
}

impl ViewState {
    /// Nothing is looked at yet.
    pub fn new(settings: Settings, window_gpu: Option<WindowGpu>) -> ViewState {
        let mut settings = settings;
        settings.volume = settings.volume.valid();
        // What another version wrote may be no arrangement.
        let arrangement = settings.arrangement.clone();
        ViewState {
            arrangement: arrangement.and_then(|tree| serde_json::from_value(tree).ok()),
            settings,
            camera: Camera::default(),
            visible: Rect::EVERYTHING,
            cursor: None,
            pinned: false,
            probe: None,
            probed: None,
            probed_tile: None,
            pictures: Pictures::default(),
            ranges: Ranges::default(),
            window_gpu,
            messages: Vec::new(),
            notes: Vec::new(),
            raw_dialogs: Vec::new(),
            typed_path: String::new(),
            typed_stream: String::new(),
            window_name: String::new(),
            help: false,
            bare: false,
            blink: false,
            wipe: None,
            playing: false,
            backwards: false,
            volume: VolumeState::default(),
        }
    }

    /// The settings as they are kept.
    pub fn kept(&self) -> Settings {
        let arrangement = self.arrangement.as_ref().and_then(|a| serde_json::to_value(a).ok());
        Settings { arrangement, ..self.settings.clone() }
    }

    /// Looks at another plane: nothing is pointed at yet.
    pub fn leave_plane(&mut self) {
        self.camera.reset();
        (self.cursor, self.pinned) = (None, false);
    }

    /// Shows a message until it is dismissed.
    pub fn report(&mut self, message: impl ToString) {
        add(&mut self.messages, message.to_string());
    }

    /// Shows something that is worth knowing, and no error, until it is dismissed.
    pub fn note(&mut self, note: String) {
        add(&mut self.notes, note);
    }

    /// Reads what is under the cursor, unless that is known.
    pub fn follow_cursor(&mut self, session: &Session) {
        let Some(cursor) = self.cursor else {
            (self.probe, self.probed) = (None, None);
            return;
        };
        let of = (cursor, session.current(), session.shown);
        if self.probed == Some(of) {
            return;
        }
        self.probed = Some(of);
        let known = self.probed_tile.filter(|(_, of)| *of == session.generation);
        let before: Option<(u64, ProbedTile)> =
            known.and_then(|(tile, _)| Some((tile, self.probe.take()?.tile?)));
        let found = Probe::of(session, cursor, before);
        self.probed_tile =
            found.as_ref().and_then(|(_, tile)| tile.map(|tile| (tile, session.generation)));
        self.probe = found.map(|(probe, _)| probe);
    }

    /// The colours of the volume: of its error, or those of the values of the planes.
    pub fn volume_map(&self, set: &Set) -> Map {
        match self.settings.volume.source.of(set) {
            VolumeSource::Error => ERROR.map(),
            _ => self.settings.map,
        }
    }

    /// The range of the volume's colours: that of the planes, or of its error from 0 to the bound.
    pub fn volume_scale(&self, set: &Set, planes: Option<&Planes>) -> Scale {
        let source = self.settings.volume.source.of(set);
        let kind = match source {
            VolumeSource::Original => PaneKind::Original,
            _ => PaneKind::Reconstruction,
        };
        match planes {
            _ if source == VolumeSource::Error => {
                let largest = || self.ranges.limit(PaneKind::Error, set).absolute;
                let high = set.bound().unwrap_or_else(largest);
                Scale { low: 0.0, high: if high > 0.0 { high } else { 1.0 }, log: false }
            }
            Some(planes) => self.ranges.scale(kind, set, planes, &self.settings),
            None => Scale { low: 0.0, high: 1.0, log: false },
        }
    }

    /// Brings the pictures of the panes up to date. A GPU that fails is not asked again.
    pub fn paint(&mut self, context: &egui::Context, session: &Session) {
        let Some(planes) = &session.planes else { return };
        self.ranges.follow(session, planes, self.settings.range);
        if let Some((number, picture)) = self.volume.shown() {
            let gpu = self.window_gpu.as_ref();
            if let Err(reason) = self.pictures.put(context, number, gpu, picture) {
                self.report(reason);
            }
        }
        let painted: Result<()> = self.pictures.paint(
            context,
            (session, planes),
            &self.settings,
            &self.ranges,
            self.window_gpu.as_ref(),
        );
        if let Err(reason) = painted {
            self.window_gpu = None;
            self.report(format!("{reason}; rendering on the CPU from now on"));
        }
    }
}

/// Messages, and notes, that are shown at most: of a series or a simulation each step may bring one, and more of them would leave
/// no room for the panes.
const LINES: usize = 8;

/// Adds a line that is not there yet. Of too many the oldest goes.
fn add(lines: &mut Vec<String>, line: String) {
    if !lines.contains(&line) {
        lines.push(line);
        lines.drain(..lines.len().saturating_sub(LINES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_leave_room_for_the_panes() {
        let mut view = ViewState::new(Settings::default(), None);
        for step in (0..100).chain([99]) {
            view.report(format!("step {step} is damaged"));
            view.note(format!("step {step} has another shape"));
        }
        assert_eq!((view.messages.len(), view.notes.len()), (LINES, LINES));
        assert_eq!(view.messages.last().map(|last| &**last), Some("step 99 is damaged"));
        assert_eq!(view.notes[0], "step 92 has another shape");
    }

    /// The error and the kinds of tiles are chosen, of which the field that is open has neither.
    #[test]
    fn a_volume_of_values_has_their_colours_and_rendering() {
        for source in [VolumeSource::Error, VolumeSource::Kinds] {
            let mut settings = Settings::default();
            settings.volume.source = source;
            let (view, set) = (ViewState::new(settings, None), Set::default());
            assert_eq!(view.volume_map(&set), view.settings.map);
            assert_eq!(view.settings.volume.rendering(&set), view.settings.volume.rendering);
        }
    }
}
