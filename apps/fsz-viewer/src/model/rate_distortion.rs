//! Points of rate and distortion: what FSZ and zfp make of the original over many bounds and rates.

use std::sync::Arc;

use fsz::Progress;

use crate::model::document::Document;
use crate::model::measures::Measures;
use crate::model::plane::Place;
use crate::model::session::Session;
use crate::model::sweep_point::{Method, Point};
use crate::model::zfp::Mode;

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
    pub generation: u64,
    /// The work that finds them, while points are still to come.
    pub running: Option<Arc<Progress>>,
    /// Only the present points are sought again.
    pub again: bool,
}

impl RateDistortion {
    /// Whether points are still to come.
    pub fn running(&self) -> bool {
        self.running.is_some()
    }

    /// Whether this work is the one that finds them.
    pub fn is_sweeping(&self, progress: &Arc<Progress>) -> bool {
        self.running.as_ref().is_some_and(|running| Arc::ptr_eq(running, progress))
    }

    /// Ends the sweep; what was found stays.
    pub fn stop(&mut self) {
        if let Some(progress) = self.running.take() {
            progress.cancel();
        }
    }

    /// Bits per value and PSNR of a curve, from left to right.
    pub fn curve(&self, method: Method) -> Vec<[f64; 2]> {
        let of =
            self.points.iter().filter(|p| p.method == method && !p.present && p.psnr.is_finite());
        let mut curve: Vec<_> = of.map(|p| [p.bits, p.psnr]).collect();
        curve.sort_by(|a, b| a[0].total_cmp(&b[0]));
        curve
    }

    /// Where what is in the panes stands in the plot: name, bits per value, PSNR. Of the whole field
    /// these are its figures; of a plane, those of its own compression by the same method. `zfp` is how
    /// the other reconstruction was made, where zfp made it.
    pub fn present_points(&self, session: &Session, zfp: Option<Mode>) -> Vec<(String, [f64; 2])> {
        let mut names = session.set.codecs();
        match zfp {
            Some(Mode::Rate(_)) => names[1] = Method::ZfpRate.name().to_owned(),
            Some(Mode::Accuracy(_)) => names[1] = Method::ZfpAccuracy.name().to_owned(),
            None => {}
        }
        if self.place.is_some() {
            if self.generation != session.generation {
                return Vec::new();
            }
            let present = self.points.iter().filter(|p| p.present);
            let name = |method| names[usize::from(method != Method::Fsz)].clone();
            return present.map(|p| (name(p.method), [p.bits, p.psnr])).collect();
        }
        let figures = [&session.set.subject, &session.set.other].into_iter();
        let figures = figures.zip(session.measured.both()).zip(names);
        let point = |((document, measures), name): ((&Option<Document>, Option<&Measures>), _)| {
            let bits = document.as_ref()?.bits_per_value()?;
            Some((name, [bits, measures?.comparison.psnr()]))
        };
        figures.filter_map(point).collect()
    }
}
