//! Planes of the same place, one of each field that is open.

use std::time::Duration;

use crate::model::grid::PlaneSize;
use crate::model::pane_kind::PaneKind;
use crate::model::plane::{Place, Plane};
use crate::model::settings::Layout;

/// Planes of the same place.
#[derive(Clone, Debug, Default)]
pub struct Planes {
    /// Where they are.
    pub place: Place,
    /// Of the original.
    pub original: Option<Plane>,
    /// Of the reconstruction.
    pub subject: Option<Plane>,
    /// Of the other reconstruction.
    pub other: Option<Plane>,
    /// Reconstruction − original.
    pub error: Option<Plane>,
    /// Other reconstruction − original.
    pub other_error: Option<Plane>,
    /// Time to read and decode them.
    pub took: Duration,
    /// What decoded them.
    pub decoder: String,
    /// What the user should know of it, and of the fields that are damaged there.
    pub notes: Vec<String>,
}

impl Planes {
    /// The plane of a pane.
    pub fn of(&self, kind: PaneKind) -> Option<&Plane> {
        match kind {
            PaneKind::Original => self.original.as_ref(),
            PaneKind::Reconstruction => self.subject.as_ref(),
            PaneKind::Error => self.error.as_ref(),
            PaneKind::Other => self.other.as_ref(),
            PaneKind::OtherError => self.other_error.as_ref(),
            PaneKind::Volume => None,
        }
    }

    /// Rows and columns of all of them.
    pub fn size(&self) -> PlaneSize {
        let first = PaneKind::ALL.into_iter().find_map(|kind| self.of(kind));
        first.map_or(PlaneSize::default(), |plane| plane.size)
    }

    /// The panes of a layout that there is something to show in, and that of the volume where there is one.
    pub fn shown(&self, layout: Layout, volume: bool) -> Vec<PaneKind> {
        let there = PaneKind::ALL.into_iter().filter(|&kind| self.of(kind).is_some());
        let there: Vec<PaneKind> = there.collect();
        let shows = |kind: &&PaneKind| layout.shows(**kind == PaneKind::Original, kind.is_error());
        let shown: Vec<PaneKind> = there.iter().filter(shows).copied().collect();
        // A layout without a pane is of use when more is open.
        let shown = if shown.is_empty() { there } else { shown };
        shown.into_iter().chain(volume.then_some(PaneKind::Volume)).collect()
    }
}
