//! The driver, loaded at run time, and a device's primary context.

use std::{marker::PhantomData, sync::OnceLock};

use cudarc::driver::{result, sys};

use crate::cuda::driver::{
    capture::Relaxed,
    error::{check, ok},
};
use crate::{
    error::{Error, Result},
    float_mode::FloatMode,
};

/// Loads and initialises the driver once; later calls give the same answer.
pub(crate) fn driver() -> Result<()> {
    static READY: OnceLock<Result<(), String>> = OnceLock::new();
    let ready = READY.get_or_init(|| {
        // SAFETY: loading the driver's library runs its initialisers, which it is made for.
        if !unsafe { sys::is_culib_present() } {
            return Err("no NVIDIA driver is installed (libcuda was not found)".to_owned());
        }
        check("cuInit", result::init()).and_then(|()| new_enough()).map_err(|e| match e {
            Error::Device(reason) => reason,
            other => other.to_string(),
        })
    });
    ready.clone().map_err(Error::Device)
}

/// Whether CUDA is already initialised in this process, by it or by a library.
pub(crate) fn is_in_use() -> bool {
    // SAFETY: loading the driver's library runs its initialisers, which it is made for; before `cuInit` the call
    // only says so.
    unsafe {
        let mut device = 0;
        sys::is_culib_present()
            && sys::cuDeviceGet(&mut device, 0) != sys::CUresult::CUDA_ERROR_NOT_INITIALIZED
    }
}

/// The oldest driver that takes the PTX of this release, that of CUDA 12.4. What those of 12.2 and before make of some
/// kernels reads where it must not.
const OLDEST: i32 = 12_040;

fn new_enough() -> Result<()> {
    let mut version = 0;
    // SAFETY: writes one number.
    ok("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) })?;
    if version >= OLDEST {
        return Ok(());
    }
    let (major, minor) = (version / 1000, version % 1000 / 10);
    Err(Error::Device(format!(
        "the NVIDIA driver is made for CUDA {major}.{minor}, and 12.4 is needed: update it (R550 or newer)"
    )))
}

/// The primary context of a device, the one that the CUDA runtime and other libraries share.
#[derive(Debug)]
pub(crate) struct Context {
    device: sys::CUdevice,
    handle: sys::CUcontext,
}

// SAFETY: driver handles are valid on every thread of the process.
unsafe impl Send for Context {}
// SAFETY: the driver's calls on a context may run on several threads at once.
unsafe impl Sync for Context {}

impl Context {
    /// Retains the primary context of device `ordinal`.
    pub fn retain(ordinal: usize) -> Result<Self> {
        driver()?;
        Self::retain_initialized(ordinal)
    }

    /// The same where CUDA is initialised, with a driver of any version.
    pub fn retain_initialized(ordinal: usize) -> Result<Self> {
        let ordinal = i32::try_from(ordinal).unwrap_or(i32::MAX);
        let device = check("cuDeviceGet", result::device::get(ordinal))?;
        // SAFETY: the device is one that the driver named.
        let handle =
            check("cuDevicePrimaryCtxRetain", unsafe { result::primary_ctx::retain(device) })?;
        Ok(Context { device, handle })
    }

    /// Makes the context current on this thread until the guard is dropped, which restores the caller's.
    pub fn enter(&self) -> Result<Entered<'_>> {
        // SAFETY: the context is retained as long as `self` lives.
        unsafe { Entered::push(self.handle) }
    }

    /// Whether a context is this one.
    pub fn is(&self, handle: sys::CUcontext) -> bool {
        self.handle == handle
    }

    /// A number that the driver knows of the device.
    pub fn attribute(&self, attribute: sys::CUdevice_attribute) -> Result<i32> {
        // SAFETY: the device is one that the driver named.
        check("cuDeviceGetAttribute", unsafe {
            result::device::get_attribute(self.device, attribute)
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once in `retain`. A failure leaves the context to the end of the process.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// The time during which a context is current on a thread.
#[derive(Debug)]
pub(crate) struct Entered<'a> {
    context: PhantomData<&'a Context>,
    /// Belongs, as the guard does, to the thread that made it.
    _relaxed: Relaxed,
    /// The host computes, too: parameters of kernels, and what `dense` chooses.
    _mode: FloatMode,
}

impl Entered<'_> {
    /// Makes a context current on this thread until the guard is dropped.
    ///
    /// # Safety
    /// The context stays alive for as long as the guard does.
    pub unsafe fn push(handle: sys::CUcontext) -> Result<Self> {
        let relaxed = Relaxed::new()?;
        // SAFETY: promised by the caller.
        ok("cuCtxPushCurrent", unsafe { sys::cuCtxPushCurrent_v2(handle) })?;
        Ok(Entered { context: PhantomData, _relaxed: relaxed, _mode: FloatMode::standard() })
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut handle = std::ptr::null_mut();
        // SAFETY: pops what `push` pushed on this thread. A failure means that the driver is gone.
        let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut handle) };
    }
}
