//! Compression by the profile `dense`: the host chooses layout, predictor and tables from some boxes that
//! the device gathers, and launches the encoding.

use cudarc::driver::{result, sys};

use super::{
    abi::{BoxGrid, CompressArgs, Control, DenseWork, Sections, SymbolRow},
    compress::{ENTRIES_AT, image},
    device::Device,
    error::check,
    kernel::{Coder, Kernel, Operation},
    kernels::{Launch, pointer},
};
use crate::{
    dtype::DType,
    element::Element,
    error::{Error, Result},
    format::{
        self, TileGrid,
        dense::{BOX, DIFFERENCE_SYMBOLS, MOST_TABLES, RESIDUAL_SYMBOLS},
        header,
        sections::max_compressed_len,
        tile_grid::TileShape,
    },
    options::CompressOptions,
    profile::{
        Plan, Profile,
        dense::{Boxes, Dense, SymbolSlots, spread_tile},
    },
    quantizer::Quantizer,
    schedule::too_small,
};

/// Bytes of all programs, and of a warp's memory beside records and half words: as the module says.
pub(crate) const PROGRAM_BYTES: u64 = 8 * (16 + 28 * 40 + 320 * 128);
pub(crate) const SLOT_FIXED: u64 = 4 * (32 * 642 + 4 * BOX as u64);
/// Bytes of the record of a box, of `f32` and `f64`.
pub(crate) const RECORD_BYTES: [u64; 2] =
    [record_bytes(DType::F32.words() as u64), record_bytes(DType::F64.words() as u64)];

const fn record_bytes(words: u64) -> u64 {
    4 * (3 + BOX as u64 / 8 + BOX as u64 / 4 * words)
}

/// Bytes that the warps' memory takes at most; fewer warps work where that is too little for all.
const MOST_SLOTS: u64 = 1 << 30;
/// Warps of a thread block at least: the last one also finishes the stream.
const FEWEST_WARPS: u64 = 2;
/// Boxes of a chunk, by the profile's third parameter.
const CHUNK_BOXES: [u64; 3] = [8, 16, 32];
/// Where parts of the scratch begin.
const ALIGNMENT: u64 = 256;

/// A compression that chooses when it sees the field.
#[derive(Clone, Debug)]
pub(crate) struct BoxCompression {
    dense: Dense,
    shape: Vec<u64>,
    dtype: DType,
    options: CompressOptions,
    most: u64,
    scratch: Scratch,
}

/// Where parts of the scratch begin, behind the control and the entries of the scan.
#[derive(Clone, Copy, Debug)]
struct Scratch {
    programs: u64,
    rows: u64,
    tables: u64,
    slots: u64,
    slots_len: u64,
}

impl Scratch {
    fn new(elements: u64, dtype: DType) -> Self {
        // Boxes hold 512 elements on average, chunks but the last 8 boxes.
        let chunks = elements / BOX as u64 + 2;
        let next = |at: u64| at.next_multiple_of(ALIGNMENT);
        let programs = next(ENTRIES_AT + 8 * chunks);
        let rows = next(programs + PROGRAM_BYTES);
        let contexts = Dense::CONTEXTS as u64;
        let tables = next(rows + contexts * size_of::<[SymbolRow; DIFFERENCE_SYMBOLS]>() as u64);
        let slots = tables + MOST_TABLES;
        let room = |boxes: u64| {
            let chunks = chunks.div_ceil(boxes / CHUNK_BOXES[0]).max(FEWEST_WARPS);
            let least = FEWEST_WARPS * slot_len(boxes, dtype);
            (chunks * slot_len(boxes, dtype)).clamp(least, MOST_SLOTS.max(least))
        };
        let slots_len = CHUNK_BOXES.map(room).into_iter().max().unwrap_or(0);
        Scratch { programs, rows, tables, slots, slots_len }
    }
}

/// Half words of a chunk at most: those of a box may be twice its elements before they are given up.
fn half_words(boxes: u64, dtype: DType) -> u64 {
    (boxes + 2) * 2 * (dtype.words() * BOX) as u64
}

/// Bytes of a warp's memory.
fn slot_len(boxes: u64, dtype: DType) -> u64 {
    let record = RECORD_BYTES[usize::from(dtype == DType::F64)];
    SLOT_FIXED + boxes * record + 2 * half_words(boxes, dtype)
}

/// A field in device memory, of which boxes are brought to the host.
struct OnDevice<'a> {
    device: &'a Device,
    field: u64,
    elements: u64,
    dense: Dense,
    /// Device memory to gather in.
    room: (u64, u64),
    queue: sys::CUstream,
}

impl<T: Element> Boxes<T> for OnDevice<'_> {
    fn elements(&self) -> u64 {
        self.elements
    }

    fn spread(
        &self,
        grid: &TileGrid,
        count: u64,
        take: &mut dyn FnMut(&[T], TileShape),
    ) -> Result<()> {
        let module = self.device.kernels.compress()?;
        let mut boxes = BoxGrid::new(grid, self.dense.numbers()).ok_or_else(too_large)?;
        let batch = (self.room.1 / (BOX * size_of::<T>()) as u64).clamp(1, 2048);
        let mut gathered = vec![T::ZERO; batch.min(count) as usize * BOX];
        let (mut field, mut to, mut all) = (self.field, self.room.0, count as u32);
        let kernel = Kernel { operation: Operation::Gather(Coder::Dense), dtype: T::DTYPE };
        for first in (0..count).step_by(batch as usize) {
            let own = batch.min(count - first);
            let mut from = first as u32;
            let launch = Launch::new(own, module.shapes.boxes.gather_threads);
            let mut arguments = [
                pointer(&mut field),
                pointer(&mut boxes),
                pointer(&mut from),
                pointer(&mut all),
                pointer(&mut to),
            ];
            let part = &mut gathered[..own as usize * BOX];
            // SAFETY: the arguments are those of the kernel; the field is whole, the room was sized for a
            // batch, and the copy is waited for.
            unsafe {
                module.launch(kernel, launch, self.queue, &mut arguments)?;
                download(part, to, self.queue)?;
            }
            for (i, elements) in part.chunks(BOX).enumerate() {
                let shape = grid.shape_of(spread_tile(grid, count, first + i as u64));
                take(&elements[..shape.len()], shape);
            }
        }
        Ok(())
    }
}

impl BoxCompression {
    pub fn new(
        dense: Dense,
        shape: &[u64],
        dtype: DType,
        options: &CompressOptions,
    ) -> Result<Self> {
        let most = max_compressed_len(shape, dtype)?;
        let elements = format::geometry::element_count(shape).ok_or_else(too_large)?;
        Ok(BoxCompression {
            dense,
            shape: shape.to_vec(),
            dtype,
            options: options.clone(),
            most,
            scratch: Scratch::new(elements, dtype),
        })
    }

    pub fn max_len(&self) -> u64 {
        self.most
    }

    pub fn scratch_len(&self) -> u64 {
        self.scratch.slots + self.scratch.slots_len
    }

    /// What must be zero before: control and entries.
    pub fn cleared_len(&self) -> u64 {
        self.scratch.programs
    }

    /// Chooses, which waits for what is in the queue, and enqueues the encoding.
    ///
    /// # Safety
    /// As `Compression::launch`; `M` is that of the element type.
    pub unsafe fn encode<T: Element, M>(
        &self,
        device: &Device,
        field: u64,
        (stream, capacity): (u64, u64),
        scratch: u64,
        missing: M,
        queue: sys::CUstream,
    ) -> Result<()> {
        let module = device.kernels.compress()?;
        let mut control = [Control::NONE];
        // SAFETY: the scratch begins with a control, and the copy is waited for.
        unsafe { download(&mut control, scratch, queue)? };
        let [control] = control;
        let value = T::from_f64;
        let quantizer = Quantizer {
            step: value(control.step),
            inverse: value(control.inverse),
            limit: value(control.limit),
        };
        let missing_bits = self.options.missing_bits(self.dtype);
        let named = missing_bits.iter().map(|&bits| T::from_bits64(bits)).collect();
        let plan = Plan { quantizer, missing: named, missing_bits, known: false, ranged: false };
        let slots = scratch + self.scratch.slots;
        let elements = format::geometry::element_count(&self.shape).ok_or_else(too_large)?;
        let boxes = OnDevice {
            device,
            field,
            elements,
            dense: self.dense,
            room: (slots, self.scratch.slots_len),
            queue,
        };
        let (dense, tables) = self.dense.choose::<T>(&boxes, &self.shape, &plan)?;

        let profile = Profile::Dense(dense);
        let grid = TileGrid::new(&profile, &self.shape).ok_or_else(too_large)?;
        let header_len = header::header_len(&self.shape, &self.options) as u64;
        let sections = format::Sections::new(header_len, &grid, &profile).ok_or_else(too_large)?;
        if capacity < sections.payload {
            return Err(too_small());
        }
        let rows = symbol_rows(&Dense::symbol_slots(&tables)?);
        let boxes_of_chunk = grid.tiles_per_chunk();
        let mut work = DenseWork {
            programs: scratch + self.scratch.programs,
            rows: scratch + self.scratch.rows,
            tables: scratch + self.scratch.tables,
            slots,
            table_words: tables.len() as u32,
            half_words: half_words(boxes_of_chunk, self.dtype) as u32,
        };
        // SAFETY: both places have the room; the copies are from memory that the driver has read when the
        // calls return, or when the queue is waited for below.
        unsafe {
            upload(work.rows, &rows, queue)?;
            upload(work.tables, &tables, queue)?;
        }
        // SAFETY: the queue is the caller's, alive.
        check("cuStreamSynchronize", unsafe { result::stream::synchronize(queue) })?;

        let shapes = &module.shapes.boxes;
        let mut grid = BoxGrid::new(&grid, dense.numbers()).ok_or_else(too_large)?;
        let kernel = |operation| Kernel { operation, dtype: self.dtype };
        let mut programs = work.programs;
        let mut arguments = [pointer(&mut grid), pointer(&mut programs)];
        let launch = Launch::new(shapes.programs.into(), shapes.program_threads);
        // SAFETY: the arguments are those of the kernel; the scratch has room for the programs.
        unsafe {
            let prepare = kernel(Operation::PrepareCompress(Coder::Dense));
            module.launch(prepare, launch, queue, &mut arguments)?;
        }
        let sections = Sections::new(elements, &sections);
        let room = self.scratch.slots_len / slot_len(boxes_of_chunk, self.dtype);
        let all = sections.chunks.min(room).max(FEWEST_WARPS);
        let multiprocessors = u64::from(device.multiprocessors);
        let warps = all.div_ceil(multiprocessors).clamp(FEWEST_WARPS, shapes.most_warps.into());
        let blocks = (all / warps).clamp(1, multiprocessors);
        let launch = Launch {
            grid: blocks,
            threads: 32 * warps as u32,
            shared: shapes.stage * warps as u32,
            cooperative: false,
        };
        let mut arguments = CompressArgs {
            field,
            stream,
            capacity,
            control: scratch,
            entries: scratch + ENTRIES_AT,
            sections,
            missing,
        };
        let mut image = *image(&self.shape, self.dtype, &self.options, &profile);
        let mut arguments =
            [pointer(&mut arguments), pointer(&mut grid), pointer(&mut work), pointer(&mut image)];
        // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
        unsafe {
            module.launch(kernel(Operation::Compress(Coder::Dense)), launch, queue, &mut arguments)
        }
    }
}

/// The rows of all contexts.
fn symbol_rows(contexts: &[SymbolSlots]) -> Vec<SymbolRow> {
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
unsafe fn download<V: Copy>(to: &mut [V], from: u64, queue: sys::CUstream) -> Result<()> {
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
unsafe fn upload<V: Copy>(to: u64, from: &[V], queue: sys::CUstream) -> Result<()> {
    // SAFETY: the caller's promise.
    check("cuMemcpyHtoDAsync", unsafe { result::memcpy_htod_async(to, from, queue) })
}

fn too_large() -> Error {
    Error::invalid("the field is too large")
}
