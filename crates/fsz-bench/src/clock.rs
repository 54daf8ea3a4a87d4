//! Times on the device's own clock.

use cudarc::driver::{result, sys};
use fsz::Result;
use fsz::cuda::internal::check;

/// The stream that everything here runs in: the default one.
pub const QUEUE: sys::CUstream = std::ptr::null_mut();

/// Runs that are not counted.
const WARM_UP: usize = 3;

/// The median of some times: of an even number of them, the mean of the two in the middle.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    match (times.len() / 2, times.len() % 2) {
        (0, 0) => f64::NAN,
        (middle, 0) => (times[middle - 1] + times[middle]) / 2.0,
        (middle, _) => times[middle],
    }
}

/// Seconds between the events around each of `repeats` calls of `work`, after a few calls that warm up.
/// `prepare` goes before each and is not timed. The device's context is current.
pub fn timed_after(
    repeats: usize,
    mut prepare: impl FnMut() -> Result<()>,
    mut work: impl FnMut() -> Result<()>,
) -> Result<Vec<f64>> {
    let (begin, end) = (Event::new()?, Event::new()?);
    let mut times = Vec::with_capacity(repeats);
    for round in 0..WARM_UP + repeats {
        prepare()?;
        begin.record()?;
        work()?;
        end.record()?;
        // SAFETY: both events were created above and recorded on one stream.
        let milliseconds = unsafe {
            check("cuEventSynchronize", result::event::synchronize(end.0))?;
            check("cuEventElapsedTime", result::event::elapsed(begin.0, end.0))?
        };
        if round >= WARM_UP {
            times.push(milliseconds as f64 * 1e-3);
        }
    }
    Ok(times)
}

/// [`timed_after`] with nothing to prepare.
pub fn timed(repeats: usize, work: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
    timed_after(repeats, || Ok(()), work)
}

struct Event(sys::CUevent);

impl Event {
    fn new() -> Result<Self> {
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
        check("cuEventCreate", event).map(Event)
    }

    fn record(&self) -> Result<()> {
        // SAFETY: the event lives as long as `self`; the default stream always does.
        check("cuEventRecord", unsafe { result::event::record(self.0, QUEUE) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created in `new`, destroyed once.
        let _ = unsafe { result::event::destroy(self.0) };
    }
}
