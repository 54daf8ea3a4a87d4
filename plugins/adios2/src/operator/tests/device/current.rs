//! The context that is current on a thread, as the program that calls ADIOS2 sees it.

use cudarc::driver::{result, sys};

/// The current context of this thread; null for none.
pub(super) fn current() -> sys::CUcontext {
    let mut handle = std::ptr::null_mut();
    // SAFETY: writes one handle.
    unsafe { sys::cuCtxGetCurrent(&mut handle) }.result().unwrap();
    handle
}

/// Device 0's primary context, current on this thread as the CUDA runtime makes it.
#[derive(Debug)]
pub(super) struct Primary {
    device: sys::CUdevice,
}

impl Primary {
    /// A driver and device 0 are there.
    pub fn enter() -> Primary {
        let device = result::device::get(0).unwrap();
        // SAFETY: the driver named the device; the context is retained until the guard goes.
        unsafe {
            let context = result::primary_ctx::retain(device).unwrap();
            sys::cuCtxPushCurrent_v2(context).result().unwrap();
        }
        Primary { device }
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        let mut popped = std::ptr::null_mut();
        // SAFETY: pops what `enter` pushed and releases what it retained.
        unsafe {
            let _ = sys::cuCtxPopCurrent_v2(&mut popped);
            let _ = sys::cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}
