//! Figures of the plane that is looked at, kept up with it in the background.

use std::sync::Arc;

use anyhow::Result;
use fsz::{DType, Progress, with_element};
use fsz_field::{Field, Shape};
use fsz_metrics::{Limit, Sample};

use crate::app::{Measured, Viewer};
use crate::background::Found;
use crate::measures::Measures;
use crate::plane::{Place, Plane};

/// Figures of a plane.
#[derive(Debug, Default)]
pub struct PlaneMeasures {
    /// The plane, and the set that it is of.
    of: Option<(Place, u64)>,
    figures: Measured,
    /// One plane at a time: those passed meanwhile are left out.
    running: Option<(Arc<Progress>, (Place, u64))>,
}

impl PlaneMeasures {
    /// Whether figures are still to come.
    pub fn running(&self) -> bool {
        self.running.is_some()
    }
}

impl Viewer {
    /// Measures the plane that is shown, unless it is measured or another one is being.
    pub(crate) fn measure_plane(&mut self) {
        let current = (self.place, self.generation);
        let measures = &self.plane_measures;
        if measures.running() || measures.of == Some(current) || self.playing {
            return;
        }
        let Some(planes) = self.planes.as_ref().filter(|_| self.shown == Some(current)) else {
            return;
        };
        let (Some(leader), Some(original)) = (self.set.leader(), planes.original.clone()) else {
            return;
        };
        if !self.settings.metrics || (planes.subject.is_none() && planes.other.is_none()) {
            return;
        }
        let sides = match leader.grid.shape() {
            // Folded for the window only.
            &[n] => vec![n],
            _ => vec![original.size.rows as u64, original.size.columns as u64],
        };
        let missing = missing_as(leader.missing(), leader.dtype);
        let bound = self.set.limit();
        let (subject, other) = (planes.subject.clone(), planes.other.clone());
        let progress = self.service.background.run(move |progress, tell| {
            let of = |plane: Option<Plane>| {
                plane.map(|plane| measured(&sides, &original, plane, (bound, &missing), progress))
            };
            let figures = Measured { subject: of(subject), other: of(other) };
            tell(Found::Plane(figures));
        });
        self.plane_measures.running = Some((progress, current));
    }

    /// Takes the figures of a plane.
    pub(crate) fn plane_measured(&mut self, progress: &Arc<Progress>, figures: Measured) {
        if let Some((_, of)) =
            self.plane_measures.running.take_if(|(p, _)| Arc::ptr_eq(p, progress))
        {
            // A plane that cannot be measured says so where its figures would stand.
            self.plane_measures.figures = figures;
            self.plane_measures.of = Some(of);
        }
    }

    /// The work is over, whether it told anything or not.
    pub(crate) fn plane_ended(&mut self, progress: &Arc<Progress>) {
        self.plane_measured(progress, Measured::default());
    }

    /// Figures of the plane that is shown: of the subject and of the other reconstruction.
    pub fn plane_figures(&self) -> [Option<&Measures>; 2] {
        match self.plane_is_measured() {
            true => self.plane_measures.figures.both(),
            false => [None, None],
        }
    }

    /// Whether the plane that is shown was measured, with figures or without.
    pub(crate) fn plane_is_measured(&self) -> bool {
        self.plane_measures.of == Some((self.place, self.generation))
    }
}

/// Named missing values as they stand in a plane, where single precision is written as double.
fn missing_as(missing: &[f64], dtype: DType) -> Vec<f64> {
    let rounded = |&value: &f64| with_element!(dtype, T => T::from_f64(value).to_f64());
    missing.iter().map(rounded).collect()
}

fn measured(
    sides: &[u64],
    original: &Plane,
    plane: Plane,
    (bound, missing): (Option<Limit>, &[f64]),
    progress: &Progress,
) -> Result<Box<Measures>> {
    let shape = Shape::new(sides)?;
    let a = Field::new(shape.clone(), original.values.clone())?;
    let b = Field::new(shape, plane.values)?;
    Measures::of(&a, &b, bound, missing, progress).map(Box::new)
}
