//! Host memory that a device copies to and from at the bus's speed.

use std::{ptr, slice, sync::Arc};

use cudarc::driver::{result, sys};

use crate::cuda::driver::{context::Context, error::check};
use crate::error::Result;

/// Pinned host memory that grows when asked, and never shrinks. Its bytes are always some.
#[derive(Debug)]
pub(crate) struct Pinned {
    context: Arc<Context>,
    at: *mut u8,
    len: usize,
}

// SAFETY: pinned memory is valid on every thread, and whoever has this has it alone.
unsafe impl Send for Pinned {}

impl Pinned {
    pub fn new(context: &Arc<Context>) -> Self {
        Pinned { context: Arc::clone(context), at: ptr::null_mut(), len: 0 }
    }

    /// Room for `len` bytes on whole pages; what was there is lost when it grows. The context is current, and no copy to
    /// or from it is under way.
    pub fn room(&mut self, len: usize) -> Result<&mut [u8]> {
        if self.len < len {
            self.free();
            // Pinning takes longer than many copies, and streams of a simulation become a little longer from step to step.
            let generous = len.checked_next_power_of_two().unwrap_or(len);
            self.allocate(generous).or_else(|_| self.allocate(len))?;
        }
        if len == 0 {
            return Ok(&mut []);
        }
        // SAFETY: allocated and filled above, and borrowed with `self`.
        Ok(unsafe { slice::from_raw_parts_mut(self.at, len) })
    }

    /// Allocates where nothing is.
    fn allocate(&mut self, len: usize) -> Result<()> {
        // SAFETY: the memory is freed in `free`, once.
        let at = unsafe { result::malloc_host(len, sys::CU_MEMHOSTALLOC_PORTABLE) };
        let at = check("cuMemHostAlloc", at)?.cast::<u8>();
        // SAFETY: allocated above.
        unsafe { at.write_bytes(0, len) };
        (self.at, self.len) = (at, len);
        Ok(())
    }

    /// Where it is.
    pub fn at(&self) -> *mut u8 {
        self.at
    }

    /// Its bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    fn free(&mut self) {
        if self.len > 0 {
            // SAFETY: allocated in `allocate`; every copy that used it has been waited for. A failure leaves the memory to
            // the end of the process.
            let _ = unsafe { result::free_host(self.at.cast()) };
            (self.at, self.len) = (ptr::null_mut(), 0);
        }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let context = Arc::clone(&self.context);
        if let Ok(_entered) = context.enter() {
            self.free();
        }
    }
}
