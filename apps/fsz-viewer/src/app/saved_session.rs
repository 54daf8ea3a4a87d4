//! What was open is kept until the next start, and opened again.

use egui::Vec2;

use crate::app::Viewer;
use crate::model::catalog::{Catalog, Choice};
use crate::model::document::Document;
use crate::model::plane::Place;
use crate::model::saved_session::{Remembered, SavedSession};
use crate::model::set::Role;
use crate::model::settings::Settings;
use crate::model::zfp;
use crate::view::camera::Camera;

impl Viewer {
    /// The settings and what is open, to be kept until the next start.
    pub fn kept(&self) -> Settings {
        // A stream is gone by then.
        let files = self.session.live.is_none() && self.session.set.leader().is_some();
        let session = files.then(|| self.saved());
        Settings { session, ..self.view_state.kept() }
    }

    fn saved(&self) -> SavedSession {
        let of = |document: &Option<Document>| document.as_ref().map(Remembered::of);
        let (session, view) = (&self.session, &self.view_state);
        // Of a series the folder, not the step.
        let of_series = |document: &Option<Document>, catalog: &Option<Catalog>| {
            let mut remembered = of(document)?;
            if let Some(catalog) = catalog {
                remembered.path = std::path::absolute(&catalog.path).ok()?;
            }
            Some(remembered)
        };
        let [subject, original] = &session.catalogs;
        let matching = self.comparison.matching;
        SavedSession {
            // What was compressed in memory is made again of the original.
            subject: of_series(&session.set.subject, subject).filter(|_| session.tried.is_none()),
            original: of_series(&session.set.original, original),
            other: of(&session.set.other).filter(|_| matching.is_none()),
            comparison: matching,
            variable: session.choice.variable.clone(),
            step: session.choice.step,
            axis: session.place.axis,
            plane: session.place.plane,
            zoom: view.camera.zoom,
            middle: view.camera.middle.into(),
            wipe: view.wipe,
            missing: session.missing.clone(),
        }
    }

    /// Opens what was open. A file that is gone is left out, with a note.
    pub(crate) fn restore(&mut self, saved: SavedSession) {
        let (session, view) = (&mut self.session, &mut self.view_state);
        session.choice = Choice { variable: saved.variable, step: saved.step };
        session.place = Place { axis: saved.axis, plane: saved.plane };
        if saved.zoom > 1.0 && saved.zoom.is_finite() {
            let middle = Vec2::from(saved.middle).clamp(Vec2::ZERO, Vec2::splat(1.0));
            view.camera = Camera { zoom: saved.zoom, middle, ..Camera::default() };
        }
        session.missing = saved.missing;
        view.wipe = saved.wipe.map(|at| at.clamp(0.0, 1.0));
        self.comparison.matching =
            saved.comparison.filter(|matching| zfp::BUILT_IN || !matching.is_zfp());
        for (file, role) in [
            (saved.subject, Role::Subject),
            (saved.original, Role::Original),
            (saved.other, Role::Other),
        ] {
            let Some(file) = file else { continue };
            match file.path.exists() {
                true => self.open_with(&file.path, file.hints(), role),
                false => self.view_state.note(format!(
                    "{} is not reopened: the file no longer exists",
                    file.path.display()
                )),
            }
        }
    }
}
