//! A warp: 32 lanes, each with a place in the program.
//!
//! Lanes at the same place go together. Of several groups the one with the earliest place goes first in the regular
//! order, so that they meet again behind a branch. Only what PTX promises holds them together: a lane waits for others at the instructions
//! that name them, and nowhere else.

use std::cell::Cell;

use super::{
    access::element,
    block::Shared,
    code::{Copy, Instruction, Operation, Phase, Program, Source, Special},
    lanes::{Lanes, Mask, WIDTH, ballot, lanes, mask},
    memory::{Reach, UNWRITTEN},
    tensor::LaterBox,
};
use crate::ptx::parse::Result;

/// What all threads of a launch share.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub program: &'a Program,
    pub arguments: &'a [u8],
    pub grid: [u32; 3],
    pub threads: [u32; 3],
    pub reach: &'a Reach,
    /// The launch before is done.
    pub after: Cell<bool>,
}

/// The number of a barrier that stands for the end of the launch before.
pub(super) const BEFORE: u8 = u8::MAX;

/// Where a warp's turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It could go on.
    Running,
    /// All that is left of it waits for other warps.
    Waiting,
    Over,
}

/// The state of 32 lanes.
#[derive(Debug)]
pub(crate) struct Warp {
    pub(super) registers: Vec<Lanes>,
    pub(super) private: Vec<u8>,
    pub(super) private_len: usize,
    pub(super) places: [usize; WIDTH],
    /// Lanes that have not ended.
    pub(super) live: Mask,
    /// Lanes that wait for others of the warp, at an instruction that names them.
    pub(super) waiting: Mask,
    /// Lanes that wait for others of the thread block, and the barrier of each.
    at_barrier: Mask,
    barriers: [u8; WIDTH],
    pub(super) copies: Vec<LaterCopy>,
    /// Groups of copies that each lane has closed.
    groups: [u32; WIDTH],
    pub(super) last: (u64, u64),
}

/// A copy to shared memory that was asked for and is not done.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaterCopy {
    pub(super) lane: usize,
    pub(super) group: u32,
    pub(super) to: u64,
    pub(super) from: u64,
    pub(super) len: usize,
    pub(super) read: usize,
}

impl Warp {
    /// Warp `index` of thread block `block`, at the entry point.
    pub fn new(launch: &Launch<'_>, block: [u32; 3], index: usize) -> Self {
        let program = launch.program;
        let mut warp = Warp {
            registers: vec![[UNWRITTEN_WORD; WIDTH]; program.registers.len()],
            private: vec![UNWRITTEN; WIDTH * program.private],
            private_len: program.private,
            places: [program.entry; WIDTH],
            live: 0,
            waiting: 0,
            at_barrier: 0,
            barriers: [0; WIDTH],
            copies: Vec::new(),
            groups: [0; WIDTH],
            last: (0, 0),
        };
        warp.begin(launch, block, index);
        warp
    }

    /// The same for the next thread block.
    pub fn begin(&mut self, launch: &Launch<'_>, block: [u32; 3], index: usize) {
        let [x, y, z] = launch.threads.map(|n| n as usize);
        let of_warp = (x * y * z).saturating_sub(index * WIDTH).min(WIDTH);
        self.live = if of_warp == WIDTH { !0 } else { (1 << of_warp) - 1 };
        self.places = [launch.program.entry; WIDTH];
        self.groups = [0; WIDTH];
        for &(special, register) in &launch.program.special {
            for lane in 0..WIDTH {
                let thread = index * WIDTH + lane;
                let value = match special {
                    Special::Thread(axis) => {
                        [thread % x, thread / x % y, thread / (x * y)][axis] as u32
                    }
                    Special::Threads(axis) => launch.threads[axis],
                    Special::Block(axis) => block[axis],
                    Special::Blocks(axis) => launch.grid[axis],
                    Special::Lane => lane as u32,
                    Special::Warp => index as u32,
                    Special::Lanes(ordering) => ordering.lanes(lane),
                };
                self.registers[register][lane] = u64::from(value);
            }
        }
        let mut at = 0;
        for &(place, len) in &launch.program.arguments {
            for lane in lanes(self.live) {
                let to = lane * self.private_len + place;
                self.private[to..to + len].copy_from_slice(&launch.arguments[at..at + len]);
            }
            at += len;
        }
    }

    /// Threads that have not ended.
    pub fn live(&self) -> u32 {
        self.live.count_ones()
    }

    /// Whether lanes wait for the end of the launch before.
    pub fn awaits_before(&self) -> bool {
        lanes(self.at_barrier).any(|lane| self.barriers[lane] == BEFORE)
    }

    /// Lets the lanes that wait at a barrier of the thread block go on.
    pub fn release(&mut self, barrier: u8) {
        let released = lanes(self.at_barrier).filter(|&lane| self.barriers[lane] == barrier);
        let released = mask(released);
        self.at_barrier &= !released;
        lanes(released).for_each(|lane| self.places[lane] += 1);
    }

    /// Runs the lanes that can go on.
    ///
    /// # Errors
    /// What a device would end the program for.
    pub fn turn(&mut self, launch: &Launch<'_>, shared: &mut Shared) -> Result<Turn> {
        let mut left = shared.order.turn();
        loop {
            let ready = self.live & !self.waiting & !self.at_barrier;
            if ready == 0 {
                if self.live == 0 {
                    return Ok(Turn::Over);
                }
                // Those that were waited for may have ended.
                if self.waiting == 0 || !self.meet_again(launch)? {
                    return Ok(Turn::Waiting);
                }
                continue;
            }
            let least = lanes(ready).map(|lane| self.places[lane]).min().unwrap_or(0);
            let place = match shared.order.choose(4) {
                3 => self.places[shared.order.choose(WIDTH)].max(least),
                _ => least,
            };
            let place =
                if lanes(ready).any(|lane| self.places[lane] == place) { place } else { least };
            let (mut group, mut next) = (0, usize::MAX);
            for lane in lanes(ready) {
                match self.places[lane] {
                    at if at == place => group |= 1 << lane,
                    at if at > place => next = next.min(at),
                    _ => (),
                }
            }
            if !self.run(launch, shared, group, place, next, &mut left)? {
                return Ok(Turn::Running);
            }
        }
    }

    /// Runs `group` from `place` until it meets the lanes at `next`, splits, waits or ends; false when the turn is
    /// over.
    fn run(
        &mut self,
        launch: &Launch<'_>,
        shared: &mut Shared,
        group: Mask,
        mut place: usize,
        next: usize,
        left: &mut usize,
    ) -> Result<bool> {
        let program = launch.program;
        loop {
            if place >= next {
                lanes(group).for_each(|lane| self.places[lane] = place);
                return Ok(true);
            }
            if *left == 0 {
                lanes(group).for_each(|lane| self.places[lane] = place);
                return Ok(false);
            }
            *left -= 1;
            shared.executed += 1;
            let instruction = &program.instructions[place];
            let active = match instruction.guard {
                None => group,
                Some((register, expected)) => {
                    let set = ballot(&self.registers[register]);
                    group & if expected { set } else { !set }
                }
            };
            let went = self.execute(launch, shared, instruction, active, place);
            let went =
                went.map_err(|why| format!("line {} of the PTX: {why}", instruction.line))?;
            match went {
                Went::On => place += 1,
                Went::To(target) if active == group => place = target,
                Went::To(target) => {
                    for lane in lanes(group) {
                        self.places[lane] =
                            if active >> lane & 1 != 0 { target } else { place + 1 };
                    }
                    return Ok(true);
                }
                // The active lanes have places already, or none any more.
                Went::Apart => {
                    lanes(group & !active).for_each(|lane| self.places[lane] = place + 1);
                    return Ok(true);
                }
                Went::Later => {
                    lanes(group).for_each(|lane| self.places[lane] = place + 1);
                    return Ok(false);
                }
            }
        }
    }

    fn execute(
        &mut self,
        launch: &Launch<'_>,
        shared: &mut Shared,
        instruction: &Instruction,
        active: Mask,
        place: usize,
    ) -> Result<Went> {
        let program = launch.program;
        let from = &instruction.from;
        match &instruction.operation {
            _ if active == 0 => return Ok(Went::On),
            Operation::Nothing => (),
            Operation::Compute(compute) => {
                let none = &[0; WIDTH];
                let source = |i: usize| from.get(i).map_or(none, |&s| self.source(program, s));
                let results = compute([source(0), source(1), source(2), source(3)]);
                self.write(program, instruction.to[0], &results, active);
            }
            Operation::Move => {
                let value = *self.source(program, from[0]);
                self.write(program, instruction.to[0], &value, active);
            }
            &Operation::Pack(bits) => {
                let mut whole = [0; WIDTH];
                for (at, &source) in from.iter().enumerate() {
                    let part = self.source(program, source);
                    let shift = at as u32 * bits;
                    whole.iter_mut().zip(part).for_each(|(whole, part)| *whole |= part << shift);
                }
                self.write(program, instruction.to[0], &whole, active);
            }
            &Operation::Unpack(bits) => {
                let whole = *self.source(program, from[0]);
                for (at, &to) in instruction.to.iter().enumerate() {
                    let part = whole.map(|whole| whole >> (at as u32 * bits));
                    self.write(program, to, &part, active);
                }
            }
            Operation::Load(access) => {
                let addresses = *self.source(program, from[0]);
                for (at, &to) in instruction.to.iter().enumerate() {
                    let bits = program.registers[to];
                    for lane in lanes(active) {
                        let address = element(addresses[lane], access, at);
                        let value = self.load(launch, shared, lane, access, address)?;
                        let value = match access.signed {
                            true => {
                                let unused = 64 - 8 * access.size as u32;
                                ((value << unused) as i64 >> unused) as u64
                            }
                            false => value,
                        };
                        self.registers[to][lane] = cut(value, bits);
                    }
                }
            }
            Operation::Store(access) => {
                let addresses = *self.source(program, from[0]);
                for (at, &value) in from[1..].iter().enumerate() {
                    let values = *self.source(program, value);
                    for lane in lanes(active) {
                        let address = element(addresses[lane], access, at);
                        self.store(launch, shared, lane, access, address, values[lane])?;
                    }
                }
            }
            Operation::Atomic(access, update) => {
                let addresses = *self.source(program, from[0]);
                let value =
                    |i: usize| from.get(i).map_or([0; WIDTH], |&s| *self.source(program, s));
                let (first, second) = (value(1), value(2));
                for lane in lanes(active) {
                    let address = element(addresses[lane], access, 0);
                    let old = self.load(launch, shared, lane, access, address)?;
                    let new = update([old, first[lane], second[lane]]);
                    self.store(launch, shared, lane, access, address, new)?;
                    self.registers[instruction.to[0]][lane] = old;
                }
            }
            &Operation::Branch(target) => return Ok(Went::To(target)),
            Operation::Call { target, back, copies } => {
                for lane in lanes(active) {
                    self.registers[*back][lane] = place as u64 + 1;
                    self.copy(lane, copies);
                }
                return Ok(Went::To(*target));
            }
            Operation::Returned(copies) => lanes(active).for_each(|lane| self.copy(lane, copies)),
            &Operation::Return(back) => {
                for lane in lanes(active) {
                    self.places[lane] = self.registers[back][lane] as usize;
                }
                return Ok(Went::Apart);
            }
            Operation::Exit => {
                for lane in lanes(active) {
                    self.finish_copies(launch, shared, lane, u32::MAX)?;
                }
                self.live &= !active;
                return Ok(Went::Apart);
            }
            Operation::Yield => return Ok(Went::Later),
            Operation::Shuffle(_)
            | Operation::Vote(_)
            | Operation::Reduce(_)
            | Operation::Transpose
            | Operation::Match
            | Operation::WarpBarrier => {
                lanes(active).for_each(|lane| self.places[lane] = place);
                self.waiting |= active;
                self.meet(program, place)?;
                return Ok(Went::Apart);
            }
            Operation::BlockBarrier => {
                let barrier = *self.source(program, from[0]);
                let count = from.get(1).map(|&count| *self.source(program, count));
                self.at_barrier |= active;
                for lane in lanes(active) {
                    self.places[lane] = place;
                    self.barriers[lane] = barrier[lane] as u8;
                    shared.arrive(barrier[lane] as u8, count.map(|count| count[lane] as u32))?;
                }
                return Ok(Went::Apart);
            }
            Operation::AwaitBefore if !launch.after.get() => {
                self.at_barrier |= active;
                for lane in lanes(active) {
                    (self.places[lane], self.barriers[lane]) = (place, BEFORE);
                }
                return Ok(Went::Apart);
            }
            Operation::AwaitBefore => (),
            &Operation::CopyLater(len) => {
                let [to, source, read] = [0, 1, 2].map(|i| *self.source(program, from[i]));
                for lane in lanes(active) {
                    if to[lane] % len as u64 != 0 || source[lane] % len as u64 != 0 {
                        return Err("a copy that is not aligned".into());
                    }
                    self.copies.push(LaterCopy {
                        lane,
                        group: self.groups[lane],
                        to: to[lane],
                        from: source[lane],
                        len,
                        read: (read[lane] as usize).min(len),
                    });
                }
            }
            Operation::EndGroup => lanes(active).for_each(|lane| self.groups[lane] += 1),
            &Operation::FinishCopies(left) => {
                for lane in lanes(active) {
                    let end = left.map_or(u32::MAX, |left| self.groups[lane].saturating_sub(left));
                    self.finish_copies(launch, shared, lane, end)?;
                }
            }
            Operation::CopyBox => {
                let [to, map, column, row, barrier] =
                    [0, 1, 2, 3, 4].map(|i| *self.source(program, from[i]));
                for lane in lanes(active) {
                    let map = self.tensor_map(launch, lane, map[lane])?;
                    let [column, row] = [column[lane] as i32, row[lane] as i32];
                    let (to, barrier) = (to[lane], barrier[lane]);
                    shared.copy_later(LaterBox { map, to, column, row, barrier });
                }
            }
            &Operation::Phase(phase) => {
                if phase == Phase::IsOver {
                    shared.finish_boxes(launch.reach)?;
                }
                let [addresses, value] =
                    [0, 1].map(|i| from.get(i).map_or([0; WIDTH], |&s| *self.source(program, s)));
                for lane in lanes(active) {
                    let result = shared.phase(phase, addresses[lane], value[lane])?;
                    if let Some(&to) = instruction.to.first() {
                        self.registers[to][lane] = result;
                    }
                }
                if phase == Phase::IsOver {
                    // Who asks may ask for long.
                    return Ok(Went::Later);
                }
            }
        }
        Ok(Went::On)
    }

    pub(super) fn source<'s>(&'s self, program: &'s Program, source: Source) -> &'s Lanes {
        match source {
            Source::Register(register) => &self.registers[register],
            Source::Constant(constant) => &program.constants[constant],
        }
    }

    pub(super) fn write(&mut self, program: &Program, to: usize, values: &Lanes, active: Mask) {
        let bits = program.registers[to];
        let register = &mut self.registers[to];
        if active == !0 {
            register.iter_mut().zip(values).for_each(|(to, &value)| *to = cut(value, bits));
        } else {
            lanes(active).for_each(|lane| register[lane] = cut(values[lane], bits));
        }
    }

    /// Copies between parameters.
    fn copy(&mut self, lane: usize, copies: &[Copy]) {
        let base = lane * self.private_len;
        for copy in copies {
            let from = base + copy.from;
            self.private.copy_within(from..from + copy.len, base + copy.to);
        }
    }
}

/// What registers hold before they are written.
pub(super) const UNWRITTEN_WORD: u64 = u64::from_ne_bytes([UNWRITTEN; 8]);

/// Where an instruction left the lanes that executed it.
enum Went {
    /// Behind it.
    On,
    To(usize),
    /// Each where it says.
    Apart,
    /// Behind it, but others first.
    Later,
}

/// The low bits of a value that a register has.
fn cut(value: u64, bits: u8) -> u64 {
    if bits < 64 { value & ((1 << bits) - 1) } else { value }
}
