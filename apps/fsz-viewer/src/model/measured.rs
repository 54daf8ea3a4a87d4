//! Figures of a pair of reconstructions, of whole fields and of the plane that is looked at.

use anyhow::Result;

use crate::model::measures::Measures;
use crate::model::plane::Place;

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

/// Figures of a plane.
#[derive(Debug, Default)]
pub struct PlaneMeasures {
    /// The plane, and the generation of the set that it is of.
    pub of: Option<(Place, u64)>,
    /// Its figures.
    pub figures: Measured,
}
