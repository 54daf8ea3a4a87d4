//! A thread block: its warps, its shared memory and its barriers.

use super::{
    code::Phase,
    memory::{Reach, UNWRITTEN},
    order::Order,
    tensor::LaterBox,
    warp::{BEFORE, Launch, Turn, Warp},
};
use crate::ptx::parse::Result;

/// What the warps of a thread block share.
#[derive(Debug)]
pub(crate) struct Shared {
    memory: Vec<u8>,
    /// Threads that wait at each barrier, and how many are waited for where a count was given.
    barriers: [(u32, Option<u32>); 16],
    /// Boxes that were asked for and are not copied.
    boxes: Vec<LaterBox>,
    /// Instructions, each for all lanes together.
    pub executed: u64,
    pub order: Order,
}

impl Shared {
    fn new(len: usize, order: Order) -> Self {
        // What no thread has written is not zero.
        Shared {
            order,
            memory: vec![UNWRITTEN; len],
            barriers: [(0, None); 16],
            boxes: vec![],
            executed: 0,
        }
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

    /// A box is to be copied.
    pub fn copy_later(&mut self, later: LaterBox) {
        self.boxes.push(later);
    }

    /// Copies the boxes that were asked for.
    pub fn finish_boxes(&mut self, reach: &Reach) -> Result<()> {
        for later in std::mem::take(&mut self.boxes) {
            later.copy(self, reach)?;
        }
        Ok(())
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
        let word = self.barrier(at)?;
        let mut counter = Counter::of(word);
        match phase {
            Phase::Begin => {
                counter = Counter { count: value, missing: value, ..Counter::default() }
            }
            Phase::Arrive | Phase::ArriveExpecting if counter.missing == 0 => {
                return Err("a barrier that was not begun, or too many arrive".into());
            }
            Phase::Arrive => counter.missing -= 1,
            Phase::ArriveExpecting => {
                counter.missing -= 1;
                counter.bytes += value as i64;
            }
            Phase::IsOver => return Ok(u64::from(counter.phase & 1 != value & 1)),
        }
        self.set_barrier(at, counter)?;
        Ok(word)
    }

    /// So many bytes that a phase waits for have come.
    pub fn completed(&mut self, at: u64, bytes: usize) -> Result<()> {
        let mut counter = Counter::of(self.barrier(at)?);
        counter.bytes -= bytes as i64;
        self.set_barrier(at, counter)
    }

    fn barrier(&self, at: u64) -> Result<u64> {
        if !at.is_multiple_of(8) {
            return Err("a barrier that is not aligned".into());
        }
        let bytes = self.bytes(at, 8)?;
        Ok(u64::from_le_bytes(bytes.try_into().map_err(|_| "eight bytes")?))
    }

    fn set_barrier(&mut self, at: u64, mut counter: Counter) -> Result<()> {
        if counter.missing == 0 && counter.bytes == 0 {
            counter = Counter { phase: counter.phase + 1, missing: counter.count, ..counter };
        }
        self.bytes_mut(at, 8)?.copy_from_slice(&counter.word().to_le_bytes());
        Ok(())
    }
}

/// What a barrier that counts phases knows.
#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    /// Arrivals of a phase, and those that are missing in this one.
    count: u64,
    missing: u64,
    /// Bytes that are missing; less than none when they come before they are expected.
    bytes: i64,
    phase: u64,
}

impl Counter {
    fn of(word: u64) -> Self {
        Counter {
            count: word & 0xFFF,
            missing: word >> 12 & 0xFFF,
            bytes: (word << 16) as i64 >> 40,
            phase: word >> 48,
        }
    }

    fn word(self) -> u64 {
        self.count | self.missing << 12 | (self.bytes as u64 & 0xFF_FFFF) << 24 | self.phase << 48
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
        let shared = Shared::new(shared, Order::new(at[0].into()));
        Block {
            warps: (0..warps).map(|index| Warp::new(launch, at, index)).collect(),
            over: vec![false; warps],
            shared,
        }
    }

    /// The same memory for the next thread block.
    pub fn begin(&mut self, launch: &Launch<'_>, at: [u32; 3]) {
        self.shared.memory.fill(UNWRITTEN);
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
        let (count, first) = (self.warps.len(), self.shared.order.choose(self.warps.len()));
        for index in (first..count).chain(0..first) {
            let warp = &mut self.warps[index];
            if !self.over[index] {
                let turn = warp
                    .turn(launch, &mut self.shared)
                    .map_err(|why| format!("warp {index}: {why}"))?;
                self.over[index] = turn == Turn::Over;
                moved |= turn != Turn::Waiting;
            }
        }
        if self.over.iter().all(|&over| over) {
            self.shared.finish_boxes(launch.reach)?;
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
            false if self.warps.iter().any(Warp::awaits_before) => Ok(Turn::Waiting),
            false => Err("every thread waits for another one".into()),
        }
    }

    /// The launch before is done.
    pub fn go_on(&mut self) {
        self.warps.iter_mut().for_each(|warp| warp.release(BEFORE));
    }
}
