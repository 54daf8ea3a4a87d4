//! What the choices for the last fields of each kind asked for, and came to. Where two in turn asked for the same, the
//! next one probably will: the device counts that before the host asks. Where three or more came to the same, the device
//! encodes so before the host has chosen.

use std::{
    collections::VecDeque,
    iter::successors,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::cuda::kernels::kernel::Coder;
use crate::{
    bound::Bound,
    dtype::DType,
    format::TileGrid,
    profile::dense::{Choice, Dense, Spread},
};

/// Fields of which one is probably coded like the one before.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cuda) struct FieldKind {
    /// Where they are in memory: a variable of a simulation stays there, and others of its shape are elsewhere. None:
    /// anywhere.
    pub place: Option<u64>,
    /// What was asked for: a variable may be written for one use with another bound than for another. None: any bound,
    /// as where the caller finds one for each step.
    pub bound: Option<Bound>,
    /// Share and floor of a pointwise-relative bound: they say which lattices there are.
    pub relative: Option<(f64, f64)>,
    pub shape: Vec<u64>,
    pub dtype: DType,
    pub coder: Coder,
    /// What was asked for of the profile.
    pub dense: Dense,
}

impl FieldKind {
    /// That of any bound, and then that of any place.
    fn wider(&self) -> Option<Self> {
        match (self.bound, self.place) {
            (Some(_), _) => Some(FieldKind { bound: None, ..self.clone() }),
            (None, Some(_)) => Some(FieldKind { place: None, ..self.clone() }),
            (None, None) => None,
        }
    }

    /// Itself, and all that are wider.
    fn and_wider(&self) -> impl Iterator<Item = Self> {
        successors(Some(self.clone()), FieldKind::wider)
    }
}

/// Some boxes of a field, and how they are to be coded and counted.
#[derive(Clone, Debug)]
pub(in crate::cuda) struct Asked {
    pub cases: Vec<(TileGrid, Choice)>,
    pub boxes: Spread,
    /// Whether what lattices have in reach is asked for, and no symbols.
    pub reach: bool,
}

impl Asked {
    pub fn is(&self, other: &Asked) -> bool {
        let same = |((own, by), (grid, choice)): (&(TileGrid, Choice), &(TileGrid, Choice))| {
            own.same(grid) && by == choice
        };
        self.boxes == other.boxes
            && self.reach == other.reach
            && self.cases.len() == other.cases.len()
            && self.cases.iter().zip(&other.cases).all(same)
    }

    /// Whether this is what the tables are fitted to, where a field is coded so.
    pub fn makes_tables(&self, dense: Dense) -> bool {
        let [(_, choice)] = &self.cases[..] else { return false };
        !self.reach && matches!(self.boxes, Spread::Boxes(_)) && *choice == dense.own_choice()
    }
}

/// What the choice for a field will probably ask for, in turn, and come to.
#[derive(Clone, Debug, Default)]
pub(in crate::cuda) struct Expected {
    pub asked: Vec<Asked>,
    /// Where that is probable enough to encode so.
    pub chosen: Option<Dense>,
}

/// What the choice for a field asked for, in turn, and what it came to.
#[derive(Debug)]
struct Last {
    kind: FieldKind,
    asked: Vec<Asked>,
    chosen: Dense,
    /// How many in turn before did so, and how many it takes for the next to be encoded so.
    again: u32,
    to_encode: u32,
}

/// How many choices in turn are as the one before where the next is expected to be, for what costs little if it is not;
/// and, until that was wrong, for what takes as long again. Each time that it is wrong, it takes twice as many.
const AGAIN: u32 = 1;
const AGAIN_TO_ENCODE: u32 = 2;

/// The last choices for a few kinds of fields, the latest first.
#[derive(Debug, Default)]
pub(crate) struct LastChoices(Mutex<VecDeque<Last>>);

/// Kinds that are remembered: as many as a simulation may write in turn, each with its wider ones.
const MOST: usize = 384;

impl LastChoices {
    fn all(&self) -> MutexGuard<'_, VecDeque<Last>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is probable for the next field of this kind; nothing where that is not known.
    pub(in crate::cuda) fn expected(&self, kind: &FieldKind) -> Expected {
        let all = self.all();
        let of =
            |kind: &FieldKind| all.iter().find(|last| last.again >= AGAIN && last.kind == *kind);
        let last = kind.and_wider().find_map(|kind| of(&kind));
        last.map_or_else(Expected::default, |last| Expected {
            asked: last.asked.clone(),
            chosen: (last.again >= last.to_encode).then_some(last.chosen),
        })
    }

    pub(in crate::cuda) fn keep(&self, kind: FieldKind, asked: Vec<Asked>, chosen: Dense) {
        for kind in kind.and_wider() {
            self.keep_of(kind, asked.clone(), chosen);
        }
    }

    fn keep_of(&self, kind: FieldKind, asked: Vec<Asked>, chosen: Dense) {
        let mut all = self.all();
        let known = all.iter().position(|last| last.kind == kind);
        let same = |before: &Last| {
            let asked_same = before.asked.iter().zip(&asked).all(|(a, b)| a.is(b));
            before.chosen == chosen && before.asked.len() == asked.len() && asked_same
        };
        let (again, to_encode) = match known.and_then(|i| all.remove(i)) {
            Some(before) if same(&before) => (before.again.saturating_add(1), before.to_encode),
            Some(before) if before.again >= before.to_encode => {
                (0, before.to_encode.saturating_mul(2))
            }
            Some(before) => (0, before.to_encode),
            None => (0, AGAIN_TO_ENCODE),
        };
        all.push_front(Last { kind, asked, chosen, again, to_encode });
        all.truncate(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{format::dense::Layout, profile::Profile};

    fn kind(side: u64) -> FieldKind {
        let (coder, dense) = (Coder::Dense, Dense::new());
        let (place, shape) = (Some(0x1000), vec![side]);
        let bound = Some(Bound::ValueRange(1e-3));
        FieldKind { place, bound, relative: None, shape, dtype: DType::F32, coder, dense }
    }

    fn asked(boxes: u64) -> Vec<Asked> {
        let grid = TileGrid::new(&Profile::Dense(Dense::new()), &[70_000]).expect("small");
        let cases = vec![(grid, Choice::default())];
        vec![Asked { cases, boxes: Spread::Boxes(boxes), reach: false }]
    }

    #[test]
    fn what_was_asked_twice_in_turn_is_expected() {
        let last = LastChoices::default();
        let expected =
            |side| last.expected(&kind(side)).asked.iter().map(|own| own.boxes).collect();
        let keep = |side, boxes| last.keep(kind(side), asked(boxes), Dense::new());
        let none: Vec<Spread> = expected(0);
        assert_eq!(none, []);
        for (boxes, then) in [(1, vec![]), (2, vec![]), (2, vec![Spread::Boxes(2)]), (1, vec![])] {
            keep(0, boxes);
            assert_eq!(expected(0), then, "{boxes}");
        }
        keep(0, 1);
        assert_eq!(last.expected(&FieldKind { dtype: DType::F64, ..kind(0) }).asked.len(), 0);
        for side in 1..MOST as u64 / 3 {
            keep(side, 1);
        }
        assert_eq!(expected(0), [Spread::Boxes(1)]);
        keep(MOST as u64 / 3, 1);
        assert_eq!(expected(0), none, "the oldest kind");
    }

    #[test]
    fn what_some_in_turn_came_to_is_encoded_by() {
        let last = LastChoices::default();
        let (one, other) = (Dense::new(), Dense::new().with_layout(Layout::Plane));
        for (chosen, times, until) in [(one, 4, 2), (other, 6, 4), (one, 9, 8)] {
            for i in 0..times {
                last.keep(kind(0), asked(1), chosen);
                let then = (i >= until).then_some(chosen);
                assert_eq!(last.expected(&kind(0)).chosen, then, "{i} of {times}");
            }
        }
    }

    #[test]
    fn a_field_that_is_written_with_two_bounds_in_turn_is_expected_with_each() {
        let last = LastChoices::default();
        let (one, other) = (Dense::new(), Dense::new().with_layout(Layout::Plane));
        let with = |ratio| FieldKind { bound: Some(Bound::ValueRange(ratio)), ..kind(0) };
        for _ in 0..3 {
            last.keep(with(1e-2), asked(1), one);
            last.keep(with(1e-4), asked(2), other);
        }
        assert_eq!(last.expected(&with(1e-2)).chosen, Some(one));
        assert_eq!(last.expected(&with(1e-4)).chosen, Some(other));
        // With bounds of which none comes twice, all that came before tells.
        for step in 1..4 {
            last.keep(with(1e-5 / f64::from(step)), asked(2), other);
        }
        assert_eq!(last.expected(&with(1e-6)).chosen, Some(other));
    }

    #[test]
    fn fields_of_one_shape_are_told_apart_by_their_places() {
        let last = LastChoices::default();
        let (one, other) = (Dense::new(), Dense::new().with_layout(Layout::Plane));
        let at = |place| FieldKind { place: Some(place), ..kind(0) };
        for _ in 0..3 {
            last.keep(at(1), asked(1), one);
            last.keep(at(2), asked(2), other);
        }
        assert_eq!(last.expected(&at(1)).chosen, Some(one));
        assert_eq!(last.expected(&at(2)).chosen, Some(other));
        assert_eq!(last.expected(&at(3)).asked.len(), 0);
        for place in 4..7 {
            last.keep(at(place), asked(1), one);
        }
        assert_eq!(last.expected(&at(3)).chosen, Some(one));
    }
}
