//! What the choices for the last fields of each kind asked for. Where two in turn asked for the same, the next one
//! probably will: the device counts that before the host asks.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::kernel::Coder;
use crate::{
    dtype::DType,
    format::TileGrid,
    profile::dense::{Choice, Dense, Spread},
};

/// Fields of which one is probably coded like the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldKind {
    pub shape: Vec<u64>,
    pub dtype: DType,
    pub coder: Coder,
    /// What was asked for of the profile.
    pub dense: Dense,
}

/// Some boxes of a field, and how they are to be coded and counted.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub cases: Vec<(TileGrid, Choice)>,
    pub boxes: Spread,
}

impl Asked {
    pub fn is(&self, cases: &[(TileGrid, Choice)], boxes: Spread) -> bool {
        let same = |((own, by), (grid, choice)): (&(TileGrid, Choice), &(TileGrid, Choice))| {
            own.same(grid) && by == choice
        };
        self.boxes == boxes
            && self.cases.len() == cases.len()
            && self.cases.iter().zip(cases).all(same)
    }
}

/// What the choice for a field asked for, in turn, and whether that for the one before did, too.
#[derive(Debug)]
struct Last {
    kind: FieldKind,
    asked: Vec<Asked>,
    again: bool,
}

/// The last choices for a few kinds of fields, the latest first.
#[derive(Debug, Default)]
pub(crate) struct LastChoices(Mutex<VecDeque<Last>>);

/// Kinds that are remembered: as many as a simulation may write in turn.
const MOST: usize = 64;

impl LastChoices {
    fn all(&self) -> MutexGuard<'_, VecDeque<Last>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the choice for the next field of this kind will probably ask for; nothing where that is not known.
    pub(super) fn expected(&self, kind: &FieldKind) -> Vec<Asked> {
        let all = self.all();
        let last = all.iter().find(|last| last.again && last.kind == *kind);
        last.map_or_else(Vec::new, |last| last.asked.clone())
    }

    pub(super) fn keep(&self, kind: FieldKind, asked: Vec<Asked>) {
        let mut all = self.all();
        let known = all.iter().position(|last| last.kind == kind);
        let before = known.and_then(|i| all.remove(i)).map_or_else(Vec::new, |last| last.asked);
        let same = |(a, b): (&Asked, &Asked)| a.is(&b.cases, b.boxes);
        let again = before.len() == asked.len() && before.iter().zip(&asked).all(same);
        all.push_front(Last { kind, asked, again });
        all.truncate(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    fn kind(side: u64) -> FieldKind {
        let (coder, dense) = (Coder::Dense, Dense::new());
        FieldKind { shape: vec![side], dtype: DType::F32, coder, dense }
    }

    fn asked(boxes: u64) -> Vec<Asked> {
        let grid = TileGrid::new(&Profile::Dense(Dense::new()), &[70_000]).expect("small");
        vec![Asked { cases: vec![(grid, Choice::default())], boxes: Spread::Boxes(boxes) }]
    }

    #[test]
    fn what_was_asked_twice_in_turn_is_expected() {
        let last = LastChoices::default();
        let expected = |side| last.expected(&kind(side)).iter().map(|own| own.boxes).collect();
        let none: Vec<Spread> = expected(0);
        assert_eq!(none, []);
        for (boxes, then) in [(1, vec![]), (2, vec![]), (2, vec![Spread::Boxes(2)]), (1, vec![])] {
            last.keep(kind(0), asked(boxes));
            assert_eq!(expected(0), then, "{boxes}");
        }
        last.keep(kind(0), asked(1));
        assert_eq!(last.expected(&FieldKind { dtype: DType::F64, ..kind(0) }).len(), 0);
        for side in 1..MOST as u64 {
            last.keep(kind(side), asked(1));
        }
        assert_eq!(expected(0), [Spread::Boxes(1)]);
        last.keep(kind(MOST as u64), asked(1));
        assert_eq!(expected(0), none, "the oldest kind");
    }
}
