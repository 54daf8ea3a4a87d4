//! Comparison with zfp: the same original compressed by it, at the same rate or the same bound.

use std::sync::Arc;

use fsz::Progress;
use serde::{Deserialize, Serialize};

use crate::model::set::Set;
use crate::model::zfp::Mode;

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
    pub making: Option<Arc<Progress>>,
}

impl CodecComparison {
    /// Whether one is being made.
    pub fn making(&self) -> bool {
        self.making.is_some()
    }

    /// Forgets the one that is being made.
    pub fn stop(&mut self) {
        if let Some(progress) = self.making.take() {
            progress.cancel();
        }
    }

    /// Whether this work makes it.
    pub fn is_making(&self, progress: &Arc<Progress>) -> bool {
        self.making.as_ref().is_some_and(|making| Arc::ptr_eq(making, progress))
    }
}

/// What zfp is to make to match the subject.
pub fn zfp_mode(set: &Set, matching: MatchMode) -> Option<Mode> {
    let subject = set.subject.as_ref().filter(|s| s.facts.is_some())?;
    match matching {
        MatchMode::Rate => subject.bits_per_value().map(|bits| Mode::Rate(bits.min(64.0))),
        MatchMode::Bound => set.bound().map(Mode::Accuracy),
    }
}
