//! Signals that end the program: work that can stop cleanly is asked to; other work, and what does not stop soon, ends with
//! its unfinished files removed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fsz::Progress;

use crate::terminal;

static REQUESTED: AtomicBool = AtomicBool::new(false);
/// The work under way that stops when it is cancelled.
static CANCELLABLE: Mutex<Option<Work>> = Mutex::new(None);
/// Told when there is none any more.
static OVER: Condvar = Condvar::new();

/// How long work may take to see that it was cancelled. Not all of it looks often, and a write waits for who reads a pipe.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Debug)]
struct Work {
    progress: Arc<Progress>,
    /// What an interrupt leaves of it, and what to do with that.
    kept: Option<&'static str>,
}

/// Exit code of a program ended by an interrupt: 128 + SIGINT.
const INTERRUPTED: i32 = 130;

/// Answers Ctrl-C (and SIGTERM, SIGHUP) from now on, but for those that the program was started to ignore. Makes a file
/// size limit an error of the write that meets it, and a mapped file that can be read no further an end with a message.
pub fn install() {
    #[cfg(unix)]
    // SAFETY: a signal that is ignored runs no code; the other handler never returns to what was interrupted.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        let cut_short: extern "C" fn(libc::c_int) = cut_short;
        libc::signal(libc::SIGBUS, cut_short as libc::sighandler_t);
    }
    #[cfg(unix)]
    let ignored = ignored();
    // Without a handler the signal ends the program and leaves a hidden temporary file: worse, but
    // no reason not to work.
    let _ = ctrlc::set_handler(|| {
        let first = !REQUESTED.swap(true, Ordering::SeqCst);
        // Who waits for a pipe does not look at it.
        if first && !fsz_field::waits_for_a_pipe() && cancel() {
            return;
        }
        end()
    });
    #[cfg(unix)]
    for signal in ignored {
        // SAFETY: a signal that is ignored runs no code.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// The signals that whoever started the program has it ignore: `nohup` does so for it to go on when its terminal is gone,
/// and a shell for what a script leaves in the background.
#[cfg(unix)]
fn ignored() -> Vec<libc::c_int> {
    let is_ignored = |&signal: &libc::c_int| {
        let mut now = std::mem::MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: nothing is set, and what is there is stored where it succeeds.
        unsafe {
            libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr()) == 0
                && now.assume_init().sa_sigaction == libc::SIG_IGN
        }
    };
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().filter(is_ignored).collect()
}

/// Cancels the work under way; whether it has stopped by itself, so that the command goes on and tells.
fn cancel() -> bool {
    let work = cancellable();
    let Some(Work { progress, .. }) = work.as_ref() else { return false };
    progress.cancel();
    let waited = OVER.wait_timeout_while(work, GRACE, |work| work.is_some());
    let (work, _) = waited.unwrap_or_else(PoisonError::into_inner);
    let Some(Work { kept, .. }) = work.as_ref() else { return true };
    if let Some(kept) = kept {
        terminal::note(false, kept);
    }
    terminal::interrupted();
    false
}

/// Says what an interrupt would leave of the work under way from now on, unless the user wants quiet.
pub fn keeps(quiet: bool, kept: &'static str) {
    if let Some(work) = cancellable().as_mut().filter(|_| !quiet) {
        work.kept = Some(kept);
    }
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
        *cancellable() = Some(Work { progress: Arc::clone(progress), kept: None });
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
        OVER.notify_all();
    }
}

fn cancellable() -> MutexGuard<'static, Option<Work>> {
    CANCELLABLE.lock().unwrap_or_else(PoisonError::into_inner)
}
