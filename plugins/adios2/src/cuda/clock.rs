//! Where the time of a compression goes, for those who ask (`verbose` = 2).

use std::time::Duration;

use cudarc::driver::{result, sys};

use super::driver::check;

/// A compression on a device, in parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Times {
    /// The kernels, between two events on the device.
    pub kernels: Duration,
    /// From the stream being finished on the device until all of it lay in ADIOS2's buffer: over the
    /// bus to pinned memory, and from there.
    pub copy: Duration,
}

/// Two events on one CUDA stream.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    queue: sys::CUstream,
    begin: Event,
    end: Event,
}

impl Stopwatch {
    /// Starts on a stream of the current context, when the work before is done.
    ///
    /// # Safety
    /// `queue` is such a stream, and outlives the result.
    pub unsafe fn start(queue: sys::CUstream) -> Result<Stopwatch, String> {
        let watch = Stopwatch { queue, begin: Event::new()?, end: Event::new()? };
        watch.begin.record(queue)?;
        Ok(watch)
    }

    /// Ends when the work so far is done.
    pub fn stop(&self) -> Result<(), String> {
        self.end.record(self.queue)
    }

    /// The device's time between start and stop; waits for the latter.
    pub fn elapsed(&self) -> Result<Duration, String> {
        // SAFETY: both events are alive and were recorded.
        let milliseconds = unsafe {
            check("cuEventSynchronize", sys::cuEventSynchronize(self.end.0))?;
            result::event::elapsed(self.begin.0, self.end.0)
        };
        let milliseconds = milliseconds.map_err(|error| format!("cuEventElapsedTime: {error}"))?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) * 1e-3))
    }
}

#[derive(Debug)]
struct Event(sys::CUevent);

impl Event {
    fn new() -> Result<Event, String> {
        let mut event = std::ptr::null_mut();
        let flags = sys::CUevent_flags::CU_EVENT_DEFAULT as u32;
        // SAFETY: writes one handle.
        check("cuEventCreate", unsafe { sys::cuEventCreate(&mut event, flags) })?;
        Ok(Event(event))
    }

    fn record(&self, queue: sys::CUstream) -> Result<(), String> {
        // SAFETY: the event is alive, and the stream by the promise of `Stopwatch::start`.
        check("cuEventRecord", unsafe { sys::cuEventRecord(self.0, queue) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: made in `new`; the driver keeps what a pending record needs. A failure leaves the
        // event to the end of the process.
        let _ = unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}
