//! Encoded chunks to their places in the stream (FORMAT.md, *Place*).
//!
//! Each thread takes the next batch of chunks, encodes it into memory of its own, and copies it behind the
//! batch before as soon as that one's length is known. So the stream does not depend on the number of
//! threads, no thread waits for a slow one to finish more than the batch before, and only a batch a thread
//! is held beside the stream.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::{
    element::Element,
    error::{Error, Result},
    exec::Execution,
    format::{GROUP_CHUNKS, Sections, TileGrid, WORD, checksum::rows},
    profile::{Plan, Profile},
    statistics::Statistics,
};

/// Chunks that one thread encodes between two looks at the others.
const BATCH_CHUNKS: usize = 8;

/// What encoding a field came to.
pub(crate) struct Placed<T> {
    pub payload_len: u64,
    pub statistics: Statistics<T>,
}

/// The sections of a stream that encoding writes.
struct Parts<'a> {
    heads: &'a mut [u8],
    sizes: &'a mut [u8],
    offsets: &'a mut [u8],
    sums: &'a mut [u8],
    payload: &'a mut [u8],
}

impl<'a> Parts<'a> {
    /// Of a whole stream, with the bytes between its sections set to zero.
    fn of(stream: &'a mut [u8], sections: &Sections) -> Self {
        let (metadata, payload) = stream.split_at_mut(sections.payload as usize);
        for padding in sections.padding() {
            metadata[padding.start as usize..padding.end as usize].fill(0);
        }
        let (mut rest, mut at) = (metadata, 0);
        let [heads, sizes, offsets, sums] =
            [&sections.heads, &sections.sizes, &sections.offsets, &sections.sums].map(|section| {
                let (before, behind) =
                    std::mem::take(&mut rest).split_at_mut((section.end - at) as usize);
                rest = behind;
                let own = &mut before[(section.start - at) as usize..];
                at = section.end;
                own
            });
        Parts { heads, sizes, offsets, sums, payload }
    }
}

/// What some chunks leave outside of the payload.
struct Batch<'a> {
    heads: &'a mut [u8],
    sizes: &'a mut [u8],
    sums: &'a mut [u8],
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

    fn left(self) -> &'a mut [u8] {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).payload
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
#[expect(clippy::too_many_arguments, reason = "what is encoded, by what, to where, and how")]
pub(crate) fn place<T: Element>(
    profile: &Profile,
    tables: &[u32],
    plan: &Plan<T>,
    data: &[T],
    grid: &TileGrid,
    sections: &Sections,
    out: &mut [u8],
    run: Execution<'_>,
) -> Result<Placed<T>> {
    let Parts { heads, sizes, offsets, sums, payload } = Parts::of(out, sections);
    let head_bytes = (profile.head_len() * grid.tiles_per_chunk()) as usize;
    let mut heads = heads.chunks_mut((head_bytes * BATCH_CHUNKS).max(1));
    let (size_len, sum_len) = (sections.size_len as usize, Sections::SUM as usize);
    let own = grid.chunks() as usize;
    let (chunk_sizes, table_size) = sizes.split_at_mut(own * size_len);
    let (chunk_sums, table_sum) = sums.split_at_mut(own * sum_len);
    let batches = chunk_sizes
        .chunks_mut(size_len * BATCH_CHUNKS)
        .zip(chunk_sums.chunks_mut(sum_len * BATCH_CHUNKS))
        .map(|(sizes, sums)| Batch { heads: heads.next().unwrap_or_default(), sizes, sums });
    let payload_len = payload.len();
    let queue = Queue::new(payload);
    let batches = Mutex::new(batches.enumerate());
    let work = || -> Result<Statistics<T>> {
        let mut failing = Failing(Some(&queue));
        let mut statistics = Statistics::empty();
        let (mut words, mut tiles, mut room) = (Vec::new(), Vec::new(), Vec::new());
        let mut encoder = profile.encoder(plan, tables, run.level);
        loop {
            let next = batches.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((turn, batch)) = next else { break };
            words.clear();
            let places = batch.sizes.chunks_exact_mut(size_len);
            let places = places.zip(batch.sums.as_chunks_mut::<{ Sections::SUM as usize }>().0);
            let mut heads = batch.heads;
            for (chunk, (size, sum)) in ((turn * BATCH_CHUNKS) as u64..).zip(places) {
                let elements = grid.gather(data, chunk, &mut tiles, &mut room);
                let (own, rest) = heads.split_at_mut(tiles.len() * profile.head_len() as usize);
                heads = rest;
                let begin = words.len();
                *sum = encoder
                    .encode(elements, &tiles, own, &mut words, &mut statistics)
                    .to_le_bytes();
                put_size(size, words.len() - begin);
                run.advance(size_of_val(elements) as u64)?;
            }
            let Some(own) = queue.place(turn, WORD * words.len())? else { break };
            put_words(own, &words);
        }
        failing.0 = None;
        Ok(statistics)
    };
    let mut statistics = Statistics::empty();
    for own in run.on_threads(grid.chunks().div_ceil(BATCH_CHUNKS as u64) as usize, work)? {
        statistics.merge(&own);
    }
    let mut rest = queue.left();
    if !table_size.is_empty() {
        let place = rest.split_off_mut(..WORD * tables.len()).ok_or_else(too_small)?;
        put_words(place, tables);
        put_size(table_size, tables.len());
        table_sum.copy_from_slice(&rows(tables, 0).to_le_bytes());
    }
    put_offsets(offsets, sizes, size_len);
    Ok(Placed { payload_len: (payload_len - rest.len()) as u64, statistics })
}

/// Writes the sum of all sizes before each group.
fn put_offsets(offsets: &mut [u8], sizes: &[u8], size_len: usize) {
    let mut before = 0u64;
    let groups = sizes.chunks(size_len * GROUP_CHUNKS as usize);
    for (offset, group) in
        offsets.as_chunks_mut::<{ Sections::OFFSET as usize }>().0.iter_mut().zip(groups)
    {
        *offset = before.to_le_bytes();
        before += group.chunks_exact(size_len).map(Sections::read_size).sum::<u64>();
    }
}

fn put_words(bytes: &mut [u8], words: &[u32]) {
    for (bytes, w) in bytes.as_chunks_mut::<WORD>().0.iter_mut().zip(words) {
        *bytes = w.to_le_bytes();
    }
}

fn put_size(place: &mut [u8], words: usize) {
    place.copy_from_slice(&(words as u32).to_le_bytes()[..place.len()]);
}

/// The caller's buffer ends before the stream does.
pub(crate) fn too_small() -> Error {
    Error::invalid("the output buffer is too small: max_compressed_len says how long it must be")
}
