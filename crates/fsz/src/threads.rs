//! The threads that calls work on.

use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};

#[derive(Clone, Debug, Default)]
pub(crate) enum Threads {
    /// The pool that is current where the call is made.
    #[default]
    Current,
    /// The calling thread alone.
    Calling,
    Own(Arc<ThreadPool>),
}

impl Threads {
    /// `n` threads of their own; with 1, the calling thread.
    pub fn new(n: usize) -> Result<Self> {
        match n {
            0 => Err(Error::invalid("0 threads: use at least 1")),
            1 => Ok(Threads::Calling),
            _ => ThreadPoolBuilder::new()
                .num_threads(n)
                .thread_name(|i| format!("fsz-{i}"))
                .build()
                .map(|pool| Threads::Own(Arc::new(pool)))
                .map_err(|e| Error::Io(std::io::Error::other(e))),
        }
    }

    pub fn count(&self) -> usize {
        match self {
            Threads::Calling => 1,
            Threads::Current => rayon::current_num_threads(),
            Threads::Own(pool) => pool.current_num_threads(),
        }
    }

    /// Runs `work` where it can use as many threads as it is told, of which there are at most `most`.
    pub fn run<R: Send>(&self, most: Option<usize>, work: impl FnOnce(usize) -> R + Send) -> R {
        let threads = self.count().min(most.unwrap_or(usize::MAX));
        match self {
            Threads::Own(pool) if threads > 1 => pool.install(|| work(threads)),
            _ => work(threads),
        }
    }
}
