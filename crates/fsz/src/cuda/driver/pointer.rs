//! Memory by its address: whether CUDA knows it, where it is, and what is pending on it.

use std::{ffi::c_void, ptr, sync::OnceLock};

use cudarc::driver::{
    result,
    sys::{self, CUmemorytype, CUpointer_attribute as Attribute},
};

use crate::cuda::driver::{
    context::{Context, Entered},
    error::{check, ok},
};
use crate::error::{Error, Result};

/// Kinds of memory that the CUDA driver knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryKind {
    /// Host memory that is pinned or registered.
    Pinned,
    /// Managed memory: host and device may both access it.
    Managed,
    /// Device memory: the host must not access it.
    Device,
}

/// Memory that the CUDA driver knows, found by its address.
#[derive(Clone, Copy, Debug)]
pub struct CudaMemory {
    kind: MemoryKind,
    device: usize,
    address: u64,
    /// The context that allocated it; null for memory of a pool, which has none.
    context: sys::CUcontext,
}

impl CudaMemory {
    /// What the driver knows of the memory at `pointer`; `None` for plain host memory.
    ///
    /// The pointer is looked up, not read, and CUDA is not initialised: as long as the program has not
    /// done that itself no pointer can be the device's, and the program stays able to fork.
    ///
    /// # Errors
    /// [`Error::Device`] when the driver cannot say, as after a fault of a kernel: the memory may then
    /// be the device's.
    pub fn at(pointer: *const u8) -> Result<Option<Self>> {
        if pointer.is_null() || !driver_is_present() {
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
        // (an enumeration, a boolean and a number of 4 bytes each, and a handle). The address is not
        // read. Before cuInit, and after the driver's end, the call only says so.
        let answer = unsafe {
            sys::cuPointerGetAttributes(
                attributes.len() as u32,
                attributes.as_mut_ptr(),
                values.as_mut_ptr(),
                pointer.addr() as u64,
            )
        };
        if is_plain_memory(answer) {
            return Ok(None);
        }
        ok("cuPointerGetAttributes", answer)?;
        Ok(match (classify(kind, managed != 0), usize::try_from(device)) {
            (Some(kind), Ok(device)) => {
                Some(CudaMemory { kind, device, address: pointer.addr() as u64, context })
            }
            _ => None,
        })
    }

    /// What kind of memory it is.
    pub fn kind(&self) -> MemoryKind {
        self.kind
    }

    /// The number of its device.
    pub fn device(&self) -> usize {
        self.device
    }

    /// The address as a device sees it.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Checks that kernels of the device's primary context reach the memory, as those of
    /// [`DeviceCodec`](crate::cuda::DeviceCodec) must.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for memory of another context; [`Error::Device`].
    pub fn check_context(&self) -> Result<()> {
        if self.context.is_null() || self.primary()?.is(self.context) {
            return Ok(());
        }
        Err(Error::unsupported("memory of a context other than its device's primary context"))
    }

    /// Waits for the work that the program has enqueued on the memory's device, in the primary context
    /// and in the one that allocated the memory. Which of their streams uses the memory is not known,
    /// so all of them are waited for.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn synchronize(&self) -> Result<()> {
        let synchronize = || check("cuCtxSynchronize", result::ctx::synchronize());
        let primary = self.primary()?;
        let entered = primary.enter()?;
        synchronize()?;
        drop(entered);
        if !self.context.is_null() {
            // SAFETY: the memory lives in this context, so the context does.
            let _entered = unsafe { Entered::push(self.context) }?;
            synchronize()?;
        }
        Ok(())
    }

    /// Copies `to.len()` bytes of the memory to the host with nothing but the driver, in the memory's
    /// own context, and waits.
    ///
    /// # Errors
    /// [`Error::Device`].
    ///
    /// # Safety
    /// The memory is still there and has as many bytes.
    pub unsafe fn copy_to_host(&self, to: &mut [u8]) -> Result<()> {
        let primary = self.primary()?;
        let _entered = self.enter(&primary)?;
        // SAFETY: promised by the caller.
        check("cuMemcpyDtoH", unsafe { result::memcpy_dtoh_sync(to, self.address) })
    }

    /// Copies `from` to the memory with nothing but the driver, in the memory's own context, and waits.
    ///
    /// # Errors
    /// [`Error::Device`].
    ///
    /// # Safety
    /// The memory is still there and has room for `from`.
    pub unsafe fn copy_from_host(&self, from: &[u8]) -> Result<()> {
        let primary = self.primary()?;
        let _entered = self.enter(&primary)?;
        // SAFETY: promised by the caller.
        unsafe { copy_and_wait(self.address, from) }
    }

    /// The primary context of the memory's device. Whoever has a pointer of the driver's has
    /// initialised CUDA, and waiting and copying take a driver of any version.
    fn primary(&self) -> Result<Context> {
        Context::retain_initialized(self.device)
    }

    /// Makes the memory's own context current.
    fn enter<'a>(&self, primary: &'a Context) -> Result<Entered<'a>> {
        if self.context.is_null() {
            return primary.enter();
        }
        // SAFETY: the memory lives in this context, so the context does.
        unsafe { Entered::push(self.context) }
    }
}

/// Copies to device memory of the current context, and waits until it is there for every stream: the driver
/// returns when the bytes are in memory of its own, and a stream that does not wait for the default one
/// could overtake them.
///
/// # Safety
/// The memory at `to` has room for `from`.
pub(crate) unsafe fn copy_and_wait<V>(to: u64, from: &[V]) -> Result<()> {
    // SAFETY: promised by the caller; the default stream always exists.
    unsafe {
        check("cuMemcpyHtoD", result::memcpy_htod_sync(to, from))?;
        check("cuStreamSynchronize", result::stream::synchronize(std::ptr::null_mut()))
    }
}

/// Whether the machine has a driver; loads it, and initialises nothing.
fn driver_is_present() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: loading the driver's library runs its initialisers, which it is made for.
    *PRESENT.get_or_init(|| unsafe { sys::is_culib_present() })
}

/// Whether an answer means that CUDA has no such memory: it was never initialised here, or has ended.
fn is_plain_memory(answer: sys::CUresult) -> bool {
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

/// The driver's memory type; 0, which is none of its types, means plain host memory.
fn classify(kind: u32, managed: bool) -> Option<MemoryKind> {
    const HOST: u32 = CUmemorytype::CU_MEMORYTYPE_HOST as u32;
    const DEVICE: u32 = CUmemorytype::CU_MEMORYTYPE_DEVICE as u32;
    match (kind, managed) {
        (HOST | DEVICE, true) => Some(MemoryKind::Managed),
        (HOST, false) => Some(MemoryKind::Pinned),
        (DEVICE, false) => Some(MemoryKind::Device),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_types() {
        assert_eq!(classify(0, false), None);
        assert_eq!(classify(1, false), Some(MemoryKind::Pinned));
        assert_eq!(classify(2, false), Some(MemoryKind::Device));
        assert_eq!(classify(1, true), Some(MemoryKind::Managed));
        assert_eq!(classify(2, true), Some(MemoryKind::Managed));
        assert_eq!(classify(3, false), None);
    }

    #[test]
    fn plain_memory_is_not_the_drivers() {
        let value = 1u8;
        assert!(CudaMemory::at(&value).is_ok_and(|memory| memory.is_none()));
        assert!(CudaMemory::at(ptr::null()).is_ok_and(|memory| memory.is_none()));
    }
}
