//! What one call works in: device memory that is used again, and a CUDA stream.

use std::sync::Arc;

use cudarc::driver::{result, sys};

use crate::cuda::{
    device::give_back,
    driver::{
        context::{Context, Entered},
        error::check,
        pinned::Pinned,
    },
};
use crate::error::Result;

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
            // Some more than asked, so that slowly growing fields do not allocate each time.
            let generous = len.saturating_add(len / 8).max(256);
            self.free();
            self.allocate(generous).or_else(|_| self.exactly(len))?;
        }
        Ok(self.at)
    }

    /// Room for `len` bytes, of which there is at least one, and no more, in place of what was there. The context is
    /// current.
    pub fn exactly(&mut self, len: usize) -> Result<sys::CUdeviceptr> {
        self.free();
        // Where the device is full, that may be by what is kept for calls that do not come.
        self.allocate(len).or_else(|full| match give_back(&self.context) {
            true => self.allocate(len),
            false => Err(full),
        })
    }

    /// Allocates where nothing is.
    fn allocate(&mut self, len: usize) -> Result<sys::CUdeviceptr> {
        // SAFETY: the memory is freed in `free`, once.
        self.at = check("cuMemAlloc", unsafe { result::malloc_sync(len) })?;
        self.len = len;
        Ok(self.at)
    }

    /// Makes its context current.
    pub fn enter(&self) -> Result<Entered<'_>> {
        self.context.enter()
    }

    fn free(&mut self) {
        if self.len > 0 {
            // SAFETY: allocated in `allocate`; every call that used it has been waited for. A failure
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

/// Waits until everything in a CUDA stream is done.
///
/// # Safety
/// The stream is alive.
pub(crate) unsafe fn wait_for(queue: sys::CUstream) -> Result<()> {
    // SAFETY: the caller's promise.
    check("cuStreamSynchronize", unsafe { result::stream::synchronize(queue) })
}

/// A CUDA stream of our own.
#[derive(Debug)]
pub(crate) struct Queue {
    context: Arc<Context>,
    handle: sys::CUstream,
}

// SAFETY: driver handles are valid on every thread of the process.
unsafe impl Send for Queue {}
// SAFETY: the driver's calls on a stream may run on several threads at once.
unsafe impl Sync for Queue {}

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
        unsafe { wait_for(self.handle) }
    }

    /// Copies host memory to the device. The caller waits before `from` is gone.
    pub fn upload<T: Copy>(&self, to: sys::CUdeviceptr, from: &[T]) -> Result<()> {
        // SAFETY: `to` has room for `from`, as every caller in this module's crate sees to; the caller
        // waits for the stream while it holds `from`.
        check("cuMemcpyHtoDAsync", unsafe { result::memcpy_htod_async(to, from, self.handle) })
    }

    /// Enqueues a copy of device memory to the host. The caller waits before `to` is read or gone, also after an error.
    pub fn fetch(&self, to: &mut [u8], from: sys::CUdeviceptr) -> Result<()> {
        // SAFETY: `from` holds as many bytes, as every caller in this module's crate sees to; the caller waits for the
        // stream while it holds `to`.
        check("cuMemcpyDtoHAsync", unsafe { result::memcpy_dtoh_async(to, from, self.handle) })
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

/// What one call works in at a time: a stream, and memory for field, stream, scratch and host.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub queue: Queue,
    pub field: Buffer,
    pub stream: Buffer,
    pub scratch: Buffer,
    /// What a host reads in place.
    pub host: Pinned,
}

impl Workspace {
    /// The context is current.
    pub fn new(context: &Arc<Context>) -> Result<Self> {
        Ok(Workspace {
            queue: Queue::new(context)?,
            field: Buffer::new(context),
            stream: Buffer::new(context),
            scratch: Buffer::new(context),
            host: Pinned::new(context),
        })
    }
}
