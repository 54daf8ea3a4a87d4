//! Memory that is mapped to reserved addresses.

use std::ffi::{c_int, c_void};

use cudarc::driver::sys::CUresult;

use super::{Answer, code, give, queues};
use crate::run::memory::{Allocation, Kind, forget, register};

/// A page of it.
const PAGE: usize = 64 << 10;

fn done(succeeded: bool) -> Answer {
    if succeeded { Ok(()) } else { Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY) }
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAllocationGranularity(
    bytes: *mut usize,
    _wanted: *const c_void,
    _option: c_int,
) -> CUresult {
    // SAFETY: promised by the caller.
    code(unsafe { give(bytes, PAGE) })
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAddressReserve(
    address: *mut u64,
    len: usize,
    _alignment: usize,
    _wanted: u64,
    _flags: u64,
) -> CUresult {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: new addresses, without memory.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
    code(done(at != libc::MAP_FAILED).and_then(|()| {
        register(at as u64, Allocation { len: len as u64, kind: Kind::Reserved });
        // SAFETY: promised by the caller.
        unsafe { give(address, at as u64) }
    }))
}

/// The memory is made where it is mapped; the handle is its length.
///
/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemCreate(
    handle: *mut u64,
    len: usize,
    _wanted: *const c_void,
    _flags: u64,
) -> CUresult {
    // SAFETY: promised by the caller.
    code(unsafe { give(handle, len as u64) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemRelease(_handle: u64) -> CUresult {
    CUresult::CUDA_SUCCESS
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemMap(
    at: u64,
    len: usize,
    _offset: usize,
    _handle: u64,
    _flags: u64,
) -> CUresult {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the caller maps within what was reserved.
    let mapped = unsafe { libc::mprotect(at as *mut c_void, len, access) } == 0;
    code(done(mapped).map(|()| register(at, Allocation { len: len as u64, kind: Kind::Device })))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemSetAccess(
    _at: u64,
    _len: usize,
    _wanted: *const c_void,
    _count: usize,
) -> CUresult {
    CUresult::CUDA_SUCCESS
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemUnmap(at: u64, len: usize) -> CUresult {
    code(queues().finish_all().and_then(|()| {
        forget(at).ok_or(CUresult::CUDA_ERROR_INVALID_VALUE)?;
        // SAFETY: mapped by `cuMemMap`.
        done(unsafe { libc::mprotect(at as *mut c_void, len, libc::PROT_NONE) } == 0)
    }))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAddressFree(at: u64, len: usize) -> CUresult {
    forget(at);
    // SAFETY: reserved by `cuMemAddressReserve`, and unmapped.
    code(done(unsafe { libc::munmap(at as *mut c_void, len) } == 0))
}
