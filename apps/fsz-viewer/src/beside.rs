//! zfp beside FSZ: made in place of the same original, at the same size or the same bound.

use std::sync::Arc;

use fsz::{Codec, Progress};
use fsz_field::Field;
use serde::{Deserialize, Serialize};

use crate::app::{Viewer, Work};
use crate::aside::{Found, Made};
use crate::document::{Document, Result};
use crate::measures::Measures;
use crate::settings::Layout;
use crate::words::number;
use crate::zfp::{self, Asked};

/// What zfp has in common with FSZ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Match {
    /// As many bits per value: zfp's fixed rate, which is what cuZFP makes.
    Rate,
    /// The same absolute bound: zfp's fixed accuracy.
    Bound,
}

impl Match {
    /// Both.
    pub const ALL: [Match; 2] = [Match::Rate, Match::Bound];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Match::Rate => "zfp at the same rate",
            Match::Bound => "zfp at the same bound",
        }
    }
}

/// The zfp that stands beside the subject.
#[derive(Debug, Default)]
pub struct Beside {
    /// Which one is wanted; it follows the subject.
    pub wanted: Option<Match>,
    /// What zfp was asked for.
    pub asked: Option<Asked>,
    /// The one that is being made.
    making: Option<Arc<Progress>>,
}

impl Beside {
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
    /// Puts zfp beside the subject, or takes it away.
    pub fn put_beside(&mut self, wanted: Option<Match>) {
        if wanted.is_some() && !zfp::BUILT_IN {
            self.say(zfp::NOT_BUILT_IN.to_owned());
            return;
        }
        if wanted.is_some() && self.settings.layout == Layout::All {
            self.settings.layout = Layout::Codecs;
        }
        self.beside.wanted = wanted;
        match wanted {
            Some(_) => self.make_beside(),
            None => self.nothing_beside(),
        }
    }

    /// Makes the zfp that is wanted of what is open.
    pub(crate) fn make_beside(&mut self) {
        self.beside.stop();
        let Some(wanted) = self.beside.wanted else { return };
        let (Some(original), Some(asked)) = (self.set.original.clone(), self.asked(wanted)) else {
            return;
        };
        let missing = self.set.subject.as_ref().map_or(Vec::new(), |s| s.missing().to_vec());
        let bound = self.set.bound();
        // Where the subject is not measured yet, both are, when it is there.
        let alone = self.measured.subject.is_some();
        let progress = self.service.aside.run(move |progress, tell| {
            let made = made(&original, asked, progress).map(|made| {
                let (document, pair) = made?;
                // Its progress is that of zfp; the comparison can be stopped all the same.
                let measure =
                    |[a, b]: &[Arc<Field>; 2]| Measures::of(a, b, bound, &missing, progress);
                let measures = alone.then(|| measure(&pair).map(Box::new));
                Some(Made { document, measures })
            });
            if let Some(made) = made.transpose() {
                tell(Found::Zfp(made.map(Box::new)));
            }
        });
        self.beside.asked = Some(asked);
        self.beside.making = Some(progress.clone());
        self.work.push(Work { name: wanted.name().to_owned(), progress, aside: true });
    }

    /// What zfp is to make to match the subject.
    fn asked(&self, wanted: Match) -> Option<Asked> {
        let subject = self.set.subject.as_ref().filter(|s| s.facts.is_some())?;
        match wanted {
            Match::Rate => subject.bits_per_value().map(|bits| Asked::Rate(bits.min(64.0))),
            Match::Bound => self.set.bound().map(Asked::Accuracy),
        }
    }

    /// Takes the other reconstruction away.
    pub(crate) fn nothing_beside(&mut self) {
        self.beside.stop();
        (self.beside.wanted, self.beside.asked) = (None, None);
        if self.settings.layout == Layout::Codecs {
            self.settings.layout = Layout::All;
        }
        if self.set.other.take().is_some() {
            self.changed();
        }
    }

    /// Drops a zfp that was made of another field.
    pub(crate) fn forget_beside(&mut self) {
        self.beside.stop();
        self.beside.asked = None;
        self.set.other = None;
    }

    /// zfp has made it, or not.
    pub(crate) fn zfp_made(&mut self, progress: &Arc<Progress>, made: Result<Box<Made>>) {
        if !self.is_making(progress) {
            return;
        }
        self.beside.making = None;
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
                self.beside.wanted = None;
                self.say(reason);
            }
        }
        self.changed();
    }

    /// Work beside the files is over, with a result or without.
    pub(crate) fn ended(&mut self, progress: &Arc<Progress>) {
        self.work.retain(|work| !Arc::ptr_eq(&work.progress, progress));
        if self.is_making(progress) {
            // It was cancelled.
            self.beside = Beside::default();
            self.set.other = None;
            self.changed();
        }
    }

    fn is_making(&self, progress: &Arc<Progress>) -> bool {
        self.beside.making.as_ref().is_some_and(|making| Arc::ptr_eq(making, progress))
    }
}

/// What zfp makes of the original, and the values of both; none when it is cancelled.
fn made(
    original: &Document,
    asked: Asked,
    progress: &Arc<Progress>,
) -> Result<Option<(Document, [Arc<Field>; 2])>> {
    let before = original.values(&Codec::cpu())?;
    progress.begin(before.shape().elements());
    let mut heard = 0;
    let proceed = |done: u64| {
        let more = progress.advance(done - heard).is_ok();
        heard = done;
        more
    };
    let Some((field, bytes)) = zfp::round_trip(&before, asked, proceed)? else { return Ok(None) };
    let mut document = Document::of_values(String::new(), &original.path, field);
    document.zfp_bytes = Some(bytes);
    document.title = match asked {
        Asked::Rate(_) => {
            format!("zfp at {:.3} bits per value", document.bits_per_value().unwrap_or(0.0))
        }
        Asked::Accuracy(bound) => format!("zfp within {}", number(bound)),
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
        let (found, _) = made(&original, Asked::Rate(8.0), &progress).unwrap().expect("a field");
        assert_eq!((progress.done(), progress.total()), (72, 72));
        assert_eq!(found.compressed_bytes(), Some(12 + 4 + 6 * 16));
        progress.cancel();
        assert!(made(&original, Asked::Rate(8.0), &progress).unwrap().is_none());
    }
}
