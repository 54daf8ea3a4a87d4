//! Decoding large outputs in pieces, each in a CUDA stream of its own: its payload goes up, it is decoded, it comes back.
//! So the bus is busy in both directions while the device decodes.

use std::{ops::Range, slice};

use crate::cuda::{
    decompress::{DECOMPRESS_SCRATCH, Decompression, VECTOR, clear_behind, outcome, vectors},
    device::Device,
    driver::workspace::Workspace,
    host::lanes::{Half, PIECE, Pieces, SMALL, shares_to},
    stream_kind::StreamKind,
};
use crate::{
    element::Element,
    error::Result,
    exec::Execution,
    format::{CHUNK, CHUNK_TILES, TILE},
    profile::Profile,
    stream::Stream,
};

/// Bytes of output from which on it is decoded in pieces.
const FROM: usize = SMALL;

/// Whether an output is decoded in pieces: that of a profile whose tiles are consecutive elements.
pub(crate) fn serve<T>(stream: &Stream<'_>, out: &[T]) -> bool {
    matches!(stream.header().profile, Profile::Paper(_)) && size_of_val(out) >= FROM
}

/// Decodes tiles of a stream. What the kernels cannot check of a part of a stream, its index, was checked when it was
/// opened.
pub(crate) fn to_host<T: Element>(
    device: &Device,
    (stream, tiles): (&Stream<'_>, Range<u64>),
    out: &mut [T],
    run: Execution<'_>,
) -> Result<()> {
    let kind = StreamKind::of_field(stream)?;
    let (bytes, payload, index) = (stream.as_bytes(), stream.payload(), stream.index());
    let start = kind.sections.payload;
    let len = start as usize + payload.len();
    // SAFETY: numbers as bytes; any bytes are numbers.
    let to = unsafe { slice::from_raw_parts_mut(out.as_mut_ptr().cast::<u8>(), size_of_val(out)) };
    let (piece, lanes) = shares_to(to, run.threads);
    let chunk = CHUNK * size_of::<T>();
    let piece = piece.next_multiple_of(chunk).min(piece.max(PIECE) / chunk * chunk);
    device.work(|Workspace { queue, field, stream, scratch, .. }| {
        let at = stream.room(len + VECTOR)?;
        let out_at = field.room(to.len())?;
        let status = scratch.room(DECOMPRESS_SCRATCH)?;
        // SAFETY: the memory was sized above.
        unsafe {
            clear_behind(at + len as u64, queue.handle())?;
            kind.clear(status, queue.handle())?;
            device.upload(queue, at, &bytes[..start as usize], run, &|_| run.check())?;
        }
        // What was cleared is for kernels of other CUDA streams.
        queue.wait()?;
        let (kind, view) = (&kind, &kind.view(at, len as u64)?);
        let make = |half: &Half, bytes_of: Range<usize>| {
            let tile = |at: usize| tiles.start + (at / size_of::<T>()).div_ceil(TILE) as u64;
            let tiles = tile(bytes_of.start)..tile(bytes_of.end);
            let (first, last) =
                (tiles.start / CHUNK_TILES as u64, (tiles.end - 1) / CHUNK_TILES as u64);
            let (first, last) = (index.payload(first)?, index.payload(last)?);
            let vectors = vectors(&(first.start..last.end), payload);
            half.send(at + start + vectors.start as u64, &payload[vectors])?;
            let (out, queue) = (out_at + bytes_of.start as u64, half.queue().handle());
            // SAFETY: the memory was sized above; what the tiles take of the stream is enqueued before.
            unsafe { Decompression { device, kind, view, out, status, queue }.tiles(tiles) }
        };
        let pieces = Pieces { to, from: out_at, piece };
        let done = |bytes: usize| run.advance(bytes as u64);
        // SAFETY: the field's room is that of the output, and this call's alone.
        unsafe { device.download_made(pieces, lanes, run, &done, make)? };
        outcome(queue, status)
    })
}
