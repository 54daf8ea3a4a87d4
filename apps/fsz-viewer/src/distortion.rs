//! The curves of rate and distortion that the viewer shows, and the work that finds them.

use std::sync::Arc;

use fsz::{Codec, Progress};

use crate::app::{Viewer, Work};
use crate::aside::Found;
use crate::document::{Document, Result};
use crate::plane::Place;
use crate::sweep::{Point, Present, Scope, Way, sweep};
use crate::zfp::Asked;

/// Points that were found, and of what.
#[derive(Debug, Default)]
pub struct Distortion {
    /// The plane, or none for the whole field.
    pub place: Option<Place>,
    /// What was compressed, in words; empty before anything was.
    pub of: String,
    /// In the order in which they were found.
    pub points: Vec<Point>,
    /// What was left out.
    pub note: Option<String>,
    /// Of which set the present points are.
    generation: u64,
    running: Option<Arc<Progress>>,
    /// Only the present points are sought again.
    again: bool,
}

impl Distortion {
    /// Whether points are still to come.
    pub fn running(&self) -> bool {
        self.running.is_some()
    }

    /// Bits per value and PSNR of a curve, from left to right.
    pub fn curve(&self, way: Way) -> Vec<[f64; 2]> {
        let of = self.points.iter().filter(|p| p.way == way && !p.present && p.psnr.is_finite());
        let mut curve: Vec<_> = of.map(|p| [p.bits, p.psnr]).collect();
        curve.sort_by(|a, b| a[0].total_cmp(&b[0]));
        curve
    }
}

impl Viewer {
    /// Sweeps the original, or the plane of it that is looked at.
    pub fn sweep(&mut self, scope: Scope) {
        self.stop_sweep();
        let Some(original) = &self.set.original else { return };
        let place = (scope == Scope::Plane && original.grid.axes() > 1).then_some(self.place);
        let of = match place {
            None => "the whole field".to_owned(),
            Some(place) => {
                format!("plane {} of {}", place.plane, original.grid.axis_name(place.axis))
            }
        };
        self.distortion = Distortion { place, of, ..Default::default() };
        self.start_sweep(true);
    }

    /// Seeks the present points of a plane again when something else is in the panes.
    pub(crate) fn follow_sweep(&mut self) {
        let known = &self.distortion;
        let follows = known.place.is_some() && !known.of.is_empty() && !known.running();
        if follows && known.generation != self.generation && !self.beside.making() {
            self.distortion.points.retain(|point| !point.present);
            self.start_sweep(false);
        }
    }

    fn start_sweep(&mut self, all: bool) {
        self.distortion.generation = self.generation;
        let (Some(original), place) = (self.set.original.clone(), self.distortion.place) else {
            return;
        };
        let zfp = self.beside.asked.filter(|_| self.set.other.is_some());
        // The present points of the whole field are its figures.
        let present = match place {
            Some(_) => Present { bound: self.set.bound(), zfp },
            None => Present::default(),
        };
        let missing = self.set.subject.as_ref().map_or(Vec::new(), |s| s.missing().to_vec());
        let progress = self.service.aside.run(move |progress, tell| {
            let each = |point| tell(Found::Point(point));
            let end = swept(&original, place, &missing, (all, present), progress, each);
            tell(Found::Swept(end));
        });
        let name = "sweeping".to_owned();
        self.work.push(Work { name, progress: progress.clone(), aside: true });
        self.distortion.running = Some(progress);
        self.distortion.again = !all;
    }

    /// Ends the sweep; what was found stays.
    pub(crate) fn stop_sweep(&mut self) {
        if let Some(progress) = self.distortion.running.take() {
            progress.cancel();
        }
    }

    /// Takes a point of the present sweep.
    pub(crate) fn swept_point(&mut self, progress: &Arc<Progress>, point: Point) {
        if self.is_sweeping(progress) {
            self.distortion.points.push(point);
        }
    }

    /// The sweep is over.
    pub(crate) fn swept(&mut self, progress: &Arc<Progress>, end: Result<Option<String>>) {
        if !self.is_sweeping(progress) {
            return;
        }
        self.distortion.running = None;
        match end {
            Ok(_) if self.distortion.again => {}
            Ok(note) => self.distortion.note = note,
            Err(reason) => self.say(reason),
        }
    }

    fn is_sweeping(&self, progress: &Arc<Progress>) -> bool {
        self.distortion.running.as_ref().is_some_and(|running| Arc::ptr_eq(running, progress))
    }

    /// Where what is in the panes stands in the plot: name, bits per value, PSNR. Of the whole field
    /// these are its figures; of a plane, what its own compression in the same way came to.
    pub fn present_points(&self) -> Vec<(&'static str, [f64; 2])> {
        let mut names = self.codecs();
        match self.beside.asked {
            Some(Asked::Rate(_)) => names[1] = Way::ZfpRate.name(),
            Some(Asked::Accuracy(_)) => names[1] = Way::ZfpAccuracy.name(),
            None => {}
        }
        if self.distortion.place.is_some() {
            if self.distortion.generation != self.generation {
                return Vec::new();
            }
            let present = self.distortion.points.iter().filter(|p| p.present);
            let name = |way| if way == Way::Fsz { names[0] } else { names[1] };
            return present.map(|p| (name(p.way), [p.bits, p.psnr])).collect();
        }
        let figures =
            [(&self.set.subject, &self.measured.subject), (&self.set.other, &self.measured.other)];
        let point = |((document, measures), name)| {
            let (document, measures): (&Option<Document>, &Option<Result<Box<_>>>) =
                (document, measures);
            let measures: &crate::measures::Measures = measures.as_ref()?.as_ref().ok()?;
            Some((name, [document.as_ref()?.bits_per_value()?, measures.comparison.psnr()]))
        };
        figures.into_iter().zip(names).filter_map(point).collect()
    }

    /// The points, a line each.
    pub(crate) fn distortion_csv(&self) -> String {
        let mut text = format!(
            "# {}\ncodec,asked,bits_per_value,psnr,max_abs_error,present\n",
            self.distortion.of
        );
        for p in &self.distortion.points {
            let name = p.way.name().replace(", ", " ");
            text.push_str(&format!(
                "{name},{:e},{},{},{:e},{}\n",
                p.asked, p.bits, p.psnr, p.max_error, p.present
            ));
        }
        text
    }
}

fn swept(
    original: &Document,
    place: Option<Place>,
    missing: &[f64],
    present: (bool, Present),
    progress: &Arc<Progress>,
    each: impl FnMut(Point),
) -> Result<Option<String>> {
    let codec = Codec::cpu();
    match place {
        Some(place) => {
            let plane = original.plane_field(&codec, place)?;
            sweep(&plane, missing, present, progress, each)
        }
        None => sweep(&*original.values(&codec)?, missing, present, progress, each),
    }
}
