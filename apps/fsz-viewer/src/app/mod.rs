//! The viewer: its state, and what happens to it. Panels tell commands, threads tell events; both end
//! here.

mod commands;
mod comparison;
mod events;
mod export;
mod export_series;
mod frame;
mod live;
mod live_series;
mod plane_measures;
mod rate_distortion;
mod saved_session;
mod step_change;
mod volume;

use std::iter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use fsz::{Dense, Profile};
use fsz_field::{Hints, Kind, is_headerless_zfp, shape_in_name};
use fsz_figure::Canvas;

use crate::model::catalog::{Catalog, Choice};
use crate::model::comparison::CodecComparison;
use crate::model::export::command as command_line;
use crate::model::live::BUDGET;
use crate::model::measured::Measured;
use crate::model::measures::Measures;
use crate::model::missing_values;
use crate::model::pane_kind::PaneKind;
use crate::model::plane::Place;
use crate::model::rate_distortion::RateDistortion;
use crate::model::raw_dialog::RawDialog;
use crate::model::session::Session;
use crate::model::set::Role;
use crate::model::settings::Settings;
use crate::model::wanted::Wanted;
use crate::view::figure;
use crate::view::pane::Picture;
use crate::view::state::ViewState;
use crate::view::window_gpu::WindowGpu;
use crate::work::decoder::{DecoderChoice, paints};
use crate::work::event::Wake;
use crate::work::file_dialog::Dialogs;
#[cfg(unix)]
use crate::work::instance::Instance;
use crate::work::jobs::{COMPRESSING, Jobs, MEASURING};
use crate::work::open::is_read_once;
use crate::work::service::Service;
use crate::work::steps_ahead::Course;

/// What to show first.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The first is the subject; a second is another reconstruction.
    pub files: Vec<PathBuf>,
    /// The original.
    pub original: Option<PathBuf>,
    /// What these files do not tell, where they are raw.
    pub hints: Hints,
    /// The plane to begin with; its axis is one of the field's own.
    pub place: Option<Place>,
    /// The variable and step to begin with, of files that have such.
    pub choice: Option<Choice>,
    /// Values of the original that stand for none, with commas or spaces between them.
    pub missing: String,
    /// The stream of a running simulation.
    pub live: Option<PathBuf>,
    /// The most bytes that its kept steps take; none for 512 MB.
    pub live_budget: Option<u64>,
    /// Of streams up to so many bytes it is read at once how all tiles are stored; none for 256 MiB.
    pub tiles_at_once: Option<u64>,
    /// What planes are to be decoded with.
    pub decoder: DecoderChoice,
    /// What draws the window, where that can paint pictures too.
    pub window: Option<WindowGpu>,
}

impl Start {
    /// Whether there is nothing to open.
    fn names_nothing(&self) -> bool {
        self.files.is_empty() && self.original.is_none() && self.live.is_none()
    }
}

/// The most bytes of a stream of which it is read at once how all tiles are stored.
const TILES_AT_ONCE: u64 = 256 << 20;

/// What is told with the reason that the desktop shows no dialog for files.
const NO_DIALOG: &str =
    "Cannot show a file dialog; type the path in the menu File, or drop the file here";

/// The viewer.
pub struct Viewer {
    /// What is open.
    pub session: Session,
    /// How it is looked at.
    pub view_state: ViewState,
    pub(crate) jobs: Jobs,
    /// What zfp makes of the original.
    pub(crate) comparison: CodecComparison,
    /// Rate and distortion of the original.
    pub rate_distortion: RateDistortion,
    /// The most bytes that the kept steps of a simulation take.
    live_budget: u64,
    /// What is to be shown of its first step.
    live_place: Wanted,
    /// Of streams up to so many bytes it is read at once how all tiles are stored.
    tiles_at_once: u64,
    wake: Wake,
    /// What other calls hand over.
    #[cfg(unix)]
    instance: Option<Instance<Start>>,
    /// The window is to come to the front.
    pub(crate) asks_for_attention: bool,
}

impl std::fmt::Debug for Viewer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Viewer").field("session", &self.session).finish_non_exhaustive()
    }
}

impl Viewer {
    /// A viewer that opens what `start` names, or where it names nothing, what was open last.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn new(mut start: Start, settings: Settings, wake: Wake) -> std::io::Result<Viewer> {
        let window = start.window.take();
        let gpu = window.as_ref().map(|window| window.gpu.clone());
        let window = window.filter(|window| paints(start.decoder, &window.gpu));
        let service = Service::start(wake.clone(), start.decoder, gpu)?;
        let mut viewer = Viewer {
            session: Session { missing: start.missing.clone(), ..Session::default() },
            view_state: ViewState::new(settings, window),
            jobs: Jobs::new(service, Dialogs::new(wake.clone())),
            comparison: CodecComparison::default(),
            rate_distortion: RateDistortion::default(),
            live_budget: BUDGET,
            live_place: Wanted::default(),
            tiles_at_once: start.tiles_at_once.unwrap_or(TILES_AT_ONCE),
            wake,
            #[cfg(unix)]
            instance: None,
            asks_for_attention: false,
        };
        let saved = viewer.view_state.settings.session.take();
        if start.names_nothing()
            && let Some(saved) = saved
        {
            viewer.restore(saved, &start);
        }
        viewer.begin(&start);
        Ok(viewer)
    }

    /// Opens what is named, and shows the place of it that is.
    fn begin(&mut self, start: &Start) {
        if !start.missing.is_empty() {
            self.session.missing = start.missing.clone();
        }
        let Start { files, original, choice, place, .. } = start;
        let roles = [Role::Subject, Role::Other];
        let files = files.iter().zip(roles).chain(original.iter().map(|o| (o, Role::Original)));
        // The first file is the one that is looked at.
        for ((path, role), place) in files.zip(iter::once(*place).chain(iter::repeat(None))) {
            let wanted = Wanted { choice: choice.clone(), place };
            self.open_told(path, role, &start.hints, wanted);
        }
        if let Some(name) = &start.live {
            self.live_budget = start.live_budget.unwrap_or(BUDGET);
            self.live_place = Wanted { choice: None, place: *place };
            self.session.choice = choice.clone().unwrap_or_default();
            self.connect(name);
        }
    }

    /// Opens what other calls hand over from now on.
    #[cfg(unix)]
    pub fn listen(&mut self, instance: Instance<Start>) {
        self.instance = Some(instance);
    }

    #[cfg(unix)]
    fn take_handed(&mut self) {
        let handed = self.instance.as_ref().map_or(Vec::new(), Instance::handed);
        for start in handed {
            self.asks_for_attention = true;
            if start.decoder != DecoderChoice::default() {
                self.view_state.note("--decoder is for the call that opens the window".to_owned());
            }
            self.begin(&start);
        }
    }

    /// Opens a file; what it does not tell of itself is asked for first.
    pub fn open(&mut self, path: &Path, role: Role) {
        self.open_told(path, role, &Hints::default(), Wanted::default());
    }

    /// The same where something is told of it.
    fn open_told(&mut self, path: &Path, role: Role, hints: &Hints, wanted: Wanted) {
        if is_read_once(path) {
            return self.open_with(path, hints.clone(), role, wanted);
        }
        let leader = self.session.set.leader().map(|d| (d.grid.shape(), d.dtype));
        match Kind::of(path) {
            Ok(Kind::Raw) if hints.shape.is_none() => {
                let dialog = RawDialog::raw(path, role, leader.map(|(shape, _)| shape));
                match (shape_in_name(path), dialog.hints()) {
                    // The name tells all, and the size agrees.
                    (Some(_), Ok(hints)) => self.open_with(path, hints, role, wanted),
                    _ => self.view_state.raw_dialogs.push(dialog.of(wanted)),
                }
            }
            Ok(Kind::Zfp)
                if cfg!(feature = "zfp")
                    && hints.zfp_rate.is_none()
                    && is_headerless_zfp(path).unwrap_or(false) =>
            {
                let dialog = RawDialog::zfp(path, role, leader);
                self.view_state.raw_dialogs.push(dialog.of(wanted));
            }
            // A file that cannot be read says so when it is opened.
            _ => self.open_with(path, hints.clone(), role, wanted),
        }
    }

    pub(crate) fn open_with(&mut self, path: &Path, hints: Hints, role: Role, wanted: Wanted) {
        let shown = self.session.choice.clone();
        let progress = self.jobs.service.open(path.to_owned(), hints, role, wanted, shown);
        self.jobs.add(format!("Opening {}", path.display()), progress);
    }

    /// Takes the events of the threads, and requests the planes that are missing.
    pub fn poll(&mut self) {
        while let Some(event) = self.jobs.service.next_event() {
            self.handle(event);
        }
        for answer in self.jobs.dialogs.answers() {
            match answer {
                Ok((role, path)) => self.open(&path, role),
                Err(reason) => self.report(format!("{NO_DIALOG}: {reason}")),
            }
        }
        #[cfg(unix)]
        self.take_handed();
        self.poll_live();
        self.follow_series();
        if self.view_state.playing && !self.session.has_steps() {
            // There is no button any more that would end it.
            self.play(false);
        }
        let Some(leader) = self.session.set.leader() else { return };
        self.session.place = self.session.place.within(&leader.grid);
        let current = self.session.current();
        if self.jobs.requested != Some(current) && leader.grid.elements() > 0 {
            self.jobs.requested = Some(current);
            let (place, generation) = current;
            let playing = self.view_state.playing;
            self.jobs.service.planes(&self.session.set, place, generation, playing);
        }
        if self.jobs.try_waits && !self.jobs.compressing() {
            self.compress();
        }
        self.measure_plane();
        self.follow_sweep();
    }

    /// Whether an answer is still to come.
    pub fn busy(&self) -> bool {
        self.jobs.busy()
    }

    /// Waits until no answer is still to come; false when that takes longer than `longest`.
    pub fn settle(&mut self, longest: Duration) -> bool {
        let end = Instant::now() + longest;
        self.poll();
        while self.busy() {
            match self.jobs.wait(end.saturating_duration_since(Instant::now())) {
                Some(event) => self.handle(event),
                None => return false,
            }
            self.poll();
        }
        true
    }

    /// Goes to another variable or step, of the original too.
    pub fn choose(&mut self, choice: Choice) {
        let backwards = match self.view_state.playing {
            true => self.view_state.backwards,
            false => choice.step < self.session.choice.step,
        };
        self.session.choice = choice.clone();
        if let Some(shown) = self.session.live.as_ref().map(|view| view.shown) {
            shown.into_iter().for_each(|step| self.show_step(step));
            return;
        }
        let [subject, original] = self.session.catalogs.clone();
        let of_subject = subject.as_ref().map(|catalog| catalog.nearest(&choice));
        let of_original =
            original.as_ref().and_then(|catalog| match subject.as_ref().zip(of_subject.as_ref()) {
                Some((subject, choice)) => catalog.pair(subject, choice),
                None => Some(catalog.nearest(&choice)),
            });
        if subject.is_some() && original.is_some() {
            // The error between two different steps is not to be seen.
            self.session.set.original = None;
        }
        let chosen =
            [(subject, of_subject, Role::Subject), (original, of_original, Role::Original)];
        for (catalog, choice, role) in chosen {
            let (Some(catalog), Some(choice)) = (catalog, choice) else { continue };
            let steps = catalog.steps(&choice.variable);
            let path = catalog.path.clone();
            self.open_step(catalog, role, choice.clone());
            self.jobs.service.look_ahead(Course { path, choice, steps, backwards });
        }
    }

    /// Opens a step of a variable of a file.
    fn open_step(&mut self, catalog: Catalog, role: Role, choice: Choice) {
        let name = format!("Opening {}", catalog.path.display());
        let progress = self.jobs.service.step(catalog.path, role, choice);
        self.jobs.add(name, progress);
    }

    /// Goes on to the next step as soon as one is shown, or stays: then what takes longer than a step is done.
    pub(crate) fn play(&mut self, playing: bool) {
        self.view_state.playing = playing;
        if playing {
            return;
        }
        if self.session.set.original.is_some() && self.session.set.subject.is_some() {
            self.measure();
        }
    }

    /// Compresses the original in memory at the bound of *Recompress*; when that is being done, again as
    /// soon as it is.
    pub fn compress(&mut self) {
        self.jobs.try_waits = self.jobs.compressing();
        let Some(original) = self.session.set.original.clone() else { return };
        if self.jobs.try_waits {
            return;
        }
        let settings = &self.view_state.settings;
        let bound = settings.try_target.bound(settings.try_number());
        let profile = match settings.try_dense {
            true => Profile::Dense(Dense::new()),
            false => Profile::default(),
        };
        self.session.trying = Some(bound);
        let named = match missing_values::parse(&self.session.missing) {
            Ok(named) => named,
            Err(reason) => {
                self.report(reason);
                Vec::new()
            }
        };
        let known = self.session.set.subject.as_ref().map_or(&[][..], |s| s.missing());
        let missing = if named.is_empty() { known.to_vec() } else { named };
        let progress = self.jobs.service.compress(original, (profile, bound), missing);
        self.jobs.add(COMPRESSING.to_owned(), progress);
    }

    /// What is made of the original in memory is of no use any more.
    pub(crate) fn forget_trial(&mut self) {
        (self.session.trying, self.session.tried) = (None, None);
        self.jobs.try_waits = false;
    }

    /// The set is another one: what is known of the old one goes.
    pub(crate) fn changed(&mut self) {
        let session = &mut self.session;
        session.generation += 1;
        session.measured = Measured::default();
        if let Some(leader) = session.set.leader() {
            session.place = session.place.within(&leader.grid);
            let size = leader.grid.plane(session.place.axis);
            let shown =
                session.planes.as_ref().and_then(|p| p.subject.as_ref().or(p.original.as_ref()));
            // A field without elements has no planes that would come in the place of these.
            let empty = leader.grid.elements() == 0;
            if empty || shown.is_some_and(|plane| plane.size != size) {
                session.planes = None;
                self.view_state.leave_plane();
            }
        }
        let set = &self.session.set;
        let pair = set.subject.is_some() || set.other.is_some();
        // Figures of what was there before are of no use any more.
        self.jobs.cancel(MEASURING);
        let measures = set.original.is_some() && pair;
        let hurries = self.view_state.playing || self.is_following();
        if measures && !hurries && !self.comparison.making() {
            self.measure();
        }
    }

    /// Measures the whole field.
    pub(crate) fn measure(&mut self) {
        self.session.measured = Measured::default();
        let progress = self.jobs.service.measure(&self.session.set, self.session.generation);
        self.jobs.add(MEASURING.to_owned(), progress);
    }

    /// Shows a message until it is dismissed.
    pub fn report(&mut self, message: impl ToString) {
        self.view_state.report(message);
    }

    /// Chooses an axis, and the middle plane of it.
    pub fn face(&mut self, axis: usize) {
        let Some(leader) = self.session.set.leader() else { return };
        if axis < leader.grid.axes() && axis != self.session.place.axis {
            self.session.place = Place { axis, plane: leader.grid.planes(axis) / 2 };
            self.session.planes = None;
            // They may have been those of this place, where it was left and come back to at once.
            self.jobs.forget_planes();
            self.view_state.leave_plane();
        }
    }

    /// The picture of a pane.
    pub fn picture(&self, kind: PaneKind) -> &Picture {
        self.view_state.pictures.of(kind)
    }

    /// Figures of the plane that is shown: of the subject and of the other reconstruction.
    pub fn plane_figures(&self) -> [Option<&Measures>; 2] {
        self.session.plane_figures()
    }

    /// Where what is in the panes stands in the plot of rate and distortion: name, bits per value, PSNR.
    pub fn present_points(&self) -> Vec<(String, [f64; 2])> {
        self.rate_distortion.present_points(&self.session, self.comparison.zfp_mode)
    }

    /// The command line that does what is shown.
    pub fn command(&self) -> Option<String> {
        command_line(&self.session)
    }

    /// Panes side by side, each with its title and colour bar. When the panes are magnified, the part that
    /// they show is framed, and stands in a corner.
    ///
    /// # Errors
    /// When there is no picture of a pane, or the GPU does not give it back.
    pub fn figure(&self, panes: &[PaneKind]) -> Result<Canvas> {
        figure::figure(&self.session, &self.view_state, panes)
    }
}
