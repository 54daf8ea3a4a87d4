//! A running simulation: its newest step is shown as it comes, or an older one that is kept.

use std::path::Path;
use std::time::Instant;

use crate::app::Viewer;
use crate::app::step_change::change;
use crate::model::catalog::{Catalog, Entry};
use crate::model::live::{LiveField, LiveView};
use crate::model::set::Set;
use crate::work::live::LiveReader;

impl Viewer {
    /// Shows the simulation that writes a stream of this name, now or as soon as it does. What was open is
    /// closed.
    pub fn connect(&mut self, name: &Path) {
        let reader = LiveReader::start(name, self.live_budget, self.wake.clone());
        let reader = match reader {
            Ok(reader) => reader,
            Err(reason) => return self.report(format!("{}: {reason}", name.display())),
        };
        self.session.live = reader.newer(0).map(LiveView::new);
        self.jobs.live = Some(reader);
        self.forget_comparison();
        self.comparison.matching = None;
        self.forget_sweep();
        self.session.set = Set::default();
        self.session.catalogs = [None, None];
        self.session.opened = None;
        self.forget_trial();
        self.changed();
        self.session.planes = None;
    }

    /// Closes the connection; what is shown stays.
    pub fn disconnect(&mut self) {
        let followed = self.is_following();
        self.leave_simulation();
        if followed {
            self.stay();
        }
    }

    /// Closes the connection for what takes its place.
    pub(crate) fn leave_simulation(&mut self) {
        self.jobs.live = None;
        if self.session.live.take().is_some() {
            // They are those of the stream: there is no file to choose from.
            self.session.catalogs = [None, None];
        }
    }

    /// Takes what is new of the simulation.
    pub(crate) fn poll_live(&mut self) {
        let Some(view) = &mut self.session.live else { return };
        let Some(reader) = &self.jobs.live else { return };
        let Some(mut live) = reader.newer(view.live.version) else { return };
        let problems = std::mem::take(&mut live.problems);
        view.take(live);
        let newest = view.live.steps.back().map(|step| step.number);
        let follows = view.following && newest.is_some() && newest != view.shown;
        if follows && let Some(newest) = newest {
            self.show_step(newest);
        }
        for problem in problems {
            self.report(problem);
        }
    }

    /// Shows the newest step as it comes, or stays at the one that is shown.
    pub fn follow(&mut self, following: bool) {
        let Some(view) = &mut self.session.live else { return };
        view.following = following;
        let newest = view.live.steps.back().map(|step| step.number);
        match newest {
            Some(newest) if following => self.show_step(newest),
            _ => self.stay(),
        }
    }

    /// Of a step that stays there is time for what takes longer than a step: the figures of the whole field.
    fn stay(&mut self) {
        if self.session.set.original.is_some() {
            self.compare_again();
            self.measure();
        }
    }

    /// Shows a step that is kept; the nearest one where it is not.
    pub fn show_step(&mut self, number: u64) {
        let Some(view) = &mut self.session.live else { return };
        let Some(step) = view.live.step(number).cloned() else { return };
        let wanted = &self.session.choice.variable;
        if !step.has(wanted) && view.live.has(wanted) {
            // It may come again: it is waited for as long as a step of it is kept.
            let note = format!(
                "{}: {wanted} is not in every step; the last one shown stays",
                view.live.name
            );
            self.view_state.note(note);
            return;
        }
        let Some(field) = step.field(&self.session.choice.variable) else { return };
        let document = field.document.clone();
        let before = self.session.set.subject.as_ref().filter(|_| view.variable == field.name);
        let from = format!("step {}", step.number);
        let changed = before.and_then(|before| {
            change(
                before,
                &document,
                &format!("{}: {}", document.path.display(), field.name),
                &from,
            )
        });
        if let Some(place) = std::mem::take(&mut self.live_place).place_in(&document.grid) {
            self.session.place = place;
        }
        view.shown = Some(step.number);
        view.awaited = Some(step.arrived).filter(|_| view.following);
        view.variable = field.name.clone();
        let entry = |f: &LiveField| Entry { name: f.name.clone(), steps: 1, marks: [].into() };
        let entries = step.fields.iter().map(entry);
        let catalog = Catalog { path: document.path.clone(), entries: entries.collect() };
        self.session.choice.variable = field.name.clone();
        self.session.choice.step = 0;
        self.session.catalogs = [Some(catalog), None];
        self.session.set =
            Set { original: field.original.clone(), subject: Some(document), other: None };
        // What is made of the original is of the step before.
        self.forget_trial();
        if let Some(changed) = changed {
            self.view_state.note(changed);
        }
        // They are of another original.
        self.forget_comparison();
        self.forget_sweep();
        self.compare_again();
        self.changed();
    }

    /// Makes what is compared with of the step that is shown, where there is time for it.
    fn compare_again(&mut self) {
        if self.comparison.matching.is_some() && !self.is_following() {
            self.make_comparison();
        }
    }

    /// Whether steps are shown as they come: then there is no time for long work on each of them.
    pub(crate) fn is_following(&self) -> bool {
        self.session.live.as_ref().is_some_and(|view| view.following)
    }

    /// Planes are on the screen.
    pub(crate) fn step_seen(&mut self) {
        if let Some(view) = &mut self.session.live {
            view.seen(Instant::now());
        }
    }
}
