//! What was open is kept until the next start, and opened again.

use egui::Vec2;

use crate::app::{Start, Viewer};
use crate::model::catalog::{Catalog, Choice};
use crate::model::document::Document;
use crate::model::plane::Place;
use crate::model::saved_session::{Remembered, SavedSession};
use crate::model::set::Role;
use crate::model::settings::Settings;
use crate::model::wanted::Wanted;
use crate::model::zfp;
use crate::view::camera::Camera;

impl Viewer {
    /// The settings and what is open, to be kept until the next start.
    pub fn kept(&self) -> Settings {
        // A stream is gone by then.
        let files = |saved: &SavedSession| saved.subject.is_some() || saved.original.is_some();
        let session = Some(self.saved()).filter(files);
        Settings { session, ..self.view_state.kept() }
    }

    fn saved(&self) -> SavedSession {
        let of = |document: &Option<Document>| document.as_ref().and_then(Remembered::of);
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

    /// Opens what was open, at the place in it that is told, or else where it was left. A file that is gone is left out,
    /// with a note.
    pub(crate) fn restore(&mut self, saved: SavedSession, told: &Start) {
        let (session, view) = (&mut self.session, &mut self.view_state);
        session.choice = Choice { variable: saved.variable, step: saved.step };
        session.place = Place { axis: saved.axis, plane: saved.plane };
        if saved.zoom > 1.0 && saved.zoom.is_finite() {
            let middle = Vec2::from(saved.middle).clamp(Vec2::ZERO, Vec2::splat(1.0));
            view.camera = Camera { zoom: saved.zoom, middle, ..Camera::default() };
        }
        if session.missing.is_empty() {
            session.missing = saved.missing;
        }
        view.wipe = saved.wipe.map(|at| at.clamp(0.0, 1.0));
        self.comparison.matching =
            saved.comparison.filter(|matching| zfp::BUILT_IN || !matching.is_zfp());
        let mut place = told.place;
        for (file, role) in [
            (saved.subject, Role::Subject),
            (saved.original, Role::Original),
            (saved.other, Role::Other),
        ] {
            let Some(file) = file else { continue };
            let wanted = Wanted { choice: told.choice.clone(), place: place.take() };
            match file.path.exists() {
                true => self.open_with(&file.path, file.hints(), role, wanted),
                false => self.view_state.note(format!(
                    "{} is not reopened: the file no longer exists",
                    file.path.display()
                )),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use fsz::{Bound, Codec};
    use fsz_field::{Field, Shape};

    use super::*;

    /// After the connection is closed its last step stays, which is in no file.
    #[test]
    fn what_a_simulation_sent_is_not_kept() {
        let wake = Arc::new(|| ());
        let mut viewer = Viewer::new(Start::default(), Settings::default(), wake).unwrap();
        let values = ndarray::Array3::from_elem((2, 3, 4), 1f32);
        let stream = Codec::cpu().compress(values.view(), Bound::Absolute(0.1)).unwrap();
        let step = Document::from_stream("run".into(), Path::new("run"), stream).unwrap();
        viewer.session.set.subject = Some(step.clone().live());
        viewer.disconnect();
        assert_eq!((viewer.kept().session, viewer.command()), (None, None));
        let values = Field::new(Shape::new(&[2, 3, 4]).unwrap(), vec![1f32; 24]).unwrap();
        let original = Document::of_values("U".into(), Path::new("/data/U.npy"), values);
        viewer.session.set.original = Some(original.clone());
        let kept = viewer.kept().session.expect("there is a file");
        assert_eq!((kept.subject, kept.original), (None, Remembered::of(&original)));
        assert_eq!(viewer.command(), None, "it would name the stream");
        viewer.session.set.subject = Some(step);
        assert!(viewer.kept().session.is_some_and(|kept| kept.subject.is_some()));
    }
}
