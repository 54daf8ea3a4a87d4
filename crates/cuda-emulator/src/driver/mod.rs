//! The driver's functions, by their names in `cuda.h`.
//!
//! Source: NVIDIA, *CUDA Driver API*.

mod device;
mod events;
mod graphs;
mod launches;
mod mapped;
mod memory;
mod modules;
mod queue;
mod streams;
mod tensors;
#[cfg(test)]
mod tests;

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::CUresult;

use queue::Queues;

/// An error's code, or nothing.
type Answer<T = ()> = Result<T, CUresult>;

/// All streams, with what is to be done in them.
static QUEUES: LazyLock<Mutex<Queues>> = LazyLock::new(Mutex::default);

fn queues() -> MutexGuard<'static, Queues> {
    QUEUES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An answer as C has it.
fn code(answer: Answer) -> CUresult {
    answer.err().unwrap_or(CUresult::CUDA_SUCCESS)
}

/// What a question whether work is done is answered: who asks may ask for long, so work that is not is done now, and
/// the next answer is yes.
fn asked(is_done: Answer<bool>, finish: impl FnOnce() -> Answer) -> CUresult {
    code(is_done.and_then(|is_done| match is_done {
        true => Ok(()),
        false => finish().and(Err(CUresult::CUDA_ERROR_NOT_READY)),
    }))
}

/// Writes a result where the caller wants it.
///
/// # Safety
/// `to` is null or has room for it.
unsafe fn give<T>(to: *mut T, value: T) -> Answer {
    if to.is_null() {
        return Err(CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    // SAFETY: promised by the caller.
    unsafe { to.write(value) };
    Ok(())
}
