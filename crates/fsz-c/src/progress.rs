//! Watching and cancelling a call from another thread.

use std::sync::Arc;

use fsz::Progress;

use crate::{
    handle::{self, Object},
    status::{fszc_status, status_of, value_of},
};

/// How far a running call is, and whether it shall stop: one thread calls, another one looks. May be used
/// by many threads at once, and freed while a call reports to it.
#[derive(Debug)]
pub struct fszc_progress(pub(crate) Arc<Progress>);

impl Object for fszc_progress {
    const NAME: &'static str = "fszc_progress";
}

/// Makes a counter at 0 of 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_progress_new(progress: *mut *mut fszc_progress) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    status_of(|| unsafe { handle::make(progress, || Ok(fszc_progress(Progress::new()))) })
}

/// Uncompressed bytes of the whole call; 0 until it begins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_progress_total(progress: *const fszc_progress) -> u64 {
    // SAFETY: the header's rules for pointers.
    value_of(0, || unsafe { Ok(handle::get(progress)?.0.total()) })
}

/// Uncompressed bytes done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_progress_done(progress: *const fszc_progress) -> u64 {
    // SAFETY: the header's rules for pointers.
    value_of(0, || unsafe { Ok(handle::get(progress)?.0.done()) })
}

/// Asks the call to stop, which then returns FSZC_CANCELLED soon after. Later calls that report to this
/// counter stop at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_progress_cancel(progress: *const fszc_progress) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe { handle::get(progress) }?.0.cancel();
        Ok(())
    })
}

/// Frees the counter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_progress_free(progress: *mut fszc_progress) {
    // SAFETY: the header's rules for pointers.
    value_of((), || unsafe { handle::free(progress) });
}
