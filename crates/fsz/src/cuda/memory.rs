//! Device memory, streams and what a call works in.

use std::sync::Arc;

use cudarc::driver::{result, sys};

use super::{context::Context, device::Device, error::check};
use crate::{
    element::Element,
    error::{Error, Result},
};

/// Device memory that grows when asked, and never shrinks.
#[derive(Debug)]
pub(crate) struct Buffer {
    context: Arc<Context>,
    at: sys::CUdeviceptr,
    len: usize,
}

impl Buffer {
    pub fn new(context: &Arc<Context>) -> Self {
        Buffer { context: Arc::clone(context), at: 0, len: 0 }
    }

    /// Room for `len` bytes at a multiple of 256; what was there is lost when it grows. The context is
    /// current.
    pub fn room(&mut self, len: usize) -> Result<sys::CUdeviceptr> {
        if self.len < len {
            self.free();
            // Some more than asked, so that slowly growing fields do not allocate each time.
            let generous = len.saturating_add(len / 8).max(256);
            let allocate = |len| {
                // SAFETY: the memory is freed in `free`, once.
                check("cuMemAlloc", unsafe { result::malloc_sync(len) }).map(|at| (at, len))
            };
            (self.at, self.len) = allocate(generous).or_else(|_| allocate(len))?;
        }
        Ok(self.at)
    }

    fn free(&mut self) {
        if self.len > 0 {
            // SAFETY: allocated in `room`; every call that used it has been waited for. A failure
            // leaves the memory to the end of the process.
            let _ = unsafe { result::free_sync(self.at) };
            (self.at, self.len) = (0, 0);
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let context = Arc::clone(&self.context);
        if let Ok(_entered) = context.enter() {
            self.free();
        }
    }
}

/// A CUDA stream of our own.
#[derive(Debug)]
pub(crate) struct Queue {
    context: Arc<Context>,
    handle: sys::CUstream,
}

// SAFETY: driver handles are valid on every thread of the process.
unsafe impl Send for Queue {}

impl Queue {
    /// The context is current.
    pub fn new(context: &Arc<Context>) -> Result<Self> {
        let handle = check(
            "cuStreamCreate",
            result::stream::create(result::stream::StreamKind::NonBlocking),
        )?;
        Ok(Queue { context: Arc::clone(context), handle })
    }

    pub fn handle(&self) -> sys::CUstream {
        self.handle
    }

    /// Waits until everything in it is done.
    pub fn wait(&self) -> Result<()> {
        // SAFETY: the stream lives as long as `self`.
        check("cuStreamSynchronize", unsafe { result::stream::synchronize(self.handle) })
    }

    /// Copies host memory to the device. The caller waits before `from` is gone.
    pub fn upload<T: Copy>(&self, to: sys::CUdeviceptr, from: &[T]) -> Result<()> {
        // SAFETY: `to` has room for `from`, as every caller in this module's crate sees to; the caller
        // waits for the stream while it holds `from`.
        check("cuMemcpyHtoDAsync", unsafe { result::memcpy_htod_async(to, from, self.handle) })
    }

    /// Copies device memory to the host and waits for it.
    pub fn download<T: Copy>(&self, to: &mut [T], from: sys::CUdeviceptr) -> Result<()> {
        // SAFETY: `from` holds as many bytes, and any bytes are a value of the element types and words
        // that this is called for; the wait below ends the borrow's use.
        let copied =
            check("cuMemcpyDtoHAsync", unsafe { result::memcpy_dtoh_async(to, from, self.handle) });
        self.wait()?;
        copied
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if let Ok(_entered) = self.context.enter() {
            // SAFETY: created in `new`; the driver ends it when its work is done.
            let _ = unsafe { result::stream::destroy(self.handle) };
        }
    }
}

/// What one call works in at a time: a stream, and memory for field, stream and scratch.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub queue: Queue,
    pub field: Buffer,
    pub stream: Buffer,
    pub scratch: Buffer,
}

impl Workspace {
    /// The context is current.
    pub fn new(context: &Arc<Context>) -> Result<Self> {
        Ok(Workspace {
            queue: Queue::new(context)?,
            field: Buffer::new(context),
            stream: Buffer::new(context),
            scratch: Buffer::new(context),
        })
    }
}

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
    /// [`Error::Device`](crate::Error::Device).
    pub fn new(device: usize, len: usize, fill: u8) -> Result<Self> {
        let context = Arc::clone(&Device::open(device)?.context);
        let _entered = context.enter()?;
        let mut buffer = Buffer::new(&context);
        let at = buffer.room(len)?;
        // SAFETY: allocated above.
        check("cuMemsetD8", unsafe { result::memset_d8_sync(at, fill, len) })?;
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

    /// Copies `from` to the bytes from `at` on, and waits.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) beyond the end;
    /// [`Error::Device`](crate::Error::Device).
    pub fn write<T: Element>(&mut self, at: usize, from: &[T]) -> Result<()> {
        self.check(at, size_of_val(from))?;
        let _entered = self.buffer.context.enter()?;
        // SAFETY: the range was checked above.
        check("cuMemcpyHtoD", unsafe { result::memcpy_htod_sync(self.at + at as u64, from) })
    }

    /// Copies the bytes from `at` on to `to`, and waits for the device to be done with all work.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn read(&self, at: usize, to: &mut [u8]) -> Result<()> {
        self.check(at, to.len())?;
        let _entered = self.buffer.context.enter()?;
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
