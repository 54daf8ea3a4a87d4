//! What a compression by boxes keeps in the caller's scratch memory, and where.

use crate::cuda::{
    boxes::warps::{AHEAD, FEWEST_CODERS},
    compress::ENTRIES_AT,
    decompress::VECTOR,
    kernels::abi::{BoxCounts, MOST_TASKS, SymbolRow},
};
use crate::{
    dtype::DType,
    format::dense::{BOX, DIFFERENCE_SYMBOLS, Layout, MOST_TABLES},
    profile::dense::{CHOOSING, CHUNKS, Dense, FITTING, FITTING_SHARE},
};

/// Bytes of all programs, and of what a box is predicted to, of `f32` and `f64`: as the module says.
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

/// Of a box that is asked for ahead.
const fn slot_bytes(record: u64, words: u64) -> u64 {
    let events = 4 * 32 * 321;
    let differences = 8 * words * BOX as u64;
    let values = if events > differences { events } else { differences };
    (events + values + BOX as u64 / 8 + record).next_multiple_of(16)
}

/// Bytes that the warps' memory takes at most; fewer of them code where that is too little for all.
const MOST_SLOTS: u64 = 21 << 26;
/// Bytes of a coder's memory for chunks that wait. It is used again when none of them waits any more: where it is
/// small, coders wait for the slowest one.
pub(in crate::cuda) const WAITING: u64 = 384 << 10;
/// Boxes that are counted at most of a small field: to fit tables, or to choose by in each case.
const MOST_COUNTED: u64 = {
    let choosing = MOST_TASKS as u64 * CHOOSING[1];
    if FITTING > choosing { FITTING } else { choosing }
};
/// What is counted before it is asked for, at most: how often, and of how many cases.
pub(in crate::cuda) const COUNTS_AHEAD: usize = 4;
pub(in crate::cuda) const TASKS_AHEAD: usize = Layout::ALL.len() + 2 * MOST_TASKS + 1;
/// Boxes of a chunk, by the profile's third parameter.
const CHUNK_BOXES: [u64; 3] = [1 << CHUNKS[0], 1 << CHUNKS[1], 1 << CHUNKS[2]];
/// Where parts of the scratch begin.
const ALIGNMENT: u64 = 256;
/// Bytes that a scratch is longer than its parts: it begins at a multiple of 8, and they at one of [`VECTOR`].
pub(in crate::cuda) const BEFORE_PARTS: u64 = VECTOR as u64 - 8;

/// Where parts of the scratch begin, behind the control and the entries of the scan; counted from the first multiple of
/// [`VECTOR`] in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scratch {
    pub programs: u64,
    pub rows: u64,
    pub tables: u64,
    pub counts: u64,
    /// Boxes that are counted of which all elements are exact.
    pub exact: u64,
    /// The same of what is counted before it is asked for: layouts, some cases twice in turn, and the one that is chosen.
    pub counts_ahead: u64,
    pub exact_ahead: u64,
    pub slots: u64,
    pub slots_len: u64,
}

impl Scratch {
    pub fn new(elements: u64, dtype: DType) -> Self {
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
        let counts_ahead = next(exact + list);
        let counted = (TASKS_AHEAD * size_of::<BoxCounts>()) as u64;
        let exact_ahead = next(counts_ahead + counted);
        let slots = next(exact_ahead + COUNTS_AHEAD as u64 * list);
        let room = |boxes: u64| {
            let chunks = chunks.div_ceil(boxes / CHUNK_BOXES[0]).max(FEWEST_CODERS);
            let counting = 4 * MOST_TASKS as u64 * slot_len(dtype);
            let of_coder = chunk_len(boxes, dtype) + WAITING + AHEAD * slot_len(dtype);
            let least = counting.max(FEWEST_CODERS * of_coder);
            (chunks * of_coder).clamp(least, MOST_SLOTS.max(least))
        };
        let slots_len = CHUNK_BOXES.map(room).into_iter().max().unwrap_or(0);
        Scratch {
            programs,
            rows,
            tables,
            counts,
            exact,
            counts_ahead,
            exact_ahead,
            slots,
            slots_len,
        }
    }
}

/// Bytes of what a box is predicted to.
pub(in crate::cuda) fn slot_len(dtype: DType) -> u64 {
    SLOT_BYTES[usize::from(dtype == DType::F64)]
}

/// Bytes of a coder's memory for the largest chunk: the half words of a box may be twice its elements before they are
/// given up.
pub(in crate::cuda) fn chunk_len(boxes: u64, dtype: DType) -> u64 {
    let record = RECORD_BYTES[usize::from(dtype == DType::F64)];
    (boxes + 2) * (dtype.size() * BOX) as u64 + boxes * record
}
