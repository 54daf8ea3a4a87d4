//! Where a pointer's memory is.

use std::{ffi::c_void, ptr};

use cudarc::driver::sys::{self, CUmemorytype, CUpointer_attribute as Attribute};

use super::driver::{self, Entered, Primary, check};

/// Memory that the CUDA driver knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Host memory that is pinned or registered.
    Pinned,
    /// Managed memory: either side may touch it.
    Managed,
    /// Device memory: the host must not touch it.
    Device,
}

/// A pointer of the CUDA driver's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub kind: Kind,
    /// The number of its device.
    pub device: usize,
    /// The address as a device sees it.
    pub address: u64,
    /// The context that allocated it; null for memory of a pool, which has none.
    context: sys::CUcontext,
}

impl Memory {
    /// What the driver knows of an address; None for plain host memory.
    pub fn of(pointer: *const u8) -> Option<Memory> {
        if pointer.is_null() || !driver::is_present() {
            return None;
        }
        let (mut kind, mut managed, mut device) = (0u32, 0u32, -1i32);
        let mut context: sys::CUcontext = ptr::null_mut();
        let mut attributes = [
            Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
            Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED,
            Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
            Attribute::CU_POINTER_ATTRIBUTE_CONTEXT,
        ];
        let mut values = [
            ptr::from_mut(&mut kind).cast::<c_void>(),
            ptr::from_mut(&mut managed).cast(),
            ptr::from_mut(&mut device).cast(),
            ptr::from_mut(&mut context).cast(),
        ];
        // SAFETY: both lists have as many entries as said, and each value the size of its attribute
        // (an enumeration, a boolean and a number of 4 bytes each, and a handle). The address is
        // looked up, not read. Before cuInit, and after the driver's end, the call only says so.
        let answer = unsafe {
            sys::cuPointerGetAttributes(
                attributes.len() as u32,
                attributes.as_mut_ptr(),
                values.as_mut_ptr(),
                pointer.addr() as u64,
            )
        };
        if answer != sys::CUresult::CUDA_SUCCESS {
            return None;
        }
        let kind = classify(kind, managed != 0)?;
        let device = usize::try_from(device).ok()?;
        Some(Memory { kind, device, address: pointer.addr() as u64, context })
    }

    /// Waits for the work that the program has enqueued on this memory's device, in the primary
    /// context and in the one that allocated the memory. Its streams are unknown here, so all are
    /// waited for.
    pub fn wait(&self) -> Result<(), String> {
        let primary = Primary::retain(self.device)?;
        let entered = primary.enter()?;
        synchronize()?;
        drop(entered);
        if !self.context.is_null() {
            // SAFETY: the caller's memory lives in this context, so the context does.
            let _entered = unsafe { Entered::push(self.context) }?;
            synchronize()?;
        }
        Ok(())
    }
}

fn synchronize() -> Result<(), String> {
    // SAFETY: no arguments; a context is current.
    check("cuCtxSynchronize", unsafe { sys::cuCtxSynchronize() })
}

/// The driver's memory type; 0, which is none of its types, means plain host memory.
fn classify(kind: u32, managed: bool) -> Option<Kind> {
    const HOST: u32 = CUmemorytype::CU_MEMORYTYPE_HOST as u32;
    const DEVICE: u32 = CUmemorytype::CU_MEMORYTYPE_DEVICE as u32;
    match (kind, managed) {
        (HOST | DEVICE, true) => Some(Kind::Managed),
        (HOST, false) => Some(Kind::Pinned),
        (DEVICE, false) => Some(Kind::Device),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_types() {
        assert_eq!(classify(0, false), None);
        assert_eq!(classify(1, false), Some(Kind::Pinned));
        assert_eq!(classify(2, false), Some(Kind::Device));
        assert_eq!(classify(1, true), Some(Kind::Managed));
        assert_eq!(classify(2, true), Some(Kind::Managed));
        assert_eq!(classify(3, false), None);
    }

    #[test]
    fn plain_memory_is_not_the_drivers() {
        let value = 1u8;
        assert!(Memory::of(&value).is_none());
        assert!(Memory::of(ptr::null()).is_none());
    }
}
