//! The threads that calls work on.

use std::{
    error::Error as _,
    iter::successors,
    process,
    sync::{Arc, OnceLock},
    thread::available_parallelism,
};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    error::{Error, Result},
    float_mode::FloatMode,
};

/// Threads that a core is given at most: more bring nothing, and starting thousands takes minutes.
const PER_CORE: usize = 4;

/// The most threads of its own that a codec has.
pub(crate) fn most() -> usize {
    PER_CORE * available_parallelism().map_or(1, usize::from)
}

/// Threads of the pool that is current where the call is made. Where the system starts none, as under `ulimit -u`, that is
/// the calling thread: rayon would panic. So it is in a forked process, which has none of its parent's threads: rayon would
/// wait for them.
pub(crate) fn current() -> usize {
    /// The process that has the threads.
    static STARTED: OnceLock<Option<u32>> = OnceLock::new();
    let in_pool = rayon::current_thread_index().is_some();
    let started = || {
        // Threads have that of the one that starts them.
        let _mode = FloatMode::standard();
        match ThreadPoolBuilder::new().build_global() {
            Ok(()) => Some(process::id()),
            // Without a cause the error says that the pool was there before.
            Err(error) => error.source().is_none().then(process::id),
        }
    };
    let is_here = || *STARTED.get_or_init(started) == Some(process::id());
    if in_pool || is_here() { rayon::current_num_threads() } else { 1 }
}

#[derive(Clone, Debug, Default)]
pub(crate) enum Threads {
    /// The pool that is current where the call is made.
    #[default]
    Current,
    /// The calling thread alone.
    Calling,
    Own(Arc<Pool>),
}

/// Threads, and the process that has them.
#[derive(Debug)]
pub(crate) struct Pool {
    threads: ThreadPool,
    process: u32,
}

impl Threads {
    /// `n` threads of their own, [`most`] of them at most; with 1, the calling thread. Where the system starts fewer, as
    /// under `ulimit -u`, about as many as it does: a simulation must not end for that.
    pub fn new(n: usize) -> Result<Self> {
        if n == 0 {
            return Err(Error::invalid("0 threads: use at least 1"));
        }
        let pool = |n| {
            let pool = ThreadPoolBuilder::new().num_threads(n);
            pool.thread_name(|i| format!("fsz-{i}")).build().ok()
        };
        // Threads have that of the one that starts them.
        let _mode = FloatMode::standard();
        // The system is asked for its cores by reading files, which for one thread may take longer than a small call.
        let most = if n > 1 { n.min(most()) } else { 1 };
        let halves = successors(Some(most), |n| Some(n / 2)).take_while(|&n| n > 1);
        let started = halves.into_iter().find_map(pool);
        let own = |threads| Threads::Own(Arc::new(Pool { threads, process: process::id() }));
        Ok(started.map_or(Threads::Calling, own))
    }

    pub fn count(&self) -> usize {
        match self {
            Threads::Calling => 1,
            Threads::Current => current(),
            Threads::Own(pool) if pool.process == process::id() => {
                pool.threads.current_num_threads()
            }
            // Those of the process that this one was forked from.
            Threads::Own(_) => 1,
        }
    }

    /// Runs `work` where it can use as many threads as it is told, of which there are at most `most`.
    pub fn run<R: Send>(&self, most: Option<usize>, work: impl FnOnce(usize) -> R + Send) -> R {
        let threads = self.count().min(most.unwrap_or(usize::MAX));
        match self {
            Threads::Own(pool) if threads > 1 => pool.threads.install(|| work(threads)),
            _ => work(threads),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_than_are_useful_are_not_started() {
        assert_eq!(Threads::new(2).unwrap().count(), 2);
        assert_eq!(Threads::new(most() + 1).unwrap().count(), most());
        assert_eq!(Threads::new(usize::MAX).unwrap().count(), most());
    }
}
