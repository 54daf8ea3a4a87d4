//! What was chosen for a variable's steps, for later ones to be coded by as long as the field is alike
//! (`choose=changed`). An operator may live for a single step, as in Python's `operations=`: choices are the process's.

use std::{
    collections::HashMap,
    process,
    sync::{Mutex, PoisonError},
};

use fsz::{CompressOptions, DType, Stream};

/// Places that are remembered at most: those of a mesh that is refined anew do not come again.
const MOST: usize = 1024;
/// Fields are alike if the streams of two steps differ in length by no more than a part in so many of the earlier one.
const ALIKE: usize = 20;
/// Blocks that follow one that chose at most: of one that would be shorter by tables of its own the length does not tell.
const FOLLOWING: u32 = 15;
/// A stream that is longer by more than a part in so many is not kept: the step chooses after all.
const KEPT: usize = 2;

/// Where ADIOS2 blocks follow each other, one a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    /// Those of the operator, as they were given, but for a range: it may be another one at each step.
    pub parameters: String,
    pub variable: String,
    pub dtype: DType,
    pub count: Vec<u64>,
    pub start: Option<Vec<u64>>,
}

/// What is known of the last block of a place.
#[derive(Debug)]
struct Last {
    /// By which the next one is coded like the one that chose; None where it is to choose.
    options: Option<CompressOptions>,
    /// Bytes of the stream that it is to be alike: of the one that chose, or where none is to be followed of the last.
    len: usize,
    /// Blocks that followed the one that chose.
    following: u32,
    /// When it was written.
    written: u64,
}

impl Last {
    fn is_like(&self, len: usize) -> bool {
        len.abs_diff(self.len) <= self.len / ALIKE
    }
}

#[derive(Debug, Default)]
struct Choices {
    last: HashMap<Place, Last>,
    written: u64,
}

impl Choices {
    /// Keeps what is known of a place's last block; gives what that takes the place of, which may be the place that was
    /// not written to for the longest.
    fn keep(&mut self, place: Place, options: Option<CompressOptions>, len: usize) -> Option<Last> {
        let before = self.last.remove(&place).or_else(|| {
            let oldest = self.last.iter().min_by_key(|(_, last)| last.written);
            let oldest = oldest.filter(|_| self.last.len() >= MOST)?.0.clone();
            self.last.remove(&oldest)
        });
        self.written += 1;
        self.last.insert(place, Last { options, len, following: 0, written: self.written });
        before
    }
}

/// By process: a forked one cannot use what its parent has on a device, nor free it.
static CHOICES: Mutex<Option<HashMap<u32, Choices>>> = Mutex::new(None);

/// What the next block of a place is to be coded by; None where it chooses.
pub(super) fn of(place: &Place) -> Option<CompressOptions> {
    with(|choices| choices.last.get(place)?.options.clone())
}

/// A block of a place chose, and became this stream by these options. Others follow it if the one before was alike.
pub(super) fn chose(place: Place, options: CompressOptions, stream: &[u8]) {
    let settled =
        with(|choices| choices.last.get(&place).is_some_and(|last| last.is_like(stream.len())));
    // One without elements tells nothing of how others are to be coded.
    let like = || Stream::open(stream).and_then(|stream| options.like(&stream)).ok();
    let options = settled.then(like).flatten();
    // What is forgotten frees memory of devices, which others need not wait for.
    drop(with(|choices| choices.keep(place, options, stream.len())));
}

/// Whether a block of a place that was coded by what was chosen before, and took `len` bytes, stays so. Where the field
/// has changed, or enough have followed, the next one chooses.
pub(super) fn followed(place: &Place, len: usize) -> bool {
    let (stays, forgotten) = with(|choices| {
        choices.written += 1;
        let Some(last) = choices.last.get_mut(place) else { return (true, None) };
        (last.written, last.following) = (choices.written, last.following + 1);
        let stays = len <= last.len + last.len / KEPT;
        let next_follows = last.is_like(len) && last.following < FOLLOWING;
        (stays, (!next_follows).then(|| choices.keep(place.clone(), None, len)))
    });
    drop(forgotten);
    stays
}

fn with<R>(change: impl FnOnce(&mut Choices) -> R) -> R {
    let mut all = CHOICES.lock().unwrap_or_else(PoisonError::into_inner);
    change(all.get_or_insert_default().entry(process::id()).or_default())
}

#[cfg(test)]
mod tests {
    use fsz::Bound;

    use super::*;

    #[test]
    fn of_too_many_places_the_one_that_was_not_written_to_for_the_longest_is_forgotten() {
        let place = |start| Place {
            parameters: String::new(),
            variable: "U".into(),
            dtype: DType::F32,
            count: vec![4],
            start: Some(vec![start]),
        };
        let options = || Some(CompressOptions::new(Bound::Absolute(1.0)));
        let mut choices = Choices::default();
        for step in [0, 1] {
            for start in 0..MOST {
                let before = choices.keep(place(start as u64), options(), start);
                assert_eq!(before.map(|last| last.len), (step == 1).then_some(start));
            }
        }
        choices.keep(place(0), None, 0);
        let forgotten = choices.keep(place(MOST as u64), options(), 0).unwrap();
        assert_eq!((forgotten.len, choices.last.len()), (1, MOST));
        assert!(!choices.last.contains_key(&place(1)) && choices.last.contains_key(&place(0)));
    }
}
