//! Encoded chunks to their places in the stream (FORMAT.md, *Sections*).
//!
//! Chunks are encoded in waves of batches, each batch by one thread into memory of its own; after a wave
//! the batches are copied behind each other. So the stream does not depend on the number of threads, and
//! only a wave's output is held beside the stream.

use rayon::prelude::*;

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

/// The output of a batch, and the working memory that the next wave uses again.
struct Slot<T> {
    words: Vec<u32>,
    scratch: Box<Scratch<T>>,
    tally: Tally<T>,
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
    let mut batches = data
        .chunks(elements)
        .zip(rates.chunks_mut(rate_bytes))
        .zip(sizes.chunks_mut(2 * BATCH_CHUNKS).zip(sums.chunks_mut(4 * BATCH_CHUNKS)))
        .map(|((data, rates), (sizes, sums))| Batch { data, rates, sizes, sums });
    let width = if run.parallel { 4 * rayon::current_num_threads() } else { 1 };
    let mut slots: Vec<Slot<T>> = (0..width)
        .map(|_| Slot { words: Vec::new(), scratch: Scratch::new(), tally: Tally::empty() })
        .collect();
    let mut at = 0usize;
    loop {
        let mut wave: Vec<(Batch<'_, T>, &mut Slot<T>)> =
            batches.by_ref().take(width).zip(slots.iter_mut()).collect();
        if wave.is_empty() {
            break;
        }
        let encode = |(batch, slot): &mut (Batch<'_, T>, &mut Slot<T>)| {
            encode_batch(encoder, batch, slot, run)
        };
        if run.parallel {
            wave.par_iter_mut().try_for_each(encode)?;
        } else {
            wave.iter_mut().try_for_each(encode)?;
        }
        let mut rest = &mut payload[at..];
        let mut copies = Vec::with_capacity(wave.len());
        for (_, slot) in &wave {
            let len = 4 * slot.words.len();
            let (own, after) = rest.split_at_mut_checked(len).ok_or_else(too_small)?;
            copies.push((own, &slot.words));
            rest = after;
            at += len;
        }
        let copy = |(own, words): (&mut [u8], &Vec<u32>)| {
            for (bytes, w) in own.as_chunks_mut::<4>().0.iter_mut().zip(words) {
                *bytes = w.to_le_bytes();
            }
        };
        if run.parallel {
            copies.into_par_iter().for_each(copy);
        } else {
            copies.into_iter().for_each(copy);
        }
    }

    let mut before = 0u64;
    for (g, group) in sizes.chunks(2 * GROUP_CHUNKS as usize).enumerate() {
        offsets[8 * g..8 * g + 8].copy_from_slice(&before.to_le_bytes());
        before +=
            group.as_chunks::<2>().0.iter().map(|s| u16::from_le_bytes(*s) as u64).sum::<u64>();
    }
    let mut tally = Tally::empty();
    slots.iter().for_each(|slot| tally.merge(&slot.tally));
    Ok(Placed { payload_len: at as u64, tally })
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
