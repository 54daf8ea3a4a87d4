//! Encoded chunks to their places in the stream (FORMAT.md, *Sections*).
//!
//! Each thread takes the next batch of chunks, encodes it into memory of its own, and copies it behind the
//! batch before as soon as that one's length is known. So the stream does not depend on the number of
//! threads, no thread waits for a slow one to finish more than the batch before, and only a batch a thread
//! is held beside the stream.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::{
    certificate::Tally,
    element::Element,
    encode::{Encoder, Scratch},
    error::{Error, Result},
    geometry::{CHUNK_ELEMENTS, GROUP_CHUNKS},
    layout::Layout,
    progress::Progress,
    simd::Level,
};

/// Chunks that one thread encodes between two looks at the others.
const BATCH_CHUNKS: usize = 8;

/// How a call is to be run.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub level: Level,
    /// Use the current rayon pool; otherwise the calling thread alone.
    pub parallel: bool,
    pub progress: Option<&'a Progress>,
}

impl Run<'_> {
    pub fn check(&self) -> Result<()> {
        self.progress.map_or(Ok(()), Progress::check)
    }

    pub fn advance(&self, bytes: u64) -> Result<()> {
        self.progress.map_or(Ok(()), |p| p.advance(bytes))
    }
}

/// What encoding a field came to.
pub(crate) struct Placed<T> {
    pub payload_len: u64,
    pub tally: Tally<T>,
}

struct Batch<'a, T> {
    data: &'a [T],
    rates: &'a mut [u8],
    sizes: &'a mut [u8],
    sums: &'a mut [u8],
}

/// A thread's output of one batch, and its working memory.
struct Slot<T> {
    words: Vec<u32>,
    scratch: Box<Scratch<T>>,
    tally: Tally<T>,
}

/// The payload that is not yet given to a batch, in the order of batches.
struct Queue<'a> {
    state: Mutex<Rest<'a>>,
    moved: Condvar,
}

struct Rest<'a> {
    /// The batch whose turn it is.
    turn: usize,
    payload: &'a mut [u8],
    /// A thread failed, and no turn comes any more.
    failed: bool,
}

impl<'a> Queue<'a> {
    fn new(payload: &'a mut [u8]) -> Self {
        let state = Mutex::new(Rest { turn: 0, payload, failed: false });
        Queue { state, moved: Condvar::new() }
    }

    /// The place of batch `turn`, `len` bytes behind the batch before; `None` after another's failure.
    /// Every batch before is in the hands of a thread that does not wait for this one.
    fn place(&self, turn: usize, len: usize) -> Result<Option<&'a mut [u8]>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rest = self
            .moved
            .wait_while(state, |rest| rest.turn != turn && !rest.failed)
            .unwrap_or_else(PoisonError::into_inner);
        if rest.failed {
            return Ok(None);
        }
        let (own, after) =
            std::mem::take(&mut rest.payload).split_at_mut_checked(len).ok_or_else(too_small)?;
        rest.payload = after;
        rest.turn += 1;
        self.moved.notify_all();
        Ok(Some(own))
    }

    fn fail(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).failed = true;
        self.moved.notify_all();
    }

    fn left(self) -> usize {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).payload.len()
    }
}

/// Fails the queue when its thread ends with an error or unwinds, so that no other waits for ever.
struct Failing<'q, 'a>(Option<&'q Queue<'a>>);

impl Drop for Failing<'_, '_> {
    fn drop(&mut self) {
        if let Some(queue) = self.0 {
            queue.fail();
        }
    }
}

/// Encodes `data` into the sections of `out` (the whole stream, whose header is not touched).
pub(crate) fn place<T: Element>(
    encoder: &Encoder<T>,
    data: &[T],
    layout: &Layout,
    out: &mut [u8],
    run: Run<'_>,
) -> Result<Placed<T>> {
    let (metadata, payload) = out.split_at_mut(layout.payload as usize);
    // The padding between sections is zero, and offsets are written below.
    metadata[layout.rates.end as usize..layout.sizes.start as usize].fill(0);
    metadata[layout.sizes.end as usize..layout.offsets.start as usize].fill(0);
    metadata[layout.offsets.end as usize..layout.sums.start as usize].fill(0);
    metadata[layout.sums.end as usize..].fill(0);
    let (rates, rest) = metadata.split_at_mut(layout.sizes.start as usize);
    let rates = &mut rates[layout.rates.start as usize..layout.rates.end as usize];
    let (sizes, rest) = rest.split_at_mut((layout.offsets.start - layout.sizes.start) as usize);
    let sizes = &mut sizes[..2 * layout.chunks as usize];
    let (offsets, sums) = rest.split_at_mut((layout.sums.start - layout.offsets.start) as usize);
    let sums = &mut sums[..4 * layout.chunks as usize];

    let elements = BATCH_CHUNKS * CHUNK_ELEMENTS as usize;
    let rate_bytes = elements / encoder.geometry.block_len;
    let batches = data
        .chunks(elements)
        .zip(rates.chunks_mut(rate_bytes))
        .zip(sizes.chunks_mut(2 * BATCH_CHUNKS).zip(sums.chunks_mut(4 * BATCH_CHUNKS)))
        .map(|((data, rates), (sizes, sums))| Batch { data, rates, sizes, sums });
    let payload_len = payload.len();
    let queue = Queue::new(payload);
    let batches = Mutex::new(batches.enumerate());
    let work = || -> Result<Tally<T>> {
        let mut failing = Failing(Some(&queue));
        let mut slot = Slot { words: Vec::new(), scratch: Scratch::new(), tally: Tally::empty() };
        loop {
            let next = batches.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((turn, mut batch)) = next else { break };
            encode_batch(encoder, &mut batch, &mut slot, run)?;
            let Some(own) = queue.place(turn, 4 * slot.words.len())? else { break };
            for (bytes, w) in own.as_chunks_mut::<4>().0.iter_mut().zip(&slot.words) {
                *bytes = w.to_le_bytes();
            }
        }
        failing.0 = None;
        Ok(slot.tally)
    };
    let threads = if run.parallel {
        rayon::current_num_threads().min(data.len().div_ceil(elements))
    } else {
        1
    };
    let mut tally = Tally::empty();
    if threads <= 1 {
        tally = work()?;
    } else {
        let mut ended: Vec<Result<Tally<T>>> = Vec::new();
        ended.resize_with(threads, || Ok(Tally::empty()));
        rayon::scope(|scope| {
            for end in &mut ended {
                scope.spawn(|_| *end = work());
            }
        });
        for end in ended {
            tally.merge(&end?);
        }
    }
    let payload_len = (payload_len - queue.left()) as u64;

    let mut before = 0u64;
    for (g, group) in sizes.chunks(2 * GROUP_CHUNKS as usize).enumerate() {
        offsets[8 * g..8 * g + 8].copy_from_slice(&before.to_le_bytes());
        before +=
            group.as_chunks::<2>().0.iter().map(|s| u16::from_le_bytes(*s) as u64).sum::<u64>();
    }
    Ok(Placed { payload_len, tally })
}

/// The caller's buffer ends before the stream does.
pub(crate) fn too_small() -> Error {
    Error::invalid("the output buffer is too small: max_compressed_len says how long it must be")
}

fn encode_batch<T: Element>(
    encoder: &Encoder<T>,
    batch: &mut Batch<'_, T>,
    slot: &mut Slot<T>,
    run: Run<'_>,
) -> Result<()> {
    slot.words.clear();
    let rate_bytes = CHUNK_ELEMENTS as usize / encoder.geometry.block_len;
    let places =
        batch.sizes.as_chunks_mut::<2>().0.iter_mut().zip(batch.sums.as_chunks_mut::<4>().0);
    let chunks = batch.data.chunks(CHUNK_ELEMENTS as usize).zip(batch.rates.chunks_mut(rate_bytes));
    for ((data, rates), (size, sum)) in chunks.zip(places) {
        let begin = slot.words.len();
        let checksum = encoder.chunk(
            run.level,
            data,
            rates,
            &mut slot.words,
            &mut slot.scratch,
            &mut slot.tally,
        );
        *size = ((slot.words.len() - begin) as u16).to_le_bytes();
        *sum = checksum.to_le_bytes();
    }
    run.advance(size_of_val(batch.data) as u64)
}
