//! Launching decompression, and streams in host memory through the device.

use std::ops::Range;

use cudarc::driver::{result, sys};

use super::{
    abi::{OutputBox, OutputRange, StreamView},
    device::Device,
    error::check,
    kernel::{Coder, Kernel, Operation},
    kernels::pointer,
    stream_kind::StreamKind,
    workspace::Workspace,
};
use crate::{
    element::Element,
    error::{Error, Result},
    format::{CHUNK, TILE},
    partial::check_box,
    stream::Stream,
};

/// Bytes of a `Report` in `cuda/decode/stream_view.cuh`. It begins with the status.
pub(crate) const REPORT: usize = 16;

/// What the status holds before a call.
const NO_FAULT: u64 = u64::MAX;

/// Bytes that a kernel reads at a time.
const PIECE: usize = 16;

/// A box of a field: start and count per axis.
pub(crate) type Boxed<'a> = (&'a [u64], &'a [u64]);

/// Enqueues the decompression of the tiles `tiles` of a stream to device memory at `out`.
///
/// # Safety
/// As [`Module::launch`](super::kernels::Module::launch): `view`, `out` and `status` (a [`REPORT`], 8 byte
/// aligned, after [`clear`]) are device memory of the current context, long enough for what they stand for.
pub(crate) unsafe fn launch_tiles(
    device: &Device,
    kind: &StreamKind,
    view: &StreamView,
    tiles: Range<u64>,
    out: u64,
    status: u64,
    queue: sys::CUstream,
) -> Result<()> {
    let begin = tiles.start * TILE as u64;
    let end = (tiles.end * TILE as u64).min(kind.elements());
    if begin >= end {
        return Ok(());
    }
    let kernel = Kernel { operation: Operation::Decompress(Coder::Paper), dtype: kind.dtype };
    let mut first = begin / CHUNK as u64;
    let chunks = (end - 1) / CHUNK as u64 - first + 1;
    let module = device.kernels.decompress()?;
    let launch = module.shapes.launch(chunks, device.multiprocessors);
    let mut view = *view;
    let mut run = OutputRange { out, begin, end };
    let mut status = status;
    let mut arguments =
        [pointer(&mut view), pointer(&mut run), pointer(&mut first), pointer(&mut status)];
    // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
    unsafe { module.launch(kernel, launch, queue, &mut arguments) }
}

/// Enqueues the decompression of a box that lies within the field.
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
    if check_box(&kind.shape, start, count)? == 0 {
        return Ok(());
    }
    let mut place = OutputBox::new(&kind.shape, start, count, out);
    let corners = place.corners();
    let kernel = Kernel { operation: Operation::DecompressBox(Coder::Paper), dtype: kind.dtype };
    let mut first = corners.0 / CHUNK as u64;
    let chunks = corners.1 / CHUNK as u64 - first + 1;
    let module = device.kernels.decompress()?;
    let launch = module.shapes.launch(chunks, device.multiprocessors);
    let mut view = *view;
    let mut status = status;
    let mut arguments =
        [pointer(&mut view), pointer(&mut place), pointer(&mut first), pointer(&mut status)];
    // SAFETY: as in `launch_tiles`.
    unsafe { module.launch(kernel, launch, queue, &mut arguments) }
}

/// Enqueues what must stand in a report before a launch.
///
/// # Safety
/// `report` is [`REPORT`] bytes of device memory of the current context.
pub(crate) unsafe fn clear(report: u64, queue: sys::CUstream) -> Result<()> {
    // SAFETY: the caller vouches for the memory.
    check("cuMemsetD8Async", unsafe { result::memset_d8_async(report, 0xFF, REPORT, queue) })
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
        _ => format!("chunk {chunk} (status {status:#x})"),
    }))
}

/// Decompresses tiles of a stream in host memory.
pub(crate) fn tiles_to_host<T: Element>(
    device: &Device,
    stream: &Stream<'_>,
    tiles: Range<u64>,
    out: &mut [T],
) -> Result<()> {
    let begin = tiles.start * TILE as u64;
    let end = begin + out.len() as u64;
    to_host(device, stream, (begin, end), out, |kind, view, to, status, queue| {
        // SAFETY: `to_host` gives memory of the device, sized for the output.
        unsafe { launch_tiles(device, kind, view, tiles, to, status, queue) }
    })
}

/// Decompresses a box of a stream in host memory.
pub(crate) fn box_to_host<T: Element>(
    device: &Device,
    stream: &Stream<'_>,
    boxed: Boxed<'_>,
    out: &mut [T],
) -> Result<()> {
    let shape = &stream.header().shape;
    check_box(shape, boxed.0, boxed.1)?;
    let corners = if out.is_empty() {
        (0, 0)
    } else {
        let (first, last) = OutputBox::new(shape, boxed.0, boxed.1, 0).corners();
        (first, last + 1)
    };
    to_host(device, stream, corners, out, |kind, view, to, status, queue| {
        // SAFETY: as in `tiles_to_host`.
        unsafe { launch_box(device, kind, view, boxed, to, status, queue) }
    })
}

/// Brings the part of a stream that holds the elements `begin` to `end` to the device, runs `launch`,
/// and brings the output back.
fn to_host<T: Element>(
    device: &Device,
    stream: &Stream<'_>,
    (begin, end): (u64, u64),
    out: &mut [T],
    launch: impl FnOnce(&StreamKind, &StreamView, u64, u64, sys::CUstream) -> Result<()>,
) -> Result<()> {
    let kind = StreamKind::of(stream)?;
    if out.is_empty() {
        return Ok(());
    }
    let bytes = stream.as_bytes();
    let index = stream.index();
    let first = index.payload(begin / CHUNK as u64)?;
    let last = index.payload((end - 1) / CHUNK as u64)?;
    let start = stream.sections().payload;
    let payload = (start + first.start) as usize..(start + last.end) as usize;
    device.work(|Workspace { queue, field, stream: room, scratch }| {
        let at = room.room(bytes.len() + PIECE)?;
        let to = field.room(size_of_val(out))?;
        let status = scratch.room(REPORT)?;
        queue.upload(at, &bytes[..kind.sections.payload as usize])?;
        // A forged index may let the last chunk lie before the first; the kernel finds that out.
        if payload.start <= payload.end {
            // The kernels read whole pieces; what lies beside the payload in the outer two is not used.
            let from = payload.start / PIECE * PIECE;
            let to = payload.end.next_multiple_of(PIECE).min(bytes.len());
            // SAFETY: there is room for a piece behind the stream.
            let clear = unsafe {
                result::memset_d8_async(at + bytes.len() as u64, 0, PIECE, queue.handle())
            };
            check("cuMemsetD8Async", clear)?;
            queue.upload(at + from as u64, &bytes[from..to])?;
        }
        let view = kind.view(at, bytes.len() as u64)?;
        // SAFETY: `status` was made above.
        unsafe { clear(status, queue.handle())? };
        launch(&kind, &view, to, status, queue.handle())?;
        let mut found = [NO_FAULT];
        queue.download(&mut found, status)?;
        verdict(found[0])?;
        queue.download(out, to)
    })
}
