//! Fields and streams that both lie in device memory, with the program's CUDA stream and scratch memory.

use std::ffi::c_void;

use fsz::{cuda::DeviceCodec, slice_box};

use super::{compression::fszc_compression, device_address, fszc_cuda_stream};
use crate::{
    cuda::stream_kind::fszc_stream_kind,
    handle::{self, Object},
    pointers,
    status::{Result, fszc_status, status_of, value_of},
};

/// The codec of a CUDA device for fields and streams in its memory. May be used by many threads at once.
///
/// Calls that take a CUDA stream enqueue work on it and return at once: nothing is allocated, nothing is
/// waited for, and several calls chain without the host in between. Compressing by FSZC_DENSE waits, but for
/// fszc_compress_options_set_like, and so do compressing and decompressing with bounds by region, which take memory of the
/// library's own: no CUDA graph can hold these calls. What went wrong on the device is kept in the call's scratch memory, where fszc_device_compressed_len and
/// fszc_device_outcome read it. The device's primary context is used, the one of the CUDA runtime; the
/// current context is left as it is.
///
/// Until the CUDA stream is past a call, and as long as a CUDA graph of it, the compression and all memory of the call must
/// stay, and nothing else may write that memory.
/// Addresses are those of device or managed memory of this device: a wrong one is a fault of the device.
#[derive(Debug)]
pub struct fszc_device_codec(pub(crate) DeviceCodec);

impl Object for fszc_device_codec {
    const NAME: &'static str = "fszc_device_codec";
}

/// Opens CUDA device number `device`.
///
/// FSZC_DEVICE says why it cannot be used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_codec_new(
    device: usize,
    codec: *mut *mut fszc_device_codec,
) -> fszc_status {
    let new = || Ok(fszc_device_codec(DeviceCodec::open(device)?));
    // SAFETY: the header's rules for pointers.
    status_of(|| unsafe { handle::make(codec, new) })
}

/// Frees the codec, when no call uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_codec_free(codec: *mut fszc_device_codec) {
    // SAFETY: the header's rules for pointers.
    value_of((), || unsafe { handle::free(codec) });
}

/// Enqueues a compression. `field` is the device address of the elements in C order. `stream` is that of
/// the output, a multiple of 16, with `capacity` bytes: fszc_compression_max_len always suffice. `scratch`,
/// a multiple of 8, has fszc_compression_scratch_len bytes and begins with the stream's length in bytes, a
/// uint64_t that a following kernel can read; fszc_device_compressed_len brings it to the host.
///
/// With bounds by region: waits for it, and takes device memory of the library's own, for a copy of
/// the field and a stream of that and some more. FSZC_UNSUPPORTED for a call that waits while the
/// CUDA stream is captured into a graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_compress(
    codec: *const fszc_device_codec,
    compression: *const fszc_compression,
    field: *const c_void,
    stream: *mut c_void,
    capacity: u64,
    scratch: *mut c_void,
    cuda_stream: fszc_cuda_stream,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let (codec, compression) = (&handle::get(codec)?.0, handle::get(compression)?);
            let field = device_address(field, compression.raw_bytes, "the field")?;
            let stream = device_address(stream, 1, "the stream")?;
            let scratch = device_address(scratch, 1, "the scratch memory")?;
            let compression = &compression.compression;
            Ok(codec.compress(compression, field, (stream, capacity), scratch, cuda_stream)?)
        }
    })
}

/// Waits for the CUDA stream, and stores the length of the stream that the compression with this scratch
/// memory and capacity made.
///
/// FSZC_INVALID_ARGUMENT when the capacity was too small.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_compressed_len(
    codec: *const fszc_device_codec,
    scratch: *const c_void,
    capacity: u64,
    cuda_stream: fszc_cuda_stream,
    len: *mut u64,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            pointers::store(len, 0, "the length")?;
            let scratch = device_address(scratch, 1, "the scratch memory")?;
            let found = handle::get(codec)?.0.compressed_len(scratch, capacity, cuda_stream)?;
            pointers::store(len, found, "the length")
        }
    })
}

/// Bytes of scratch memory that a decompression on a device works in; they begin at a multiple of 8.
#[unsafe(no_mangle)]
pub extern "C" fn fszc_device_decompress_scratch_len() -> usize {
    DeviceCodec::DECOMPRESS_SCRATCH
}

/// Enqueues the decompression of a whole stream in C order. `stream` is its device address, a multiple of
/// 16, of which `capacity` bytes may be read: at least its length. `out` is the device address for the
/// field's elements, and `scratch` that of fszc_device_decompress_scratch_len bytes.
///
/// Where the output meets regions with bounds of their own: waits for it, and takes device memory of
/// the library's own, for their elements. FSZC_UNSUPPORTED then while the CUDA stream is captured
/// into a graph.
///
/// FSZC_TRUNCATED when `capacity` cannot hold the stream's index. What is wrong with the stream itself
/// fszc_device_outcome says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_decompress(
    codec: *const fszc_device_codec,
    kind: *const fszc_stream_kind,
    stream: *const c_void,
    capacity: u64,
    out: *mut c_void,
    scratch: *mut c_void,
    cuda_stream: fszc_cuda_stream,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let call = Call::new(codec, kind, stream, out, scratch)?;
            let stream = (call.stream, capacity);
            let kind = &call.kind.kind;
            Ok(call.codec.decompress(kind, stream, call.out, call.scratch, cuda_stream)?)
        }
    })
}

/// Enqueues the decompression of the tiles from `first` on to, not including, `end`, one behind the other.
/// Else as fszc_device_decompress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_decompress_tiles(
    codec: *const fszc_device_codec,
    kind: *const fszc_stream_kind,
    stream: *const c_void,
    capacity: u64,
    first: u64,
    end: u64,
    out: *mut c_void,
    scratch: *mut c_void,
    cuda_stream: fszc_cuda_stream,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let call = Call::new(codec, kind, stream, out, scratch)?;
            let (stream, tiles) = ((call.stream, capacity), first..end);
            let kind = &call.kind.kind;
            Ok(call.codec.decompress_tiles(
                kind,
                stream,
                tiles,
                call.out,
                call.scratch,
                cuda_stream,
            )?)
        }
    })
}

/// Enqueues the decompression of the box of `count` elements from `start` on (`ndim` entries each, one per
/// axis of the field, slowest axis first) in C order. Else as fszc_device_decompress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_decompress_box(
    codec: *const fszc_device_codec,
    kind: *const fszc_stream_kind,
    stream: *const c_void,
    capacity: u64,
    start: *const u64,
    count: *const u64,
    ndim: usize,
    out: *mut c_void,
    scratch: *mut c_void,
    cuda_stream: fszc_cuda_stream,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let start = pointers::axes(start, ndim, "the start")?;
            let count = pointers::axes(count, ndim, "the count")?;
            let call = Call::new(codec, kind, stream, out, scratch)?;
            call.boxed(capacity, &start, &count, cuda_stream)
        }
    })
}

/// Enqueues the decompression of the slice at `index` of the axis `axis` (0 is the slowest) in C order. Else
/// as fszc_device_decompress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_decompress_slice(
    codec: *const fszc_device_codec,
    kind: *const fszc_stream_kind,
    stream: *const c_void,
    capacity: u64,
    axis: usize,
    index: u64,
    out: *mut c_void,
    scratch: *mut c_void,
    cuda_stream: fszc_cuda_stream,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let call = Call::new(codec, kind, stream, out, scratch)?;
            let (start, count) = slice_box(&call.kind.shape, axis, index)?;
            call.boxed(capacity, &start, &count, cuda_stream)
        }
    })
}

/// Waits for the CUDA stream, and says how the decompression with this scratch memory ended.
///
/// FSZC_CORRUPT for a damaged stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_outcome(
    codec: *const fszc_device_codec,
    scratch: *const c_void,
    cuda_stream: fszc_cuda_stream,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let scratch = device_address(scratch, 1, "the scratch memory")?;
            Ok(handle::get(codec)?.0.outcome(scratch, cuda_stream)?)
        }
    })
}

/// The checked arguments that all decompressions have.
struct Call<'a> {
    codec: &'a DeviceCodec,
    kind: &'a fszc_stream_kind,
    stream: u64,
    out: u64,
    scratch: u64,
}

impl Call<'_> {
    /// # Safety
    /// The header's rules for pointers.
    unsafe fn new(
        codec: *const fszc_device_codec,
        kind: *const fszc_stream_kind,
        stream: *const c_void,
        out: *mut c_void,
        scratch: *mut c_void,
    ) -> Result<Self> {
        // SAFETY: promised by the caller.
        let (codec, kind) = unsafe { (&handle::get(codec)?.0, handle::get(kind)?) };
        let raw_bytes = kind.kind.elements().saturating_mul(kind.element);
        Ok(Call {
            codec,
            kind,
            stream: device_address(stream, 1, "the stream")?,
            out: device_address(out, raw_bytes, "the output")?,
            scratch: device_address(scratch, 1, "the scratch memory")?,
        })
    }

    /// # Safety
    /// As [`DeviceCodec::decompress_box`].
    unsafe fn boxed(
        &self,
        capacity: u64,
        start: &[u64],
        count: &[u64],
        cuda_stream: fszc_cuda_stream,
    ) -> Result<()> {
        let (kind, stream) = (&self.kind.kind, (self.stream, capacity));
        let (out, scratch) = (self.out, self.scratch);
        // SAFETY: promised by the caller.
        let enqueued = unsafe {
            self.codec.decompress_box(kind, stream, start, count, out, scratch, cuda_stream)
        };
        Ok(enqueued?)
    }
}
