//! Launching decompression, and streams in host memory through the device.

use std::{ops::Range, slice};

use cudarc::driver::{result, sys};

use crate::cuda::{
    device::Device,
    driver::{
        error::check,
        workspace::{Queue, Workspace},
    },
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
const NO_FAULT: u64 = u64::MAX;

/// Bytes that a kernel reads at a time.
pub(crate) const VECTOR: usize = 16;

/// The decompression of a stream on a device. Its methods enqueue it in `queue`.
#[derive(Clone, Copy)]
pub(crate) struct Decompression<'a> {
    pub device: &'a Device,
    pub kind: &'a StreamKind,
    pub view: &'a StreamView,
    /// Device memory for what is decompressed.
    pub out: u64,
    /// A [`REPORT`] in device memory, at a multiple of 8, after [`StreamKind::clear`].
    pub status: u64,
    pub queue: sys::CUstream,
}

impl Decompression<'_> {
    /// Decompresses a part of the stream, with what regions hold of it: then it waits.
    ///
    /// # Safety
    /// As [`tiles`](Self::tiles).
    pub unsafe fn with_regions(&self, selection: &Selection<'_>) -> Result<()> {
        // SAFETY: as the caller vouches.
        unsafe {
            self.part(selection)?;
            put_regions(self, selection)
        }
    }

    /// Decompresses a part of the stream, without regions, as all that follows.
    ///
    /// # Safety
    /// As [`tiles`](Self::tiles).
    pub unsafe fn part(&self, selection: &Selection<'_>) -> Result<()> {
        // SAFETY: as the caller vouches.
        unsafe {
            match selection {
                Selection::Field => self.field(),
                Selection::Tiles(tiles) => self.tiles(tiles.clone()),
                Selection::Box(boxed) => self.boxed(*boxed),
            }
        }
    }

    /// Decompresses some tiles.
    ///
    /// # Safety
    /// As [`Module::launch`](crate::cuda::kernels::module::Module::launch): `view`, `out` and `status` are device memory of the
    /// current context, long enough for what they stand for.
    pub unsafe fn tiles(&self, tiles: Range<u64>) -> Result<()> {
        if tiles.is_empty() {
            return Ok(());
        }
        let &Decompression { kind, out, .. } = self;
        if let Tiles::Dense { boxes, grid } = &kind.tiles {
            if tiles == (0..grid.tiles()) && grid.is_linear() {
                // SAFETY: as the caller vouches.
                return unsafe { self.field() };
            }
            let output = BoxesToTiles {
                out,
                before: grid.len_of(0..tiles.start),
                first: tiles.start as u32,
                end: tiles.end as u32,
            };
            let operation = Operation::DecompressTiles(kind.coder());
            // SAFETY: as the caller vouches; the kernel takes such an output.
            return unsafe { self.boxes(boxes, 0..kind.sections.chunks, operation, output) };
        }
        let begin = tiles.start * TILE as u64;
        let end = (tiles.end * TILE as u64).min(kind.elements());
        let operation = Operation::Decompress(kind.coder());
        // SAFETY: as the caller vouches; the kernel takes such a range.
        unsafe { self.linear((begin, end - 1), operation, OutputRange { out, begin, end }) }
    }

    /// Decompresses the whole stream.
    ///
    /// # Safety
    /// As [`tiles`](Self::tiles).
    pub unsafe fn field(&self) -> Result<()> {
        // SAFETY: as the caller vouches.
        unsafe { self.chunks(0..self.kind.sections.chunks) }
    }

    /// Decompresses some chunks of a field, where `out` is the device memory of all of it.
    ///
    /// # Safety
    /// As [`tiles`](Self::tiles).
    pub unsafe fn chunks(&self, chunks: Range<u64>) -> Result<()> {
        if chunks.is_empty() {
            return Ok(());
        }
        let &Decompression { device, kind, out, .. } = self;
        let Tiles::Dense { boxes, .. } = &kind.tiles else {
            let first = chunks.start * (CHUNK * kind.dtype.size()) as u64;
            let tiles = chunks.start * CHUNK_TILES as u64..chunks.end * CHUNK_TILES as u64;
            // SAFETY: as the caller vouches; there are no more elements than the last chunk has.
            return unsafe { Decompression { out: out + first, ..*self }.tiles(tiles) };
        };
        let most = match chunks.start {
            0 => chunks.end,
            _ => {
                let module = device.kernels.decompress_boxes(kind.coder(), kind.dtype)?;
                module.shapes.most_ordered.into()
            }
        };
        for first in chunks.clone().step_by(most as usize) {
            let chunks = first..chunks.end.min(first + most);
            // SAFETY: as the caller vouches; the kernel takes the memory of the field.
            unsafe { self.boxes(boxes, chunks, Operation::Decompress(kind.coder()), out)? };
        }
        Ok(())
    }

    /// Decompresses a box that lies within the field.
    ///
    /// # Safety
    /// As [`tiles`](Self::tiles).
    pub unsafe fn boxed(&self, (start, count): Boxed<'_>) -> Result<()> {
        if count.contains(&0) {
            return Ok(());
        }
        let &Decompression { kind, out, .. } = self;
        let place = OutputBox::new(&kind.shape, start, count, out);
        let operation = Operation::DecompressBox(kind.coder());
        // SAFETY: as the caller vouches; the kernels take such a place.
        unsafe {
            match &kind.tiles {
                Tiles::Dense { boxes, .. } => {
                    self.boxes(boxes, 0..kind.sections.chunks, operation, place)
                }
                _ => self.linear(place.corners(), operation, place),
            }
        }
    }

    /// Decompresses the chunks from that of the element `first` to that of `last`, where chunks are consecutive elements.
    ///
    /// # Safety
    /// As [`tiles`](Self::tiles); `output` is what the kernel of `operation` takes.
    unsafe fn linear<O>(
        &self,
        (first, last): (u64, u64),
        operation: Operation,
        mut output: O,
    ) -> Result<()> {
        let &Decompression { device, kind, view, mut status, queue, .. } = self;
        let mut first = first / CHUNK as u64;
        let chunks = last / CHUNK as u64 - first + 1;
        let module = device.kernels.decompress(kind.coder(), kind.dtype)?;
        let launch = module.shapes.launch(chunks, device.multiprocessors, kind.computes);
        let kernel = Kernel { operation, dtype: kind.dtype };
        let mut view = *view;
        let mut arguments =
            [pointer(&mut view), pointer(&mut output), pointer(&mut first), pointer(&mut status)];
        // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
        unsafe { module.launch(kernel, launch, queue, &mut arguments) }
    }

    /// Decompresses the boxes of some chunks: of at most
    /// [`BoxShapes::most_ordered`](crate::cuda::kernels::boxes::BoxShapes::most_ordered), or of the first ones. One launch
    /// makes ready, then one decodes.
    ///
    /// # Safety
    /// As [`tiles`](Self::tiles); `output` is what the kernel of `operation` takes.
    unsafe fn boxes<O>(
        &self,
        grid: &BoxGrid,
        chunks: Range<u64>,
        operation: Operation,
        mut output: O,
    ) -> Result<()> {
        let &Decompression { device, kind, view, mut status, queue, .. } = self;
        if kind.elements() == 0 {
            return Ok(());
        }
        let module = device.kernels.decompress_boxes(kind.coder(), kind.dtype)?;
        let shapes = &module.shapes;
        let (mut view, mut grid) = (*view, *grid);
        let (mut first, mut end) = (chunks.start as u32, chunks.end as u32);
        let prepare =
            Kernel { operation: Operation::PrepareDecompress(kind.coder()), dtype: kind.dtype };
        let mut arguments = [
            pointer(&mut view),
            pointer(&mut grid),
            pointer(&mut first),
            pointer(&mut end),
            pointer(&mut status),
        ];
        let launch = shapes.prepare(kind.sections.chunks);
        // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
        unsafe { module.launch(prepare, launch, queue, &mut arguments)? };
        view.sections.chunks = chunks.end - chunks.start;
        let launch = shapes.launch(view.sections.chunks, device.multiprocessors, grid.is_lorenzo());
        let kernel = Kernel { operation, dtype: kind.dtype };
        let mut arguments =
            [pointer(&mut view), pointer(&mut grid), pointer(&mut output), pointer(&mut status)];
        // SAFETY: as above; `output` is as the caller says.
        unsafe { module.launch(kernel, launch, queue, &mut arguments) }
    }
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

/// Waits for the decompression that has its report at `status`, and says how it ended.
pub(crate) fn outcome(queue: &Queue, status: u64) -> Result<()> {
    let mut found = [NO_FAULT];
    queue.download(&mut found, status)?;
    verdict(found[0])
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
        let (kind, view) = (&kind, &view);
        launched_to_host(device, kind, workspace, out, run, |out, status, queue| {
            let decompression = Decompression { device, kind, view, out, status, queue };
            // SAFETY: it gives memory of the device, sized for the output.
            unsafe { decompression.part(selection) }
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
    outcome(queue, status)?;
    // SAFETY: the output's memory was sized above, and what writes it has been waited for.
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
