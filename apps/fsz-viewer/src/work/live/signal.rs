//! A signal from one thread to another, which can be waited for.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A signal that is given once.
#[derive(Debug, Default)]
pub struct Signal {
    given: Mutex<bool>,
    changed: Condvar,
}

impl Signal {
    /// Gives it.
    pub fn give(&self) {
        *self.given.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Waits for it, at most so long; whether it was given.
    pub fn wait(&self, longest: Duration) -> bool {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(given, longest, |given| !*given);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
