//! Payloads to values.

use std::slice;

use fsz::{Element, Stream};

use super::{Operator, attempt, text};
use crate::{
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
                let decode = || -> Result<(), String> {
                    // SAFETY: promised by the caller.
                    unsafe {
                        match size {
                            4 => self.read_stream::<f32>(envelope.body, bytes / 4, out),
                            8 => self.read_stream::<f64>(envelope.body, bytes / 8, out),
                            _ => Err(format!("the payload has elements of {size} bytes")),
                        }
                    }
                };
                attempt(decode)?;
                Ok(bytes)
            }
        }
    }

    /// # Safety
    /// `out` is writable for `elements` values of `T`.
    unsafe fn read_stream<T: Element>(
        &self,
        body: &[u8],
        elements: usize,
        out: *mut u8,
    ) -> Result<(), String> {
        let codec = self.codec()?;
        let stream = Stream::open(body).map_err(text)?;
        let header = stream.info().header().clone();
        if header.dtype != T::DTYPE || header.elements() != elements as u64 {
            return Err("the FSZ stream does not match its payload".into());
        }
        if out.cast::<T>().is_aligned() {
            // SAFETY: writable and aligned; any bytes are a float.
            let out = unsafe { slice::from_raw_parts_mut(out.cast::<T>(), elements) };
            return codec.decompress_into(&stream, out).map_err(text);
        }
        let mut values = vec![T::default(); elements];
        codec.decompress_into(&stream, &mut values).map_err(text)?;
        // SAFETY: writable for as many bytes.
        unsafe { out.copy_from_nonoverlapping(values.as_ptr().cast(), elements * size_of::<T>()) };
        Ok(())
    }
}
