//! Progress bars on standard error, where that is a terminal.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use fsz::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::interrupt::Cancellable;
use crate::terminal;

/// Time between two looks at the progress.
const TICK: Duration = Duration::from_millis(50);

/// A bar that counts bytes; hidden when quiet.
pub fn bytes(what: &str, total: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(
        "{msg:13} {wide_bar} {decimal_bytes:>10} of {decimal_total_bytes} {decimal_bytes_per_sec:>12}",
    );
    let bar = ProgressBar::new(total).with_message(terminal::shown(what));
    match style {
        Ok(style) => bar.with_style(style),
        // The template is fixed; were it wrong, the default bar serves.
        Err(_) => bar,
    }
}

/// A spinner for work without a known length; hidden when quiet.
pub fn spinner(what: &str, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let spinner = ProgressBar::new_spinner().with_message(terminal::shown(what));
    // Without a thread it stands still; to ask for one that cannot be had would end the program.
    if !spinner.is_hidden() && thread::Builder::new().spawn(|| ()).is_ok() {
        spinner.enable_steady_tick(TICK * 2);
    }
    spinner
}

/// Runs work that reports to a [`Progress`], shows it, and lets an interrupt cancel it.
pub fn watch<R>(what: &str, quiet: bool, work: impl FnOnce(&Arc<Progress>) -> R) -> R {
    let progress = Progress::new();
    let _cancellable = Cancellable::new(&progress);
    let bar = bytes(what, 0, quiet);
    let show = |bar: &ProgressBar| {
        bar.set_length(progress.total());
        bar.set_position(progress.done());
    };
    shown(&bar, show, || work(&progress))
}

/// Runs work while a thread brings the bar up to date.
fn shown<R>(
    bar: &ProgressBar,
    update: impl Fn(&ProgressBar) + Send,
    work: impl FnOnce() -> R,
) -> R {
    thread::scope(|scope| {
        let (ended, end) = mpsc::channel::<()>();
        let updates = thread::Builder::new().spawn_scoped(scope, move || {
            while end.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                update(bar);
            }
            bar.finish_and_clear();
        });
        let result = work();
        drop(ended);
        if updates.is_err() {
            // The work needs no bar: it has been done without.
            bar.finish_and_clear();
        }
        result
    })
}

/// One bar over several pieces of work, each of which reports to the same [`Progress`] in its own unit.
#[derive(Debug)]
pub struct Overall<'a> {
    progress: &'a Arc<Progress>,
    /// Bytes of the pieces before this one, and of this one.
    before: AtomicU64,
    piece: AtomicU64,
}

impl<'a> Overall<'a> {
    /// Runs work of so many bytes in all, and shows it.
    pub fn watch<R>(
        what: &str,
        total: u64,
        quiet: bool,
        progress: &'a Arc<Progress>,
        work: impl FnOnce(&Overall<'a>) -> R,
    ) -> R {
        let bar = bytes(what, total, quiet);
        let overall = Overall { progress, before: AtomicU64::new(0), piece: AtomicU64::new(0) };
        shown(&bar, |bar| bar.set_position(overall.position()), || work(&overall))
    }

    /// The piece before is done; the next one has so many bytes.
    pub fn next(&self, bytes: u64) {
        self.before.fetch_add(self.piece.swap(0, Ordering::Relaxed), Ordering::Relaxed);
        self.progress.begin(0);
        self.piece.store(bytes, Ordering::Relaxed);
    }

    /// What the pieces report to, and are cancelled by.
    pub fn progress(&self) -> &'a Arc<Progress> {
        self.progress
    }

    /// Bytes that are done.
    fn position(&self) -> u64 {
        let share = self.progress.done() as f64 / self.progress.total().max(1) as f64;
        let piece = self.piece.load(Ordering::Relaxed) as f64;
        self.before.load(Ordering::Relaxed) + (share.min(1.0) * piece) as u64
    }
}
