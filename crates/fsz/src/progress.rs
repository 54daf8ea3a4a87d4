//! Watching and cancelling a long call from another thread.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use crate::error::{Error, Result};

/// Shared between a caller and a running call: how far it is, and whether to stop.
///
/// Counts uncompressed bytes. A cancelled call returns [`Error::Cancelled`] soon after. Work of a caller's
/// own, of several calls or of none, counts in whatever unit it likes.
#[derive(Debug, Default)]
pub struct Progress {
    total: AtomicU64,
    done: AtomicU64,
    cancelled: Arc<AtomicBool>,
}

impl Progress {
    /// A new counter at 0 of 0.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Another counter, which is cancelled with this one: for work beside what this one counts.
    pub fn aside(&self) -> Arc<Self> {
        Arc::new(Progress { cancelled: Arc::clone(&self.cancelled), ..Progress::default() })
    }

    /// Uncompressed bytes of the whole call; 0 until it begins.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Uncompressed bytes done.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Asks the call to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Begins work of so much, of which nothing is done.
    pub fn begin(&self, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// So much more is done.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when it was asked to stop.
    pub fn advance(&self, bytes: u64) -> Result<()> {
        self.done.fetch_add(bytes, Ordering::Relaxed);
        self.check()
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when it was asked to stop.
    pub fn check(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }
}
