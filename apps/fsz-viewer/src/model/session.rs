//! What is open, the plane that is looked at, and what is known of both.

use std::path::PathBuf;

use fsz::Bound;

use crate::model::catalog::{Catalog, Choice};
use crate::model::live::LiveView;
use crate::model::measured::{Measured, PlaneMeasures};
use crate::model::measures::Measures;
use crate::model::plane::Place;
use crate::model::planes::Planes;
use crate::model::set::Set;

/// What is open, and what is known of it.
#[derive(Debug, Default)]
pub struct Session {
    /// The fields that are open.
    pub set: Set,
    /// The plane that is looked at.
    pub place: Place,
    /// What there is to choose in the file of the subject, and in that of the original.
    pub catalogs: [Option<Catalog>; 2],
    /// The variable and step that are shown.
    pub choice: Choice,
    /// File or folder that there is something to choose in, and what of it is open.
    pub opened: Option<(PathBuf, Choice)>,
    /// Grows when the set changes; answers to older questions are dropped.
    pub generation: u64,
    /// The planes that are shown.
    pub planes: Option<Box<Planes>>,
    /// Place and generation of the planes that are there.
    pub shown: Option<(Place, u64)>,
    /// Figures of whole fields.
    pub measured: Measured,
    /// Figures of the plane.
    pub plane_measures: PlaneMeasures,
    /// Values that stand for none, as they are typed.
    pub missing: String,
    /// What the original is being compressed to in memory, while that is wanted.
    pub trying: Option<Bound>,
    /// What the subject was, where it is that.
    pub tried: Option<Bound>,
    /// The running simulation that is shown, in the place of files.
    pub live: Option<LiveView>,
}

impl Session {
    /// Place and generation that are looked at.
    pub fn current(&self) -> (Place, u64) {
        (self.place, self.generation)
    }

    /// Figures of the plane that is shown: of the subject and of the other reconstruction.
    pub fn plane_figures(&self) -> [Option<&Measures>; 2] {
        match self.plane_is_measured() {
            true => self.plane_measures.figures.both(),
            false => [None, None],
        }
    }

    /// Whether the plane that is shown was measured, with figures or without.
    pub fn plane_is_measured(&self) -> bool {
        self.plane_measures.of == Some(self.current())
    }

    /// Whether the planes that are shown are an original and what it can be compared with.
    pub fn has_pair(&self) -> bool {
        self.planes.as_ref().is_some_and(|planes| {
            planes.original.is_some() && (planes.subject.is_some() || planes.other.is_some())
        })
    }

    /// Whether there are several steps of what is shown.
    pub fn has_steps(&self) -> bool {
        let catalog = self.catalogs.iter().flatten().next();
        catalog.is_some_and(|c| c.steps(&c.nearest(&self.choice).variable) > 1)
    }

    /// Goes along the axis.
    pub fn go(&mut self, planes: i64) {
        let Some(leader) = self.set.leader() else { return };
        let last = leader.grid.planes(self.place.axis).saturating_sub(1);
        self.place.plane = self.place.plane.saturating_add_signed(planes).min(last);
    }
}
