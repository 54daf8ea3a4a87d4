//! Signals that end the program: work that can stop cleanly is asked to; other work ends with its
//! unfinished files removed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fsz::Progress;

static REQUESTED: AtomicBool = AtomicBool::new(false);
/// The work under way that stops when it is cancelled.
static CANCELLABLE: Mutex<Option<Arc<Progress>>> = Mutex::new(None);

/// Exit code of a program ended by an interrupt: 128 + SIGINT.
const INTERRUPTED: i32 = 130;

/// Answers Ctrl-C (and SIGTERM, SIGHUP) from now on, and makes a file size limit an error of the write
/// that meets it, and a mapped file that can be read no further an end with a message.
pub fn install() {
    #[cfg(unix)]
    // SAFETY: a signal that is ignored runs no code; the other handler never returns to what was interrupted.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        let cut_short: extern "C" fn(libc::c_int) = cut_short;
        libc::signal(libc::SIGBUS, cut_short as libc::sighandler_t);
    }
    // Without a handler the signal ends the program and leaves a hidden temporary file: worse, but
    // no reason not to work.
    let _ = ctrlc::set_handler(|| {
        let first = !REQUESTED.swap(true, Ordering::SeqCst);
        match cancellable().as_ref() {
            // Who waits for a pipe does not look at it.
            Some(progress) if first && !fsz_field::waits_for_a_pipe() => progress.cancel(),
            _ => end(),
        }
    });
}

/// Whether an interrupt has come.
pub fn is_requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// Ends the program as an interrupt does, whatever it does at the time.
pub fn end() -> ! {
    fsz_field::remove_unfinished();
    std::process::exit(INTERRUPTED);
}

/// Ends the program where an input is mapped and its bytes are gone.
///
/// The thread was reading values: it is not in the middle of an allocation, and holds no lock.
#[cfg(unix)]
extern "C" fn cut_short(_: libc::c_int) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if TOLD.swap(true, Ordering::SeqCst) {
        // Another thread has met the same, and ends the program.
        loop {
            std::thread::park();
        }
    }
    fsz_field::remove_unfinished();
    crate::terminal::problem(&anyhow::anyhow!(
        "an input became shorter while it was read, or what it lies on fails: try again"
    ));
    // SAFETY: ends the process at once; no destructor runs that could wait for this thread.
    unsafe { libc::_exit(2) }
}

/// While this lives, an interrupt cancels the work instead of ending the program.
#[derive(Debug)]
pub struct Cancellable(());

impl Cancellable {
    /// The work that reports to `progress` can be cancelled.
    pub fn new(progress: &Arc<Progress>) -> Cancellable {
        *cancellable() = Some(Arc::clone(progress));
        Cancellable(())
    }

    /// Errs once an interrupt has come.
    pub fn check(&self) -> fsz::Result<()> {
        if is_requested() { Err(fsz::Error::Cancelled) } else { Ok(()) }
    }
}

impl Drop for Cancellable {
    fn drop(&mut self) {
        *cancellable() = None;
    }
}

fn cancellable() -> MutexGuard<'static, Option<Arc<Progress>>> {
    CANCELLABLE.lock().unwrap_or_else(PoisonError::into_inner)
}
