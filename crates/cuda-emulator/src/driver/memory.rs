//! Memory and copies.

use std::ffi::{c_int, c_uint, c_void};

use cudarc::driver::sys::{CUpointer_attribute, CUresult};

use super::{
    Answer, code,
    device::{CONTEXT, mode, ready},
    give,
    queue::Work,
    queues,
};
use crate::run::memory::{Kind, allocate, find, free};

/// # Safety
/// `address` is null or has room for an address.
unsafe fn new(address: *mut u64, len: usize, kind: Kind) -> CUresult {
    code(ready().and_then(|()| queues().allow(mode())).and_then(|()| {
        if len == 0 {
            return Err(CUresult::CUDA_ERROR_INVALID_VALUE);
        }
        let at = allocate(len, kind).ok_or(CUresult::CUDA_ERROR_OUT_OF_MEMORY)?;
        // SAFETY: promised by the caller.
        unsafe { give(address, at) }
    }))
}

/// Frees when all work is done, as the driver does.
fn release(address: u64) -> CUresult {
    let mut queues = queues();
    let done = queues.allow(mode()).and_then(|()| queues.finish_all());
    code(done.and_then(|()| match free(address) {
        true => Ok(()),
        false => Err(CUresult::CUDA_ERROR_INVALID_VALUE),
    }))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, len: usize) -> CUresult {
    // SAFETY: promised by the caller.
    unsafe { new(address, len, Kind::Device) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemFree_v2(address: u64) -> CUresult {
    release(address)
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostAlloc(pointer: *mut u64, len: usize, _flags: c_uint) -> CUresult {
    // SAFETY: promised by the caller.
    unsafe { new(pointer, len, Kind::Pinned) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemFreeHost(pointer: u64) -> CUresult {
    release(pointer)
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocManaged(
    address: *mut u64,
    len: usize,
    _flags: c_uint,
) -> CUresult {
    // SAFETY: promised by the caller.
    unsafe { new(address, len, Kind::Managed) }
}

/// All bytes of device memory must be in one allocation.
fn check(address: u64, len: usize) -> Answer {
    match len == 0 || (find(address).is_some() && find(address + len as u64 - 1).is_some()) {
        true => Ok(()),
        false => Err(CUresult::CUDA_ERROR_INVALID_VALUE),
    }
}

/// Whether a copy reads or writes host memory itself, later: the driver copies other memory elsewhere first.
fn is_pinned(address: u64) -> bool {
    find(address).is_some()
}

/// # Safety
/// `from` has `len` bytes, which stay until the stream was waited for if they are pinned.
unsafe fn write(to: u64, from: u64, len: usize, stream: u64) -> Answer {
    check(to, len)?;
    let work = match is_pinned(from) {
        true => Work::Copy { from, to, len },
        false => {
            // SAFETY: promised by the caller.
            let bytes = unsafe { std::slice::from_raw_parts(from as *const u8, len) };
            Work::Write { bytes: bytes.into(), to }
        }
    };
    queues().push(stream, work)
}

fn read(to: u64, from: u64, len: usize, stream: u64) -> Answer {
    check(from, len)?;
    let mut queues = queues();
    queues.push(stream, Work::Copy { from, to, len })?;
    if is_pinned(to) || queues.is_captured(stream) { Ok(()) } else { queues.finish(stream) }
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoD_v2(to: u64, from: u64, len: usize) -> CUresult {
    // SAFETY: promised by the caller.
    code(unsafe { write(to, from, len, 0) })
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: u64,
    len: usize,
    stream: u64,
) -> CUresult {
    // SAFETY: promised by the caller.
    code(unsafe { write(to, from, len, stream) })
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoH_v2(to: u64, from: u64, len: usize) -> CUresult {
    code(read(to, from, len, 0))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    to: u64,
    from: u64,
    len: usize,
    stream: u64,
) -> CUresult {
    code(read(to, from, len, stream))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoDAsync_v2(
    to: u64,
    from: u64,
    len: usize,
    stream: u64,
) -> CUresult {
    let checked = check(from, len).and_then(|()| check(to, len));
    code(checked.and_then(|()| queues().push(stream, Work::Copy { from, to, len })))
}

/// # Safety
/// As in `cuda.h`.
unsafe fn fill(to: u64, pattern: &[u8], count: usize, stream: u64) -> CUresult {
    let work = Work::Fill { pattern: pattern.to_vec(), to, count };
    code(check(to, pattern.len() * count).and_then(|()| queues().push(stream, work)))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8_v2(to: u64, value: u8, count: usize) -> CUresult {
    // SAFETY: promised by the caller.
    unsafe { fill(to, &[value], count, 0) }
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8Async(
    to: u64,
    value: u8,
    count: usize,
    stream: u64,
) -> CUresult {
    // SAFETY: promised by the caller.
    unsafe { fill(to, &[value], count, stream) }
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32Async(
    to: u64,
    value: c_uint,
    count: usize,
    stream: u64,
) -> CUresult {
    // SAFETY: promised by the caller.
    unsafe { fill(to, &value.to_ne_bytes(), count, stream) }
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuPointerGetAttributes(
    count: c_uint,
    attributes: *const c_int,
    values: *mut *mut c_void,
    pointer: u64,
) -> CUresult {
    const CONTEXT_OF: c_int = CUpointer_attribute::CU_POINTER_ATTRIBUTE_CONTEXT as c_int;
    const TYPE: c_int = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE as c_int;
    const MANAGED: c_int = CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED as c_int;
    const ORDINAL: c_int = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL as c_int;
    code(ready().and_then(|()| {
        let kind = find(pointer).map(|allocation| allocation.kind);
        for index in 0..count as usize {
            // SAFETY: both lists are so long, and each value has room for its attribute.
            unsafe {
                let value = values.add(index).read();
                match attributes.add(index).read() {
                    CONTEXT_OF => {
                        let none = std::ptr::null_mut();
                        value.cast::<*mut c_void>().write(if kind.is_some() {
                            CONTEXT
                        } else {
                            none
                        });
                    }
                    TYPE => value.cast::<c_uint>().write(match kind {
                        None | Some(Kind::Reserved) => 0,
                        Some(Kind::Pinned) => 1,
                        Some(Kind::Device | Kind::Managed) => 2,
                    }),
                    MANAGED => value.cast::<c_uint>().write((kind == Some(Kind::Managed)).into()),
                    ORDINAL => value.cast::<c_int>().write(if kind.is_some() { 0 } else { -2 }),
                    _ => return Err(CUresult::CUDA_ERROR_NOT_SUPPORTED),
                }
            }
        }
        Ok(())
    }))
}
