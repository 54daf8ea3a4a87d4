//! `fsz_read_to_device` of `include/fsz_adios2.h`: a sink's way to decode on the device.

use fsz::{Codec, Element, Stream, with_element};

use crate::{
    device,
    operator::{attempt, open_stream},
    sink::Payload,
};

/// Decodes a payload to device memory.
///
/// # Errors
/// What is wrong with the payload, the target or the device.
///
/// # Safety
/// The payload's pointers are valid and `out` has room for `capacity` bytes of CUDA memory.
pub(crate) unsafe fn run(payload: &Payload, out: *mut u8, capacity: usize) -> Result<(), String> {
    // SAFETY: promised by the caller.
    let body = unsafe { payload.body() };
    let bytes = payload.values_len().ok_or("the payload describes an impossible shape")?;
    if bytes > capacity {
        return Err(format!("the values take {bytes} bytes and there is room for {capacity}"));
    }
    if payload.is_raw() {
        if body.len() != bytes {
            return Err("the payload's length does not match its shape".into());
        }
        let target = device::target(out)?;
        // SAFETY: promised by the caller; the length was checked.
        return unsafe { target.copy_from_host(body) }.map_err(|error| error.to_string());
    }
    let stream = open_stream(body, payload.element_size(), bytes)?;
    let target = device::target(out)?;
    let decode = || {
        // SAFETY: promised by the caller; the length was checked.
        unsafe { device::decompress(&stream, &target) }.map_err(|error| error.to_string())
    };
    attempt(decode).or_else(|reason| {
        let values = with_element!(stream.header().dtype, T => decode_on_cpu::<T>(&stream));
        let values = values.map_err(|on_cpu| format!("{reason}; and on the CPU: {on_cpu}"))?;
        // SAFETY: as above.
        unsafe { target.copy_from_host(&values) }.map_err(|error| error.to_string())
    })
}

/// The values as little-endian bytes.
fn decode_on_cpu<T: Element>(stream: &Stream<'_>) -> Result<Vec<u8>, String> {
    let mut values = vec![T::default(); stream.header().elements() as usize];
    Codec::cpu().decompress_into(stream, &mut values).map_err(|error| error.to_string())?;
    // SAFETY: floats without padding, as many bytes as they take.
    let bytes = unsafe {
        std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values.as_slice()))
    };
    Ok(bytes.to_vec())
}
