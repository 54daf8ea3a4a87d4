//! The launches of a compression by boxes, whose layout, predictor and tables are chosen.

use std::{mem::offset_of, ops::Range};

use cudarc::driver::sys;

use crate::cuda::{
    boxes::{
        compress::{symbol_rows, upload},
        resident_tables::Place,
        scratch::{WAITING, chunk_len, slot_len},
        warps::{Memory, Warps},
    },
    device::Device,
    driver::{error::ok, event::Event, workspace::wait_for},
    kernels::{
        abi::{Arguments, BoxGrid, Control, DenseWork, HeaderImage, Sections, SymbolRow},
        kernel::{Coder, Kernel, Operation},
        module::{Launch, pointer},
    },
};
use crate::{error::Result, format::TileGrid, profile::dense::Dense};

/// What all launches of a compression share.
pub(crate) struct BoxEncoding {
    pub(in crate::cuda) coder: Coder,
    pub(in crate::cuda) grid: TileGrid,
    pub(in crate::cuda) boxes: BoxGrid,
    pub(in crate::cuda) sections: Sections,
    /// Where the boxes' programs are, the coder's rows with the tables, and what warps work in.
    pub(in crate::cuda) programs: u64,
    pub(in crate::cuda) place: Place,
    pub(in crate::cuda) table_words: u32,
    pub(in crate::cuda) slots: u64,
    pub(in crate::cuda) slots_len: u64,
    pub(in crate::cuda) image: Box<HeaderImage>,
    /// What may be on its way to `place`.
    pub(in crate::cuda) sent: Option<SentTables>,
}

impl BoxEncoding {
    pub fn chunks(&self) -> u64 {
        self.sections.chunks
    }

    /// Where the payload begins in the stream.
    pub fn payload(&self) -> u64 {
        self.sections.payload
    }

    /// Words of the tables, which follow the chunks that are encoded so far.
    pub fn table_words(&self) -> u32 {
        self.table_words
    }

    /// The chunks at the beginning of which all elements are among the field's first ones.
    pub fn chunks_within(&self, elements: u64) -> u64 {
        self.grid.chunks_within(elements)
    }

    /// Enqueues what some chunks add to the stream, after all chunks before them; the last ones complete it.
    ///
    /// # Safety
    /// As `FieldCompression::launch`, by the arguments that this was made with; of the field, these chunks are there.
    pub unsafe fn launch<A: Arguments>(
        &self,
        device: &Device,
        chunks: Range<u64>,
        mut arguments: A,
        queue: sys::CUstream,
    ) -> Result<()> {
        let module = device.kernels.compress_boxes(self.coder, A::DTYPE)?;
        let shapes = &module.shapes;
        let boxes_of_chunk = self.grid.tiles_per_chunk();
        let memory = Memory {
            chunk: chunk_len(boxes_of_chunk, A::DTYPE),
            waiting: WAITING,
            ahead: slot_len(A::DTYPE),
            all: self.slots_len,
        };
        let multiprocessors = u64::from(device.multiprocessors);
        let count = chunks.end - chunks.start;
        let most = shapes.most(&self.boxes);
        let warps = Warps::new(count, boxes_of_chunk, multiprocessors, most, memory);
        let mut work = DenseWork {
            programs: self.programs,
            rows: self.place.rows,
            tables: self.place.tables,
            slots: self.slots,
            rooms: self.slots + warps.all_coders() * warps.ahead * slot_len(A::DTYPE),
            table_words: self.table_words,
            half_words: (warps.coder_len / 2) as u32,
            predictors: warps.predictors as u32,
            ahead: warps.ahead as u32,
            first_chunk: chunks.start as u32,
            reserved: 0,
        };
        let launch = Launch {
            grid: warps.blocks,
            threads: 32 * (warps.coders + warps.predictors) as u32,
            shared: shapes.shared(&self.boxes, &warps),
            cooperative: false,
            early: false,
        };
        let common = arguments.common();
        common.sections = Sections { chunks: chunks.end, ..self.sections };
        if chunks.start > 0 {
            let control = common.control;
            // SAFETY: the scratch begins with a control, which the launches before are done with.
            unsafe {
                set_word(control + offset_of!(Control, begun) as u64, chunks.start as u32, queue)?;
                set_word(control + offset_of!(Control, encoded) as u64, 0, queue)?;
            }
        }
        let (mut boxes, mut image) = (self.boxes, *self.image);
        let mut arguments =
            [pointer(&mut arguments), pointer(&mut boxes), pointer(&mut work), pointer(&mut image)];
        let kernel = Kernel { operation: Operation::Compress(self.coder), dtype: A::DTYPE };
        // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
        unsafe { module.launch(kernel, launch, queue, &mut arguments) }
    }

    /// Waits until the tables are on the device.
    pub fn settle(self) -> Result<()> {
        self.sent.as_ref().map_or(Ok(()), |sent| sent.read.wait())
    }
}

/// Enqueues setting a word of device memory.
///
/// # Safety
/// There is a word at `at`.
unsafe fn set_word(at: u64, value: u32, queue: sys::CUstream) -> Result<()> {
    // SAFETY: the caller's promise.
    ok("cuMemsetD32Async", unsafe { sys::cuMemsetD32Async(at, value, 1, queue) })
}

/// Tables that are on their way to the device, from this memory.
pub(in crate::cuda) struct SentTables {
    _rows: Vec<SymbolRow>,
    _tables: Vec<u32>,
    read: Event,
}

impl SentTables {
    /// Enqueues the copies.
    ///
    /// # Safety
    /// Both places have the room until this is gone.
    pub unsafe fn new(place: Place, tables: Vec<u32>, queue: sys::CUstream) -> Result<Self> {
        let rows = symbol_rows(&Dense::symbol_slots(&tables)?);
        let read = Event::new()?;
        // SAFETY: the caller's promise; what is copied is kept until the copies are waited for.
        let sent = unsafe {
            upload(place.rows, &rows, queue).and_then(|()| upload(place.tables, &tables, queue))
        };
        if let Err(why) = sent.and_then(|()| read.record_in(queue)) {
            // Nothing may be under way from memory that is freed.
            // SAFETY: the queue is the caller's, alive.
            unsafe { wait_for(queue)? };
            return Err(why);
        }
        Ok(SentTables { _rows: rows, _tables: tables, read })
    }
}

impl Drop for SentTables {
    fn drop(&mut self) {
        // Nothing may be under way from memory that is freed. Where that cannot be waited for, the context is at its end.
        let _ = self.read.wait();
    }
}
