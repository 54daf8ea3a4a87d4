//! Device memory for callers that have none of another CUDA library.

#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::sync::Arc;

use cudarc::driver::{result, sys};

#[cfg(target_os = "linux")]
use super::imported::Imported;
use super::{
    context::Context, device::Device, error::check, pointer::copy_and_wait, workspace::Buffer,
};
use crate::{
    element::Element,
    error::{Error, Result},
};

/// Device memory of a fixed size, freed when dropped: its own, or what another library allocated and shares, such as
/// Vulkan. For callers that have none of another CUDA library.
#[derive(Debug)]
pub struct DeviceMemory {
    buffer: Buffer,
    at: sys::CUdeviceptr,
    len: usize,
    /// What `buffer` is a view of, where it is shared; behind it, for views go first.
    #[cfg(target_os = "linux")]
    _imported: Option<Imported>,
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
        Ok(DeviceMemory {
            buffer,
            at,
            len,
            #[cfg(target_os = "linux")]
            _imported: None,
        })
    }

    /// The first `len` bytes of memory that another library allocated on CUDA device number `device`, which both have from
    /// then on: what kernels write here, a shader of that library reads without a copy. `memory` is an opaque file descriptor
    /// of it, as `vkGetMemoryFdKHR` gives one of memory that was made to be exported and is no dedicated allocation;
    /// `allocated` are the bytes of the whole allocation. The memory lives until both have freed it.
    ///
    /// Which Vulkan device is this one, [`DeviceInfo::uuid`](super::DeviceInfo::uuid) tells. Who shares memory sees to
    /// it that one side is past its use before the other one begins; calls of this library that do not take a CUDA stream have
    /// waited for the device when they return.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for no bytes or more than were allocated;
    /// [`Error::Device`](crate::Error::Device) where the driver does not share it.
    ///
    /// # Safety
    /// `memory` is what was said, of exactly `allocated` bytes on the same physical device, and while this library writes
    /// it nothing else reads or writes it.
    #[cfg(target_os = "linux")]
    pub unsafe fn import_fd(
        device: usize,
        memory: OwnedFd,
        allocated: u64,
        len: usize,
    ) -> Result<Self> {
        if len == 0 || len as u64 > allocated {
            return Err(Error::invalid(format!("{len} bytes of {allocated} that are shared")));
        }
        let context = Arc::clone(&Device::open(device)?.context);
        let _entered = context.enter()?;
        // SAFETY: the caller's promise.
        let imported = unsafe { Imported::from_fd(&context, memory, allocated)? };
        let buffer = imported.mapped(len)?;
        let at = buffer.at();
        Ok(DeviceMemory { buffer, at, len, _imported: Some(imported) })
    }

    /// Whether it is memory of a device's context.
    pub(crate) fn is_of(&self, context: &Arc<Context>) -> bool {
        self.buffer.is_of(context)
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
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) beyond the end;
    /// [`Error::Device`](crate::Error::Device).
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
