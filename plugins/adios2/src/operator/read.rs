//! Payloads to values.

use std::slice;

use fsz::{Element, Stream, with_element};
use ndarray::ArrayView1;

use super::{Operator, attempt, text};
use crate::{
    cache::CACHE,
    envelope::{self, Mode},
    sink,
};

impl Operator {
    /// Restores the values of a payload to `out` and returns their length in bytes, which is never
    /// 0; or hands the payload to this thread's sink and leaves `out` as it is.
    ///
    /// # Errors
    /// What is wrong with the payload. `out` may then hold anything.
    ///
    /// # Safety
    /// `out` is writable for the values of the ADIOS2 block that the payload was made from.
    pub unsafe fn read(&self, payload: &[u8], out: *mut u8) -> Result<usize, String> {
        let envelope = envelope::open(payload)?;
        let size = usize::from(envelope.element_size);
        let bytes = envelope
            .count
            .iter()
            .try_fold(size, |bytes, &extent| bytes.checked_mul(usize::try_from(extent).ok()?))
            .ok_or("the payload describes an impossible shape")?;
        if bytes == 0 {
            return Err("an empty block has no values".into());
        }
        if sink::offer(&envelope) {
            return Ok(bytes);
        }
        match envelope.mode {
            Mode::Raw if envelope.body.len() != bytes => {
                Err("the payload's length does not match its shape".into())
            }
            Mode::Raw => {
                // SAFETY: the values are `bytes` long on both sides, and the buffers are ADIOS2's
                // two.
                unsafe { out.copy_from_nonoverlapping(envelope.body.as_ptr(), bytes) };
                Ok(bytes)
            }
            Mode::Stream => {
                // SAFETY: promised by the caller; any bytes are values.
                let out = unsafe { slice::from_raw_parts_mut(out, bytes) };
                let decode = |out: &mut [u8]| {
                    let stream = open_stream(envelope.body, size, bytes)?;
                    // SAFETY: `out` has room for the values, of which the stream has as many.
                    with_element!(stream.header().dtype, T => unsafe {
                        self.decompress::<T>(&stream, bytes / size, out.as_mut_ptr())
                    })
                };
                let codec = self.codec()?;
                let copy = |from: &[u8], to: &mut [u8]| {
                    let copied = codec.gather(ArrayView1::from(from), to);
                    copied.expect("as many bytes as there is room for");
                };
                attempt(|| CACHE.read(payload, out, decode, copy)).map(|()| bytes)
            }
        }
    }

    /// # Safety
    /// `out` is writable for `elements` values of `T`.
    unsafe fn decompress<T: Element>(
        &self,
        stream: &Stream<'_>,
        elements: usize,
        out: *mut u8,
    ) -> Result<(), String> {
        let codec = self.codec()?;
        if out.cast::<T>().is_aligned() {
            // SAFETY: writable and aligned; any bytes are a float.
            let out = unsafe { slice::from_raw_parts_mut(out.cast::<T>(), elements) };
            return codec.decompress_into(stream, out).map_err(text);
        }
        let mut values = vec![T::default(); elements];
        codec.decompress_into(stream, &mut values).map_err(text)?;
        // SAFETY: writable for as many bytes.
        unsafe { out.copy_from_nonoverlapping(values.as_ptr().cast(), elements * size_of::<T>()) };
        Ok(())
    }
}

/// Opens the FSZ stream of a payload whose values take `bytes` bytes.
pub(crate) fn open_stream(
    body: &[u8],
    element_size: usize,
    bytes: usize,
) -> Result<Stream<'_>, String> {
    let stream = Stream::open(body).map_err(text)?;
    let header = stream.header();
    if header.dtype.size() != element_size
        || header.elements().checked_mul(element_size as u64) != Some(bytes as u64)
    {
        return Err("the FSZ stream does not match its payload".into());
    }
    Ok(stream)
}
