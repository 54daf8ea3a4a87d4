//! Why no dialog came. `rfd` answers as if it had been closed, and tells its reason to the log alone.

use std::cell::RefCell;

use log::{Level, LevelFilter, Log, Metadata, Record};

thread_local! {
    /// What `rfd` told last on this thread.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What `ask` answers, or the reason that no dialog was seen.
pub fn answer<T>(ask: impl FnOnce() -> Option<T>) -> Result<Option<T>, String> {
    // Where a program has a log of its own, the reason stands in that.
    if log::set_logger(&Listener).is_ok() {
        log::set_max_level(LevelFilter::Error);
    }
    LAST.take();
    let answered = ask();
    match LAST.take() {
        Some(reason) if answered.is_none() => Err(reason),
        _ => Ok(answered),
    }
}

struct Listener;

impl Log for Listener {
    fn enabled(&self, told: &Metadata<'_>) -> bool {
        told.level() == Level::Error && told.target().starts_with("rfd::")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            LAST.set(Some(record.args().to_string()));
        }
    }

    fn flush(&self) {}
}
