//! Fields and streams that lie in device memory, with the caller's CUDA stream and memory.

use std::{ops::Range, sync::Arc};

use crate::cuda::{
    boxes::compress::download,
    compress,
    compression::Compression,
    decompress::{self, Decompression, VECTOR},
    device::Device,
    kernels::abi::Control,
    regions::put::check_captured,
    stream_kind::{StreamKind, check_stream_aligned},
};
use crate::{
    error::{Error, Result},
    partial::check_box,
    schedule::too_small,
    selection::{Selection, check_tiles},
    threads::Threads,
};

/// The codec for fields and streams in device memory.
///
/// Calls that take a CUDA stream enqueue work on it and return at once: nothing is allocated, nothing is
/// waited for, and several calls chain without the host in between. Some calls wait, so that no CUDA graph
/// can hold them: compressing by the profile `dense` but for [`like`](crate::CompressOptions::like) another stream,
/// for the host chooses layout and tables, and compressing and decompressing with bounds by region, whose elements
/// the host leads to their places, through memory of the library's own. What went wrong on the device is kept in the
/// call's scratch memory, where [`outcome`](DeviceCodec::outcome) reads it. The device's primary context is used, the
/// one of the CUDA runtime; the caller's current context is left as it is.
#[derive(Clone, Debug)]
pub struct DeviceCodec {
    pub(crate) device: Arc<Device>,
    /// Those that copy to and from host memory.
    pub(crate) threads: Threads,
}

/// A CUDA stream: a `cudaStream_t` or `CUstream` as a pointer; null is the default stream.
pub type CudaStream = *mut std::ffi::c_void;

impl DeviceCodec {
    /// Bytes of scratch memory of a decompression; they begin at a multiple of 8.
    pub const DECOMPRESS_SCRATCH: usize = decompress::DECOMPRESS_SCRATCH;

    /// CUDA device number `device`. The calling thread alone copies between its memory and that of the host;
    /// [`Codec::device`](crate::Codec::device) gives one whose copies are shared by several.
    ///
    /// # Errors
    /// [`Error::Device`] when there is no such device, driver or image for it.
    pub fn open(device: usize) -> Result<Self> {
        Ok(Self::new(Device::open(device)?, Threads::Calling))
    }

    pub(crate) fn new(device: Arc<Device>, threads: Threads) -> Self {
        DeviceCodec { device, threads }
    }

    /// Enqueues a compression; waits for it where there are bounds by region, and for what is before it where the profile
    /// chooses. `field` is the device address of the
    /// elements in C order, `stream` that of the output, a multiple of 16, with `capacity` bytes:
    /// [`Compression::max_len`] always suffice.
    ///
    /// The scratch begins with the stream's length in bytes, a `u64` in device memory that a following
    /// kernel can read; [`compressed_len`](Self::compressed_len) brings it to the host.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for addresses out of alignment or a capacity that cannot hold even
    /// the stream's index, or with bounds by region the stream, of which the output then has some parts;
    /// [`Error::Unsupported`] for a call that waits and is to be captured into a CUDA graph; [`Error::Device`].
    ///
    /// # Safety
    /// Until the CUDA stream is past the call, and as long as a graph of it: `compression` lives, `field` is device
    /// memory of this device that holds the field, `stream` has `capacity` bytes and `scratch`
    /// [`Compression::scratch_len`], nothing else writes them, and `queue` is a stream of the device's primary
    /// context.
    pub unsafe fn compress(
        &self,
        compression: &Compression,
        field: u64,
        (stream, capacity): (u64, u64),
        scratch: u64,
        queue: CudaStream,
    ) -> Result<()> {
        check_aligned(compression.kind(), field, scratch)?;
        check_stream_aligned(stream)?;
        if capacity < compression.kind().sections.payload {
            return Err(too_small());
        }
        let _entered = self.device.context.enter()?;
        // SAFETY: the caller's promise.
        unsafe {
            compression.launch(&self.device, field, (stream, capacity), scratch, queue.cast())
        }
    }

    /// Waits for `queue` and returns the length of the stream that the compression with this scratch
    /// memory and capacity made.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the capacity was too small; [`Error::Device`].
    ///
    /// # Safety
    /// `scratch` and `queue` are those of the call, still valid.
    pub unsafe fn compressed_len(
        &self,
        scratch: u64,
        capacity: u64,
        queue: CudaStream,
    ) -> Result<u64> {
        // SAFETY: the caller's promise; any bytes are a `Control`.
        let control = unsafe { self.read(Control::NONE, scratch, queue)? };
        compress::verdict(&control, capacity)
    }

    /// Enqueues the decompression of a whole stream; waits where it has bounds by region. `stream` is its device address,
    /// a multiple of 16, of which `capacity` bytes may be read: at least its length. `out` is the device address of the
    /// field's elements.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for addresses out of alignment; [`Error::Truncated`] when `capacity`
    /// cannot hold the stream's index; [`Error::Unsupported`] for a kind that is not known before the stream is written, and
    /// for a call that waits and is to be captured into a CUDA graph; [`Error::Device`].
    ///
    /// # Safety
    /// Until the CUDA stream is past the call: `stream` is device memory of this device with `capacity`
    /// bytes, `out` has room for the field's elements, `scratch` has
    /// [`DECOMPRESS_SCRATCH`](Self::DECOMPRESS_SCRATCH) bytes, nothing else writes them, and `queue` is
    /// a stream of the device's primary context.
    pub unsafe fn decompress(
        &self,
        kind: &StreamKind,
        (stream, capacity): (u64, u64),
        out: u64,
        scratch: u64,
        queue: CudaStream,
    ) -> Result<()> {
        let all = Selection::Field;
        // SAFETY: the caller's promise.
        unsafe { self.decode(kind, (stream, capacity), all, out, scratch, queue) }
    }

    /// Enqueues the decompression of the tiles `tiles`, side by side from `out` on.
    ///
    /// # Errors
    /// As [`decompress`](Self::decompress), and [`Error::InvalidArgument`] for tiles that the field
    /// does not have.
    ///
    /// # Safety
    /// As [`decompress`](Self::decompress).
    pub unsafe fn decompress_tiles(
        &self,
        kind: &StreamKind,
        (stream, capacity): (u64, u64),
        tiles: Range<u64>,
        out: u64,
        scratch: u64,
        queue: CudaStream,
    ) -> Result<()> {
        kind.check_known()?;
        check_tiles(kind.sections.tiles, &tiles)?;
        let tiles = Selection::Tiles(tiles);
        // SAFETY: the caller's promise.
        unsafe { self.decode(kind, (stream, capacity), tiles, out, scratch, queue) }
    }

    /// Enqueues the decompression of the box of `count` elements from `start` on, in C order to `out`.
    /// A slice is a box of one element along its axis.
    ///
    /// # Errors
    /// As [`decompress`](Self::decompress), and [`Error::InvalidArgument`] for a box that is not inside
    /// the field.
    ///
    /// # Safety
    /// As [`decompress`](Self::decompress).
    #[expect(clippy::too_many_arguments, reason = "stream, box, output, scratch and queue")]
    pub unsafe fn decompress_box(
        &self,
        kind: &StreamKind,
        (stream, capacity): (u64, u64),
        start: &[u64],
        count: &[u64],
        out: u64,
        scratch: u64,
        queue: CudaStream,
    ) -> Result<()> {
        kind.check_known()?;
        check_box(&kind.shape, start, count)?;
        let boxed = Selection::Box((start, count));
        // SAFETY: the caller's promise.
        unsafe { self.decode(kind, (stream, capacity), boxed, out, scratch, queue) }
    }

    /// # Safety
    /// As [`decompress`](Self::decompress).
    unsafe fn decode(
        &self,
        kind: &StreamKind,
        (stream, capacity): (u64, u64),
        selection: Selection<'_>,
        out: u64,
        scratch: u64,
        queue: CudaStream,
    ) -> Result<()> {
        check_aligned(kind, out, scratch)?;
        let (device, queue) = (&*self.device, queue.cast());
        let (status, view) = (report_at(scratch), &kind.view(stream, capacity)?);
        let _entered = device.context.enter()?;
        check_captured(kind, &selection, queue)?;
        // SAFETY: the caller's promise.
        unsafe {
            kind.clear(status, queue)?;
            Decompression { device, kind, view, out, status, queue }.with_regions(&selection)
        }
    }

    /// Waits for `queue` and says how the decompression with this scratch memory ended.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for a damaged stream; [`Error::Device`].
    ///
    /// # Safety
    /// `scratch` and `queue` are those of the call, still valid.
    pub unsafe fn outcome(&self, scratch: u64, queue: CudaStream) -> Result<()> {
        // SAFETY: the caller's promise.
        decompress::verdict(unsafe { self.read(0u64, report_at(scratch), queue)? })
    }

    /// Waits for `queue` and reads a value.
    ///
    /// # Safety
    /// `from` holds a `T`, which any bytes are one of; `queue` is a valid stream.
    unsafe fn read<T: Copy>(&self, value: T, from: u64, queue: CudaStream) -> Result<T> {
        let _entered = self.device.context.enter()?;
        let mut values = [value];
        // SAFETY: the caller's promise.
        unsafe { download(&mut values, from, queue.cast())? };
        Ok(values[0])
    }
}

/// Errs for elements or scratch memory at addresses that kernels cannot use.
fn check_aligned(kind: &StreamKind, elements: u64, scratch: u64) -> Result<()> {
    let size = kind.dtype.size();
    if !elements.is_multiple_of(size as u64) {
        return Err(Error::invalid(format!(
            "a field in device memory begins at a multiple of {size} bytes, the size of its elements"
        )));
    }
    if !scratch.is_multiple_of(8) {
        return Err(Error::invalid("scratch memory begins at a multiple of 8 bytes"));
    }
    Ok(())
}

/// Where a decompression's report is in scratch memory that begins at a multiple of 8: kernels want it at one of what they
/// read at a time.
fn report_at(scratch: u64) -> u64 {
    scratch.next_multiple_of(VECTOR as u64)
}
