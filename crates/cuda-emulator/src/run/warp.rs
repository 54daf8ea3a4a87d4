//! A warp: 32 lanes, each with a place in the program.
//!
//! Lanes at the same place go together. Of several groups the one with the earliest place goes first in the regular
//! order, so that they meet again behind a branch. Only what PTX promises holds them together: a lane waits for others at the instructions
//! that name them, and nowhere else.

use super::{
    block::Shared,
    code::{Access, Instruction, Operation, Phase, Program, Shuffle, Source, Special, Vote},
    lanes::{Lanes, Mask, WIDTH, ballot, lanes},
    memory::{PRIVATE, Reach, SHARED, UNWRITTEN},
    tensor::{LaterBox, TensorMap},
};
use crate::ptx::parse::{Result, Space};

/// What all threads of a launch share.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub program: &'a Program,
    pub arguments: &'a [u8],
    pub grid: [u32; 3],
    pub threads: [u32; 3],
    pub reach: &'a Reach,
}

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
    registers: Vec<Lanes>,
    private: Vec<u8>,
    private_len: usize,
    places: [usize; WIDTH],
    /// Lanes that have not ended.
    live: Mask,
    /// Lanes that wait for others of the warp, at an instruction that names them.
    waiting: Mask,
    /// Lanes that wait for others of the thread block, and the barrier of each.
    at_barrier: Mask,
    barriers: [u8; WIDTH],
    copies: Vec<LaterCopy>,
    /// Groups of copies that each lane has closed.
    groups: [u32; WIDTH],
    last: (u64, u64),
}

/// A copy to shared memory that was asked for and is not done.
#[derive(Clone, Copy, Debug)]
struct LaterCopy {
    lane: usize,
    group: u32,
    to: u64,
    from: u64,
    len: usize,
    read: usize,
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

    /// Lets the lanes that wait at a barrier of the thread block go on.
    pub fn release(&mut self, barrier: u8) {
        let released = lanes(self.at_barrier).filter(|&lane| self.barriers[lane] == barrier);
        let released = released.fold(0, |mask: Mask, lane| mask | 1 << lane);
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
                        let value =
                            self.load(launch, shared, lane, access, address, access.size)?;
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
                    let old = self.load(launch, shared, lane, access, address, access.size)?;
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

    fn source<'s>(&'s self, program: &'s Program, source: Source) -> &'s Lanes {
        match source {
            Source::Register(register) => &self.registers[register],
            Source::Constant(constant) => &program.constants[constant],
        }
    }

    fn write(&mut self, program: &Program, to: usize, values: &Lanes, active: Mask) {
        let bits = program.registers[to];
        let register = &mut self.registers[to];
        if active == !0 {
            register.iter_mut().zip(values).for_each(|(to, &value)| *to = cut(value, bits));
        } else {
            lanes(active).for_each(|lane| register[lane] = cut(values[lane], bits));
        }
    }

    /// Copies between parameters.
    fn copy(&mut self, lane: usize, copies: &[super::code::Copy]) {
        let base = lane * self.private_len;
        for copy in copies {
            let from = base + copy.from;
            self.private.copy_within(from..from + copy.len, base + copy.to);
        }
    }

    /// Lanes whose partners may have ended since; whether any went on.
    fn meet_again(&mut self, launch: &Launch<'_>) -> Result<bool> {
        let places: Vec<usize> = lanes(self.waiting).map(|lane| self.places[lane]).collect();
        let before = self.waiting;
        for place in places {
            self.meet(launch.program, place)?;
        }
        Ok(self.waiting != before)
    }

    /// Executes the instruction at `place` for the lanes that wait there, where all that they name are there.
    fn meet(&mut self, program: &Program, place: usize) -> Result<()> {
        let instruction = &program.instructions[place];
        let mut here = lanes(self.waiting)
            .filter(|&lane| self.places[lane] == place)
            .fold(0, |mask: Mask, lane| mask | 1 << lane);
        let named = match instruction.operation {
            Operation::WarpBarrier => instruction.from[0],
            _ => *instruction.from.last().ok_or("no mask")?,
        };
        let named = *self.source(program, named);
        while here != 0 {
            let lane = here.trailing_zeros() as usize;
            let mask = named[lane] as Mask;
            if mask >> lane & 1 == 0 {
                return Err(format!("lane {lane} is not in its own mask {mask:#x}"));
            }
            let wanted = mask & self.live;
            // A barrier may be met at different instructions; all else at one.
            let there = match instruction.operation {
                Operation::WarpBarrier => lanes(self.waiting)
                    .filter(|&l| {
                        matches!(
                            program.instructions[self.places[l]].operation,
                            Operation::WarpBarrier
                        )
                    })
                    .fold(0, |mask: Mask, lane| mask | 1 << lane),
                _ => here,
            };
            if wanted & !there != 0 {
                here &= !(1 << lane);
                continue;
            }
            if let Some(other) = lanes(wanted & here).find(|&other| named[other] as Mask != mask) {
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
            Operation::Reduce(reduce) => {
                let values = source(0);
                let result = lanes(together).map(|lane| values[lane] as u32).reduce(reduce);
                let result = u64::from(result.unwrap_or(0));
                self.write(program, instruction.to[0], &[result; WIDTH], together);
            }
            _ => (),
        }
    }

    /// The bytes of an access in a thread's own memory.
    fn own(&self, lane: usize, at: u64, size: usize) -> Result<usize> {
        match at.checked_add(size as u64) {
            Some(end) if end <= self.private_len as u64 => {
                Ok(lane * self.private_len + at as usize)
            }
            _ => Err(format!("{size} bytes at {at:#x} of a thread's own memory are outside of it")),
        }
    }

    fn load(
        &mut self,
        launch: &Launch<'_>,
        shared: &Shared,
        lane: usize,
        access: &Access,
        address: u64,
        size: usize,
    ) -> Result<u64> {
        aligned(address, size)?;
        Ok(match place(access.space, address) {
            Place::Shared(at) => number(shared.bytes(at, size)?),
            Place::Private(at) => {
                let at = self.own(lane, at, size)?;
                number(&self.private[at..at + size])
            }
            Place::Global(at) => {
                let pointer = launch.reach.pointer(at, size, &mut self.last);
                let pointer = pointer.ok_or_else(|| outside("read", at, size, lane))?;
                // SAFETY: the bytes are within an allocation, which lives as long as the launch; kernels run one at
                // a time.
                number(unsafe { std::slice::from_raw_parts(pointer, size) })
            }
        })
    }

    fn store(
        &mut self,
        launch: &Launch<'_>,
        shared: &mut Shared,
        lane: usize,
        access: &Access,
        address: u64,
        value: u64,
    ) -> Result<()> {
        let size = access.size;
        aligned(address, size)?;
        match place(access.space, address) {
            Place::Shared(at) => put(shared.bytes_mut(at, size)?, value),
            Place::Private(at) => {
                let at = self.own(lane, at, size)?;
                put(&mut self.private[at..at + size], value);
            }
            Place::Global(at) => {
                let pointer = launch.reach.pointer(at, size, &mut self.last);
                let pointer = pointer.ok_or_else(|| outside("written", at, size, lane))?;
                // SAFETY: as in `load`.
                put(unsafe { std::slice::from_raw_parts_mut(pointer, size) }, value);
            }
        }
        Ok(())
    }

    /// The map of a tensor at a generic address.
    fn tensor_map(&mut self, launch: &Launch<'_>, lane: usize, address: u64) -> Result<TensorMap> {
        let bytes = match place(Space::Generic, address) {
            Place::Private(at) => {
                let at = self.own(lane, at, TensorMap::LEN)?;
                &self.private[at..at + TensorMap::LEN]
            }
            Place::Global(at) => {
                let pointer = launch.reach.pointer(at, TensorMap::LEN, &mut self.last);
                let pointer = pointer.ok_or_else(|| outside("read", at, TensorMap::LEN, lane))?;
                // SAFETY: as in `load`.
                unsafe { std::slice::from_raw_parts(pointer, TensorMap::LEN) }
            }
            Place::Shared(_) => return Err("a tensor's map in shared memory".into()),
        };
        TensorMap::of(bytes).ok_or_else(|| "that is no map of a tensor".into())
    }

    /// Does the copies of a lane in groups before `end`.
    fn finish_copies(
        &mut self,
        launch: &Launch<'_>,
        shared: &mut Shared,
        lane: usize,
        end: u32,
    ) -> Result<()> {
        let is_due = |copy: &LaterCopy| copy.lane == lane && copy.group < end;
        for copy in self.copies.extract_if(.., |copy| is_due(copy)) {
            let to = shared.bytes_mut(copy.to, copy.len)?;
            to[copy.read..].fill(0);
            if copy.read > 0 {
                let pointer = launch.reach.pointer(copy.from, copy.read, &mut self.last);
                let pointer = pointer.ok_or_else(|| outside("read", copy.from, copy.read, lane))?;
                // SAFETY: as in `load`; shared memory is no allocation that kernels reach so.
                unsafe { pointer.copy_to_nonoverlapping(to.as_mut_ptr(), copy.read) };
            }
        }
        Ok(())
    }
}

/// What registers hold before they are written.
const UNWRITTEN_WORD: u64 = u64::from_ne_bytes([UNWRITTEN; 8]);

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

enum Place {
    Shared(u64),
    Private(u64),
    Global(u64),
}

fn place(space: Space, address: u64) -> Place {
    match space {
        Space::Shared => Place::Shared(address),
        Space::Local | Space::Param => Place::Private(address),
        Space::Global => Place::Global(address),
        Space::Generic => match address {
            SHARED..PRIVATE => Place::Shared(address - SHARED),
            at if at >= PRIVATE && at - PRIVATE < PRIVATE - SHARED => Place::Private(at - PRIVATE),
            at => Place::Global(at),
        },
    }
}

/// One, two, four or eight bytes as a number: a copy of a length that the compiler knows.
#[inline(always)]
fn number(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}

/// The reverse: the low bytes of a number.
#[inline(always)]
fn put(to: &mut [u8], value: u64) {
    let [a, b, c, d, ..] = value.to_le_bytes();
    match to {
        [to] => *to = a,
        [_, _] => to.copy_from_slice(&[a, b]),
        [_, _, _, _] => to.copy_from_slice(&[a, b, c, d]),
        _ => to.copy_from_slice(&value.to_le_bytes()[..to.len()]),
    }
}

fn element(address: u64, access: &Access, at: usize) -> u64 {
    address.wrapping_add_signed(access.offset).wrapping_add((at * access.size) as u64)
}

fn aligned(address: u64, size: usize) -> Result<()> {
    match address & (size as u64 - 1) {
        0 => Ok(()),
        _ => Err(format!("{size} bytes at {address:#x}, which is not aligned to them")),
    }
}

fn outside(what: &str, at: u64, size: usize, lane: usize) -> String {
    format!("{size} bytes at {at:#x}, {what} by lane {lane}, are in no allocation")
}

/// The low bits of a value that a register has.
fn cut(value: u64, bits: u8) -> u64 {
    if bits < 64 { value & ((1 << bits) - 1) } else { value }
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
