//! Memory that another library allocated on the device.

use std::{
    os::fd::{AsRawFd, IntoRawFd, OwnedFd},
    sync::Arc,
};

use cudarc::driver::{result::external_memory, sys};

use super::{context::Context, error::check, workspace::Buffer};
use crate::error::Result;

/// An allocation of another library that the driver knows; let go when dropped, behind all that is mapped of it.
#[derive(Debug)]
pub(crate) struct Imported {
    context: Arc<Context>,
    handle: sys::CUexternalMemory,
}

// SAFETY: driver handles are valid on every thread of the process.
unsafe impl Send for Imported {}
// SAFETY: nothing is done with the handle through a shared reference but mapping, which the driver's calls may do on several
// threads at once.
unsafe impl Sync for Imported {}

impl Imported {
    /// Takes an allocation of `allocated` bytes by its opaque file descriptor. The context is current.
    ///
    /// # Safety
    /// `memory` is that of an allocation of as many bytes on the context's device that is not a dedicated one.
    pub unsafe fn from_fd(context: &Arc<Context>, memory: OwnedFd, allocated: u64) -> Result<Self> {
        // SAFETY: the caller's promise.
        let handle = check("cuImportExternalMemory", unsafe {
            external_memory::import_external_memory_opaque_fd(memory.as_raw_fd(), allocated)
        })?;
        // The driver has it now, and closes it.
        let _ = memory.into_raw_fd();
        Ok(Imported { context: Arc::clone(context), handle })
    }

    /// Its first `len` bytes, which it has. It is dropped behind them. The context is current.
    pub fn mapped(&self, len: usize) -> Result<Buffer> {
        // SAFETY: the handle is alive; the driver checks the range.
        let at = check("cuExternalMemoryGetMappedBuffer", unsafe {
            external_memory::get_mapped_buffer(self.handle, 0, len as u64)
        })?;
        // SAFETY: mapped above, to be freed by `cuMemFree`.
        Ok(unsafe { Buffer::mapped(&self.context, at, len) })
    }
}

impl Drop for Imported {
    fn drop(&mut self) {
        if let Ok(_entered) = self.context.enter() {
            // SAFETY: imported in `from_fd`; what was mapped is freed. A failure leaves the memory to the end of the
            // process.
            let _ = unsafe { external_memory::destroy_external_memory(self.handle) };
        }
    }
}
