//! Comparison with zfp or the other profile: the same original compressed by it, at the same rate or the same bound.

use std::sync::Arc;

use fsz::{Bound, Dense, Profile, Progress};
use serde::{Deserialize, Serialize};

use crate::model::set::Set;
use crate::model::zfp::Mode;

/// What the other reconstruction is made by, and what it has in common with the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MatchMode {
    /// As many bits per value: zfp's fixed rate, which is what cuZFP makes.
    Rate,
    /// The same absolute bound: zfp's fixed accuracy.
    Bound,
    /// FSZ's other profile at the same bound.
    ProfileBound,
    /// FSZ's other profile in as many bytes.
    ProfileSize,
}

impl MatchMode {
    /// All of them, in the order in which they are offered.
    pub const ALL: [MatchMode; 4] =
        [MatchMode::Rate, MatchMode::Bound, MatchMode::ProfileBound, MatchMode::ProfileSize];

    /// Whether zfp makes it.
    pub fn is_zfp(self) -> bool {
        matches!(self, MatchMode::Rate | MatchMode::Bound)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            MatchMode::Rate => "zfp at the same rate",
            MatchMode::Bound => "zfp at the same bound",
            MatchMode::ProfileBound => "Other profile at the same bound",
            MatchMode::ProfileSize => "Other profile at the same size",
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

/// What makes the other reconstruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Recipe {
    /// zfp.
    Zfp(Mode),
    /// A profile of FSZ.
    Profile(Profile, Bound),
}

/// What is to be made to match the subject.
pub fn recipe(set: &Set, matching: MatchMode) -> Option<Recipe> {
    let subject = set.subject.as_ref()?;
    let header = &subject.facts.as_ref()?.header;
    let other = match header.profile {
        Profile::Dense(_) => Profile::default(),
        _ => Profile::Dense(Dense::new()),
    };
    Some(match matching {
        MatchMode::Rate => Recipe::Zfp(Mode::Rate(subject.bits_per_value()?.min(64.0))),
        MatchMode::Bound => Recipe::Zfp(Mode::Accuracy(set.bound()?)),
        MatchMode::ProfileSize => {
            Recipe::Profile(other, Bound::MaxBytes(subject.compressed_bytes()?))
        }
        MatchMode::ProfileBound => Recipe::Profile(other, set.coding()?.1),
    })
}
