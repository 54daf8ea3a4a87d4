//! CUDA graphs that are being captured.

use cudarc::driver::sys;

use super::error::ok;
use crate::error::{Error, Result};

/// Refuses a call that a graph cannot hold. `why` says what it does.
pub(super) fn not_captured(queue: sys::CUstream, why: &str) -> Result<()> {
    use sys::CUstreamCaptureStatus as Status;
    let mut status = Status::CU_STREAM_CAPTURE_STATUS_NONE;
    // SAFETY: the queue is the caller's, alive; writes one value.
    ok("cuStreamIsCapturing", unsafe { sys::cuStreamIsCapturing(queue, &mut status) })?;
    match status {
        Status::CU_STREAM_CAPTURE_STATUS_NONE => Ok(()),
        _ => Err(Error::unsupported(why)),
    }
}
