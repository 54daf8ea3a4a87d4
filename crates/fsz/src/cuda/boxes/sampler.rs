//! A field in device memory, of which the device counts the symbols of some boxes for the choice of layout, predictor and
//! tables.

use std::{
    cell::{OnceCell, RefCell},
    collections::VecDeque,
    ops::Range,
    slice,
};

use cudarc::driver::{result, sys};
use rayon::prelude::*;

use crate::cuda::{
    boxes::{
        compress::Chosen,
        last_choices::{Asked, Expected},
        scratch::{COUNTS_AHEAD, PROGRAM_BYTES, Scratch, TASKS_AHEAD, slot_len},
    },
    device::Device,
    driver::{
        aside::Aside,
        capture::not_captured,
        error::check,
        event::Event,
        workspace::{Queue, wait_for},
    },
    kernels::{
        abi::{Arguments, BoxCounts, BoxGrid, BoxGrids, BoxTask, BoxTasks, DenseWork, MOST_TASKS},
        kernel::{Coder, Kernel, Operation},
        module::{Launch, pointer},
    },
    stream_kind::beyond_devices,
};
use crate::{
    error::Result,
    float_mode::FloatMode,
    format::{
        TileGrid,
        dense::{BOX, Layout, MOST_FINE},
    },
    profile::dense::{Choice, Counted, Dense, InReach, Sampler, Spread},
};

/// Bytes of elements that come to pinned memory at a time, which is kept.
const GATHERED: usize = 32 << 20;

/// Sees to it that the elements of some boxes of a field are on the device.
pub(crate) type Bring<'a> = &'a dyn Fn(&TileGrid, Spread) -> Result<()>;

/// A field in device memory, whose boxes the device counts.
pub(in crate::cuda) struct OnDevice<'a, A> {
    pub device: &'a Device,
    pub coder: Coder,
    pub arguments: A,
    pub elements: u64,
    pub scratch: Scratch,
    /// What the parts of the scratch are counted from.
    pub at: u64,
    pub queue: sys::CUstream,
    /// Called before boxes are looked at, for a field that is still on its way.
    pub bring: Option<Bring<'a>>,
    /// The extents of boxes whose programs are in the scratch, in its order.
    pub made: RefCell<Vec<[u32; 4]>>,
    /// What will probably be asked for, in turn.
    pub expected: Expected,
    /// What of that the device counts, or has counted; what was asked for.
    pub ahead: RefCell<VecDeque<Ahead>>,
    pub asked: RefCell<Vec<Asked>>,
    /// Taken when it is needed.
    pub aside: OnceCell<Aside<'a>>,
    /// What all that is looked at is behind.
    pub begun: OnceCell<Event>,
}

/// What the device counts before it is asked for, and when that is done.
#[derive(Debug)]
pub(in crate::cuda) struct Ahead {
    asked: Asked,
    tasks: Vec<BoxTask>,
    counted: Event,
}

/// Room for what boxes come to: from where on counts and lists of exact boxes go, and which slots are free.
#[derive(Clone, Debug)]
struct Room {
    counts: u64,
    exact: u64,
    slots: Range<u64>,
}

impl<A: Arguments> OnDevice<'_, A> {
    /// Where the programs of each of some grids of the field are; enqueues making those that are not yet.
    pub fn programs(&self, grids: &[BoxGrid]) -> Result<Vec<u64>> {
        let mut made = self.made.borrow_mut();
        let before = made.len();
        let mut new = Vec::new();
        let number = |grid: &BoxGrid| {
            let known = made.iter().position(|extent| *extent == grid.extent);
            known.unwrap_or_else(|| {
                made.push(grid.extent);
                new.push(*grid);
                made.len() - 1
            })
        };
        let numbers: Vec<_> = grids.iter().map(number).collect();
        debug_assert!(made.len() <= Layout::ALL.len());
        let at = |number: usize| self.at + self.scratch.programs + PROGRAM_BYTES * number as u64;
        // SAFETY: the scratch has room for the programs of each layout's grid.
        unsafe { self.make_programs(&new, at(before))? };
        Ok(numbers.into_iter().map(at).collect())
    }

    /// Enqueues making the programs of some grids.
    ///
    /// # Safety
    /// `to` has room for them until the queue is past the launch.
    unsafe fn make_programs(&self, grids: &[BoxGrid], mut to: u64) -> Result<()> {
        let Some(first) = grids.first() else { return Ok(()) };
        let module = self.device.kernels.compress_boxes(self.coder, A::DTYPE)?;
        let shapes = &module.shapes;
        let mut all = BoxGrids { grid: [*first; _] };
        all.grid[..grids.len()].copy_from_slice(grids);
        let blocks = grids.len() as u64 * u64::from(shapes.programs);
        let launch = Launch::new(blocks, shapes.program_threads);
        let operation = Operation::PrepareCompress(self.coder);
        let kernel = Kernel { operation, dtype: A::DTYPE };
        let mut arguments = [pointer(&mut all), pointer(&mut to)];
        // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
        unsafe { module.launch(kernel, launch, self.queue, &mut arguments) }
    }

    /// A point of the queue behind what was in it at first. What will probably be asked for is enqueued then.
    pub fn begun(&self) -> Result<&Event> {
        if let Some(begun) = self.begun.get() {
            return Ok(begun);
        }
        let begun = Event::new()?;
        begun.record_in(self.queue)?;
        self.count_ahead()?;
        Ok(self.begun.get_or_init(|| begun))
    }

    /// Brings device memory to pinned memory, which takes a small part of the time of others, enqueues what `behind`
    /// does, waits for the copy alone, and gives what `take` makes of it.
    ///
    /// # Safety
    /// `from` holds so many `V`, of which any bytes are one.
    unsafe fn download<V: Copy, R>(
        &self,
        count: usize,
        from: u64,
        behind: impl FnOnce() -> Result<()>,
        take: impl FnOnce(&[V]) -> R,
    ) -> Result<R> {
        // SAFETY: the caller's promise.
        unsafe { self.download_made(None, (count, from), behind, take) }
    }

    /// The same; where what is copied was there at some point of the queue, as soon as that is past.
    ///
    /// # Safety
    /// As [`download`](Self::download).
    pub unsafe fn download_made<V: Copy, R>(
        &self,
        made: Option<&Event>,
        (count, from): (usize, u64),
        behind: impl FnOnce() -> Result<()>,
        take: impl FnOnce(&[V]) -> R,
    ) -> Result<R> {
        self.device.with_lane(count * size_of::<V>(), |lane| {
            let half = &lane.halves[0];
            // SAFETY: the lane has room for so many `V`, is aligned as pages are, and nothing else uses it until this
            // returns; the caller vouches for the rest.
            let pinned = unsafe { slice::from_raw_parts_mut(half.pinned().cast(), count) };
            let copied = Event::new()?;
            let queue = match made {
                Some(made) => {
                    made.hold(half.queue())?;
                    half.queue().handle()
                }
                None => self.queue,
            };
            // SAFETY: as the caller vouches; the copy is waited for.
            let enqueued = unsafe {
                check("cuMemcpyDtoHAsync", result::memcpy_dtoh_async(pinned, from, queue))
            };
            let recorded = enqueued.and_then(|()| copied.record_in(queue));
            let behind = recorded.and_then(|()| behind());
            // Also after an error no copy may be under way.
            let waited = match behind {
                Ok(()) => copied.wait(),
                // SAFETY: the queue is the caller's or the lane's, alive.
                Err(_) => unsafe { wait_for(queue) },
            };
            behind.and(waited)?;
            Ok(take(pinned))
        })
    }

    /// Waits for all that is in the queue.
    pub fn wait(&self) -> Result<()> {
        // SAFETY: the queue is the caller's, alive.
        unsafe { wait_for(self.queue) }
    }

    /// Does what waits for the device, which no graph could hold.
    pub fn waiting<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        // A wait would end the capture.
        not_captured(
            self.queue,
            "compressing by the profile dense looks at the field and waits for the device, so no CUDA graph can hold it: \
             code it like another stream",
        )?;
        let done = work();
        if done.is_err() {
            // Nothing may be under way from memory that is freed.
            self.wait()?;
        }
        done
    }

    /// Enqueues counting some boxes of each case in a stream that is past the making of their programs; gives where its
    /// counts and the list of its exact boxes are. `room` begins behind all that it takes of it.
    fn launch(
        &self,
        grids: &[BoxGrid],
        boxes: Spread,
        reach: bool,
        room: &mut Room,
        queue: sys::CUstream,
    ) -> Result<Vec<BoxTask>> {
        let module = self.device.kernels.compress_boxes(self.coder, A::DTYPE)?;
        let shapes = &module.shapes;
        // For the reach no box is predicted.
        let programs = if reach { vec![0; grids.len()] } else { self.programs(grids)? };
        let (own, places) = match boxes {
            Spread::Places(count) => (count, true),
            Spread::Boxes(count) => (count, false),
        };
        let task = |(&grid, programs): (&BoxGrid, u64)| {
            let boxes = own.min(grid.tiles.into()) as u32;
            let Room { counts, exact, .. } = *room;
            room.exact += 4 * u64::from(boxes);
            room.counts += size_of::<BoxCounts>() as u64;
            BoxTask { grid, programs, counts, exact, boxes, places: places.into() }
        };
        let tasks: Vec<BoxTask> = grids.iter().zip(programs).map(task).collect();
        let Some(first) = tasks.first().copied() else { return Ok(tasks) };
        let mut task = [first; MOST_TASKS];
        task[..tasks.len()].copy_from_slice(&tasks);
        let all = tasks.len() as u64;
        let boxes = tasks.iter().map(|task| u64::from(task.boxes)).max().unwrap_or(0);
        let mut arguments = self.arguments;
        let mut tasks_of_launch = BoxTasks { task, tasks: all as u32, reach: reach.into() };
        let mut work = DenseWork {
            programs: 0,
            rows: 0,
            tables: 0,
            slots: self.at + self.scratch.slots + slot_len(A::DTYPE) * room.slots.start,
            rooms: 0,
            table_words: 0,
            half_words: 0,
            predictors: 0,
            ahead: 0,
            first_chunk: 0,
            reserved: 0,
        };
        let multiprocessors = u64::from(self.device.multiprocessors);
        let slots = ((room.slots.end - room.slots.start) / all).max(1);
        let most = slots.min(shapes.count_warps.into());
        let warps = (all * boxes).div_ceil(multiprocessors).clamp(1, most);
        let blocks = boxes.div_ceil(warps).min(slots / warps).min((multiprocessors / all).max(1));
        let grid = all * blocks.max(1);
        room.slots.start += grid * warps;
        let launch = Launch {
            grid,
            threads: 32 * warps as u32,
            shared: shapes.counts + shapes.stage * warps as u32,
            cooperative: false,
            early: false,
        };
        let kernel = Kernel { operation: Operation::Count(self.coder), dtype: A::DTYPE };
        let mut arguments =
            [pointer(&mut arguments), pointer(&mut tasks_of_launch), pointer(&mut work)];
        // SAFETY: the arguments are those of the kernel; the scratch has room for counts, lists and warps.
        unsafe {
            let len = room.counts - first.counts;
            let cleared = result::memset_d8_async(first.counts, 0, len as usize, queue);
            check("cuMemsetD8Async", cleared)?;
            module.launch(kernel, launch, queue, &mut arguments)?;
        }
        Ok(tasks)
    }

    /// Enqueues what is asked for behind all else.
    fn look(&self, asked: &Asked) -> Result<Vec<BoxTask>> {
        let grids = box_grids(&asked.cases)?;
        self.launch(&grids, asked.boxes, asked.reach, &mut self.room(), self.queue)
    }

    /// Where what is asked for is counted.
    fn room(&self) -> Room {
        let Scratch { counts, exact, slots_len, .. } = self.scratch;
        let slots = 0..slots_len / slot_len(A::DTYPE);
        Room { counts: self.at + counts, exact: self.at + exact, slots }
    }

    /// Enqueues counting what will probably be asked for; the last of it, which takes longest, beside what comes before,
    /// where there is room.
    fn count_ahead(&self) -> Result<()> {
        let expected = &self.expected.asked;
        let tasks = expected.iter().map(|asked| asked.cases.len()).sum::<usize>();
        if expected.is_empty() || expected.len() > COUNTS_AHEAD || tasks > TASKS_AHEAD {
            return Ok(());
        }
        let grids = expected.iter().map(|asked| box_grids(&asked.cases));
        let grids = grids.collect::<Result<Vec<_>>>()?;
        self.programs(&grids.concat())?;
        let begin = Event::new()?;
        begin.record_in(self.queue)?;
        let Scratch { counts_ahead, exact_ahead, .. } = self.scratch;
        let all = self.room().slots;
        let mut room = Room {
            counts: self.at + counts_ahead,
            exact: self.at + exact_ahead,
            slots: all.clone(),
        };
        let mut used = 0;
        for (number, (asked, grids)) in expected.iter().zip(&grids).enumerate() {
            // Beside the others it has the slots that these leave, which must not be fewer than theirs.
            let is_beside = (1..=all.end / 2).contains(&used) && number + 1 == expected.len();
            let counted = Event::new()?;
            let (boxes, reach) = (asked.boxes, asked.reach);
            let tasks = if is_beside {
                room.slots = used..all.end;
                let aside = self.aside()?;
                begin.hold(aside)?;
                let tasks = self.launch(grids, boxes, reach, &mut room, aside.handle());
                // Also after an error, since something may be under way.
                counted.record(aside)?;
                counted.hold_in(self.queue)?;
                tasks?
            } else {
                room.slots = all.clone();
                let tasks = self.launch(grids, boxes, reach, &mut room, self.queue)?;
                // For the reach nothing is predicted.
                used = if reach { used } else { used.max(room.slots.start) };
                counted.record_in(self.queue)?;
                tasks
            };
            self.ahead.borrow_mut().push_back(Ahead { asked: asked.clone(), tasks, counted });
        }
        Ok(())
    }

    /// A stream beside the queue.
    fn aside(&self) -> Result<&Queue> {
        if let Some(aside) = self.aside.get() {
            return Ok(aside);
        }
        let aside = self.device.asides.take(&self.device.context)?;
        Ok(self.aside.get_or_init(|| aside))
    }

    /// What is asked for, if that was expected. Nothing else is expected where it was not.
    fn counted_ahead(&self, asked: &Asked) -> Option<Ahead> {
        let mut ahead = self.ahead.borrow_mut();
        let own = ahead.pop_front().filter(|own| own.asked.is(asked));
        if own.is_none() {
            ahead.clear();
        }
        own
    }

    /// What the field is expected to be coded by: waits until the device has counted what makes the tables. None where
    /// that is not probable enough, or the host would have to count.
    pub fn guess(&self) -> Result<Option<Chosen>> {
        let Some(dense) = self.expected.chosen else { return Ok(None) };
        let ahead = self.ahead.borrow();
        let Some(last) = ahead.back().filter(|last| last.asked.makes_tables(dense)) else {
            return Ok(None);
        };
        let found = self.counted(&last.tasks, Some(&last.counted))?;
        Ok(match &found[..] {
            [(counted, 0)] => Some(Chosen { dense, tables: counted.tables() }),
            _ => None,
        })
    }

    /// Waits for what boxes come to: of each task the counts, and how many boxes the host is to count.
    fn counted(&self, tasks: &[BoxTask], made: Option<&Event>) -> Result<Vec<(Counted, u32)>> {
        let Some(first) = tasks.first() else { return Ok(Vec::new()) };
        let of = |counts: &BoxCounts| {
            let all = Counted::of(&counts.histogram, counts.raw_bits, counts.elements);
            (all, counts.exact)
        };
        let all = |counts: &[BoxCounts]| counts.iter().map(of).collect();
        // SAFETY: the scratch has the counts of all tasks side by side, and any bytes are numbers.
        unsafe { self.download_made(made, (tasks.len(), first.counts), || Ok(()), all) }
    }

    /// Waits for what boxes have in reach.
    fn reached(&self, tasks: &[BoxTask], made: Option<&Event>) -> Result<Vec<Fits>> {
        let Some(first) = tasks.first() else { return Ok(Vec::new()) };
        if made.is_some() {
            let fits = |counts: &BoxCounts| std::array::from_fn(|fine| counts.fits[fine]);
            let all = |counts: &[BoxCounts]| counts.iter().map(fits).collect();
            // SAFETY: as in `counted`.
            return unsafe {
                self.download_made(made, (tasks.len(), first.counts), || Ok(()), all)
            };
        }
        // Side by side, where the warps are done: a copy to the host waits, be it as short as it may.
        let together = self.at + self.scratch.slots;
        for (number, task) in tasks.iter().enumerate() {
            let from = task.counts + std::mem::offset_of!(BoxCounts, fits) as u64;
            let (len, at) = (size_of::<Fits>(), size_of::<Fits>() * number);
            // SAFETY: the counts have as many numbers there; a slot has more bytes than those of all tasks.
            let copied =
                unsafe { result::memcpy_dtod_async(together + at as u64, from, len, self.queue) };
            check("cuMemcpyDtoDAsync", copied)?;
        }
        // While the host looks at what is found, the device makes the programs for what comes next.
        let grids: Vec<_> = tasks.iter().map(|task| task.grid).collect();
        let next = || self.programs(&grids).map(drop);
        // SAFETY: they were copied there, and any bytes are numbers.
        unsafe { self.download(tasks.len(), together, next, <[Fits]>::to_vec) }
    }

    /// Sees to it that boxes of each of some grids are on the device.
    fn bring<'g>(
        &self,
        mut grids: impl Iterator<Item = &'g TileGrid>,
        boxes: Spread,
    ) -> Result<()> {
        match self.bring {
            Some(bring) => grids.try_for_each(|grid| bring(grid, boxes)),
            None => Ok(()),
        }
    }

    /// Adds the boxes of which all elements are exact, which the host counts.
    fn add_exact(
        &self,
        counted: &mut Counted,
        (grid, choice): &(TileGrid, Choice),
        (list, count): (u64, u32),
    ) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let module = self.device.kernels.compress_boxes(self.coder, A::DTYPE)?;
        // SAFETY: the list has so many numbers.
        let tiles = unsafe { self.download(count as usize, list, || Ok(()), <[u32]>::to_vec)? };
        let mut own = box_grid(grid, *choice)?;
        let mut arguments = self.arguments;
        let mut field = arguments.common().field;
        let mut to = self.at + self.scratch.slots;
        let kernel = Kernel { operation: Operation::Gather(self.coder), dtype: A::DTYPE };
        let room =
            (self.scratch.slots_len as usize).min(GATHERED) / (BOX * size_of::<A::Element>());
        let mut listed = list;
        for tiles in tiles.chunks(room) {
            let mut arguments =
                [pointer(&mut field), pointer(&mut own), pointer(&mut listed), pointer(&mut to)];
            let launch = Launch::new(tiles.len() as u64, module.shapes.gather_threads);
            let count = |(&tile, elements): (&u32, &[A::Element])| {
                let _mode = FloatMode::standard();
                Counted::exact(&elements[..grid.tile_len(tile.into())])
            };
            let together = |mut all: Counted, own: Counted| {
                all.add(&own);
                all
            };
            let all = |elements: &[A::Element]| {
                let found = tiles.par_iter().zip(elements.par_chunks(BOX)).map(count);
                found.reduce(Counted::empty, together)
            };
            // SAFETY: the arguments are those of the kernel; the field is whole, there is room for so many
            // boxes, and the copy is waited for.
            let found = unsafe {
                module.launch(kernel, launch, self.queue, &mut arguments)?;
                self.download(BOX * tiles.len(), to, || Ok(()), all)?
            };
            counted.add(&found);
            listed += size_of_val(tiles) as u64;
        }
        Ok(())
    }
}

impl<A: Arguments> Sampler for OnDevice<'_, A> {
    fn elements(&self) -> u64 {
        self.elements
    }

    fn in_reach(&self, grids: &[TileGrid], boxes: Spread) -> Result<Vec<InReach>> {
        let some = grids.iter().filter(|grid| grid.tiles() > 0);
        let cases: Vec<_> = some.map(|grid| (grid.clone(), Choice::default())).collect();
        let asked = Asked { cases, boxes, reach: true };
        self.bring(grids.iter(), boxes)?;
        let found = match self.counted_ahead(&asked) {
            Some(own) => self.reached(&own.tasks, Some(&own.counted))?,
            None => self.reached(&self.look(&asked)?, None)?,
        };
        self.asked.borrow_mut().push(asked);
        let mut found = found.into_iter().map(|fits| fits.map(u64::from));
        let own = |grid: &TileGrid| match grid.tiles() {
            0 => InReach::default(),
            _ => found.next().unwrap_or_default(),
        };
        Ok(grids.iter().map(own).collect())
    }

    fn count(&self, cases: &[(TileGrid, Choice)], boxes: Spread) -> Result<Vec<Counted>> {
        let some = cases.iter().filter(|(grid, _)| grid.tiles() > 0);
        let asked = Asked { cases: some.cloned().collect(), boxes, reach: false };
        self.bring(cases.iter().map(|(grid, _)| grid), boxes)?;
        let (tasks, made) = match self.counted_ahead(&asked) {
            Some(own) => (own.tasks, Some(own.counted)),
            None => (self.look(&asked)?, None),
        };
        self.asked.borrow_mut().push(asked);
        let found = self.counted(&tasks, made.as_ref())?;
        let mut found = tasks.iter().zip(found);
        let own = |case: &(TileGrid, Choice)| {
            let Some((task, (mut all, exact))) =
                (case.0.tiles() > 0).then(|| found.next()).flatten()
            else {
                return Ok(Counted::empty());
            };
            self.add_exact(&mut all, case, (task.exact, exact))?;
            Ok(all)
        };
        cases.iter().map(own).collect()
    }
}

/// How many boxes have each lattice in reach.
type Fits = [u32; MOST_FINE as usize + 1];

pub(in crate::cuda) fn box_grid(grid: &TileGrid, choice: Choice) -> Result<BoxGrid> {
    BoxGrid::new(grid, Dense::numbers_of(choice)).ok_or_else(beyond_devices)
}

fn box_grids(cases: &[(TileGrid, Choice)]) -> Result<Vec<BoxGrid>> {
    cases.iter().map(|(grid, choice)| box_grid(grid, *choice)).collect()
}
