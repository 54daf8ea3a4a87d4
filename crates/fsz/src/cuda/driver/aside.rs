//! Streams for what is enqueued beside a call's own, which are kept for the calls that follow.

use std::{
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::cuda::driver::{context::Context, workspace::Queue};
use crate::error::Result;

/// Streams that no call is using.
#[derive(Debug, Default)]
pub(crate) struct Asides(Mutex<Vec<Arc<Queue>>>);

/// A stream that one call uses alone, so that it never waits for what another's begins behind.
#[derive(Debug)]
pub(in crate::cuda) struct Aside<'a> {
    of: &'a Asides,
    queue: Arc<Queue>,
}

impl Asides {
    fn idle(&self) -> MutexGuard<'_, Vec<Arc<Queue>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The context is current.
    pub(in crate::cuda) fn take(&self, context: &Arc<Context>) -> Result<Aside<'_>> {
        let kept = self.idle().pop();
        let queue = kept.map_or_else(|| Queue::new(context).map(Arc::new), Ok)?;
        Ok(Aside { of: self, queue })
    }
}

impl Deref for Aside<'_> {
    type Target = Queue;

    fn deref(&self) -> &Queue {
        &self.queue
    }
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        self.of.idle().push(Arc::clone(&self.queue));
    }
}
