//! Long calls: work runs without the interpreter's lock, Ctrl-C ends it, and a callback hears how far it is.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use fsz::Progress;
use pyo3::prelude::*;

use crate::errors::raised;

/// Fields below this size are done before anyone could interrupt them.
const SHORT: u64 = 8 << 20;
/// Between two looks at signals and at the progress.
const INTERVAL: Duration = Duration::from_millis(50);

/// Does `work` on a field of `bytes` bytes, calling `callback(done, total)` with bytes now and then and once
/// at the end, but never of none. An exception of the callback's or of a signal handler's (`KeyboardInterrupt`)
/// ends the work and is raised.
pub fn watched<R: Send>(
    py: Python<'_>,
    bytes: u64,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Arc<Progress>) -> fsz::Result<R> + Send,
) -> PyResult<R> {
    let progress = Progress::new();
    if bytes < SHORT && callback.is_none() {
        return py.detach(|| work(&progress)).map_err(|error| raised(py, error));
    }
    let callback = callback.map(|callback| callback.clone().unbind());
    let report = |py: Python<'_>| -> PyResult<()> {
        py.check_signals()?;
        // Callbacks divide by the total, which is 0 until the call begins, and of a field without elements.
        // It is looked at first: what is done is of this beginning or a later one.
        let total = progress.total();
        if let Some(callback) = callback.as_ref().filter(|_| total > 0) {
            callback.call1(py, (progress.done(), total))?;
        }
        Ok(())
    };
    let (outcome, interrupt) = py.detach(|| {
        thread::scope(|scope| {
            let (ended, wait) = channel::<()>();
            let progress = &progress;
            // Handed over behind a lock, so that it is still here where no thread starts.
            let work = Arc::new(Mutex::new(Some(work)));
            let handed = Arc::clone(&work);
            let worker =
                thread::Builder::new().name("fsz-call".into()).spawn_scoped(scope, move || {
                    let work = handed.lock().unwrap_or_else(PoisonError::into_inner).take();
                    let outcome = work.map(|work| work(progress));
                    drop(ended);
                    outcome
                });
            let Ok(worker) = worker else {
                // Nobody looks at signals meanwhile, as in short calls.
                let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
                return (work.map(|work| work(progress)), None);
            };
            let mut interrupt = None;
            while interrupt.is_none()
                && wait.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout)
            {
                // None where the interpreter has ended: what a daemon thread works on then is for nobody.
                let Some(looked) = Python::try_attach(report) else {
                    progress.cancel();
                    break;
                };
                interrupt = looked.err();
            }
            if interrupt.is_some() {
                progress.cancel();
            }
            let outcome = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (outcome, interrupt)
        })
    });
    // The work was there for whoever took it first, and nobody else does.
    let outcome = outcome.unwrap_or(Err(fsz::Error::Cancelled));
    match (outcome, interrupt) {
        (_, Some(interrupt)) => Err(interrupt),
        (Err(error), None) => Err(raised(py, error)),
        (Ok(answer), None) => report(py).map(|()| answer),
    }
}
