//! The viewer's state, and what happens to it.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use fsz::{Bound, Progress};
use fsz_field::{Hints, Kind, is_headerless_zfp, shape_in_name};

use crate::background::Found;
use crate::camera::Camera;
use crate::catalog::{Catalog, Choice};
use crate::comparison::CodecComparison;
use crate::decoder::{DecoderChoice, paints};
use crate::document::Document;
use crate::measures::Measures;
use crate::pane::Picture;
use crate::pane_kind::PaneKind;
use crate::plane::Place;
use crate::plane_measures::PlaneMeasures;
use crate::rate_distortion::RateDistortion;
use crate::raw_dialog::RawDialog;
use crate::service::{Event, Planes, Role, Service, Set, Wake};
use crate::settings::Settings;
use crate::window_gpu::WindowGpu;

/// What to show first.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The first is the subject; a second is another reconstruction.
    pub files: Vec<PathBuf>,
    /// The original.
    pub original: Option<PathBuf>,
    /// What raw files do not tell.
    pub hints: Hints,
    /// The plane to begin with.
    pub place: Option<Place>,
    /// The variable and step to begin with, of files that have such.
    pub choice: Choice,
    /// Values of the original that stand for none, with commas or spaces between them.
    pub missing: String,
    /// What planes are to be decoded with.
    pub decoder: DecoderChoice,
    /// What draws the window, where that can paint pictures too.
    pub window: Option<WindowGpu>,
}

/// Figures of a pair of reconstructions.
#[derive(Debug, Default)]
pub struct Measured {
    /// Of the subject.
    pub subject: Option<Result<Box<Measures>>>,
    /// Of the other reconstruction.
    pub other: Option<Result<Box<Measures>>>,
}

impl Measured {
    /// Both, where they could be measured.
    pub fn both(&self) -> [Option<&Measures>; 2] {
        [&self.subject, &self.other].map(|m| m.as_ref().and_then(|m| m.as_deref().ok()))
    }
}

/// The pictures of the panes.
#[derive(Debug, Default)]
pub struct Pictures([Picture; PaneKind::ALL.len()]);

impl Pictures {
    /// The picture of a pane.
    pub fn of(&self, kind: PaneKind) -> &Picture {
        &self.0[kind as usize]
    }

    /// The picture of a pane, to be made anew.
    pub fn at(&mut self, kind: PaneKind) -> &mut Picture {
        &mut self.0[kind as usize]
    }
}

/// Long work that is under way.
#[derive(Debug)]
pub struct Work {
    /// What it is.
    pub name: String,
    /// How far it is, and the way to stop it.
    pub progress: Arc<Progress>,
    /// On a thread of its own; other work ends in the order in which it was given.
    pub background: bool,
}

/// The work that brings the figures of whole fields.
const MEASURING: &str = "Computing metrics";

/// The work that compresses the original in memory.
pub(crate) const COMPRESSING: &str = "Compressing";

/// The viewer.
#[derive(Debug)]
pub struct Viewer {
    pub(crate) service: Service,
    /// The choices of the user.
    pub settings: Settings,
    /// What is open.
    pub set: Set,
    /// The plane that is looked at.
    pub place: Place,
    /// What there is to choose in the file of the subject, and in that of the original.
    pub(crate) catalogs: [Option<Catalog>; 2],
    /// The variable and step that are shown.
    pub(crate) choice: Choice,
    /// Go on to the next step as soon as one is shown.
    pub(crate) playing: bool,
    /// Grows when the set changes; answers to older questions are dropped.
    pub(crate) generation: u64,
    /// The planes that are shown.
    pub planes: Option<Box<Planes>>,
    /// Place and generation that were asked for.
    requested: Option<(Place, u64)>,
    /// The last of them that was answered.
    answered: Option<(Place, u64)>,
    /// Which planes are there.
    pub(crate) shown: Option<(Place, u64)>,
    /// Figures of whole fields.
    pub measured: Measured,
    pub(crate) camera: Camera,
    /// The part of the plane that the panes show, in parts of it.
    pub(crate) visible: egui::Rect,
    pub(crate) cursor: Option<(usize, usize)>,
    /// The cursor stays where it was clicked.
    pub(crate) pinned: bool,
    pub(crate) pictures: Pictures,
    pub(crate) ranges: crate::panels::Ranges,
    /// The window's GPU, where it paints.
    pub(crate) window_gpu: Option<WindowGpu>,
    /// The messages that are shown.
    pub messages: Vec<String>,
    /// What is worth knowing, and no error.
    pub notes: Vec<String>,
    pub(crate) work: Vec<Work>,
    /// Files that do not tell what is in them; the first is asked about.
    pub(crate) raw_dialogs: Vec<RawDialog>,
    pub(crate) typed_path: String,
    pub(crate) help: bool,
    /// Show the original in the reconstruction's place.
    pub(crate) blink: bool,
    /// Where the line lies that wipes from original to reconstruction.
    pub(crate) wipe: Option<f32>,
    /// What zfp makes of the original.
    pub(crate) comparison: CodecComparison,
    /// Figures of the plane.
    pub(crate) plane_measures: PlaneMeasures,
    /// Values that stand for none, as they are typed.
    pub(crate) missing: String,
    /// Rate and distortion of the original.
    pub rate_distortion: RateDistortion,
    /// The bound of *Recompress* moved while the last one was still being compressed.
    pub(crate) try_waits: bool,
    /// The bound that was last compressed in memory.
    pub(crate) tried: Option<f64>,
    hints: Hints,
    pub(crate) explained: crate::panels::Explained,
    pub(crate) dialogs: crate::file_dialog::Dialogs,
}

impl Viewer {
    /// A viewer that opens what `start` names, or where it names nothing, what was open last.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn new(start: Start, settings: Settings, wake: Wake) -> std::io::Result<Viewer> {
        let window_gpu = start.window;
        let window = window_gpu.as_ref().map(|window_gpu| window_gpu.gpu.clone());
        let mut viewer = Viewer {
            window_gpu: window_gpu.filter(|window_gpu| paints(start.decoder, &window_gpu.gpu)),
            service: Service::start(wake.clone(), start.decoder, window)?,
            settings,
            set: Set::default(),
            place: start.place.unwrap_or_default(),
            catalogs: [None, None],
            choice: start.choice,
            playing: false,
            generation: 0,
            planes: None,
            requested: None,
            answered: None,
            shown: None,
            measured: Measured::default(),
            camera: Camera::default(),
            visible: egui::Rect::EVERYTHING,
            cursor: None,
            pinned: false,
            pictures: Pictures::default(),
            ranges: Default::default(),
            messages: Vec::new(),
            notes: Vec::new(),
            work: Vec::new(),
            raw_dialogs: Vec::new(),
            typed_path: String::new(),
            help: false,
            blink: false,
            wipe: None,
            comparison: CodecComparison::default(),
            plane_measures: PlaneMeasures::default(),
            missing: start.missing,
            rate_distortion: RateDistortion::default(),
            try_waits: false,
            tried: None,
            hints: start.hints,
            explained: Default::default(),
            dialogs: crate::file_dialog::Dialogs::new(wake),
        };
        let session = viewer.settings.session.take();
        if start.files.is_empty()
            && start.original.is_none()
            && let Some(session) = session
        {
            viewer.restore(session);
        }
        for (path, role) in start.files.iter().zip([Role::Subject, Role::Other]) {
            viewer.open(path, role);
        }
        if let Some(path) = &start.original {
            viewer.open(path, Role::Original);
        }
        Ok(viewer)
    }

    /// Opens a file; what it does not tell of itself is asked for first.
    pub fn open(&mut self, path: &Path, role: Role) {
        let leader = self.set.leader().map(|d| (d.grid.shape(), d.dtype));
        match Kind::of(path) {
            Ok(Kind::Raw) if self.hints.shape.is_none() => {
                let dialog = RawDialog::raw(path, role, leader.map(|(shape, _)| shape));
                match (shape_in_name(path), dialog.hints()) {
                    // The name tells all, and the size agrees.
                    (Some(_), Ok(hints)) => self.open_with(path, hints, role),
                    _ => self.raw_dialogs.push(dialog),
                }
            }
            Ok(Kind::Zfp)
                if cfg!(feature = "zfp")
                    && self.hints.zfp_rate.is_none()
                    && is_headerless_zfp(path).unwrap_or(false) =>
            {
                let dialog = RawDialog::zfp(path, role, leader);
                self.raw_dialogs.push(dialog);
            }
            // A file that cannot be read says so when it is opened.
            _ => self.open_with(path, self.hints.clone(), role),
        }
    }

    pub(crate) fn open_with(&mut self, path: &Path, hints: Hints, role: Role) {
        let name = format!("Opening {}", path.display());
        let choice = self.choice.clone();
        let progress = self.service.open(path.to_owned(), hints, role, choice);
        self.work.push(Work { name, progress, background: false });
    }

    /// Takes the events of the threads, and requests the planes that are missing.
    pub fn poll(&mut self) {
        while let Some(event) = self.service.next_event() {
            self.handle(event);
        }
        for (role, path) in self.dialogs.answers() {
            self.open(&path, role);
        }
        let Some(leader) = self.set.leader() else { return };
        self.place = self.place.within(&leader.grid);
        let current = (self.place, self.generation);
        if self.requested != Some(current) && leader.grid.elements() > 0 {
            self.requested = Some(current);
            self.service.planes(&self.set, self.place, self.generation);
        }
        self.measure_plane();
        self.follow_sweep();
    }

    /// Whether a file, a plane or a figure is still to come.
    pub(crate) fn reading(&self) -> bool {
        self.work.iter().any(|work| !work.background) || self.requested != self.answered
    }

    /// Whether an answer is still to come.
    pub fn busy(&self) -> bool {
        !self.work.is_empty() || self.requested != self.answered || self.plane_measures.running()
    }

    /// Waits until no answer is still to come; false when that takes longer than `longest`.
    pub fn settle(&mut self, longest: Duration) -> bool {
        let end = Instant::now() + longest;
        self.poll();
        while self.busy() {
            match self.service.wait(end.saturating_duration_since(Instant::now())) {
                Some(event) => self.handle(event),
                None => return false,
            }
            self.poll();
        }
        true
    }

    /// Takes one event.
    pub fn handle(&mut self, event: Event) {
        match event {
            Event::Opened { path, role, document, catalog } => {
                self.finished();
                match document {
                    Ok(document) => {
                        self.settings.opened(&path);
                        self.list(role, catalog);
                        self.accept(*document, role);
                    }
                    Err(reason) => self.report(reason),
                }
            }
            Event::Tried(document) => {
                self.finished();
                match document {
                    // Meanwhile another field may have been opened.
                    Ok(_) if self.tried.is_none() => {}
                    Ok(document) => {
                        self.set.subject = Some(*document);
                        self.make_comparison();
                        self.changed();
                    }
                    Err(reason) => self.report(reason),
                }
            }
            Event::Found { progress, found } => match found {
                Found::Zfp(made) => self.zfp_made(&progress, made),
                Found::Plane(figures) => self.plane_measured(&progress, figures),
                Found::Point(point) => self.swept_point(&progress, point),
                Found::Swept(end) => self.swept(&progress, end),
                Found::Failed(reason) => self.report(reason),
            },
            Event::Ended { progress } => {
                self.plane_ended(&progress);
                self.ended(&progress);
            }
            Event::Planes { place, generation, planes } => {
                self.answered = Some((place, generation));
                match planes {
                    Ok(mut planes) if generation == self.generation => {
                        if let Some(note) = planes.note.take() {
                            self.report(note);
                        }
                        self.planes = Some(planes);
                        self.shown = Some((place, generation));
                    }
                    Err(reason) if generation == self.generation => self.report(reason),
                    _ => {}
                }
            }
            Event::Measured { generation, measured } => {
                self.finished();
                if generation == self.generation {
                    let both = [&measured.subject, &measured.other].into_iter().flatten();
                    for reason in both.filter_map(|m| m.as_ref().err()) {
                        self.report(reason);
                    }
                    self.measured = measured;
                }
            }
        }
    }

    /// Keeps what there is to choose.
    fn list(&mut self, role: Role, catalog: Option<(Catalog, Choice)>) {
        let place = match role {
            Role::Subject => 0,
            Role::Original => 1,
            Role::Other => return,
        };
        self.catalogs[place] = catalog.map(|(catalog, choice)| {
            self.choice = choice;
            catalog
        });
    }

    /// Goes to another variable or step, of the original too.
    pub fn choose(&mut self, choice: Choice) {
        self.choice = choice;
        let paths = self.catalogs.clone().map(|c| c.map(|c| c.path));
        if paths[1].is_some() {
            // The error between two different steps is not to be seen.
            self.set.original = None;
        }
        for (path, role) in paths.iter().zip([Role::Subject, Role::Original]) {
            if let Some(path) = path {
                self.open_with(path, Hints::default(), role);
            }
        }
    }

    /// Puts a field in its place, and says why where it does not fit the others.
    fn accept(&mut self, document: Document, role: Role) {
        let compressed = document.is_reconstruction();
        let role = match role {
            // A plain field that is opened alone is an original: there is nothing lost in it.
            Role::Subject if !compressed => Role::Original,
            role => role,
        };
        let fits = |other: Option<&Document>| {
            other.is_none_or(|o| {
                o.grid.shape() == document.grid.shape() && o.dtype == document.dtype
            })
        };
        match role {
            Role::Subject => {
                if !fits(self.set.original.as_ref()) {
                    self.set.original = None;
                }
                self.forget_comparison();
                self.tried = None;
                self.set.subject = Some(document);
            }
            Role::Original => {
                if !fits(self.set.subject.as_ref()) {
                    let shape = crate::number_format::shape(document.grid.shape());
                    if self.tried.is_none() {
                        self.report(format!(
                            "{} ({} of {}) does not match the open field",
                            document.title,
                            shape,
                            document.dtype.name()
                        ));
                        return;
                    }
                    self.set = Set::default();
                }
                if self.comparison.matching.is_some() {
                    self.forget_comparison();
                }
                self.stop_sweep();
                self.rate_distortion = RateDistortion::default();
                self.set.original = Some(document);
                if self.set.subject.is_none() {
                    self.compress();
                }
            }
            Role::Other => {
                if !fits(self.set.leader()) {
                    let title = &document.title;
                    self.report(format!(
                        "{title} does not match the open field: its shape or type differs"
                    ));
                    return;
                }
                self.forget_comparison();
                self.comparison.matching = None;
                self.set.other = Some(document);
            }
        }
        if self.comparison.matching.is_some() && !self.comparison.making() {
            self.make_comparison();
        }
        self.changed();
    }

    /// Compresses the original in memory at the bound of *Recompress*.
    pub fn compress(&mut self) {
        let Some(original) = self.set.original.clone() else { return };
        let bound = self.settings.try_bound;
        self.tried = Some(bound);
        let named = match crate::missing_values::parse(&self.missing) {
            Ok(named) => named,
            Err(reason) => {
                self.report(reason);
                Vec::new()
            }
        };
        let known = self.set.subject.as_ref().map_or(&[][..], |s| s.missing());
        let missing = if named.is_empty() { known.to_vec() } else { named };
        let progress = self.service.compress(original, Bound::ValueRange(bound), missing);
        self.work.push(Work { name: COMPRESSING.to_owned(), progress, background: false });
    }

    /// The set is another one: what is known of the old one goes.
    pub(crate) fn changed(&mut self) {
        self.generation += 1;
        self.measured = Measured::default();
        if let Some(leader) = self.set.leader() {
            self.place = self.place.within(&leader.grid);
            let size = leader.grid.plane(self.place.axis);
            let shown =
                self.planes.as_ref().and_then(|p| p.subject.as_ref().or(p.original.as_ref()));
            if shown.is_some_and(|plane| plane.size != size) {
                self.planes = None;
                self.camera.reset();
                self.cursor = None;
            }
        }
        let pair = self.set.subject.is_some() || self.set.other.is_some();
        // Figures of what was there before are of no use any more.
        for work in self.work.iter().filter(|work| work.name == MEASURING) {
            work.progress.cancel();
        }
        if self.set.original.is_some() && pair && !self.playing && !self.comparison.making() {
            self.measure();
        }
    }

    /// Measures the whole field.
    pub(crate) fn measure(&mut self) {
        self.measured = Measured::default();
        let progress = self.service.measure(&self.set, self.generation);
        self.work.push(Work { name: MEASURING.to_owned(), progress, background: false });
    }

    /// The first of the works that are not in the background is over.
    fn finished(&mut self) {
        if let Some(first) = self.work.iter().position(|work| !work.background) {
            self.work.remove(first);
        }
    }

    /// Shows a message until it is dismissed.
    pub fn report(&mut self, message: impl ToString) {
        let message = message.to_string();
        if !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }

    /// Goes along the axis.
    pub fn go(&mut self, planes: i64) {
        let Some(leader) = self.set.leader() else { return };
        let last = leader.grid.planes(self.place.axis).saturating_sub(1);
        self.place.plane = self.place.plane.saturating_add_signed(planes).min(last);
    }

    /// Chooses an axis, and the middle plane of it.
    pub fn face(&mut self, axis: usize) {
        let Some(leader) = self.set.leader() else { return };
        if axis < leader.grid.axes() && axis != self.place.axis {
            self.place = Place { axis, plane: leader.grid.planes(axis) / 2 };
            self.camera.reset();
            self.cursor = None;
            self.pinned = false;
            self.planes = None;
        }
    }

    /// A number that is another when anything that a picture of the planes at `place` depends on is.
    pub(crate) fn picture_key(&self, kind: PaneKind, place: Place) -> u64 {
        let mut hasher = DefaultHasher::new();
        let s = &self.settings;
        kind.hash(&mut hasher);
        (self.generation, place).hash(&mut hasher);
        (s.map as u8, s.range as u8, s.log, s.error as u8).hash(&mut hasher);
        (s.overlay as u8, s.opacity.to_bits()).hash(&mut hasher);
        hasher.finish() | 1
    }

    /// The picture of a pane.
    pub fn picture(&self, kind: PaneKind) -> &Picture {
        self.pictures.of(kind)
    }
}
