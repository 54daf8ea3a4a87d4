//! A thread block: its warps, its shared memory and its barriers.

use super::{
    code::Phase,
    warp::{Launch, Turn, Warp},
};
use crate::ptx::parse::Result;

/// What the warps of a thread block share.
#[derive(Debug)]
pub(crate) struct Shared {
    memory: Vec<u8>,
    /// Threads that wait at each barrier, and how many are waited for where a count was given.
    barriers: [(u32, Option<u32>); 16],
    /// Instructions, each for all lanes together.
    pub executed: u64,
}

impl Shared {
    fn new(len: usize) -> Self {
        // What no thread has written is not zero.
        Shared { memory: vec![0xCD; len], barriers: [(0, None); 16], executed: 0 }
    }

    pub fn bytes(&self, at: u64, len: usize) -> Result<&[u8]> {
        let end = at.saturating_add(len as u64);
        let bytes = self.memory.get(at.min(end) as usize..end as usize);
        bytes.ok_or_else(|| self.outside(at, len))
    }

    pub fn bytes_mut(&mut self, at: u64, len: usize) -> Result<&mut [u8]> {
        let end = at.saturating_add(len as u64);
        if end > self.memory.len() as u64 {
            return Err(self.outside(at, len));
        }
        Ok(&mut self.memory[at as usize..end as usize])
    }

    fn outside(&self, at: u64, len: usize) -> String {
        format!("{len} bytes at {at:#x} of {} in shared memory", self.memory.len())
    }

    /// A thread comes to a barrier of the block.
    pub fn arrive(&mut self, barrier: u8, count: Option<u32>) -> Result<()> {
        let (arrived, wanted) =
            self.barriers.get_mut(usize::from(barrier)).ok_or("there are 16 barriers")?;
        *arrived += 1;
        *wanted = count;
        Ok(())
    }

    /// A barrier that counts phases: how many arrive in one, how many are missing, and the phase at hand.
    ///
    /// Source: PTX ISA, *mbarrier*; how its bits lie is each device's own.
    pub fn phase(&mut self, phase: Phase, at: u64, value: u64) -> Result<u64> {
        if !at.is_multiple_of(8) {
            return Err("a barrier that is not aligned".into());
        }
        let bytes = self.bytes_mut(at, 8)?;
        let word = u64::from_le_bytes(bytes.try_into().map_err(|_| "eight bytes")?);
        let (count, missing, number) = (word & 0xFFFF, word >> 16 & 0xFFFF, word >> 32);
        let (new, result) = match phase {
            Phase::Begin => (value << 16 | value, 0),
            Phase::Arrive => match missing {
                0 => return Err("a barrier that was not begun, or too many arrive".into()),
                1 => ((number + 1) << 32 | count << 16 | count, word),
                _ => (number << 32 | (missing - 1) << 16 | count, word),
            },
            Phase::IsOver => (word, u64::from(number & 1 != value & 1)),
        };
        bytes.copy_from_slice(&new.to_le_bytes());
        Ok(result)
    }
}

/// A thread block at work.
#[derive(Debug)]
pub(crate) struct Block {
    warps: Vec<Warp>,
    over: Vec<bool>,
    pub shared: Shared,
}

impl Block {
    pub fn new(launch: &Launch<'_>, at: [u32; 3], shared: usize) -> Self {
        let threads: u32 = launch.threads.iter().product();
        let warps = threads.div_ceil(super::lanes::WIDTH as u32) as usize;
        Block {
            warps: (0..warps).map(|index| Warp::new(launch, at, index)).collect(),
            over: vec![false; warps],
            shared: Shared::new(shared),
        }
    }

    /// The same memory for the next thread block.
    pub fn begin(&mut self, launch: &Launch<'_>, at: [u32; 3]) {
        self.shared.memory.fill(0xCD);
        self.over.fill(false);
        for (index, warp) in self.warps.iter_mut().enumerate() {
            warp.begin(launch, at, index);
        }
    }

    /// Gives every warp a turn.
    ///
    /// # Errors
    /// What a device would end the program for, and lanes that wait for each other for ever.
    pub fn turn(&mut self, launch: &Launch<'_>) -> Result<Turn> {
        let mut moved = false;
        for (index, warp) in self.warps.iter_mut().enumerate() {
            if !self.over[index] {
                let turn = warp
                    .turn(launch, &mut self.shared)
                    .map_err(|why| format!("warp {index}: {why}"))?;
                self.over[index] = turn == Turn::Over;
                moved |= turn != Turn::Waiting;
            }
        }
        if self.over.iter().all(|&over| over) {
            return Ok(Turn::Over);
        }
        let live: u32 = self.warps.iter().map(Warp::live).sum();
        for barrier in 0..self.shared.barriers.len() {
            let (arrived, count) = self.shared.barriers[barrier];
            if arrived > 0 && arrived >= count.unwrap_or(live) {
                self.shared.barriers[barrier] = (0, None);
                self.warps.iter_mut().for_each(|warp| warp.release(barrier as u8));
                moved = true;
            }
        }
        match moved {
            true => Ok(Turn::Running),
            false => Err("every thread waits for another one".into()),
        }
    }
}
