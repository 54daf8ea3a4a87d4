//! What was open when the viewer was closed, and opening it again.

use std::path::PathBuf;

use egui::Vec2;
use fsz::DType;
use fsz_field::{Hints, Shape};
use serde::{Deserialize, Serialize};

use crate::app::Viewer;
use crate::camera::Camera;
use crate::catalog::Choice;
use crate::comparison::MatchMode;
use crate::document::Document;
use crate::plane::Place;
use crate::service::Role;
use crate::settings::Settings;
use crate::zfp;

/// A file, and what it does not tell of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    path: PathBuf,
    /// Of raw files and zfp streams without a header.
    shape: Option<Vec<u64>>,
    double: Option<bool>,
    zfp_rate: Option<f64>,
}

/// What was open, and where in it. Colours, ranges, overlay and panes are settings of their own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    subject: Option<Remembered>,
    original: Option<Remembered>,
    other: Option<Remembered>,
    /// The zfp that the subject was compared with.
    comparison: Option<MatchMode>,
    variable: String,
    step: u64,
    axis: usize,
    plane: u64,
    zoom: f32,
    middle: [f32; 2],
    wipe: Option<f32>,
    missing: String,
}

impl Remembered {
    fn of(document: &Document) -> Remembered {
        let hints = &document.hints;
        Remembered {
            path: std::path::absolute(&document.path).unwrap_or(document.path.clone()),
            shape: hints.shape.as_ref().map(|shape| shape.sides().to_vec()),
            double: hints.dtype.map(|dtype| dtype == DType::F64),
            zfp_rate: hints.zfp_rate,
        }
    }

    fn hints(&self) -> Hints {
        Hints {
            shape: self.shape.as_ref().and_then(|sides| Shape::new(sides).ok()),
            dtype: self.double.map(|double| if double { DType::F64 } else { DType::F32 }),
            zfp_rate: self.zfp_rate,
        }
    }
}

impl Viewer {
    /// The settings and what is open, to be kept until the next start.
    pub fn kept(&self) -> Settings {
        let session = self.set.leader().map(|_| self.session());
        Settings { session, ..self.settings.clone() }
    }

    fn session(&self) -> Session {
        let of = |document: &Option<Document>| document.as_ref().map(Remembered::of);
        let matching = self.comparison.matching;
        Session {
            // What was compressed in memory is made again of the original.
            subject: of(&self.set.subject).filter(|_| self.tried.is_none()),
            original: of(&self.set.original),
            other: of(&self.set.other).filter(|_| matching.is_none()),
            comparison: matching,
            variable: self.choice.variable.clone(),
            step: self.choice.step,
            axis: self.place.axis,
            plane: self.place.plane,
            zoom: self.camera.zoom,
            middle: self.camera.middle.into(),
            wipe: self.wipe,
            missing: self.missing.clone(),
        }
    }

    /// Opens what was open. A file that is gone is left out, with a note.
    pub(crate) fn restore(&mut self, session: Session) {
        self.choice = Choice { variable: session.variable, step: session.step };
        self.place = Place { axis: session.axis, plane: session.plane };
        if session.zoom > 1.0 && session.zoom.is_finite() {
            let middle = Vec2::from(session.middle).clamp(Vec2::ZERO, Vec2::splat(1.0));
            self.camera = Camera { zoom: session.zoom, middle, ..Camera::default() };
        }
        self.missing = session.missing;
        self.wipe = session.wipe.map(|at| at.clamp(0.0, 1.0));
        self.comparison.matching = session.comparison.filter(|_| zfp::BUILT_IN);
        for (file, role) in [
            (session.subject, Role::Subject),
            (session.original, Role::Original),
            (session.other, Role::Other),
        ] {
            let Some(file) = file else { continue };
            match file.path.exists() {
                true => self.open_with(&file.path, file.hints(), role),
                false => self.note(format!(
                    "{} is not reopened: the file no longer exists",
                    file.path.display()
                )),
            }
        }
    }

    /// Shows something that is worth knowing, and no error, until it is dismissed.
    pub(crate) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}
