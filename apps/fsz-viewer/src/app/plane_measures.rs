//! Figures of the plane that is looked at, kept up with it in the background.

use std::sync::Arc;

use anyhow::Result;
use fsz::{DType, Progress, with_element};
use fsz_field::{Field, Shape};
use fsz_metrics::{Limit, Sample};

use crate::app::Viewer;
use crate::model::measured::{Measured, PlaneMeasures};
use crate::model::measures::Measures;
use crate::model::plane::Plane;
use crate::work::event::Found;

impl Viewer {
    /// Measures the plane that is shown, unless it is measured or another one is being.
    pub(crate) fn measure_plane(&mut self) {
        let session = &self.session;
        let current = session.current();
        let view = &self.view_state;
        if self.jobs.measuring.is_some()
            || session.plane_is_measured()
            || view.playing
            || self.is_following()
        {
            return;
        }
        let Some(planes) = session.planes.as_ref().filter(|_| session.shown == Some(current))
        else {
            return;
        };
        let (Some(leader), Some(original)) = (session.set.leader(), planes.original.clone()) else {
            return;
        };
        if !view.settings.metrics || (planes.subject.is_none() && planes.other.is_none()) {
            return;
        }
        let sides = match leader.grid.shape() {
            // Folded for the window only.
            &[n] => vec![n],
            _ => vec![original.size.rows as u64, original.size.columns as u64],
        };
        let missing = missing_as(leader.missing(), leader.dtype);
        let bound = session.set.common_limit();
        let (subject, other) = (planes.subject.clone(), planes.other.clone());
        let progress = self.jobs.service.background.run(move |progress, tell| {
            let of = |plane: Option<Plane>| {
                plane.map(|plane| measured(&sides, &original, plane, (bound, &missing), progress))
            };
            let figures = Measured { subject: of(subject), other: of(other) };
            tell(Found::Plane(figures));
        });
        self.jobs.measuring = Some((progress, current));
    }

    /// Takes the figures of a plane.
    pub(crate) fn plane_measured(&mut self, progress: &Arc<Progress>, figures: Measured) {
        if let Some((_, of)) = self.jobs.measuring.take_if(|(p, _)| Arc::ptr_eq(p, progress)) {
            // A plane that cannot be measured says so where its figures would stand.
            self.session.plane_measures = PlaneMeasures { of: Some(of), figures };
        }
    }

    /// The work is over, whether it told anything or not.
    pub(crate) fn plane_ended(&mut self, progress: &Arc<Progress>) {
        self.plane_measured(progress, Measured::default());
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
