//! Streams.

use std::ffi::{c_int, c_uint};

use cudarc::driver::sys::CUresult;

use super::{asked, code, give, queues};

/// The flag of streams that do not wait for the default one.
const NON_BLOCKING: c_uint = 1;

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate(stream: *mut u64, flags: c_uint) -> CUresult {
    let number = queues().new_stream(flags & NON_BLOCKING == 0);
    // SAFETY: promised by the caller.
    code(unsafe { give(stream, number) })
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreateWithPriority(
    stream: *mut u64,
    flags: c_uint,
    _priority: c_int,
) -> CUresult {
    // SAFETY: promised by the caller.
    unsafe { cuStreamCreate(stream, flags) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamDestroy_v2(stream: u64) -> CUresult {
    code(queues().end_stream(stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamSynchronize(stream: u64) -> CUresult {
    code(queues().finish(stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamQuery(stream: u64) -> CUresult {
    let mut queues = queues();
    asked(queues.is_done(stream), || queues.finish(stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamWaitEvent(stream: u64, event: u64, _flags: c_uint) -> CUresult {
    code(queues().wait(stream, event))
}
