//! Memory that HDF5 frees.

use std::{ffi::c_void, ptr::NonNull, slice};

use crate::{Result, hdf5::Hdf5};

/// Zeroed memory of HDF5's own, freed unless it is handed over.
#[derive(Debug)]
pub(crate) struct Buffer<'a> {
    hdf5: &'a Hdf5,
    memory: NonNull<c_void>,
    len: usize,
}

impl<'a> Buffer<'a> {
    /// # Errors
    /// No memory.
    pub fn new(hdf5: &'a Hdf5, len: usize) -> Result<Self> {
        // SAFETY: any length may be asked for.
        let memory = unsafe { (hdf5.allocate_memory)(len.max(1), 1) };
        let memory = NonNull::new(memory).ok_or(format!("no memory for {len} bytes"))?;
        Ok(Buffer { hdf5, memory, len })
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the memory is this buffer's own, as long as it was asked for, and was zeroed.
        unsafe { slice::from_raw_parts_mut(self.memory.as_ptr().cast(), self.len) }
    }

    /// Puts this memory where HDF5 has `buf`, which is freed, and says how large it is.
    ///
    /// # Safety
    /// `buf` holds memory of the same HDF5, and `size` its size.
    pub unsafe fn replace(self, buf: &mut *mut c_void, size: &mut usize) {
        let old = std::mem::replace(buf, self.memory.as_ptr());
        *size = self.len;
        // SAFETY: promised by the caller; nothing refers to it any longer.
        unsafe { (self.hdf5.free_memory)(old) };
        std::mem::forget(self);
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: the memory is this buffer's own.
        unsafe { (self.hdf5.free_memory)(self.memory.as_ptr()) };
    }
}
