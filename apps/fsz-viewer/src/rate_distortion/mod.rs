//! The curves of rate and distortion that the viewer shows, and the work that finds them.

mod sweep;

pub use sweep::{Extent, Method, Point};

use std::sync::Arc;

use anyhow::Result;
use fsz::{Codec, Progress};

use crate::app::{Viewer, Work};
use crate::background::Found;
use crate::document::Document;
use crate::plane::Place;

use crate::zfp::Mode;
use sweep::{Present, sweep};

/// Points that were found, and of what.
#[derive(Debug, Default)]
pub struct RateDistortion {
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

impl RateDistortion {
    /// Whether points are still to come.
    pub fn running(&self) -> bool {
        self.running.is_some()
    }

    /// Bits per value and PSNR of a curve, from left to right.
    pub fn curve(&self, method: Method) -> Vec<[f64; 2]> {
        let of =
            self.points.iter().filter(|p| p.method == method && !p.present && p.psnr.is_finite());
        let mut curve: Vec<_> = of.map(|p| [p.bits, p.psnr]).collect();
        curve.sort_by(|a, b| a[0].total_cmp(&b[0]));
        curve
    }
}

impl Viewer {
    /// Sweeps the original, or the plane of it that is looked at.
    pub fn sweep(&mut self, extent: Extent) {
        self.stop_sweep();
        let Some(original) = &self.set.original else { return };
        let place = (extent == Extent::Plane && original.grid.axes() > 1).then_some(self.place);
        let of = match place {
            None => "the whole field".to_owned(),
            Some(place) => {
                format!("{}, plane {}", original.grid.axis_name(place.axis), place.plane)
            }
        };
        self.rate_distortion = RateDistortion { place, of, ..Default::default() };
        self.start_sweep(true);
    }

    /// Seeks the present points of a plane again when something else is in the panes.
    pub(crate) fn follow_sweep(&mut self) {
        let known = &self.rate_distortion;
        let follows = known.place.is_some() && !known.of.is_empty() && !known.running();
        if follows && known.generation != self.generation && !self.comparison.making() {
            self.rate_distortion.points.retain(|point| !point.present);
            self.start_sweep(false);
        }
    }

    fn start_sweep(&mut self, all: bool) {
        self.rate_distortion.generation = self.generation;
        let (Some(original), place) = (self.set.original.clone(), self.rate_distortion.place)
        else {
            return;
        };
        let zfp = self.comparison.zfp_mode.filter(|_| self.set.other.is_some());
        // The present points of the whole field are its figures.
        let present = match place {
            Some(_) => Present { bound: self.set.bound(), zfp },
            None => Present::default(),
        };
        let missing = self.set.subject.as_ref().map_or(Vec::new(), |s| s.missing().to_vec());
        let progress = self.service.background.run(move |progress, tell| {
            let each = |point| tell(Found::Point(point));
            let end = swept(&original, place, &missing, (all, present), progress, each);
            tell(Found::Swept(end));
        });
        let name = "Rate–distortion".to_owned();
        self.work.push(Work { name, progress: progress.clone(), background: true });
        self.rate_distortion.running = Some(progress);
        self.rate_distortion.again = !all;
    }

    /// Ends the sweep; what was found stays.
    pub(crate) fn stop_sweep(&mut self) {
        if let Some(progress) = self.rate_distortion.running.take() {
            progress.cancel();
        }
    }

    /// Takes a point of the present sweep.
    pub(crate) fn swept_point(&mut self, progress: &Arc<Progress>, point: Point) {
        if self.is_sweeping(progress) {
            self.rate_distortion.points.push(point);
        }
    }

    /// The sweep is over.
    pub(crate) fn swept(&mut self, progress: &Arc<Progress>, end: Result<Option<String>>) {
        if !self.is_sweeping(progress) {
            return;
        }
        self.rate_distortion.running = None;
        match end {
            Ok(_) if self.rate_distortion.again => {}
            Ok(note) => self.rate_distortion.note = note,
            Err(reason) => self.report(reason),
        }
    }

    fn is_sweeping(&self, progress: &Arc<Progress>) -> bool {
        self.rate_distortion.running.as_ref().is_some_and(|running| Arc::ptr_eq(running, progress))
    }

    /// Where what is in the panes stands in the plot: name, bits per value, PSNR. Of the whole field
    /// these are its figures; of a plane, those of its own compression by the same method.
    pub fn present_points(&self) -> Vec<(String, [f64; 2])> {
        let mut names = self.codecs();
        match self.comparison.zfp_mode {
            Some(Mode::Rate(_)) => names[1] = Method::ZfpRate.name().to_owned(),
            Some(Mode::Accuracy(_)) => names[1] = Method::ZfpAccuracy.name().to_owned(),
            None => {}
        }
        if self.rate_distortion.place.is_some() {
            if self.rate_distortion.generation != self.generation {
                return Vec::new();
            }
            let present = self.rate_distortion.points.iter().filter(|p| p.present);
            let name = |method| names[usize::from(method != Method::Fsz)].clone();
            return present.map(|p| (name(p.method), [p.bits, p.psnr])).collect();
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
    pub(crate) fn rate_distortion_csv(&self) -> String {
        let mut text = format!(
            "# {}\ncodec,parameter,bits_per_value,psnr,max_abs_error,present\n",
            self.rate_distortion.of
        );
        for p in &self.rate_distortion.points {
            let name = p.method.name().replace(", ", " ");
            text.push_str(&format!(
                "{name},{:e},{},{},{:e},{}\n",
                p.parameter, p.bits, p.psnr, p.max_error, p.present
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
