//! A stream of which only some bytes have been fetched.

use fsz::format::{FIXED_HEADER, FixedHeader};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{
    compress::zeros,
    errors::{invalid, raised},
    stream::Stream,
};

/// The bytes of a stream that are there so far; the others are zeros that take up no memory.
#[derive(Debug)]
#[pyclass(frozen, module = "fsz_codec._native")]
pub struct PartialStream {
    bytes: Mutex<Vec<u8>>,
    /// Bytes of the stream.
    #[pyo3(get)]
    len: u64,
    /// Where the payload begins: everything before it must be there before a range can be asked for.
    #[pyo3(get)]
    payload: u64,
}

#[pymethods]
impl PartialStream {
    /// From the stream's first bytes, at least its fixed header. What is wrong with them is told as of a whole stream;
    /// one that says it is longer than `most` bytes is corrupt.
    #[new]
    fn new(py: Python<'_>, first: &[u8], most: u64) -> PyResult<Self> {
        let corrupt = |why: &str| raised(py, fsz::Error::Corrupt(why.into()));
        let fixed = first.first_chunk::<FIXED_HEADER>().map(FixedHeader::read);
        let whole = fixed.map_or(0, |fixed| fixed.stream_len).max(FIXED_HEADER as u64);
        // Behind the stream there may be others.
        let begin = &first[..first.len().min(usize::try_from(whole).unwrap_or(usize::MAX))];
        let (needed, got) = (FIXED_HEADER as u64, first.len() as u64);
        let fixed = match fsz::Stream::open(begin) {
            Ok(_) | Err(fsz::Error::Truncated { .. }) => {
                fixed.ok_or(fsz::Error::Truncated { needed, got })
            }
            Err(error) => Err(error),
        };
        let fixed = fixed.map_err(|error| raised(py, error))?;
        let (len, payload) = (fixed.stream_len, fixed.stream_len.checked_sub(fixed.payload_len));
        let payload =
            payload.ok_or_else(|| corrupt("the header's lengths contradict each other"))?;
        if len > most {
            return Err(corrupt(&format!(
                "it says it has {len} bytes where at most {most} can be"
            )));
        }
        let partial = PartialStream { bytes: Mutex::new(zeros(len)?), len, payload };
        partial.put(py, 0, &first[..first.len().min(len as usize)])?;
        Ok(partial)
    }

    /// Puts fetched bytes in their place.
    fn put(&self, py: Python<'_>, at: u64, part: &[u8]) -> PyResult<()> {
        let put = |bytes: &mut [u8]| {
            let at = usize::try_from(at).ok()?;
            bytes.get_mut(at..at.checked_add(part.len())?).map(|place| place.copy_from_slice(part))
        };
        let put = put(&mut self.locked());
        put.ok_or_else(|| invalid(py, "bytes behind the end of the stream"))
    }

    /// The ranges of bytes that decoding a box reads from the payload.
    fn ranges(
        &self,
        py: Python<'_>,
        start: Vec<u64>,
        count: Vec<u64>,
    ) -> PyResult<Vec<(u64, u64)>> {
        let of_box = |bytes: &[u8]| fsz::Stream::open(bytes)?.ranges_of_box(&start, &count);
        let ranges = of_box(&self.locked());
        let ranges = ranges.map_err(|error| raised(py, error))?;
        Ok(ranges.into_iter().map(|range| (range.start, range.end)).collect())
    }

    /// The stream, which decodes where its bytes are there. Nothing is left here.
    fn finish(&self, py: Python<'_>) -> PyResult<Stream> {
        let bytes = std::mem::take(&mut *self.locked());
        fsz::Stream::from_vec(bytes).map(Stream::owned).map_err(|error| raised(py, error))
    }
}

impl PartialStream {
    /// The bytes, to be let go before an exception is made: that runs code of Python's, which may wait for a thread that
    /// waits for them.
    fn locked(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
