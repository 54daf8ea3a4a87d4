//! Where lanes of a warp wait for each other, and what they do together.

use super::{
    code::{Instruction, Operation, Program, Shuffle, Vote},
    lanes::{Mask, WIDTH, ballot, lanes, mask},
    warp::{Launch, UNWRITTEN_WORD, Warp},
};
use crate::ptx::parse::Result;

impl Warp {
    /// Lanes whose partners may have ended since; whether any went on.
    pub(super) fn meet_again(&mut self, launch: &Launch<'_>) -> Result<bool> {
        let places: Vec<usize> = lanes(self.waiting).map(|lane| self.places[lane]).collect();
        let before = self.waiting;
        for place in places {
            self.meet(launch.program, place)?;
        }
        Ok(self.waiting != before)
    }

    /// Executes the instruction at `place` for the lanes that wait there, where all that they name are there.
    pub(super) fn meet(&mut self, program: &Program, place: usize) -> Result<()> {
        let instruction = &program.instructions[place];
        let mut here = mask(lanes(self.waiting).filter(|&lane| self.places[lane] == place));
        let named = match instruction.operation {
            Operation::WarpBarrier => instruction.from[0],
            _ => *instruction.from.last().ok_or("no mask")?,
        };
        let named = *self.source(program, named);
        while here != 0 {
            let lane = here.trailing_zeros() as usize;
            let own = named[lane] as Mask;
            if own >> lane & 1 == 0 {
                return Err(format!("lane {lane} is not in its own mask {own:#x}"));
            }
            let wanted = own & self.live;
            // A barrier may be met at different instructions; all else at one.
            let there = match instruction.operation {
                Operation::WarpBarrier => mask(lanes(self.waiting).filter(|&lane| {
                    let waits_at = &program.instructions[self.places[lane]].operation;
                    matches!(waits_at, Operation::WarpBarrier)
                })),
                _ => here,
            };
            if wanted & !there != 0 {
                here &= !(1 << lane);
                continue;
            }
            if let Some(other) = lanes(wanted & here).find(|&other| named[other] as Mask != own) {
                return Err(format!("lanes {lane} and {other} name different lanes"));
            }
            self.together(program, instruction, wanted);
            self.waiting &= !wanted;
            lanes(wanted).for_each(|lane| self.places[lane] += 1);
            here &= !wanted;
        }
        Ok(())
    }

    /// What lanes that wait for each other do.
    fn together(&mut self, program: &Program, instruction: &Instruction, together: Mask) {
        let source = |i: usize| *self.source(program, instruction.from[i]);
        match instruction.operation {
            Operation::Shuffle(way) => {
                let (values, others, limits) = (source(0), source(1), source(2));
                let (mut results, mut found) = ([0; WIDTH], [0; WIDTH]);
                for lane in lanes(together) {
                    let other = partner(way, lane as u32, others[lane] as u32, limits[lane] as u32);
                    let from = other.unwrap_or(lane as u32) as usize;
                    found[lane] = u64::from(other.is_some());
                    // From a lane that is not there comes anything.
                    let is_there = together >> from & 1 != 0;
                    results[lane] = if is_there { values[from] } else { UNWRITTEN_WORD };
                }
                self.write(program, instruction.to[0], &results, together);
                if let Some(&to) = instruction.to.get(1) {
                    self.write(program, to, &found, together);
                }
            }
            Operation::Vote(way) => {
                let set = ballot(&source(0)) & together;
                let result = match way {
                    Vote::All => u64::from(set == together),
                    Vote::Any => u64::from(set != 0),
                    Vote::Uniform => u64::from(set == 0 || set == together),
                    Vote::Ballot => u64::from(set),
                };
                self.write(program, instruction.to[0], &[result; WIDTH], together);
            }
            Operation::Match => {
                let values = source(0);
                let mut results = [0; WIDTH];
                for lane in lanes(together) {
                    let like = mask(lanes(together).filter(|&other| values[other] == values[lane]));
                    results[lane] = u64::from(like);
                }
                self.write(program, instruction.to[0], &results, together);
            }
            Operation::Reduce(reduce) => {
                let values = source(0);
                let result = lanes(together).map(|lane| values[lane] as u32).reduce(reduce);
                let result = u64::from(result.unwrap_or(0));
                self.write(program, instruction.to[0], &[result; WIDTH], together);
            }
            Operation::Transpose => {
                let rows = source(0);
                let half = |row: usize, column: usize| {
                    rows[4 * row + column / 2] >> (16 * (column % 2)) & 0xFFFF
                };
                let mut results = [0; WIDTH];
                for lane in lanes(together) {
                    let (row, column) = (lane / 4, 2 * (lane % 4));
                    results[lane] = half(column, row) | half(column + 1, row) << 16;
                }
                self.write(program, instruction.to[0], &results, together);
            }
            _ => (),
        }
    }
}

/// The lane that `lane` takes a value from, if it is within the limits.
///
/// Source: PTX ISA, `shfl.sync`.
fn partner(way: Shuffle, lane: u32, other: u32, limits: u32) -> Option<u32> {
    let (clamp, segment) = (limits & 31, limits >> 8 & 31);
    let (most, least) = ((lane & segment) | (clamp & !segment), lane & segment);
    let other = other & 31;
    match way {
        Shuffle::Up => lane.checked_sub(other).filter(|&from| from >= most),
        Shuffle::Down => Some(lane + other).filter(|&from| from <= most),
        Shuffle::Butterfly => Some(lane ^ other).filter(|&from| from <= most),
        Shuffle::Index => Some(least | (other & !segment)).filter(|&from| from <= most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_are_within_their_segment() {
        // As `__shfl_*_sync` of CUDA C++ encodes widths of 32 and 8.
        let whole = 31;
        assert_eq!(partner(Shuffle::Down, 30, 1, whole), Some(31));
        assert_eq!(partner(Shuffle::Down, 31, 1, whole), None);
        assert_eq!(partner(Shuffle::Up, 3, 2, 0), Some(1));
        assert_eq!(partner(Shuffle::Up, 1, 2, 0), None);
        let eight = (32 - 8) << 8 | 31;
        assert_eq!(partner(Shuffle::Index, 13, 2, eight), Some(10));
        assert_eq!(partner(Shuffle::Butterfly, 13, 4, eight), Some(9));
        assert_eq!(partner(Shuffle::Down, 15, 1, eight), None);
    }
}
