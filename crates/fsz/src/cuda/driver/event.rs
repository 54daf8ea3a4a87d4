//! A point in a CUDA stream.

use cudarc::driver::{result, sys};

use crate::cuda::driver::{
    error::{check, ok},
    workspace::Queue,
};
use crate::error::Result;

/// A point in a CUDA stream that can be waited for.
#[derive(Debug)]
pub(crate) struct Event(sys::CUevent);

// SAFETY: driver handles are valid on every thread of the process.
unsafe impl Send for Event {}
// SAFETY: waiting for an event does not change it.
unsafe impl Sync for Event {}

impl Event {
    /// The context is current.
    pub fn new() -> Result<Self> {
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
        check("cuEventCreate", event).map(Event)
    }

    pub fn handle(&self) -> sys::CUevent {
        self.0
    }

    /// Puts it behind what is in the stream.
    pub fn record(&self, queue: &Queue) -> Result<()> {
        self.record_in(queue.handle())
    }

    /// The same of a stream of the caller's.
    pub fn record_in(&self, queue: sys::CUstream) -> Result<()> {
        // SAFETY: event and stream are alive and of one context.
        check("cuEventRecord", unsafe { result::event::record(self.0, queue) })
    }

    /// Whether the work before it is done.
    pub fn is_past(&self) -> Result<bool> {
        // SAFETY: the event is alive.
        match unsafe { sys::cuEventQuery(self.0) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            answer => ok("cuEventQuery", answer).map(|()| true),
        }
    }

    /// What is enqueued in `queue` from now on begins behind it.
    pub fn hold(&self, queue: &Queue) -> Result<()> {
        self.hold_in(queue.handle())
    }

    /// The same of a stream of the caller's.
    pub fn hold_in(&self, queue: sys::CUstream) -> Result<()> {
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: event and stream are alive and of one context.
        check("cuStreamWaitEvent", unsafe { result::stream::wait_event(queue, self.0, flags) })
    }

    /// Waits until the work before it is done.
    pub fn wait(&self) -> Result<()> {
        // SAFETY: the event is alive.
        check("cuEventSynchronize", unsafe { result::event::synchronize(self.0) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: made in `new`; the driver keeps what a pending record needs. A failure leaves the
        // event to the end of the process.
        let _ = unsafe { result::event::destroy(self.0) };
    }
}
