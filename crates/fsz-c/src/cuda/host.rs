//! Fields in device memory, streams in host memory: only compressed bytes cross the bus.

use std::ffi::c_void;

use super::{codec::fszc_device_codec, compression::fszc_compression, device_address};
use crate::{
    handle, pointers,
    status::{fszc_status, status_of},
    stream::fszc_stream,
};

/// Compresses the field at device address `field` to host memory, of which `capacity` bytes may be written,
/// stores the stream's length in `len`, and waits. Work that is pending on the field must be done. The
/// library allocates device memory of its own and keeps it for later calls.
///
/// FSZC_INVALID_ARGUMENT when the capacity is too small.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_compress_to_host(
    codec: *const fszc_device_codec,
    compression: *const fszc_compression,
    field: *const c_void,
    out: *mut c_void,
    capacity: usize,
    len: *mut usize,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            pointers::store(len, 0, "the length")?;
            let (codec, compression) = (&handle::get(codec)?.0, handle::get(compression)?);
            let field = device_address(field, compression.raw_bytes, "the field")?;
            let out = pointers::bytes_mut(out, capacity, "the output")?;
            let made = codec.compress_to_host(&compression.compression, field, out)?;
            pointers::store(len, made.len, "the length")
        }
    })
}

/// Decompresses a stream to device address `out`, with room for the field's elements, and waits. The library
/// allocates device memory of its own and keeps it for later calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_decompress_from_host(
    codec: *const fszc_device_codec,
    stream: *const fszc_stream,
    out: *mut c_void,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let (codec, stream) = (&handle::get(codec)?.0, &handle::get(stream)?.stream);
            let out = device_address(out, stream.raw_bytes(), "the output")?;
            Ok(codec.decompress_from_host(stream, out)?)
        }
    })
}
