//! What is done of a compression, and what is to be done next.

use std::mem;

use super::samples::Sample;
use crate::error::Error;

pub(super) struct State<'o> {
    /// Whether somebody chooses how the field is encoded, or that is known.
    pub chosen: bool,
    /// Boxes for the choice that nobody sends yet, and how many of them are under way.
    pub samples: Vec<Sample>,
    pub sending: usize,
    /// The next piece that nobody copies yet, and how many are under way.
    pub next: usize,
    pub copying: usize,
    /// Pieces of each section that are on the device.
    pub arrived: Vec<usize>,
    /// Sections and chunks that are launched, and those sections that are known to be done.
    pub launched: usize,
    pub chunks: u64,
    pub done: usize,
    /// Bytes of the payload that the done sections came to, and those that somebody copies.
    pub made: usize,
    pub taken: usize,
    /// Where what stands before the payload goes, and the payload that nobody copies yet; the latter is the whole output until
    /// it is known where the payload begins.
    pub head: &'o mut [u8],
    pub rest: &'o mut [u8],
    /// What failed first.
    pub failed: Option<Error>,
}

/// What is under way in a half of a lane.
pub(super) enum Pending<'o> {
    Nothing,
    /// A piece of the field.
    Up(usize),
    /// A part of the payload.
    Down(&'o mut [u8]),
}

/// What a lane is to do.
pub(super) enum Task<'o> {
    Choose,
    Sample(Sample),
    Up(usize),
    /// From this byte of the payload on.
    Down(usize, &'o mut [u8]),
    /// There is nothing to be done, but there will be.
    Later,
    /// All is done.
    End,
}

impl<'o> State<'o> {
    /// Of a compression in so many sections into `out`.
    pub fn new(sections: usize, out: &'o mut [u8]) -> Self {
        State {
            chosen: false,
            samples: Vec::new(),
            sending: 0,
            next: 0,
            copying: 0,
            arrived: vec![0; sections],
            launched: 0,
            chunks: 0,
            done: 0,
            made: 0,
            taken: 0,
            head: &mut [],
            rest: out,
            failed: None,
        }
    }

    /// Takes boxes that are to be sent.
    pub fn take_sample(&mut self) -> Option<Sample> {
        let sample = self.samples.pop()?;
        self.sending += 1;
        Some(sample)
    }

    /// Takes a part of the payload to copy, a whole piece of it or the last one.
    pub fn take_made(&mut self, piece: usize) -> Option<Task<'o>> {
        let (ready, last) = (self.made - self.taken, self.done == self.arrived.len());
        if ready == 0 || (ready < piece && !last) {
            return None;
        }
        let (part, rest) = mem::take(&mut self.rest).split_at_mut(ready.min(piece));
        self.rest = rest;
        let at = self.taken;
        self.taken += part.len();
        Some(Task::Down(at, part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payload_is_taken_in_whole_pieces_but_the_last() {
        let mut out = [0; 100];
        let mut state = State::new(2, &mut out);
        let mut take = |made, done| {
            (state.made, state.done) = (made, done);
            match state.take_made(30) {
                Some(Task::Down(at, part)) => Some((at, part.len())),
                _ => None,
            }
        };
        assert_eq!(take(29, 1), None);
        assert_eq!(take(65, 1), Some((0, 30)));
        assert_eq!(take(65, 1), Some((30, 30)));
        assert_eq!(take(65, 1), None);
        assert_eq!(take(80, 2), Some((60, 20)));
        assert_eq!(take(80, 2), None);
    }
}
