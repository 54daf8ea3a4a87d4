//! The sweep over bounds and rates: begun, followed, ended.

use std::sync::Arc;

use anyhow::Result;
use fsz::Progress;

use crate::app::Viewer;
use crate::model::rate_distortion::RateDistortion;
use crate::model::sweep_point::{Extent, Point, Present};
use crate::work::event::Found;
use crate::work::sweep::swept;

impl Viewer {
    /// Sweeps the original, or the plane of it that is looked at.
    pub fn sweep(&mut self, extent: Extent) {
        self.rate_distortion.stop();
        let Some(original) = &self.session.set.original else { return };
        let place =
            (extent == Extent::Plane && original.grid.axes() > 1).then_some(self.session.place);
        let of = match place {
            None => "the whole field".to_owned(),
            Some(place) => {
                format!("{}, plane {}", original.grid.axis_name(place.axis), place.plane)
            }
        };
        self.rate_distortion = RateDistortion { place, of, ..Default::default() };
        self.start_sweep(true);
    }

    /// Forgets what was found of another original.
    pub(crate) fn forget_sweep(&mut self) {
        self.rate_distortion.stop();
        self.rate_distortion = RateDistortion::default();
    }

    /// Seeks the present points of a plane again when something else is in the panes.
    pub(crate) fn follow_sweep(&mut self) {
        let known = &self.rate_distortion;
        let follows = known.place.is_some() && !known.of.is_empty() && !known.running();
        if follows && known.generation != self.session.generation && !self.comparison.making() {
            self.rate_distortion.points.retain(|point| !point.present);
            self.start_sweep(false);
        }
    }

    fn start_sweep(&mut self, all: bool) {
        self.rate_distortion.generation = self.session.generation;
        let (Some(original), place) =
            (self.session.set.original.clone(), self.rate_distortion.place)
        else {
            return;
        };
        let zfp = self.comparison.zfp_mode.filter(|_| self.session.set.other.is_some());
        // The present points of the whole field are its figures.
        let present = match place {
            Some(_) => Present { fsz: self.session.set.coding(), zfp },
            None => Present::default(),
        };
        let missing =
            self.session.set.subject.as_ref().map_or(Vec::new(), |s| s.missing().to_vec());
        let progress = self.jobs.service.background.run(move |progress, tell| {
            let each = |point| tell(Found::Point(point));
            let end = swept(&original, place, &missing, (all, present), progress, each);
            tell(Found::Swept(end));
        });
        let name = "Rate–distortion".to_owned();
        self.jobs.add_background(name, progress.clone());
        self.rate_distortion.running = Some(progress);
        self.rate_distortion.again = !all;
    }

    /// Takes a point of the present sweep.
    pub(crate) fn swept_point(&mut self, progress: &Arc<Progress>, point: Point) {
        if self.rate_distortion.is_sweeping(progress) {
            self.rate_distortion.points.push(point);
        }
    }

    /// The sweep is over.
    pub(crate) fn swept(&mut self, progress: &Arc<Progress>, end: Result<Option<String>>) {
        if !self.rate_distortion.is_sweeping(progress) {
            return;
        }
        self.rate_distortion.running = None;
        match end {
            Ok(_) if self.rate_distortion.again => {}
            Ok(note) => self.rate_distortion.note = note,
            Err(reason) => self.report(reason),
        }
    }
}
