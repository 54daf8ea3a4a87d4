//! CUDA graphs that are being captured.

use std::marker::PhantomData;

use cudarc::driver::sys;

use crate::cuda::driver::error::ok;
use crate::error::{Error, Result};

/// Whether a graph is being captured from a stream.
pub(in crate::cuda) fn is_captured(queue: sys::CUstream) -> Result<bool> {
    use sys::CUstreamCaptureStatus as Status;
    let mut status = Status::CU_STREAM_CAPTURE_STATUS_NONE;
    // SAFETY: the queue is the caller's, alive; writes one value.
    ok("cuStreamIsCapturing", unsafe { sys::cuStreamIsCapturing(queue, &mut status) })?;
    Ok(status != Status::CU_STREAM_CAPTURE_STATUS_NONE)
}

/// Refuses a call that a graph cannot hold. `why` says what it does.
pub(in crate::cuda) fn not_captured(queue: sys::CUstream, why: &str) -> Result<()> {
    if is_captured(queue)? { Err(Error::unsupported(why)) } else { Ok(()) }
}

/// While this lives, this thread may allocate, load kernels and ask for events although a CUDA graph is being captured, here
/// or on another thread: what the library does so is in streams and memory of its own, and no part of the graph. Else the
/// driver refuses it and ends the capture.
#[derive(Debug)]
pub(in crate::cuda) struct Relaxed {
    before: sys::CUstreamCaptureMode,
    /// It is the mode of the thread that made it.
    thread: PhantomData<*const ()>,
}

impl Relaxed {
    pub fn new() -> Result<Self> {
        let mut mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: exchanges the mode of this thread for that.
        ok("cuThreadExchangeStreamCaptureMode", unsafe {
            sys::cuThreadExchangeStreamCaptureMode(&mut mode)
        })?;
        Ok(Relaxed { before: mode, thread: PhantomData })
    }
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        // SAFETY: as above. A failure means that the driver is gone.
        let _ = unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut self.before) };
    }
}
