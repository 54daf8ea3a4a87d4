//! Pinned staging buffers, kept for the process: copies between a device and pageable host memory run
//! at the bus's speed through them, and the host copies one half while the device copies the other.

use std::{
    slice,
    sync::{Mutex, PoisonError},
};

use cudarc::driver::{result, sys};

use super::{error::check, workspace::Queue};
use crate::error::Result;

/// Bytes of each half of a buffer.
const HALF: usize = 4 << 20;

/// Buffers that no call is using. Pinned memory serves every device.
static IDLE: Mutex<Vec<Staging>> = Mutex::new(Vec::new());

/// A pinned buffer of two halves.
#[derive(Debug)]
pub(crate) struct Staging {
    pinned: *mut u8,
}

// SAFETY: pinned memory is valid on every thread, and one call at a time has it.
unsafe impl Send for Staging {}

impl Staging {
    /// Runs `work`, which copies through `queue`, with a buffer of the pool. A context is current.
    pub fn with<R>(queue: &Queue, work: impl FnOnce(&Staging) -> Result<R>) -> Result<R> {
        let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let staging = match taken {
            Some(staging) => staging,
            None => Staging::new()?,
        };
        let answer = work(&staging);
        // Also after an error nothing may be under way in memory that is used again.
        if queue.wait().is_ok() {
            idle().push(staging);
        }
        answer
    }

    fn new() -> Result<Staging> {
        let portable = sys::CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: the memory is kept to the end of the process.
        let pinned = unsafe { result::malloc_host(2 * HALF, portable) };
        let pinned = check("cuMemHostAlloc", pinned)?.cast::<u8>();
        // SAFETY: allocated above.
        unsafe { pinned.write_bytes(0, 2 * HALF) };
        Ok(Staging { pinned })
    }

    /// The half that a piece goes through.
    fn half(&self, piece: usize) -> *mut u8 {
        // SAFETY: both halves are within the buffer.
        unsafe { self.pinned.add(piece % 2 * HALF) }
    }

    /// Copies `to.len()` bytes from device address `from` to the host, and waits.
    ///
    /// # Safety
    /// `from` holds as many bytes, in memory of the current context.
    pub unsafe fn download(&self, queue: &Queue, to: &mut [u8], from: u64) -> Result<()> {
        let all = to.len();
        let enqueue = |piece: usize| {
            let at = piece * HALF;
            if at >= all {
                return Ok(());
            }
            // SAFETY: the half has room for a piece, and what was in it was copied out before; the
            // caller vouches for the device memory.
            check("cuMemcpyDtoHAsync", unsafe {
                let half = slice::from_raw_parts_mut(self.half(piece), HALF.min(all - at));
                result::memcpy_dtoh_async(half, from + at as u64, queue.handle())
            })
        };
        enqueue(0)?;
        for (piece, to) in to.chunks_mut(HALF).enumerate() {
            queue.wait()?;
            enqueue(piece + 1)?;
            // SAFETY: the copy to this half is over, and filled as many bytes.
            to.copy_from_slice(unsafe { slice::from_raw_parts(self.half(piece), to.len()) });
        }
        Ok(())
    }

    /// Copies `from` to device address `to`, and waits.
    ///
    /// # Safety
    /// `to` has room for `from`, in memory of the current context.
    pub unsafe fn upload(&self, queue: &Queue, to: u64, from: &[u8]) -> Result<()> {
        for (piece, from) in from.chunks(HALF).enumerate() {
            // SAFETY: the half has room for a piece, and its last copy, the one before the copy that
            // may be under way, is over.
            let half = unsafe { slice::from_raw_parts_mut(self.half(piece), from.len()) };
            half.copy_from_slice(from);
            queue.wait()?;
            // SAFETY: the caller vouches for the device memory; the half is left alone until this copy
            // is over.
            check("cuMemcpyHtoDAsync", unsafe {
                result::memcpy_htod_async(to + (piece * HALF) as u64, half, queue.handle())
            })?;
        }
        queue.wait()
    }
}
