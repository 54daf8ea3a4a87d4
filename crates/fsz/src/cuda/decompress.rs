//! Launching decompression, and streams in host memory through the device.

use std::{ops::Range, slice};

use cudarc::driver::{result, sys};

use crate::cuda::{
    device::Device,
    driver::{error::check, workspace::Workspace},
    host::{pieces, slabs},
    kernels::{
        abi::{BoxGrid, BoxesToTiles, OutputBox, OutputRange, StreamView},
        kernel::{Kernel, Operation},
        module::pointer,
    },
    regions::put::put_regions,
    stream_kind::{StreamKind, Tiles},
};
use crate::{
    element::Element,
    error::{Error, Result},
    exec::Execution,
    format::{CHUNK, CHUNK_TILES, Sections, TILE},
    selection::{Boxed, Selection},
    stream::Stream,
};

/// Bytes of a `Report` in `cuda/decode/stream_view.cuh`, and of the status that it begins with.
pub(crate) const REPORT: usize = 16;
pub(crate) const STATUS: usize = 8;

/// Bytes that a decompression works in: a report, and what chunks of boxes share (`DenseDecoding` in
/// `cuda/profile/dense/decode/prepare.cuh`).
pub(crate) const DECOMPRESS_SCRATCH: usize = 512 << 10;

/// What the status holds before a call.
pub(crate) const NO_FAULT: u64 = u64::MAX;

/// Bytes that a kernel reads at a time.
pub(crate) const VECTOR: usize = 16;

/// Enqueues the decompression of a part of a stream to device memory at `out`, with what regions hold of it: then it
/// waits.
///
/// # Safety
/// As [`launch_tiles`].
pub(crate) unsafe fn launch(
    device: &Device,
    kind: &StreamKind,
    view: &StreamView,
    selection: &Selection<'_>,
    out: u64,
    status: u64,
    queue: sys::CUstream,
) -> Result<()> {
    // SAFETY: as the caller vouches.
    unsafe {
        launch_part(device, kind, view, selection, out, status, queue)?;
        put_regions(device, kind, view, selection, out, status, queue)
    }
}

/// Enqueues the decompression of a part of a stream, without regions.
///
/// # Safety
/// As [`launch_tiles`].
pub(crate) unsafe fn launch_part(
    device: &Device,
    kind: &StreamKind,
    view: &StreamView,
    selection: &Selection<'_>,
    out: u64,
    status: u64,
    queue: sys::CUstream,
) -> Result<()> {
    // SAFETY: as the caller vouches.
    unsafe {
        match selection {
            Selection::Field => launch_field(device, kind, view, out, status, queue),
            Selection::Tiles(tiles) => {
                launch_tiles(device, kind, view, tiles.clone(), out, status, queue)
            }
            Selection::Box(boxed) => launch_box(device, kind, view, *boxed, out, status, queue),
        }
    }
}

/// Enqueues the decompression of the tiles `tiles` of a stream to device memory at `out`, without regions.
///
/// # Safety
/// As [`Module::launch`](crate::cuda::kernels::module::Module::launch): `view`, `out` and `status` (a [`REPORT`], 8 byte
/// aligned, after [`StreamKind::clear`]) are device memory of the current context, long enough for what they stand for.
pub(crate) unsafe fn launch_tiles(
    device: &Device,
    kind: &StreamKind,
    view: &StreamView,
    tiles: Range<u64>,
    out: u64,
    status: u64,
    queue: sys::CUstream,
) -> Result<()> {
    if tiles.is_empty() {
        return Ok(());
    }
    if let Tiles::Dense { boxes, grid } = &kind.tiles {
        let whole = tiles == (0..grid.tiles()) && grid.is_linear();
        let output = BoxesToTiles {
            out,
            before: if whole { 0 } else { grid.len_of(0..tiles.start) },
            first: tiles.start as u32,
            end: tiles.end as u32,
        };
        // SAFETY: as the caller vouches.
        return unsafe {
            match whole {
                true => launch_field(device, kind, view, out, status, queue),
                false => {
                    let operation = Operation::DecompressTiles(kind.coder());
                    let of = (device, kind, &**boxes, view, status, queue);
                    launch_boxes(of, operation, output)
                }
            }
        };
    }
    let begin = tiles.start * TILE as u64;
    let end = (tiles.end * TILE as u64).min(kind.elements());
    let kernel = Kernel { operation: Operation::Decompress(kind.coder()), dtype: kind.dtype };
    let mut first = begin / CHUNK as u64;
    let chunks = (end - 1) / CHUNK as u64 - first + 1;
    let module = device.kernels.decompress(kind.coder(), kind.dtype)?;
    let launch = module.shapes.launch(chunks, device.multiprocessors, kind.computes);
    let mut view = *view;
    let mut run = OutputRange { out, begin, end };
    let mut status = status;
    let mut arguments =
        [pointer(&mut view), pointer(&mut run), pointer(&mut first), pointer(&mut status)];
    // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
    unsafe { module.launch(kernel, launch, queue, &mut arguments) }
}

/// Enqueues the decompression of a whole stream, without regions.
///
/// # Safety
/// As [`launch_tiles`].
pub(crate) unsafe fn launch_field(
    device: &Device,
    kind: &StreamKind,
    view: &StreamView,
    out: u64,
    status: u64,
    queue: sys::CUstream,
) -> Result<()> {
    // SAFETY: as the caller vouches.
    unsafe { launch_chunks(device, kind, view, 0..kind.sections.chunks, out, status, queue) }
}

/// A stream of boxes, and what its decompression is enqueued with.
type OfBoxes<'a> = (&'a Device, &'a StreamKind, &'a BoxGrid, &'a StreamView, u64, sys::CUstream);

/// Enqueues the decompression of boxes: the launch that makes ready, then the one that decodes.
///
/// # Safety
/// As [`launch_tiles`]; `output` is what the kernel of `operation` takes.
unsafe fn launch_boxes<O>(of: OfBoxes<'_>, operation: Operation, output: O) -> Result<()> {
    let chunks = 0..of.1.sections.chunks;
    // SAFETY: as the caller vouches.
    unsafe { launch_ordered(of, chunks, operation, output) }
}

/// Enqueues the decompression of some chunks of a field, where `out` is the device memory of all of it, without regions.
///
/// # Safety
/// As [`launch_tiles`].
pub(crate) unsafe fn launch_chunks(
    device: &Device,
    kind: &StreamKind,
    view: &StreamView,
    chunks: Range<u64>,
    out: u64,
    status: u64,
    queue: sys::CUstream,
) -> Result<()> {
    if chunks.is_empty() {
        return Ok(());
    }
    let Tiles::Dense { boxes, .. } = &kind.tiles else {
        let first = chunks.start * (CHUNK * kind.dtype.size()) as u64;
        let tiles = chunks.start * CHUNK_TILES as u64..chunks.end * CHUNK_TILES as u64;
        // SAFETY: as the caller vouches; there are no more elements than the last chunk has.
        return unsafe { launch_tiles(device, kind, view, tiles, out + first, status, queue) };
    };
    let of = (device, kind, &**boxes, view, status, queue);
    let most = match chunks.start {
        0 => chunks.end,
        _ => device.kernels.decompress_boxes(kind.coder(), kind.dtype)?.shapes.most_ordered.into(),
    };
    for first in chunks.clone().step_by(most as usize) {
        let chunks = first..chunks.end.min(first + most);
        // SAFETY: as the caller vouches.
        unsafe { launch_ordered(of, chunks, Operation::Decompress(kind.coder()), out)? };
    }
    Ok(())
}

/// Enqueues the decompression of the boxes of some chunks: of at most
/// [`BoxShapes::most_ordered`](crate::cuda::kernels::boxes::BoxShapes::most_ordered), or of the first ones.
///
/// # Safety
/// As [`launch_boxes`].
unsafe fn launch_ordered<O>(
    (device, kind, boxes, view, status, queue): OfBoxes<'_>,
    chunks: Range<u64>,
    operation: Operation,
    mut output: O,
) -> Result<()> {
    if kind.elements() == 0 {
        return Ok(());
    }
    let module = device.kernels.decompress_boxes(kind.coder(), kind.dtype)?;
    let shapes = &module.shapes;
    let (mut view, mut boxes, mut status) = (*view, *boxes, status);
    let (mut first, mut end) = (chunks.start as u32, chunks.end as u32);
    let prepare =
        Kernel { operation: Operation::PrepareDecompress(kind.coder()), dtype: kind.dtype };
    let mut arguments = [
        pointer(&mut view),
        pointer(&mut boxes),
        pointer(&mut first),
        pointer(&mut end),
        pointer(&mut status),
    ];
    let launch = shapes.prepare(kind.sections.chunks);
    // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
    unsafe { module.launch(prepare, launch, queue, &mut arguments)? };
    view.sections.chunks = chunks.end - chunks.start;
    let launch = shapes.launch(view.sections.chunks, device.multiprocessors, boxes.is_lorenzo());
    let kernel = Kernel { operation, dtype: kind.dtype };
    let mut arguments =
        [pointer(&mut view), pointer(&mut boxes), pointer(&mut output), pointer(&mut status)];
    // SAFETY: as above; `output` is as the caller says.
    unsafe { module.launch(kernel, launch, queue, &mut arguments) }
}

/// Enqueues the decompression of a box that lies within the field, without regions.
///
/// # Safety
/// As [`launch_tiles`].
pub(crate) unsafe fn launch_box(
    device: &Device,
    kind: &StreamKind,
    view: &StreamView,
    (start, count): Boxed<'_>,
    out: u64,
    status: u64,
    queue: sys::CUstream,
) -> Result<()> {
    if count.contains(&0) {
        return Ok(());
    }
    let mut place = OutputBox::new(&kind.shape, start, count, out);
    if let Tiles::Dense { boxes, .. } = &kind.tiles {
        let operation = Operation::DecompressBox(kind.coder());
        let of = (device, kind, &**boxes, view, status, queue);
        // SAFETY: as the caller vouches.
        return unsafe { launch_boxes(of, operation, place) };
    }
    let corners = place.corners();
    let kernel = Kernel { operation: Operation::DecompressBox(kind.coder()), dtype: kind.dtype };
    let mut first = corners.0 / CHUNK as u64;
    let chunks = corners.1 / CHUNK as u64 - first + 1;
    let module = device.kernels.decompress(kind.coder(), kind.dtype)?;
    let launch = module.shapes.launch(chunks, device.multiprocessors, kind.computes);
    let mut view = *view;
    let mut status = status;
    let mut arguments =
        [pointer(&mut view), pointer(&mut place), pointer(&mut first), pointer(&mut status)];
    // SAFETY: as in `launch_tiles`.
    unsafe { module.launch(kernel, launch, queue, &mut arguments) }
}

/// What a status says once the call is done.
pub(crate) fn verdict(status: u64) -> Result<()> {
    if status == NO_FAULT {
        return Ok(());
    }
    let chunk = status >> 8;
    Err(Error::corrupt(match status & 0xFF {
        1 => "the header in device memory is not that of the stream described".into(),
        2 => "the checksum of the header does not match".into(),
        3 => "the header contradicts itself".into(),
        4 => "the checksum of rates and index does not match".into(),
        5 => format!("the index entry of chunk {chunk} points behind the payload"),
        6 => format!("a contradictory escape field in chunk {chunk}"),
        7 => format!("the tiles of chunk {chunk} do not fill it"),
        8 => format!("masks or positions of exceptions in chunk {chunk} that do not rise"),
        9 => format!("the checksum of chunk {chunk} does not match"),
        10 => format!("symbols that no encoder writes in chunk {chunk}"),
        11 => "the tables contradict themselves, or their checksum does not match".into(),
        12 => format!("the head of chunk {chunk} contradicts itself"),
        _ => format!("chunk {chunk} (status {status:#x})"),
    }))
}

/// Decompresses a part of a stream in host memory, without regions: what holds it of the stream is brought to the device,
/// and the output back.
pub(crate) fn to_host<T: Element>(
    device: &Device,
    stream: &Stream<'_>,
    selection: &Selection<'_>,
    out: &mut [T],
    run: Execution<'_>,
) -> Result<()> {
    if out.is_empty() {
        return Ok(());
    }
    let grid = stream.grid();
    match selection {
        Selection::Field if slabs::serve(stream, out) => {
            return slabs::to_host(device, stream, out, run);
        }
        Selection::Field if pieces::serve(stream, out) => {
            return pieces::to_host(device, (stream, 0..grid.tiles()), out, run);
        }
        Selection::Tiles(tiles) if pieces::serve(stream, out) => {
            return pieces::to_host(device, (stream, tiles.clone()), out, run);
        }
        _ => {}
    }
    let chunks = selection.chunks(grid);
    let kind = StreamKind::of_field(stream)?;
    let (bytes, payload) = (stream.as_bytes(), stream.payload());
    let index = stream.index();
    let start = kind.sections.payload;
    let len = start as usize + payload.len();
    let (first, last) = (index.payload(chunks.start)?, index.payload(chunks.end - 1)?);
    // Behind the chunks: the tables, where there are some.
    let Sections { chunks, entries, .. } = *stream.sections();
    let tables = (entries > chunks).then(|| index.payload(chunks)).transpose()?;
    let parts = [Some(first.start..last.end), tables];
    device.work(|workspace| {
        let Workspace { queue, stream: room, .. } = workspace;
        let at = room.room(len + VECTOR)?;
        let upload = |to: u64, bytes: &[u8]| {
            // SAFETY: the stream's room is that of all its bytes.
            unsafe { device.upload(queue, to, bytes, run, &|_| run.check()) }
        };
        upload(at, &bytes[..start as usize])?;
        for part in parts.into_iter().flatten() {
            // A forged index may let the last chunk lie before the first; the kernel finds that out.
            if part.start > part.end {
                continue;
            }
            let vectors = vectors(&part, payload);
            // SAFETY: there is room for a vector behind the stream.
            unsafe { clear_behind(at + len as u64, queue.handle())? };
            upload(at + start + vectors.start as u64, &payload[vectors])?;
        }
        let view = kind.view(at, len as u64)?;
        launched_to_host(device, &kind, workspace, out, run, |to, status, queue| {
            // SAFETY: it gives memory of the device, sized for the output.
            unsafe { launch_part(device, &kind, &view, selection, to, status, queue) }
        })
    })
}

/// What kernels read of a payload for a part of it: whole vectors. What lies beside the part in the outer two is not
/// used.
pub(crate) fn vectors(part: &Range<u64>, payload: &[u8]) -> Range<usize> {
    let from = part.start as usize / VECTOR * VECTOR;
    from..(part.end as usize).next_multiple_of(VECTOR).min(payload.len())
}

/// Zeroes the vector behind a stream: kernels read whole ones.
///
/// # Safety
/// There is room for a [`VECTOR`] at `end`, device memory of the current context.
pub(crate) unsafe fn clear_behind(end: u64, queue: sys::CUstream) -> Result<()> {
    // SAFETY: the caller vouches for the memory.
    check("cuMemsetD8Async", unsafe { result::memset_d8_async(end, 0, VECTOR, queue) })
}

/// Runs `launch` with room for `out` and for a report, which is cleared, and brings the output back. The context is
/// current.
pub(crate) fn launched_to_host<T: Element>(
    device: &Device,
    kind: &StreamKind,
    Workspace { queue, field, scratch, .. }: &mut Workspace,
    out: &mut [T],
    run: Execution<'_>,
    launch: impl FnOnce(u64, u64, sys::CUstream) -> Result<()>,
) -> Result<()> {
    let to = field.room(size_of_val(out))?;
    let status = scratch.room(DECOMPRESS_SCRATCH)?;
    // SAFETY: `status` was made above.
    unsafe { kind.clear(status, queue.handle())? };
    launch(to, status, queue.handle())?;
    let mut found = [NO_FAULT];
    queue.download(&mut found, status)?;
    verdict(found[0])?;
    // SAFETY: the output's memory was sized above, and the download above has waited for it.
    unsafe { device.download(queue, out, to, run, &|bytes| run.advance(bytes as u64)) }
}

/// Bytes of an output up to which [`launched_for_host`] keeps pinned memory.
pub(crate) const MOST_LENT: usize = 32 << 20;

/// Where the output begins in pinned memory, behind the status.
const LENT: usize = 256;

/// Runs `launch` with room for `len` elements and for a report, which is cleared, and lends the output to `read` in pinned
/// memory: one copy, by the device, and one wait. The context is current.
pub(crate) fn launched_for_host<T: Element, R>(
    kind: &StreamKind,
    Workspace { queue, field, scratch, host, .. }: &mut Workspace,
    len: usize,
    launch: impl FnOnce(u64, u64, sys::CUstream) -> Result<()>,
    read: impl FnOnce(&[T]) -> R,
) -> Result<R> {
    let bytes = len * size_of::<T>();
    let (to, status) = (field.room(bytes)?, scratch.room(DECOMPRESS_SCRATCH)?);
    let (report, output) = host.room(LENT + bytes)?.split_at_mut(LENT);
    let report = &mut report[..STATUS];
    // SAFETY: `status` was made above.
    unsafe { kind.clear(status, queue.handle())? };
    launch(to, status, queue.handle())?;
    let fetched = queue.fetch(report, status).and_then(|()| queue.fetch(output, to));
    // Also after an error nothing may be under way in memory that is used again.
    queue.wait()?;
    fetched?;
    let mut found = [0; STATUS];
    found.copy_from_slice(report);
    verdict(u64::from_ne_bytes(found))?;
    // SAFETY: `len` elements, which any bytes are, at a multiple of 256 of whole pages.
    Ok(read(unsafe { slice::from_raw_parts(output.as_ptr().cast::<T>(), len) }))
}
