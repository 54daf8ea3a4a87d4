//! The device and its context.

use std::{
    cell::{Cell, RefCell},
    ffi::{c_char, c_int, c_uint, c_void},
    sync::atomic::{AtomicBool, Ordering},
};

use cudarc::driver::sys::CUresult;

use super::{Answer, code, give, queues};
use crate::run::memory::MEMORY;

/// Ten times the compute capability: 8.0, or 9.0 where `FSZ_EMULATOR_CAPABILITY` is 90.
pub(super) fn capability() -> i32 {
    match std::env::var("FSZ_EMULATOR_CAPABILITY") {
        Ok(asked) if asked == "90" => 90,
        _ => 80,
    }
}

/// Shared memory of a thread block at most, as on that capability.
pub(super) fn most_shared() -> i32 {
    if capability() < 90 { 163 << 10 } else { 227 << 10 }
}

/// Few, so that kernels whose thread blocks are all at work at once need few.
const MULTIPROCESSORS: i32 = 2;
/// The version of the driver that this one is like.
const VERSION: i32 = 13_000;
const NAME: &[u8] = b"FSZ emulator (no GPU)\0";

/// The handle of the only context.
pub(super) const CONTEXT: *mut c_void = std::ptr::without_provenance_mut(0x1000);

static READY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Contexts that this thread made current, the last one on top.
    static CURRENT: RefCell<Vec<*mut c_void>> = const { RefCell::new(Vec::new()) };
    /// How strict stream capture is on this thread.
    static MODE: Cell<c_uint> = const { Cell::new(0) };
}

/// An error before `cuInit`.
pub(super) fn ready() -> Answer {
    match READY.load(Ordering::Acquire) {
        true => Ok(()),
        false => Err(CUresult::CUDA_ERROR_NOT_INITIALIZED),
    }
}

/// How strict stream capture is on this thread.
pub(super) fn mode() -> c_uint {
    MODE.get()
}

fn only_device(device: c_int) -> Answer {
    match device {
        0 => ready(),
        _ => Err(CUresult::CUDA_ERROR_INVALID_DEVICE),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuInit(_flags: c_uint) -> CUresult {
    READY.store(true, Ordering::Release);
    CUresult::CUDA_SUCCESS
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> CUresult {
    // SAFETY: promised by the caller.
    code(unsafe { give(version, VERSION) })
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> CUresult {
    // SAFETY: promised by the caller.
    code(ready().and_then(|()| unsafe { give(count, 1) }))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> CUresult {
    // SAFETY: promised by the caller.
    code(ready().and_then(|()| only_device(ordinal)).and_then(|()| unsafe { give(device, 0) }))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int) -> CUresult {
    code(only_device(device).map(|()| {
        let len = usize::try_from(len).unwrap_or(0).min(NAME.len());
        // SAFETY: the caller has room for `len` bytes.
        unsafe { name.cast::<u8>().copy_from(NAME.as_ptr(), len) };
    }))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) -> CUresult {
    // SAFETY: promised by the caller.
    code(only_device(device).and_then(|()| unsafe { give(bytes, MEMORY as usize) }))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    device: c_int,
) -> CUresult {
    use cudarc::driver::sys::CUdevice_attribute as Attribute;
    const THREADS: c_int = Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK as c_int;
    const WARP: c_int = Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE as c_int;
    const COUNT: c_int = Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT as c_int;
    const MAJOR: c_int = Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as c_int;
    const MINOR: c_int = Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as c_int;
    const SHARED: c_int = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN as c_int;
    const ADDRESSES: c_int = Attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING as c_int;
    let answer = match attribute {
        THREADS => 1024,
        WARP => 32,
        COUNT => MULTIPROCESSORS,
        MAJOR => capability() / 10,
        MINOR => capability() % 10,
        SHARED => most_shared(),
        ADDRESSES => 1,
        // What is not there: memory pools, and whatever else may be asked for.
        _ => 0,
    };
    // SAFETY: promised by the caller.
    code(only_device(device).and_then(|()| unsafe { give(value, answer) }))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(
    context: *mut *mut c_void,
    device: c_int,
) -> CUresult {
    // SAFETY: promised by the caller.
    code(only_device(device).and_then(|()| unsafe { give(context, CONTEXT) }))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> CUresult {
    code(only_device(device))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCurrent(context: *mut *mut c_void) -> CUresult {
    let current = CURRENT.with_borrow(|all| all.last().copied().unwrap_or_default());
    // SAFETY: promised by the caller.
    code(ready().and_then(|()| unsafe { give(context, current) }))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetCurrent(context: *mut c_void) -> CUresult {
    CURRENT.with_borrow_mut(|all| {
        all.pop();
        all.push(context);
    });
    code(ready())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxPushCurrent_v2(context: *mut c_void) -> CUresult {
    CURRENT.with_borrow_mut(|all| all.push(context));
    code(ready())
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPopCurrent_v2(context: *mut *mut c_void) -> CUresult {
    code(match CURRENT.with_borrow_mut(Vec::pop) {
        // SAFETY: promised by the caller.
        Some(popped) => unsafe { give(context, popped) },
        None => Err(CUresult::CUDA_ERROR_INVALID_CONTEXT),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSynchronize() -> CUresult {
    let mut queues = queues();
    code(queues.allow_wait().and_then(|()| queues.finish_all()))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuThreadExchangeStreamCaptureMode(mode: *mut c_uint) -> CUresult {
    if mode.is_null() {
        return CUresult::CUDA_ERROR_INVALID_VALUE;
    }
    // SAFETY: promised by the caller.
    unsafe { *mode = MODE.replace(*mode) };
    CUresult::CUDA_SUCCESS
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(error: c_uint, text: *mut *const c_char) -> CUresult {
    // SAFETY: promised by the caller.
    code(unsafe { give(text, describe(error).as_ptr()) })
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(error: c_uint, text: *mut *const c_char) -> CUresult {
    // SAFETY: promised by the caller.
    code(unsafe { give(text, describe(error).as_ptr()) })
}

/// The names of the errors that this driver gives.
fn describe(error: c_uint) -> &'static std::ffi::CStr {
    const LAUNCH: c_uint = CUresult::CUDA_ERROR_LAUNCH_FAILED as c_uint;
    const PTX: c_uint = CUresult::CUDA_ERROR_INVALID_PTX as c_uint;
    const BINARY: c_uint = CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU as c_uint;
    const DEVICE: c_uint = CUresult::CUDA_ERROR_INVALID_DEVICE as c_uint;
    match error {
        0 => c"CUDA_SUCCESS",
        LAUNCH => c"CUDA_ERROR_LAUNCH_FAILED",
        PTX => c"CUDA_ERROR_INVALID_PTX",
        BINARY => c"CUDA_ERROR_NO_BINARY_FOR_GPU",
        DEVICE => c"CUDA_ERROR_INVALID_DEVICE",
        _ => c"an error of the CUDA emulator",
    }
}
