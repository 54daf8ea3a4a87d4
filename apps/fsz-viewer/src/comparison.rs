//! Comparison with zfp: the same original compressed by it, at the same rate or the same bound.

use std::sync::Arc;

use anyhow::Result;
use fsz::{Codec, Progress};
use fsz_field::Field;
use serde::{Deserialize, Serialize};

use crate::app::{Viewer, Work};
use crate::background::{Found, Made};
use crate::document::Document;
use crate::measures::Measures;
use crate::number_format::number;
use crate::settings::Layout;
use crate::zfp::{self, Mode};

/// What zfp has in common with FSZ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MatchMode {
    /// As many bits per value: zfp's fixed rate, which is what cuZFP makes.
    Rate,
    /// The same absolute bound: zfp's fixed accuracy.
    Bound,
}

impl MatchMode {
    /// Both.
    pub const ALL: [MatchMode; 2] = [MatchMode::Rate, MatchMode::Bound];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            MatchMode::Rate => "zfp at the same rate",
            MatchMode::Bound => "zfp at the same bound",
        }
    }
}

/// The zfp that the subject is compared with.
#[derive(Debug, Default)]
pub struct CodecComparison {
    /// Which one is matching; it follows the subject.
    pub matching: Option<MatchMode>,
    /// How zfp was run.
    pub zfp_mode: Option<Mode>,
    /// The one that is being made.
    making: Option<Arc<Progress>>,
}

impl CodecComparison {
    /// Whether one is being made.
    pub fn making(&self) -> bool {
        self.making.is_some()
    }

    /// Forgets the one that is being made.
    fn stop(&mut self) {
        if let Some(progress) = self.making.take() {
            progress.cancel();
        }
    }
}

impl Viewer {
    /// Compares the subject with zfp, or closes the comparison.
    pub fn compare_with(&mut self, matching: Option<MatchMode>) {
        if matching.is_some() && !zfp::BUILT_IN {
            self.report(zfp::NOT_BUILT_IN);
            return;
        }
        if matching.is_some() && self.settings.layout == Layout::All {
            self.settings.layout = Layout::Codecs;
        }
        self.comparison.matching = matching;
        match matching {
            Some(_) => self.make_comparison(),
            None => self.close_comparison(),
        }
    }

    /// Makes the zfp that is matching of what is open.
    pub(crate) fn make_comparison(&mut self) {
        self.comparison.stop();
        let Some(matching) = self.comparison.matching else { return };
        let (Some(original), Some(mode)) = (self.set.original.clone(), self.zfp_mode(matching))
        else {
            return;
        };
        let missing = self.set.subject.as_ref().map_or(Vec::new(), |s| s.missing().to_vec());
        let bound = self.set.limit();
        // Where the subject is not measured yet, both are, when it is there.
        let alone = self.measured.subject.is_some();
        let progress = self.service.background.run(move |progress, tell| {
            let made = made(&original, mode, progress).map(|made| {
                let (document, pair) = made?;
                // The progress is that of zfp; measuring can be cancelled all the same.
                let measure =
                    |[a, b]: &[Arc<Field>; 2]| Measures::of(a, b, bound, &missing, progress);
                let measures = alone.then(|| measure(&pair).map(Box::new));
                Some(Made { document, measures })
            });
            if let Some(made) = made.transpose() {
                tell(Found::Zfp(made.map(Box::new)));
            }
        });
        self.comparison.zfp_mode = Some(mode);
        self.comparison.making = Some(progress.clone());
        self.work.push(Work { name: matching.name().to_owned(), progress, background: true });
    }

    /// What zfp is to make to match the subject.
    fn zfp_mode(&self, matching: MatchMode) -> Option<Mode> {
        let subject = self.set.subject.as_ref().filter(|s| s.facts.is_some())?;
        match matching {
            MatchMode::Rate => subject.bits_per_value().map(|bits| Mode::Rate(bits.min(64.0))),
            MatchMode::Bound => self.set.bound().map(Mode::Accuracy),
        }
    }

    /// Closes the comparison.
    pub(crate) fn close_comparison(&mut self) {
        self.comparison.stop();
        (self.comparison.matching, self.comparison.zfp_mode) = (None, None);
        if self.settings.layout == Layout::Codecs {
            self.settings.layout = Layout::All;
        }
        if self.set.other.take().is_some() {
            self.changed();
        }
    }

    /// Drops a zfp that was made of another field.
    pub(crate) fn forget_comparison(&mut self) {
        self.comparison.stop();
        self.comparison.zfp_mode = None;
        self.set.other = None;
    }

    /// zfp has made it, or not.
    pub(crate) fn zfp_made(&mut self, progress: &Arc<Progress>, made: Result<Box<Made>>) {
        if !self.is_making(progress) {
            return;
        }
        self.comparison.making = None;
        match made {
            Ok(made) => {
                self.set.other = Some(made.document);
                if self.measured.subject.is_some() && made.measures.is_some() {
                    // The figures of the subject are what they were.
                    self.generation += 1;
                    self.measured.other = made.measures;
                    return;
                }
            }
            Err(reason) => {
                self.comparison.matching = None;
                self.report(reason);
            }
        }
        self.changed();
    }

    /// Background work is over, with a result or without.
    pub(crate) fn ended(&mut self, progress: &Arc<Progress>) {
        self.work.retain(|work| !Arc::ptr_eq(&work.progress, progress));
        if self.is_making(progress) {
            // It was cancelled.
            self.comparison = CodecComparison::default();
            self.set.other = None;
            self.changed();
        }
    }

    fn is_making(&self, progress: &Arc<Progress>) -> bool {
        self.comparison.making.as_ref().is_some_and(|making| Arc::ptr_eq(making, progress))
    }
}

/// What zfp makes of the original, and the values of both; none when it is cancelled.
fn made(
    original: &Document,
    mode: Mode,
    progress: &Arc<Progress>,
) -> Result<Option<(Document, [Arc<Field>; 2])>> {
    let before = original.values(&Codec::cpu())?;
    progress.begin(before.shape().elements());
    let mut seen = 0;
    let proceed = |done: u64| {
        let more = progress.advance(done - seen).is_ok();
        seen = done;
        more
    };
    let Some((field, bytes)) = zfp::round_trip(&before, mode, proceed)? else { return Ok(None) };
    let mut document = Document::of_values(String::new(), &original.path, field);
    document.zfp_bytes = Some(bytes);
    document.title = match mode {
        Mode::Rate(_) => {
            format!("zfp at {:.3} bits per value", document.bits_per_value().unwrap_or(0.0))
        }
        Mode::Accuracy(bound) => format!("zfp at bound {}", number(bound)),
    };
    let after = document.values(&Codec::cpu())?;
    Ok(Some((document, [before, after])))
}

#[cfg(all(test, feature = "zfp"))]
mod tests {
    use fsz_field::Shape;

    use super::*;

    #[test]
    fn a_cancelled_zfp_is_none() {
        let field = Field::new(Shape::new(&[8, 9]).unwrap(), vec![1.0f32; 72]).unwrap();
        let original = Document::of_values("ones".into(), "ones".as_ref(), field);
        let progress = Progress::new();
        let (found, _) = made(&original, Mode::Rate(8.0), &progress).unwrap().expect("a field");
        assert_eq!((progress.done(), progress.total()), (72, 72));
        assert_eq!(found.compressed_bytes(), Some(12 + 4 + 6 * 16));
        progress.cancel();
        assert!(made(&original, Mode::Rate(8.0), &progress).unwrap().is_none());
    }
}
