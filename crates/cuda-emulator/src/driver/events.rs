//! Events.

use std::ffi::c_uint;

use cudarc::driver::sys::CUresult;

use super::{asked, code, device::mode, give, queues};

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(event: *mut u64, _flags: c_uint) -> CUresult {
    let number = queues().new_event();
    // SAFETY: promised by the caller.
    code(unsafe { give(event, number) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventDestroy_v2(event: u64) -> CUresult {
    code(queues().end_event(event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventRecord(event: u64, stream: u64) -> CUresult {
    code(queues().record(event, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventQuery(event: u64) -> CUresult {
    let mut queues = queues();
    if let Err(why) = queues.allow(mode()) {
        return why;
    }
    asked(queues.is_reached(event), || queues.finish_event(event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventSynchronize(event: u64) -> CUresult {
    code(queues().finish_event(event))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime(
    milliseconds: *mut f32,
    begin: u64,
    end: u64,
) -> CUresult {
    let between = queues().between(begin, end);
    // SAFETY: promised by the caller.
    code(between.and_then(|between| unsafe { give(milliseconds, between) }))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime_v2(
    milliseconds: *mut f32,
    begin: u64,
    end: u64,
) -> CUresult {
    // SAFETY: promised by the caller.
    unsafe { cuEventElapsedTime(milliseconds, begin, end) }
}
