//! The driver's answers, and a device's primary context.

use std::{marker::PhantomData, sync::OnceLock};

use cudarc::driver::sys;

/// Whether the machine has a driver; loads it, and initialises nothing.
pub(crate) fn is_present() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: loading the driver's library runs its initialisers, which it is made for.
    *PRESENT.get_or_init(|| unsafe { sys::is_culib_present() })
}

/// Names the call that failed.
pub(crate) fn check(call: &str, result: sys::CUresult) -> Result<(), String> {
    if result == sys::CUresult::CUDA_SUCCESS {
        Ok(())
    } else {
        Err(format!("{call} failed with {result:?}"))
    }
}

/// A device's primary context: the one of the CUDA runtime, Kokkos, cupy and torch.
#[derive(Debug)]
pub(crate) struct Primary {
    device: sys::CUdevice,
    handle: sys::CUcontext,
}

// SAFETY: driver handles are valid on every thread of the process.
unsafe impl Send for Primary {}
// SAFETY: the driver's calls on a context may run on several threads at once.
unsafe impl Sync for Primary {}

impl Primary {
    /// That of device `ordinal`. CUDA is initialised: whoever calls this has a pointer of the driver's.
    pub fn retain(ordinal: usize) -> Result<Primary, String> {
        if !is_present() {
            return Err("no NVIDIA driver is installed (libcuda was not found)".into());
        }
        let ordinal = i32::try_from(ordinal).unwrap_or(i32::MAX);
        let (mut device, mut handle) = (0, std::ptr::null_mut());
        // SAFETY: each call writes one number or handle; the device is one that the driver named.
        unsafe {
            check("cuDeviceGet", sys::cuDeviceGet(&mut device, ordinal))?;
            check("cuDevicePrimaryCtxRetain", sys::cuDevicePrimaryCtxRetain(&mut handle, device))?;
        }
        Ok(Primary { device, handle })
    }

    /// Whether a context is this one.
    pub fn is(&self, handle: sys::CUcontext) -> bool {
        self.handle == handle
    }

    /// Makes the context current on this thread until the guard goes, which restores the caller's.
    pub fn enter(&self) -> Result<Entered<'_>, String> {
        // SAFETY: retained for as long as `self` lives.
        unsafe { Entered::push(self.handle) }
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        // SAFETY: retained once, in `retain`. A failure leaves the context to the process's end.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

/// The time during which a context is current on a thread.
#[derive(Debug)]
pub(crate) struct Entered<'a> {
    context: PhantomData<&'a Primary>,
    /// The guard belongs to the thread that made it.
    thread: PhantomData<*const ()>,
}

impl Entered<'_> {
    /// # Safety
    /// The context stays alive for as long as the guard does.
    pub unsafe fn push(handle: sys::CUcontext) -> Result<Self, String> {
        // SAFETY: promised by the caller.
        check("cuCtxPushCurrent", unsafe { sys::cuCtxPushCurrent_v2(handle) })?;
        Ok(Entered { context: PhantomData, thread: PhantomData })
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut handle = std::ptr::null_mut();
        // SAFETY: pops what `push` pushed on this thread. A failure means that the driver is gone.
        let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut handle) };
    }
}

/// Copies device memory to the host with nothing but the driver: what works when a workspace cannot
/// be made. A context is current.
pub(crate) fn copy_out(to: &mut [u8], from: u64) -> Result<(), String> {
    // SAFETY: `to` has the room; the driver itself refuses an address that is not its own.
    check("cuMemcpyDtoH", unsafe { sys::cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), from, to.len()) })
}

/// Copies host memory to the device, and waits.
pub(crate) fn copy_in(device: usize, to: u64, from: &[u8]) -> Result<(), String> {
    let primary = Primary::retain(device)?;
    let _entered = primary.enter()?;
    // SAFETY: `from` is readable; the driver itself refuses an address that is not its own.
    check("cuMemcpyHtoD", unsafe { sys::cuMemcpyHtoD_v2(to, from.as_ptr().cast(), from.len()) })
}
