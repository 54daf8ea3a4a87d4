//! Comparison with zfp or the other profile: the same original compressed by it, at the same rate or the same bound.

use std::sync::Arc;

use anyhow::Result;
use fsz::Progress;
use fsz_field::Field;

use crate::app::Viewer;
use crate::model::comparison::{CodecComparison, MatchMode, Recipe, recipe};
use crate::model::measures::Measures;
use crate::model::settings::Layout;
use crate::work::event::{Found, Made};
use crate::work::{profile_made, zfp_made};

impl Viewer {
    /// Compares the subject with what zfp or the other profile makes, or closes the comparison.
    pub fn compare_with(&mut self, matching: Option<MatchMode>) {
        if matching.is_some() && self.view_state.settings.layout == Layout::All {
            self.view_state.settings.layout = Layout::Codecs;
        }
        self.comparison.matching = matching;
        match matching {
            Some(_) => self.make_comparison(),
            None => self.close_comparison(),
        }
    }

    /// Makes what is matching of what is open.
    pub(crate) fn make_comparison(&mut self) {
        self.comparison.stop();
        let Some(matching) = self.comparison.matching else { return };
        let (Some(original), Some(recipe)) =
            (self.session.set.original.clone(), recipe(&self.session.set, matching))
        else {
            return;
        };
        let missing =
            self.session.set.subject.as_ref().map_or(Vec::new(), |s| s.missing().to_vec());
        let bound = self.session.set.common_limit();
        // Where the subject is not measured yet, both are, when it is there.
        let alone = self.session.measured.subject.is_some();
        let progress = self.jobs.service.background.run(move |progress, tell| {
            let made = match recipe {
                Recipe::Zfp(mode) => zfp_made::made(&original, mode, progress),
                Recipe::Profile(profile, bound) => {
                    profile_made::made(&original, (profile, bound), &missing, progress)
                }
            };
            let made = made.map(|made| {
                let (document, pair) = made?;
                // The progress is that of the codec; measuring can be cancelled all the same.
                let measure =
                    |[a, b]: &[Arc<Field>; 2]| Measures::of(a, b, bound, &missing, progress);
                let measures = alone.then(|| measure(&pair).map(Box::new));
                Some(Made { document, measures })
            });
            if let Some(made) = made.transpose() {
                tell(Found::Zfp(made.map(Box::new)));
            }
        });
        self.comparison.zfp_mode = match recipe {
            Recipe::Zfp(mode) => Some(mode),
            Recipe::Profile(..) => None,
        };
        self.comparison.making = Some(progress.clone());
        self.jobs.add_background(matching.name().to_owned(), progress);
    }

    /// Closes the comparison.
    pub(crate) fn close_comparison(&mut self) {
        // The figures wait for one that is being made.
        let making = self.comparison.making();
        self.comparison.stop();
        (self.comparison.matching, self.comparison.zfp_mode) = (None, None);
        self.leave_comparison();
        if self.session.set.other.take().is_some() || making {
            self.changed();
        }
    }

    /// The original has room again where nothing is compared.
    fn leave_comparison(&mut self) {
        if self.view_state.settings.layout == Layout::Codecs {
            self.view_state.settings.layout = Layout::All;
        }
    }

    /// Drops a zfp that was made of another field.
    pub(crate) fn forget_comparison(&mut self) {
        self.comparison.stop();
        self.comparison.zfp_mode = None;
        self.session.set.other = None;
    }

    /// zfp has made it, or not.
    pub(crate) fn zfp_made(&mut self, progress: &Arc<Progress>, made: Result<Box<Made>>) {
        // What is cancelled by now, such as while it was measured, ends as that.
        if !self.comparison.is_making(progress) || progress.check().is_err() {
            return;
        }
        self.comparison.making = None;
        match made {
            Ok(made) => {
                self.session.set.other = Some(made.document);
                if self.session.measured.subject.is_some() && made.measures.is_some() {
                    // The figures of the subject are what they were.
                    self.session.generation += 1;
                    self.session.measured.other = made.measures;
                    return;
                }
            }
            Err(reason) => {
                self.comparison.matching = None;
                self.leave_comparison();
                self.report(reason);
            }
        }
        self.changed();
    }

    /// Background work is over, with a result or without.
    pub(crate) fn ended(&mut self, progress: &Arc<Progress>) {
        self.jobs.ended(progress);
        if self.comparison.is_making(progress) {
            // It was cancelled.
            self.comparison = CodecComparison::default();
            self.leave_comparison();
            self.session.set.other = None;
            self.changed();
        }
    }
}
