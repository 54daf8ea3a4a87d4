//! What the threads report is taken in.

use std::path::PathBuf;

use crate::app::Viewer;
use crate::app::step_change::change;
use crate::model::catalog::{Catalog, Choice};
use crate::model::document::Document;
use crate::model::number_format;
use crate::model::plane::Place;
use crate::model::scene::Overlay;
use crate::model::set::Role;
use crate::model::wanted::Wanted;
use crate::work::event::{Event, Found};
use crate::work::jobs::READING_TILES;
use crate::work::unless_cancelled::unless_cancelled;

impl Viewer {
    /// Takes one event.
    pub fn handle(&mut self, event: Event) {
        match event {
            Event::Opened { path, role, document, catalog, wanted } => {
                if self.jobs.finished().is_some_and(|work| work.is_cancelled()) {
                    return self.leave_opening(role);
                }
                match document {
                    Ok(_) if role == Role::Original && !self.goes_along(catalog.as_ref()) => {}
                    Ok(document) => {
                        self.view_state.settings.opened(&path);
                        let before = self.session.set.leader().cloned();
                        let paired = self.original_choice();
                        let seen = self.go_where_wanted(&wanted, &document);
                        // What is refused leaves all as it was.
                        let accepted = self.accept((*document).clone(), role);
                        if accepted.is_none() {
                            self.session.place = seen;
                        }
                        if let Some(place) = accepted {
                            if place != Role::Original || self.leads(place) {
                                self.note_lack(&wanted, &document, catalog.as_ref());
                            }
                            if self.leads(place) {
                                self.note_change(before.as_ref(), &document, catalog.as_ref());
                            }
                            self.list(place, catalog);
                            if place == Role::Subject {
                                self.pair_original(paired);
                            }
                        }
                    }
                    Err(reason) => self.report(reason),
                }
            }
            Event::Tried(document) => {
                let cancelled = self.jobs.finished().is_some_and(|work| work.is_cancelled());
                let wanted = self.session.trying.take().filter(|_| !cancelled);
                match document {
                    // Meanwhile another field may have been opened.
                    _ if wanted.is_none() => {}
                    Ok(document) => {
                        self.session.tried = wanted;
                        self.session.set.subject = Some(*document);
                        self.make_comparison();
                        self.changed();
                    }
                    Err(reason) => self.report(reason),
                }
            }
            Event::Found { progress, found } => match found {
                Found::Zfp(made) => self.zfp_made(&progress, made),
                Found::Plane(figures) => self.plane_measured(&progress, figures),
                Found::Tiles(read) => read.err().into_iter().for_each(|reason| self.report(reason)),
                Found::Values(values) => self.series_read(&progress, values),
                Found::Point(point) => self.swept_point(&progress, point),
                Found::Swept(end) => self.swept(&progress, end),
                Found::Written(to) => self.note_written(&to),
                Found::Failed(reason) => self.report(reason),
            },
            Event::Ended { progress } => {
                self.plane_ended(&progress);
                self.series_ended(&progress);
                self.ended(&progress);
            }
            Event::Planes { place, generation, planes } => {
                self.jobs.answered = Some((place, generation));
                match planes {
                    Ok(mut planes) if generation == self.session.generation => {
                        for note in std::mem::take(&mut planes.notes) {
                            self.report(note);
                        }
                        self.session.planes = Some(planes);
                        self.session.shown = Some((place, generation));
                        self.step_seen();
                    }
                    Err(reason) if generation == self.session.generation => {
                        self.report(reason);
                        // Another plane is not to be taken for this one.
                        if place == self.session.place && self.session.live.is_none() {
                            self.session.planes = None;
                        }
                    }
                    _ => {}
                }
            }
            Event::Volume { number, picture, last } => self.volume_drawn(number, picture, last),
            Event::Picked { generation, hit } => self.picked(generation, hit),
            Event::Measured { generation, measured } => {
                let cancelled = self.jobs.finished().is_some_and(|work| work.is_cancelled());
                if generation == self.session.generation {
                    let both = [&measured.subject, &measured.other].into_iter().flatten();
                    // Who cancelled it knows why.
                    for reason in both.filter_map(|m| m.as_ref().err()).filter(|_| !cancelled) {
                        self.report(reason);
                    }
                    self.session.measured = measured;
                }
            }
        }
    }

    /// What was being opened is not wanted any more: the step that is shown is the one that is chosen.
    fn leave_opening(&mut self, role: Role) {
        if self.view_state.playing {
            self.play(false);
        }
        if let Some((_, shown)) = &self.session.opened {
            self.session.choice = shown.clone();
        }
        // That of the step that is shown was left for the one that was to come.
        if role == Role::Subject
            && self.session.set.original.is_none()
            && let Some(original) = &self.session.catalogs[1]
            && let Some(choice) = self.original_choice()
        {
            self.open_step(original.clone(), Role::Original, choice);
        }
    }

    /// Whether what is opened in a place tells what is chosen: originals do where the subject has nothing to choose.
    fn leads(&self, place: Role) -> bool {
        match place {
            Role::Subject => true,
            Role::Original => self.session.catalogs[0].is_none(),
            Role::Other => false,
        }
    }

    /// Tells where a step of a series has another shape or type than the one before.
    fn note_change(
        &mut self,
        before: Option<&Document>,
        document: &Document,
        catalog: Option<&(Catalog, Choice)>,
    ) {
        let now = catalog.map(|(catalog, choice)| (catalog.path.clone(), choice.clone()));
        let known = std::mem::replace(&mut self.session.opened, now);
        let (Some(before), Some((catalog, choice))) = (before, catalog) else { return };
        let of = |(path, choice): (PathBuf, Choice)| (path, choice.variable);
        if known.map(of) != self.session.opened.clone().map(of) {
            return;
        }
        let name = format!("{}: {}", catalog.path.display(), choice.variable);
        let told = change(before, document, &name, &format!("step {}", choice.step));
        told.into_iter().for_each(|told| self.view_state.note(told));
    }

    /// Goes to the plane that is wanted of what was opened; the place before.
    fn go_where_wanted(&mut self, wanted: &Wanted, document: &Document) -> Place {
        let seen = self.session.place;
        if let Some(place) = wanted.place_in(&document.grid).filter(|place| *place != seen) {
            self.session.place = place;
            self.view_state.leave_plane();
        }
        seen
    }

    /// Tells where a file does not have what was to be shown of it.
    fn note_lack(
        &mut self,
        wanted: &Wanted,
        document: &Document,
        catalog: Option<&(Catalog, Choice)>,
    ) {
        let choice = catalog.and_then(|(catalog, found)| wanted.lacks(catalog, found));
        let plane = wanted.lacks_plane(&document.title, &document.grid);
        [choice, plane].into_iter().flatten().for_each(|told| self.view_state.note(told));
    }

    /// Whether what was opened as the original is of the step that the subject is of. Where it is of another, that one is
    /// opened in its place: the error between two different steps is not to be seen.
    fn goes_along(&mut self, original: Option<&(Catalog, Choice)>) -> bool {
        let (Some((catalog, found)), [Some(subject), _]) = (original, &self.session.catalogs)
        else {
            return true;
        };
        if self.session.opened.as_ref().is_some_and(|(_, shown)| *shown != self.session.choice) {
            // The subject could not be read, and the one that is shown is of another step.
            return false;
        }
        let wanted = catalog.pair(subject, &self.session.choice);
        if wanted.as_ref() == Some(found) {
            return true;
        }
        self.session.catalogs[1] = Some(catalog.clone());
        match wanted {
            Some(wanted) => self.open_step(catalog.clone(), Role::Original, wanted),
            None => {
                let Choice { variable, step } = &self.session.choice;
                let told = format!("{} has no step {step} of {variable}", catalog.path.display());
                self.report(told);
            }
        }
        false
    }

    /// What of the original's file goes with what is shown.
    fn original_choice(&self) -> Option<Choice> {
        let (_, shown) = self.session.opened.as_ref()?;
        match &self.session.catalogs {
            [Some(subject), Some(original)] => original.pair(subject, shown),
            [None, Some(_)] => Some(shown.clone()),
            [_, None] => None,
        }
    }

    /// Another subject is there, and the original is `paired`: of the step that the one before was of. The error between two
    /// different steps is not to be seen.
    fn pair_original(&mut self, paired: Option<Choice>) {
        let Some(original) = self.session.catalogs[1].clone() else { return };
        if self.session.catalogs[0].is_none() {
            // There is no other choice than that of the original any more.
            if let Some(paired) = paired {
                self.session.opened = Some((original.path, paired.clone()));
                self.session.choice = paired;
            }
            return;
        }
        let wanted = self.original_choice();
        if self.session.set.original.is_some() && wanted != paired {
            self.session.set.original = None;
            self.changed();
            wanted.into_iter().for_each(|choice| {
                self.open_step(original.clone(), Role::Original, choice);
            });
        }
    }

    /// Keeps what there is to choose.
    fn list(&mut self, role: Role, catalog: Option<(Catalog, Choice)>) {
        let leads = self.leads(role);
        let place = match role {
            Role::Subject => 0,
            Role::Original => 1,
            Role::Other => return,
        };
        self.session.catalogs[place] = catalog.map(|(catalog, choice)| {
            if leads {
                self.session.choice = choice;
            }
            catalog
        });
    }

    /// Reads how the tiles of the subject are stored, on a thread of its own.
    pub(crate) fn read_tiles(&mut self) {
        let Some(of) = self.session.set.subject.clone() else { return };
        of.facts.iter().for_each(|facts| facts.tiles.begin());
        let progress = self.jobs.service.background.run(move |progress, tell| {
            let read = unless_cancelled(progress, of.read_tiles(progress));
            read.transpose().into_iter().for_each(|read| tell(Found::Tiles(read)));
        });
        self.jobs.add_background(READING_TILES.to_owned(), progress);
    }

    /// Does so once where it is looked at; else where it takes not long, and no step of a series is waited for.
    pub(crate) fn read_wanted_tiles(&mut self) {
        let Some(subject) = &self.session.set.subject else { return };
        let small = subject.compressed_bytes().is_some_and(|bytes| bytes <= self.tiles_at_once);
        let shown = self.view_state.settings.overlay != Overlay::Off;
        let wanted = shown || (small && !self.view_state.playing);
        if wanted && subject.facts.as_ref().is_some_and(|facts| !facts.tiles.is_begun()) {
            self.read_tiles();
        }
    }

    /// Puts a field in its place, which is told, or says why it does not fit the others.
    fn accept(&mut self, document: Document, role: Role) -> Option<Role> {
        // What was to be the subject could not be opened: there is nothing to compare it with.
        let alone = role == Role::Other && self.session.set.leader().is_none();
        let role = match role {
            Role::Original => Role::Original,
            Role::Other if !alone => Role::Other,
            _ if document.is_reconstruction() => Role::Subject,
            // A plain field that is opened alone is an original: there is nothing lost in it.
            _ => Role::Original,
        };
        let fits = |other: Option<&Document>| {
            other.is_none_or(|o| {
                o.grid.shape() == document.grid.shape() && o.dtype == document.dtype
            })
        };
        match role {
            Role::Subject => {
                self.leave_simulation();
                if !fits(self.session.set.original.as_ref()) {
                    // Nor do its other steps.
                    (self.session.set.original, self.session.catalogs[1]) = (None, None);
                    self.forget_sweep();
                }
                self.forget_comparison();
                self.forget_trial();
                self.session.set.subject = Some(document);
            }
            Role::Original => {
                if self.session.tried.take().is_some() {
                    // It was made of the original before.
                    self.session.set.subject = None;
                }
                if !fits(self.session.set.subject.as_ref()) {
                    self.report(format!(
                        "{} ({} of {}) does not match the open field",
                        document.title,
                        number_format::shape(document.grid.shape()),
                        document.dtype.name()
                    ));
                    return None;
                }
                self.leave_simulation();
                self.session.set.other.take_if(|other| !fits(Some(other)));
                if self.comparison.matching.is_some() {
                    self.forget_comparison();
                }
                self.forget_sweep();
                // That is of the one before, too.
                self.forget_trial();
                self.session.set.original = Some(document);
                if self.session.set.subject.is_none() {
                    self.compress();
                }
            }
            Role::Other => {
                if !fits(self.session.set.leader()) {
                    let title = &document.title;
                    self.report(format!(
                        "{title} does not match the open field: its shape or type differs"
                    ));
                    return None;
                }
                self.forget_comparison();
                self.comparison.matching = None;
                self.session.set.other = Some(document);
            }
        }
        if self.comparison.matching.is_some() && !self.comparison.making() {
            self.make_comparison();
        }
        self.changed();
        Some(role)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use fsz::{Bound, Codec};

    use super::*;
    use crate::app::Start;
    use crate::model::comparison::MatchMode;
    use crate::model::live::{Live, LiveView};
    use crate::model::settings::Settings;
    use crate::model::sweep_point::Extent;
    use crate::view::command::Command;

    const LONGEST: Duration = Duration::from_secs(60);

    /// A folder of three steps.
    fn series() -> tempfile::TempDir {
        series_of(4)
    }

    /// The same of fields of a side.
    fn series_of(side: usize) -> tempfile::TempDir {
        let folder = tempfile::TempDir::new().unwrap();
        for step in 0..3 {
            let field = ndarray::Array3::from_elem((2, 3, side), step as f32);
            let stream = Codec::cpu().compress(field.view(), Bound::Absolute(0.1)).unwrap();
            std::fs::write(folder.path().join(format!("{step}.fsz")), stream.as_bytes()).unwrap();
        }
        folder
    }

    fn cancel(viewer: &mut Viewer) {
        let works: Vec<_> = viewer.jobs.works.iter().map(|work| work.progress.clone()).collect();
        assert!(!works.is_empty());
        for progress in works {
            viewer.command_given(&egui::Context::default(), Command::Cancel(progress));
        }
        assert!(viewer.settle(LONGEST));
    }

    fn empty() -> Viewer {
        Viewer::new(Start::default(), Settings::default(), Arc::new(|| ())).unwrap()
    }

    /// A field of a side, plain and compressed.
    fn pair(side: usize) -> [Document; 2] {
        let (name, path) = (format!("{side}"), PathBuf::from(format!("/data/{side}.npy")));
        let field = ndarray::Array3::from_shape_fn((2, 3, side), |(z, y, x)| (z + y + x) as f32);
        let stream = Codec::cpu().compress(field.view(), Bound::Absolute(0.1)).unwrap();
        let shape = fsz_field::Shape::new(&[2, 3, side as u64]).unwrap();
        let values = fsz_field::Field::new(shape, field.into_raw_vec_and_offset().0).unwrap();
        let original = Document::of_values(name.clone(), &path, values);
        [original, Document::from_stream(name, &path, stream).unwrap()]
    }

    /// A reconstruction with its original.
    fn with_pair() -> Viewer {
        let mut viewer = empty();
        let [original, subject] = pair(4);
        viewer.accept(subject, Role::Subject);
        viewer.accept(original, Role::Original);
        viewer
    }

    #[test]
    fn a_cancelled_recompression_leaves_the_reconstruction_what_it_was() {
        let mut viewer = with_pair();
        viewer.compress();
        for work in &viewer.jobs.works {
            if work.name == crate::work::jobs::COMPRESSING {
                work.progress.cancel();
            }
        }
        assert!(viewer.settle(LONGEST));
        let title = viewer.session.set.subject.as_ref().map(|d| d.title.clone());
        assert_eq!((title.as_deref(), viewer.session.tried), (Some("4"), None));
        assert!(viewer.kept().session.is_some_and(|kept| kept.subject.is_some()), "it is a file");
        assert_eq!(viewer.view_state.messages, [""; 0]);
        viewer.compress();
        assert!(viewer.settle(LONGEST));
        assert!(viewer.session.tried.is_some());
    }

    #[test]
    fn what_is_made_of_another_original_is_not_taken() {
        let mut viewer = empty();
        let [[first, _], [second, _]] = [4, 5].map(pair);
        // Both are compressed, the second while the first is on its way.
        viewer.accept(first, Role::Original);
        viewer.accept(second, Role::Original);
        while viewer.busy() {
            let event = viewer.jobs.wait(LONGEST).expect("an event");
            viewer.handle(event);
            let subject = viewer.session.set.subject.as_ref();
            assert!(subject.is_none_or(|subject| subject.shape() == [2, 3, 5]));
            viewer.poll();
        }
        assert!(viewer.session.set.subject.is_some());
        assert_eq!(viewer.view_state.messages, [""; 0]);
    }

    #[test]
    fn what_is_cancelled_is_not_opened() {
        let folder = series();
        let mut viewer = empty();
        viewer.open(&folder.path().join("1.fsz"), Role::Subject);
        cancel(&mut viewer);
        assert!(viewer.session.set.leader().is_none());
        assert!(viewer.view_state.settings.recent.is_empty());
        viewer.open(folder.path(), Role::Subject);
        assert!(viewer.settle(LONGEST));
        let choice = |step| Choice { step, ..viewer.session.choice.clone() };
        let (shown, other) = (choice(0), choice(2));
        viewer.choose(other);
        cancel(&mut viewer);
        assert_eq!(viewer.session.choice, shown, "it is the one that is seen");
        let title = viewer.session.set.subject.as_ref().map(|d| d.title.clone());
        assert_eq!(title.as_deref(), Some("0.fsz"));
        assert_eq!(viewer.view_state.messages, [""; 0]);
    }

    #[test]
    fn figures_that_are_cancelled_are_no_error() {
        let mut viewer = with_pair();
        assert!(viewer.settle(LONGEST));
        for cancelled in [true, false] {
            // As when it ends on the way.
            let progress = fsz::Progress::new();
            if cancelled {
                progress.cancel();
            }
            viewer.jobs.add(crate::work::jobs::MEASURING.to_owned(), progress);
            let subject = Some(Err(anyhow::anyhow!("no figures")));
            let measured = crate::model::measured::Measured { subject, other: None };
            let generation = viewer.session.generation;
            viewer.handle(Event::Measured { generation, measured });
            assert_eq!(viewer.view_state.messages.is_empty(), cancelled);
        }
        viewer.measure();
        assert!(viewer.settle(LONGEST) && viewer.session.measured.both()[0].is_some());
    }

    fn titles(viewer: &Viewer) -> [Option<&str>; 2] {
        let set = &viewer.session.set;
        [&set.subject, &set.original].map(|document| document.as_ref().map(|d| &*d.title))
    }

    /// Goes to a step of what is open.
    fn go(viewer: &mut Viewer, step: u64) {
        viewer.choose(Choice { step, ..viewer.session.choice.clone() });
    }

    #[test]
    fn a_cancelled_step_leaves_the_one_before_with_its_original() {
        let (folder, originals) = (series(), series());
        for both in [true, false] {
            let mut viewer = empty();
            if both {
                viewer.open(folder.path(), Role::Subject);
            }
            viewer.open(originals.path(), Role::Original);
            assert!(viewer.settle(LONGEST));
            go(&mut viewer, 1);
            assert!(viewer.settle(LONGEST));
            let shown = viewer.session.choice.clone();
            go(&mut viewer, 2);
            cancel(&mut viewer);
            assert_eq!(viewer.session.choice, shown);
            assert_eq!(shown.step, 1);
            let subject = if both { "1.fsz" } else { "1.fsz, recompressed" };
            assert_eq!(titles(&viewer), [Some(subject), Some("1.fsz")]);
            assert_eq!(viewer.view_state.messages, [""; 0]);
        }
    }

    #[test]
    fn steps_of_an_original_of_another_shape_are_not_opened() {
        let (folder, originals, other) = (series(), series(), series_of(5));
        let mut viewer = empty();
        viewer.open(folder.path(), Role::Subject);
        viewer.open(originals.path(), Role::Original);
        assert!(viewer.settle(LONGEST));
        viewer.sweep(Extent::Field);
        assert!(viewer.settle(LONGEST) && !viewer.rate_distortion.points.is_empty());
        viewer.open(other.path(), Role::Subject);
        assert!(viewer.settle(LONGEST));
        assert!(viewer.rate_distortion.points.is_empty(), "they are of the original before");
        go(&mut viewer, 2);
        assert!(viewer.settle(LONGEST));
        assert_eq!(titles(&viewer), [Some("2.fsz"), None]);
        assert_eq!(viewer.view_state.messages, [""; 0]);
    }

    /// The slider of *Recompress* moved on while a file was being opened.
    #[test]
    fn a_field_that_is_opened_is_not_replaced_by_a_recompression_that_waits() {
        let mut viewer = empty();
        let [original, subject] = pair(4);
        viewer.accept(original, Role::Original);
        viewer.compress();
        assert!(viewer.jobs.try_waits);
        viewer.accept(subject, Role::Subject);
        assert!(viewer.settle(LONGEST));
        assert_eq!((titles(&viewer)[0], viewer.session.tried), (Some("4"), None));
    }

    #[test]
    fn what_is_refused_closes_no_connection() {
        let mut viewer = empty();
        let [[original, subject], [other, _]] = [4, 5].map(pair);
        viewer.accept(subject, Role::Subject);
        viewer.session.live = Some(LiveView::new(Live::new("run".into(), 1 << 20)));
        assert_eq!(viewer.accept(other, Role::Original), None);
        assert!(viewer.session.live.is_some());
        assert_eq!(viewer.accept(original, Role::Original), Some(Role::Original));
        assert!(viewer.session.live.is_none());
    }

    #[test]
    fn an_original_goes_along_with_another_series() {
        let (three, originals) = (series(), series());
        let four = series();
        for folder in [&four, &originals] {
            std::fs::copy(folder.path().join("2.fsz"), folder.path().join("3.fsz")).unwrap();
        }
        std::fs::remove_file(four.path().join("1.fsz")).unwrap();
        let mut viewer = empty();
        viewer.open(four.path(), Role::Subject);
        viewer.open(originals.path(), Role::Original);
        assert!(viewer.settle(LONGEST));
        go(&mut viewer, 2);
        assert!(viewer.settle(LONGEST));
        assert_eq!(titles(&viewer), [Some("3.fsz"); 2]);
        // That has no such step.
        viewer.open(three.path(), Role::Subject);
        assert!(viewer.settle(LONGEST));
        assert_eq!((titles(&viewer), viewer.session.choice.step), ([Some("2.fsz"); 2], 2));
        viewer.open(four.path(), Role::Subject);
        assert!(viewer.settle(LONGEST));
        assert_eq!(titles(&viewer), [Some("3.fsz"); 2]);
        // A field alone leaves the step of the original to be chosen.
        viewer.open(&three.path().join("0.fsz"), Role::Subject);
        assert!(viewer.settle(LONGEST));
        assert_eq!(titles(&viewer), [Some("0.fsz"), Some("3.fsz")]);
        assert_eq!(viewer.session.choice.step, 3);
        assert_eq!(viewer.view_state.messages, [""; 0]);
    }

    #[test]
    fn another_reconstruction_is_of_what_is_open() {
        let mut viewer = empty();
        let [[original, other], [second, _]] = [4, 5].map(pair);
        // Another one of nothing is what there is to see.
        assert_eq!(viewer.accept(other.clone(), Role::Other), Some(Role::Subject));
        viewer.session.set.subject = None;
        // Before the original is compressed.
        viewer.accept(original, Role::Original);
        assert_eq!(viewer.accept(other, Role::Other), Some(Role::Other));
        viewer.accept(second, Role::Original);
        assert!(viewer.session.set.other.is_none());
        assert!(viewer.settle(LONGEST));
        assert_eq!(viewer.view_state.messages, [""; 0]);
    }

    #[test]
    fn a_comparison_that_is_given_up_leaves_the_figures() {
        for late in [false, true] {
            let mut viewer = empty();
            let [original, subject] = pair(4);
            viewer.comparison.matching = Some(MatchMode::ProfileBound);
            viewer.accept(subject, Role::Subject);
            viewer.accept(original, Role::Original);
            assert!(viewer.comparison.making());
            while late && viewer.comparison.making() {
                let event = viewer.jobs.wait(LONGEST).expect("an event");
                if let Event::Found { progress, found: Found::Zfp(_) } = &event {
                    progress.cancel();
                }
                viewer.handle(event);
            }
            if !late {
                viewer.compare_with(None);
            }
            assert!(viewer.settle(LONGEST));
            assert!(viewer.session.set.other.is_none() && viewer.comparison.matching.is_none());
            assert!(viewer.session.measured.both()[0].is_some(), "{late}");
        }
    }

    /// Two keys in one frame.
    #[test]
    fn an_axis_that_is_left_and_come_back_to_is_shown() {
        let mut viewer = empty();
        let [_, subject] = pair(4);
        viewer.accept(subject, Role::Subject);
        viewer.face(2);
        assert!(viewer.settle(LONGEST) && viewer.session.planes.is_some());
        viewer.face(1);
        viewer.face(2);
        assert!(viewer.settle(LONGEST) && viewer.session.planes.is_some());
    }
}
