//! Device memory for callers that have none of another library.

use std::sync::Arc;

use cudarc::driver::{result, sys};

use crate::cuda::{
    device::Device,
    driver::{
        error::check,
        pointer::copy_and_wait,
        workspace::{Buffer, Queue},
    },
};
use crate::{
    element::Element,
    error::{Error, Result},
};

/// Device memory of a fixed size, freed when dropped. For callers that have none of another library.
#[derive(Debug)]
pub struct DeviceMemory {
    buffer: Buffer,
    at: sys::CUdeviceptr,
    len: usize,
}

impl DeviceMemory {
    /// Allocates `len` bytes on CUDA device number `device`, each of them `fill`.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn new(device: usize, len: usize, fill: u8) -> Result<Self> {
        let context = Arc::clone(&Device::open(device)?.context);
        let _entered = context.enter()?;
        let mut buffer = Buffer::new(&context);
        let at = buffer.room(len)?;
        if len > 0 {
            // The driver does not wait for this, and a stream that does not wait for the default one could overtake it there.
            let queue = Queue::new(&context)?;
            // SAFETY: allocated above.
            let filled = unsafe { result::memset_d8_async(at, fill, len, queue.handle()) };
            check("cuMemsetD8Async", filled).and(queue.wait())?;
        }
        Ok(DeviceMemory { buffer, at, len })
    }

    /// The address of the first byte, a multiple of 256.
    pub fn address(&self) -> u64 {
        self.at
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Copies `from` to the bytes from `at` on, and waits until they are there for every stream.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] beyond the end;
    /// [`Error::Device`].
    pub fn write<T: Element>(&mut self, at: usize, from: &[T]) -> Result<()> {
        self.check(at, size_of_val(from))?;
        let _entered = self.buffer.enter()?;
        // SAFETY: the range was checked above.
        unsafe { copy_and_wait(self.at + at as u64, from) }
    }

    /// Copies the bytes from `at` on to `to`, and waits for the device to be done with all work.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn read(&self, at: usize, to: &mut [u8]) -> Result<()> {
        self.check(at, to.len())?;
        let _entered = self.buffer.enter()?;
        check("cuCtxSynchronize", result::ctx::synchronize())?;
        // SAFETY: the range was checked above.
        check("cuMemcpyDtoH", unsafe { result::memcpy_dtoh_sync(to, self.at + at as u64) })
    }

    fn check(&self, at: usize, len: usize) -> Result<()> {
        if at.checked_add(len).is_some_and(|end| end <= self.len) {
            Ok(())
        } else {
            Err(Error::invalid(format!(
                "{len} bytes from {at} on, of {} in device memory",
                self.len
            )))
        }
    }
}
