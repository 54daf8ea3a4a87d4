//! What was open when the viewer was closed.

use std::path::PathBuf;

use fsz::DType;
use fsz_field::{Hints, Shape};
use serde::{Deserialize, Serialize};

use crate::model::comparison::MatchMode;
use crate::model::document::Document;

/// A file, and what it does not tell of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    /// The file.
    pub path: PathBuf,
    /// Of raw files and zfp streams without a header.
    shape: Option<Vec<u64>>,
    double: Option<bool>,
    zfp_rate: Option<f64>,
}

/// What was open, and where in it. Colours, ranges, overlay and panes are settings of their own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedSession {
    /// The reconstruction.
    pub subject: Option<Remembered>,
    /// Its original.
    pub original: Option<Remembered>,
    /// What it was compared with.
    pub other: Option<Remembered>,
    /// The zfp that the subject was compared with.
    pub comparison: Option<MatchMode>,
    /// The variable that was shown.
    pub variable: String,
    /// Its step.
    pub step: u64,
    /// The axis of the plane.
    pub axis: usize,
    /// The plane along it.
    pub plane: u64,
    /// Magnification.
    pub zoom: f32,
    /// The middle of the view, in parts of the plane.
    pub middle: [f32; 2],
    /// The line between original and reconstruction.
    pub wipe: Option<f32>,
    /// Missing values, as they were typed.
    pub missing: String,
}

impl Remembered {
    /// What is remembered of a document; nothing where it lies in no file, or in one whose name is no text.
    pub fn of(document: &Document) -> Option<Remembered> {
        let hints = &document.hints;
        let path = std::path::absolute(&document.path).unwrap_or(document.path.clone());
        (!document.is_live && path.to_str().is_some()).then(|| Remembered {
            path,
            shape: hints.shape.as_ref().map(|shape| shape.sides().to_vec()),
            double: hints.dtype.map(|dtype| dtype == DType::F64),
            zfp_rate: hints.zfp_rate,
        })
    }

    /// What the file was opened with.
    pub fn hints(&self) -> Hints {
        Hints {
            shape: self.shape.as_ref().and_then(|sides| Shape::new(sides).ok()),
            dtype: self.double.map(|double| if double { DType::F64 } else { DType::F32 }),
            zfp_rate: self.zfp_rate,
            like: None,
        }
    }
}
