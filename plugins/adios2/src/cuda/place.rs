//! Where a pointer's memory is.

use std::{ffi::c_void, os::unix::fs::FileExt, ptr};

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
    ///
    /// # Errors
    /// When the driver cannot say, as after a fault of a kernel: the memory may be the device's.
    pub fn of(pointer: *const u8) -> Result<Option<Memory>, String> {
        if pointer.is_null() || !driver::is_present() {
            return Ok(None);
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
            return if is_no_memory_of_cuda(answer) {
                Ok(None)
            } else {
                Err(format!("cuPointerGetAttributes failed with {answer:?}"))
            };
        }
        let (Some(kind), Ok(device)) = (classify(kind, managed != 0), usize::try_from(device))
        else {
            return Ok(None);
        };
        Ok(Some(Memory { kind, device, address: pointer.addr() as u64, context }))
    }

    /// Refuses memory of a context other than the device's primary one, where the codec's kernels
    /// could not reach it.
    pub fn check_context(&self) -> Result<(), String> {
        let primary = Primary::retain(self.device)?;
        if self.context.is_null() || primary.is(self.context) {
            return Ok(());
        }
        Err("the memory belongs to a context other than its device's primary one".into())
    }

    /// Copies as many bytes as `to` has to the host, in the memory's own context.
    pub fn copy_out(&self, to: &mut [u8]) -> Result<(), String> {
        let primary = Primary::retain(self.device)?;
        let _entered = match self.context.is_null() {
            true => primary.enter()?,
            // SAFETY: the caller's memory lives in this context, so the context does.
            false => unsafe { Entered::push(self.context) }?,
        };
        driver::copy_out(to, self.address)
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

/// Whether an answer means that CUDA has no such memory: it was never started here, or is over.
fn is_no_memory_of_cuda(answer: sys::CUresult) -> bool {
    use sys::CUresult as Answer;
    matches!(
        answer,
        Answer::CUDA_ERROR_INVALID_VALUE
            | Answer::CUDA_ERROR_NOT_INITIALIZED
            | Answer::CUDA_ERROR_DEINITIALIZED
            | Answer::CUDA_ERROR_NO_DEVICE
            | Answer::CUDA_ERROR_STUB_LIBRARY
    )
}

/// Whether the host can read `bytes` bytes at `pointer`, without reading them itself.
pub(crate) fn is_readable(pointer: *const u8, bytes: usize) -> bool {
    let Ok(memory) = std::fs::File::open("/proc/self/mem") else { return false };
    let first = pointer.addr() as u64;
    [first, first + (bytes as u64).saturating_sub(1)]
        .into_iter()
        .all(|at| memory.read_exact_at(&mut [0], at).is_ok())
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
        assert!(Memory::of(&value).is_ok_and(|memory| memory.is_none()));
        assert!(Memory::of(ptr::null()).is_ok_and(|memory| memory.is_none()));
    }

    #[test]
    fn what_the_host_can_read() {
        let values = [1u8; 100];
        assert!(is_readable(values.as_ptr(), values.len()));
        assert!(!is_readable(ptr::without_provenance(16), 4));
    }
}
