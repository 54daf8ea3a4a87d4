//! Why a tile has another variant or other rates in our stream than in the release's.

use anyhow::Result;
use fsz::{Centering, Stream};

use super::design::{Choice, Tile};
use crate::record::{Agreement, Reasons};

/// The rules in which the two differ, in the order in which ours replace the release's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Rounding of quotients, and a step a hair under twice the bound.
    Codes,
    /// The last tile is not filled up.
    Padding,
    /// What codes are centered on.
    CenteringValue,
    /// Bytes of the centering value: 4, in `f64` 8 of the release's.
    CenteringCost,
    /// Which of two variants of one cost is taken.
    Ties,
}

impl Rule {
    /// All of them.
    const ALL: [Rule; 5] =
        [Rule::Codes, Rule::Padding, Rule::CenteringValue, Rule::CenteringCost, Rule::Ties];
    /// None of ours.
    pub const RELEASE: Option<Rule> = None;
}

/// Compares the release's choices with our stream's, tile by tile.
pub fn agreement(
    codec: &str,
    tiles: &[Tile],
    theirs: &[Choice],
    ours: &Stream<'_>,
    centering: Centering,
) -> Result<Agreement> {
    let mut found = Agreement {
        codec: codec.to_owned(),
        same: 0,
        same_variant: 0,
        reasons: Reasons::default(),
    };
    for ((tile, theirs), record) in tiles.iter().zip(theirs).zip(ours.tiles()) {
        let record = record?;
        let Some(chosen) = Choice::of(&record) else {
            found.reasons.escapes += 1;
            continue;
        };
        found.same_variant += u64::from(chosen.predictor == theirs.predictor);
        if chosen == *theirs {
            found.same += 1;
            continue;
        }
        // Our stream must be what our rules give: else nothing is explained.
        let by_rules = |rule| tile.choose(Some(rule), centering);
        let first = Rule::ALL.into_iter().find(|&rule| by_rules(rule) != *theirs);
        let explained = by_rules(Rule::Ties) == chosen;
        *found.reasons.of(first.filter(|_| explained)) += 1;
    }
    Ok(found)
}

impl Reasons {
    fn of(&mut self, rule: Option<Rule>) -> &mut u64 {
        match rule {
            Some(Rule::Codes) => &mut self.codes,
            Some(Rule::Padding) => &mut self.padding,
            Some(Rule::CenteringValue) => &mut self.centering_value,
            Some(Rule::CenteringCost) => &mut self.centering_cost,
            Some(Rule::Ties) => &mut self.ties,
            None => &mut self.unexplained,
        }
    }
}
