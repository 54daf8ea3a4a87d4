//! Compression by the profile `dense`: the device counts the symbols of some boxes, the host chooses layout,
//! predictor and tables by them, and the device encodes.

use std::{borrow::Cow, cell::RefCell, marker::PhantomData, slice};

use cudarc::driver::{result, sys};
use rayon::prelude::*;

use super::{
    abi::{
        Arguments, BoxCounts, BoxGrid, BoxGrids, BoxTask, BoxTasks, CompressArgs, Control,
        DenseWork, MOST_BOXES, MOST_TASKS, Sections, SymbolRow,
    },
    capture::not_captured,
    compress::{ENTRIES_AT, image},
    decompress::VECTOR,
    device::Device,
    error::check,
    event::Event,
    kernel::{Coder, Kernel, Operation},
    kernels::{Launch, pointer},
    relative::without_samples,
    resident_tables::Place,
    stream_kind::beyond_devices,
    teams::{FEWEST_TEAMS, LEAST_PREDICTORS, Teams},
};
use crate::{
    bound::Limit,
    dtype::DType,
    element::Element,
    error::{Error, Result},
    format::{
        self, RelativePart, TileGrid,
        dense::{BOX, DIFFERENCE_SYMBOLS, Layout, MOST_FINE, MOST_TABLES, RESIDUAL_SYMBOLS},
        header,
        sections::max_compressed_len,
    },
    options::CompressOptions,
    profile::{
        Plan, Profile,
        dense::{
            CHOOSING, CHUNKS, Choice, Counted, Dense, FITTING, FITTING_SHARE, InReach, Sampler,
            Spread, SymbolSlots,
        },
    },
    quantizer::{Linear, Quantizer},
    schedule::too_small,
};

/// Bytes of all programs, and of what a warp predicts, of `f32` and `f64`: as the module says.
pub(crate) const PROGRAM_BYTES: u64 = 8 * (32 + 28 * (40 + 64) + 2 * 320 * 128);
pub(crate) const SLOT_BYTES: [u64; 2] = [
    slot_bytes(RECORD_BYTES[0], DType::F32.words() as u64),
    slot_bytes(RECORD_BYTES[1], DType::F64.words() as u64),
];
/// Bytes of the record of a box, of `f32` and `f64`.
pub(crate) const RECORD_BYTES: [u64; 2] =
    [record_bytes(DType::F32.words() as u64), record_bytes(DType::F64.words() as u64)];

const fn record_bytes(words: u64) -> u64 {
    4 * (3 + BOX as u64 / 8 + BOX as u64 / 4 * words)
}

/// Of two boxes, one of which is coded while the other is predicted.
const fn slot_bytes(record: u64, words: u64) -> u64 {
    let events = 4 * 32 * 321;
    let differences = 8 * words * BOX as u64;
    let values = if events > differences { events } else { differences };
    2 * (events + values + BOX as u64 / 8 + record).next_multiple_of(16)
}

/// Bytes that the teams' memory takes at most; fewer teams work where that is too little for all.
const MOST_SLOTS: u64 = 5 << 28;
/// Bytes of a team's memory for chunks that wait. It is used again when none of them waits any more: where it is small,
/// teams wait for the slowest one.
const WAITING: u64 = 384 << 10;
/// Boxes that are counted at most of a small field: to fit tables, or to choose by in each case.
const MOST_COUNTED: u64 = {
    let choosing = MOST_TASKS as u64 * CHOOSING[1];
    if FITTING > choosing { FITTING } else { choosing }
};
/// Bytes of elements that come to pinned memory at a time, which is kept.
const GATHERED: usize = 32 << 20;
/// Boxes of a chunk, by the profile's third parameter.
const CHUNK_BOXES: [u64; 3] = [1 << CHUNKS[0], 1 << CHUNKS[1], 1 << CHUNKS[2]];
/// Where parts of the scratch begin.
const ALIGNMENT: u64 = 256;
/// Bytes that a scratch is longer than its parts: it begins at a multiple of 8, and they at one of [`VECTOR`].
const BEFORE_PARTS: u64 = VECTOR as u64 - 8;

/// A compression that chooses when it sees the field, or is to code it like another.
#[derive(Clone, Debug)]
pub(crate) struct BoxCompression {
    dense: Dense,
    coder: Coder,
    shape: Vec<u64>,
    dtype: DType,
    options: CompressOptions,
    /// What the header has of a pointwise-relative bound.
    part: Option<RelativePart>,
    most: u64,
    scratch: Scratch,
}

/// Where parts of the scratch begin, behind the control and the entries of the scan; counted from the first multiple of
/// [`VECTOR`] in it.
#[derive(Clone, Copy, Debug)]
struct Scratch {
    programs: u64,
    rows: u64,
    tables: u64,
    counts: u64,
    /// Boxes that are counted of which all elements are exact.
    exact: u64,
    slots: u64,
    slots_len: u64,
}

impl Scratch {
    fn new(elements: u64, dtype: DType) -> Self {
        // Boxes hold 512 elements on average, chunks but the last 8 boxes.
        let chunks = elements / BOX as u64 + 2;
        let next = |at: u64| at.next_multiple_of(ALIGNMENT);
        let programs = next(ENTRIES_AT + 8 * chunks);
        // Of the layouts that are tried.
        let rows = next(programs + Layout::ALL.len() as u64 * PROGRAM_BYTES);
        let contexts = Dense::CONTEXTS as u64;
        let tables = next(rows + contexts * size_of::<[SymbolRow; DIFFERENCE_SYMBOLS]>() as u64);
        let counts = next(tables + MOST_TABLES);
        let exact = next(counts + (MOST_TASKS * size_of::<BoxCounts>()) as u64);
        let list = 4 * MOST_COUNTED.max(chunks * CHUNK_BOXES[0] / FITTING_SHARE + 1);
        let slots = next(exact + list);
        let room = |boxes: u64| {
            let chunks = chunks.div_ceil(boxes / CHUNK_BOXES[0]).max(FEWEST_TEAMS);
            let counting = 2 * MOST_TASKS as u64 * slot_len(dtype);
            let team_len = team_len(LEAST_PREDICTORS, boxes, dtype);
            let least = counting.max(FEWEST_TEAMS * team_len);
            (chunks * team_len).clamp(least, MOST_SLOTS.max(least))
        };
        let slots_len = CHUNK_BOXES.map(room).into_iter().max().unwrap_or(0);
        Scratch { programs, rows, tables, counts, exact, slots, slots_len }
    }
}

/// Bytes of what a warp predicts.
fn slot_len(dtype: DType) -> u64 {
    SLOT_BYTES[usize::from(dtype == DType::F64)]
}

/// Half words of a team's memory for chunks: for the largest one (the half words of a box may be twice its
/// elements before they are given up), and for some that wait for their place.
fn half_words(boxes: u64, dtype: DType) -> u64 {
    let record = RECORD_BYTES[usize::from(dtype == DType::F64)];
    ((boxes + 2) * (dtype.size() * BOX) as u64 + boxes * record + WAITING) / 2
}

/// Bytes of a team's memory.
fn team_len(predictors: u32, boxes: u64, dtype: DType) -> u64 {
    u64::from(predictors) * slot_len(dtype) + 2 * half_words(boxes, dtype)
}

/// A field in device memory, whose boxes the device counts.
struct OnDevice<'a, T, A> {
    device: &'a Device,
    coder: Coder,
    arguments: A,
    elements: u64,
    scratch: Scratch,
    /// What the parts of the scratch are counted from.
    at: u64,
    queue: sys::CUstream,
    /// The extents of boxes whose programs are in the scratch, in its order.
    made: RefCell<Vec<[u32; 4]>>,
    element: PhantomData<T>,
}

impl<T: Element, A: Arguments> OnDevice<'_, T, A> {
    /// Where the programs of each of some grids of the field are; enqueues making those that are not yet.
    fn programs(&self, grids: &[BoxGrid]) -> Result<Vec<u64>> {
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
        let module = self.device.kernels.compress_boxes(self.coder, T::DTYPE)?;
        let shapes = &module.shapes;
        let mut all = BoxGrids { grid: [*first; _] };
        all.grid[..grids.len()].copy_from_slice(grids);
        let blocks = grids.len() as u64 * u64::from(shapes.programs);
        let launch = Launch::new(blocks, shapes.program_threads);
        let operation = Operation::PrepareCompress(self.coder);
        let kernel = Kernel { operation, dtype: T::DTYPE };
        let mut arguments = [pointer(&mut all), pointer(&mut to)];
        // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
        unsafe { module.launch(kernel, launch, self.queue, &mut arguments) }
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
        self.device.with_lane(count * size_of::<V>(), |lane| {
            // SAFETY: the lane has room for so many `V`, is aligned as pages are, and nothing else uses it until this
            // returns; the caller vouches for the rest.
            let pinned =
                unsafe { slice::from_raw_parts_mut(lane.halves[0].pinned().cast(), count) };
            let copied = Event::new()?;
            // SAFETY: as the caller vouches; the copy is waited for.
            let enqueued = unsafe {
                check("cuMemcpyDtoHAsync", result::memcpy_dtoh_async(pinned, from, self.queue))
            };
            let recorded = enqueued.and_then(|()| copied.record_in(self.queue));
            let behind = recorded.and_then(|()| behind());
            // Also after an error no copy may be under way.
            let waited = if behind.is_ok() { copied.wait() } else { self.wait() };
            behind.and(waited)?;
            Ok(take(pinned))
        })
    }

    /// Waits for all that is in the queue.
    fn wait(&self) -> Result<()> {
        // SAFETY: the queue is the caller's, alive.
        check("cuStreamSynchronize", unsafe { result::stream::synchronize(self.queue) })
    }

    /// Enqueues counting some boxes of each case; gives where its counts and the list of its exact boxes are.
    fn launch(&self, grids: &[BoxGrid], boxes: Spread, reach: bool) -> Result<Vec<BoxTask>> {
        let module = self.device.kernels.compress_boxes(self.coder, T::DTYPE)?;
        let shapes = &module.shapes;
        // For the reach no box is predicted.
        let programs = if reach { vec![0; grids.len()] } else { self.programs(grids)? };
        let (own, places) = match boxes {
            Spread::Places(count) => (count, true),
            Spread::Boxes(count) => (count, false),
        };
        let (mut counts, mut exact) = (self.at + self.scratch.counts, self.at + self.scratch.exact);
        let task = |(&grid, programs): (&BoxGrid, u64)| {
            let boxes = own.min(grid.tiles.into()) as u32;
            let task = BoxTask { grid, programs, counts, exact, boxes, places: places.into() };
            exact += 4 * u64::from(boxes);
            counts += size_of::<BoxCounts>() as u64;
            task
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
            slots: self.at + self.scratch.slots,
            rooms: 0,
            table_words: 0,
            half_words: 0,
            predictors: 0,
            reserved: 0,
        };
        let multiprocessors = u64::from(self.device.multiprocessors);
        let room = (self.scratch.slots_len / slot_len(T::DTYPE) / all).max(1);
        let most = room.min(shapes.count_warps.into());
        let warps = (all * boxes).div_ceil(multiprocessors).clamp(1, most);
        let blocks = boxes.div_ceil(warps).min(room / warps).min((multiprocessors / all).max(1));
        let launch = Launch {
            grid: all * blocks.max(1),
            threads: 32 * warps as u32,
            shared: shapes.counts + shapes.stage * warps as u32,
            cooperative: false,
            early: false,
        };
        let kernel = Kernel { operation: Operation::Count(self.coder), dtype: T::DTYPE };
        let mut arguments =
            [pointer(&mut arguments), pointer(&mut tasks_of_launch), pointer(&mut work)];
        // SAFETY: the arguments are those of the kernel; the scratch has room for counts, lists and warps.
        unsafe {
            let len = counts - first.counts;
            let cleared = result::memset_d8_async(first.counts, 0, len as usize, self.queue);
            check("cuMemsetD8Async", cleared)?;
            module.launch(kernel, launch, self.queue, &mut arguments)?;
        }
        Ok(tasks)
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
        let module = self.device.kernels.compress_boxes(self.coder, T::DTYPE)?;
        // SAFETY: the list has so many numbers.
        let tiles = unsafe { self.download(count as usize, list, || Ok(()), <[u32]>::to_vec)? };
        let mut own = box_grid(grid, *choice)?;
        let mut arguments = self.arguments;
        let mut field = arguments.common().field;
        let mut to = self.at + self.scratch.slots;
        let kernel = Kernel { operation: Operation::Gather(self.coder), dtype: T::DTYPE };
        let room = (self.scratch.slots_len as usize).min(GATHERED) / (BOX * size_of::<T>());
        let mut listed = list;
        for tiles in tiles.chunks(room) {
            let mut arguments =
                [pointer(&mut field), pointer(&mut own), pointer(&mut listed), pointer(&mut to)];
            let launch = Launch::new(tiles.len() as u64, module.shapes.gather_threads);
            let count = |(&tile, elements): (&u32, &[T])| {
                Counted::exact(&elements[..grid.tile_len(tile.into())])
            };
            let together = |mut all: Counted, own: Counted| {
                all.add(&own);
                all
            };
            let all = |elements: &[T]| {
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

impl<T: Element, A: Arguments> Sampler for OnDevice<'_, T, A> {
    fn elements(&self) -> u64 {
        self.elements
    }

    fn in_reach(&self, grids: &[TileGrid], boxes: Spread) -> Result<Vec<InReach>> {
        let some = grids.iter().filter(|grid| grid.tiles() > 0);
        let some =
            some.map(|grid| box_grid(grid, Choice::default())).collect::<Result<Vec<_>>>()?;
        let tasks = self.launch(&some, boxes, true)?;
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
        if tasks.is_empty() {
            return Ok(vec![InReach::default(); grids.len()]);
        }
        // While the host looks at what is found, the device makes the programs for what comes next.
        let next = || self.programs(&some).map(|_| ());
        // SAFETY: they were copied there, and any bytes are numbers.
        let found = unsafe { self.download(tasks.len(), together, next, <[Fits]>::to_vec)? };
        let mut found = found.into_iter().map(|fits| fits.map(u64::from));
        let own = |grid: &TileGrid| match grid.tiles() {
            0 => InReach::default(),
            _ => found.next().unwrap_or_default(),
        };
        Ok(grids.iter().map(own).collect())
    }

    fn count(&self, cases: &[(TileGrid, Choice)], boxes: Spread) -> Result<Vec<Counted>> {
        let some = cases.iter().filter(|(grid, _)| grid.tiles() > 0);
        let some =
            some.map(|(grid, choice)| box_grid(grid, *choice)).collect::<Result<Vec<_>>>()?;
        let tasks = self.launch(&some, boxes, false)?;
        let Some(first) = tasks.first() else {
            return Ok(cases.iter().map(|_| Counted::empty()).collect());
        };
        let counted = |counts: &[BoxCounts]| {
            let of = |counts: &BoxCounts| {
                let all = Counted::of(&counts.histogram, counts.raw_bits, counts.elements);
                (all, counts.exact)
            };
            counts.iter().map(of).collect::<Vec<_>>()
        };
        // SAFETY: the scratch has the counts of all tasks side by side, and any bytes are numbers.
        let found = unsafe { self.download(tasks.len(), first.counts, || Ok(()), counted)? };
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

fn box_grid(grid: &TileGrid, choice: Choice) -> Result<BoxGrid> {
    BoxGrid::new(grid, Dense::numbers_of(choice)).ok_or_else(beyond_devices)
}

impl BoxCompression {
    pub fn new(
        dense: Dense,
        coder: Coder,
        shape: &[u64],
        dtype: DType,
        options: &CompressOptions,
        part: Option<RelativePart>,
    ) -> Result<Self> {
        let most = max_compressed_len(shape, dtype)?;
        let elements = format::geometry::element_count(shape).ok_or_else(too_large)?;
        // Of any layout it has as many boxes at least. What is below here goes with 64 bits.
        if elements / BOX as u64 > MOST_BOXES {
            return Err(beyond_devices());
        }
        Ok(BoxCompression {
            dense,
            coder,
            shape: shape.to_vec(),
            dtype,
            options: options.clone(),
            part,
            most,
            scratch: Scratch::new(elements, dtype),
        })
    }

    /// With room for so many bytes of samples.
    pub fn with_samples(mut self, len: u64) -> Self {
        self.scratch.slots_len = self.scratch.slots_len.max(len);
        self
    }

    /// Where samples are in the scratch before anything is counted.
    pub fn samples_at(&self) -> u64 {
        self.scratch.slots
    }

    pub fn max_len(&self) -> u64 {
        self.most
    }

    pub fn scratch_len(&self) -> u64 {
        self.scratch.slots + self.scratch.slots_len + BEFORE_PARTS
    }

    /// What must be zero before: control and entries.
    pub fn cleared_len(&self) -> u64 {
        self.scratch.programs
    }

    /// The quantizer as the choice asks for it: where the logarithmic codes of a pointwise-relative bound begin
    /// does not count there.
    ///
    /// # Safety
    /// As [`encode`](Self::encode).
    unsafe fn quantizer<T: Element, A: Arguments>(
        &self,
        field: &OnDevice<'_, T, A>,
    ) -> Result<Quantizer<T>> {
        if let Limit::Relative { eps, floor } = self.options.limit()? {
            let profile = &self.options.profile;
            return Ok(Quantizer::Relative(without_samples((eps, floor), profile, || ())));
        }
        let first = |found: &[Control]| found[0];
        let mut arguments = field.arguments;
        let at = arguments.common().control;
        // SAFETY: the scratch begins with a control, of which any bytes are one.
        let control = unsafe { field.download(1, at, || Ok(()), first)? };
        let value = T::from_f64;
        Ok(Quantizer::Linear(Linear {
            step: value(control.step),
            inverse: value(control.inverse),
            limit: value(control.limit),
        }))
    }

    /// Chooses, which waits for what is in the queue, where the field is not to be coded like another.
    ///
    /// # Safety
    /// As [`encode`](Self::encode).
    unsafe fn choose<T: Element, A: Arguments>(
        &self,
        field: &OnDevice<'_, T, A>,
    ) -> Result<(Dense, Vec<u32>)> {
        not_captured(
            field.queue,
            "compressing by the profile dense looks at the field and waits for the device, so no CUDA graph can hold it: \
             code it like another stream",
        )?;
        // SAFETY: as the caller vouches.
        let quantizer = unsafe { self.quantizer(field)? };
        let missing_bits = self.options.missing_bits(self.dtype);
        let missing = missing_bits.iter().map(|&bits| T::from_bits64(bits)).collect();
        let plan = Plan { quantizer, missing, missing_bits, known: false, ranged: false };
        let chosen = self.dense.choose::<T>(field, &self.shape, &plan);
        if chosen.is_err() {
            // Nothing may be under way from memory that is freed.
            field.wait()?;
        }
        chosen
    }

    /// Enqueues the encoding; chooses before, and waits for what is in the queue, where the field is not to be coded like
    /// another.
    ///
    /// # Safety
    /// As `FieldCompression::launch`; `A` is that of the bound and the element type.
    pub unsafe fn encode<T: Element, A: Arguments>(
        &self,
        device: &Device,
        mut arguments: A,
        queue: sys::CUstream,
    ) -> Result<()> {
        let module = device.kernels.compress_boxes(self.coder, T::DTYPE)?;
        let &mut CompressArgs { control: scratch, capacity, .. } = arguments.common();
        let at = scratch.next_multiple_of(VECTOR as u64);
        let slots = at + self.scratch.slots;
        let elements = format::geometry::element_count(&self.shape).ok_or_else(too_large)?;
        let sampled = OnDevice {
            device,
            coder: self.coder,
            arguments,
            elements,
            scratch: self.scratch,
            at,
            queue,
            made: RefCell::default(),
            element: PhantomData::<T>,
        };
        let (dense, tables, resident) = match &self.options.model {
            Some(model) => {
                let resident = model.resident.on(device, &model.tables, queue)?;
                (self.dense, Cow::Borrowed(&model.tables[..]), Some(resident))
            }
            None => {
                // SAFETY: as the caller vouches.
                let (dense, tables) = unsafe { self.choose(&sampled)? };
                (dense, Cow::Owned(tables), None)
            }
        };
        let place = resident
            .unwrap_or(Place { rows: at + self.scratch.rows, tables: at + self.scratch.tables });

        let profile = Profile::Dense(dense);
        let grid = TileGrid::new(&profile, &self.shape).ok_or_else(too_large)?;
        let header_len = header::header_len(&self.shape, &self.options) as u64;
        let sections = format::Sections::new(header_len, &grid, &profile).ok_or_else(too_large)?;
        if capacity < sections.payload {
            return Err(too_small());
        }
        let boxes_of_chunk = grid.tiles_per_chunk();
        let mut boxes = BoxGrid::new(&grid, dense.numbers()).ok_or_else(beyond_devices)?;
        let shapes = &module.shapes;
        let sections = Sections::new(elements, &sections);
        let room =
            |predictors| self.scratch.slots_len / team_len(predictors, boxes_of_chunk, self.dtype);
        let multiprocessors = u64::from(device.multiprocessors);
        let teams =
            Teams::new(sections.chunks, multiprocessors, |size| shapes.most_teams(size), room);
        let mut work = DenseWork {
            programs: sampled.programs(&[boxes])?[0],
            rows: place.rows,
            tables: place.tables,
            slots,
            rooms: slots + teams.blocks * teams.predicting() * slot_len(self.dtype),
            table_words: tables.len() as u32,
            half_words: half_words(boxes_of_chunk, self.dtype) as u32,
            predictors: teams.predictors,
            reserved: 0,
        };
        let launch = Launch {
            grid: teams.blocks,
            threads: 32 * (teams.teams + teams.predicting()) as u32,
            shared: shapes.shared(&teams),
            cooperative: false,
            early: false,
        };
        arguments.common().sections = sections;
        let mut image = *image(&self.shape, self.dtype, &self.options, &profile, self.part);
        let mut arguments =
            [pointer(&mut arguments), pointer(&mut boxes), pointer(&mut work), pointer(&mut image)];
        let operation = Operation::Compress(self.coder);
        let kernel = Kernel { operation, dtype: self.dtype };
        // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
        let mut launch = || unsafe { module.launch(kernel, launch, queue, &mut arguments) };
        if resident.is_some() {
            return launch();
        }
        let rows = symbol_rows(&Dense::symbol_slots(&tables)?);
        let read = Event::new()?;
        // SAFETY: both places have the room; the copies are waited for below.
        let uploaded = unsafe {
            upload(place.rows, &rows, queue).and_then(|()| upload(place.tables, &tables, queue))
        };
        // The device goes on while the host waits for the copies alone.
        let launched = uploaded.and_then(|()| read.record_in(queue)).and_then(|()| launch());
        // Also after an error nothing may be under way from memory that is freed.
        match &launched {
            Ok(()) => read.wait()?,
            // SAFETY: the queue is the caller's, alive.
            Err(_) => check("cuStreamSynchronize", unsafe { result::stream::synchronize(queue) })?,
        }
        launched
    }
}

/// The rows of all contexts.
pub(super) fn symbol_rows(contexts: &[SymbolSlots]) -> Vec<SymbolRow> {
    let escape = |context: usize| match context {
        c if c < Dense::FIRST_DIFFERENCE => RESIDUAL_SYMBOLS - 1,
        c if c < Dense::FIRST_FLAG => DIFFERENCE_SYMBOLS - 1,
        _ => 1,
    };
    let rows = contexts.iter().enumerate().flat_map(|(context, slots)| {
        let escape = slots[escape(context)];
        slots.map(|slot| SymbolRow::new(slot, escape))
    });
    rows.collect()
}

/// Copies device memory to the host, and waits.
///
/// # Safety
/// `from` holds as many bytes, and any bytes are a `V`; `queue` is alive.
pub(crate) unsafe fn download<V: Copy>(
    to: &mut [V],
    from: u64,
    queue: sys::CUstream,
) -> Result<()> {
    // SAFETY: the caller's promise; the wait ends the borrow's use.
    unsafe {
        let copied = check("cuMemcpyDtoHAsync", result::memcpy_dtoh_async(to, from, queue));
        check("cuStreamSynchronize", result::stream::synchronize(queue))?;
        copied
    }
}

/// Enqueues a copy of host memory.
///
/// # Safety
/// `to` has the room; `from` lives until the queue is past the copy.
pub(crate) unsafe fn upload<V: Copy>(to: u64, from: &[V], queue: sys::CUstream) -> Result<()> {
    // SAFETY: the caller's promise.
    check("cuMemcpyHtoDAsync", unsafe { result::memcpy_htod_async(to, from, queue) })
}

fn too_large() -> Error {
    Error::invalid("the field is too large")
}
