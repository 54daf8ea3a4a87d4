//! A CUDA graph of the calls that a test makes on a stream.

use std::{ffi::c_void, ptr::null_mut};

use cudarc::driver::sys;

/// A captured graph, ready to be launched on its stream.
pub struct Graph {
    stream: sys::CUstream,
    executable: sys::CUgraphExec,
}

/// The flag of a stream that does not wait for the default one.
const NON_BLOCKING: u32 = 1;

fn check(result: sys::CUresult) {
    assert_eq!(result, sys::CUresult::CUDA_SUCCESS);
}

impl Graph {
    /// Captures what `calls` enqueues on the stream that it gets. The device's context is current.
    pub fn capture(calls: impl FnOnce(*mut c_void)) -> Self {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        Self::capture_in(mode, NON_BLOCKING, calls)
    }

    /// The same in another mode, and on a stream of these flags.
    pub fn capture_in(
        mode: sys::CUstreamCaptureMode,
        flags: u32,
        calls: impl FnOnce(*mut c_void),
    ) -> Self {
        let mut stream = null_mut();
        let mut graph = null_mut();
        let mut executable = null_mut();
        // SAFETY: the pointers are to handles that the driver fills in; each is made before its use.
        unsafe {
            check(sys::cuStreamCreate(&mut stream, flags));
            check(sys::cuStreamBeginCapture_v2(stream, mode));
            calls(stream.cast());
            check(sys::cuStreamEndCapture(stream, &mut graph));
            check(sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0));
            check(sys::cuGraphDestroy(graph));
        }
        Graph { stream, executable }
    }

    /// Runs it once and waits for it.
    pub fn replay(&self) {
        // SAFETY: both handles live as long as `self`.
        unsafe {
            check(sys::cuGraphLaunch(self.executable, self.stream));
            check(sys::cuStreamSynchronize(self.stream));
        }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: made in `capture`, destroyed once.
        unsafe {
            check(sys::cuGraphExecDestroy(self.executable));
            check(sys::cuStreamDestroy_v2(self.stream));
        }
    }
}
