//! How a call runs: instructions, threads, and whom it reports to.

use crate::{error::Result, progress::Progress, simd::Level};

/// How a call is to be run.
#[derive(Clone, Copy)]
pub(crate) struct Execution<'a> {
    pub level: Level,
    /// Threads of the current rayon pool that work at most; with 1 the calling thread works alone.
    pub threads: usize,
    pub progress: Option<&'a Progress>,
}

impl Execution<'_> {
    pub fn check(&self) -> Result<()> {
        self.progress.map_or(Ok(()), Progress::check)
    }

    pub fn advance(&self, bytes: u64) -> Result<()> {
        self.progress.map_or(Ok(()), |p| p.advance(bytes))
    }

    /// Lets `work` run on as many threads as there are `pieces` of it, and gives what each came to.
    pub fn on_threads<R: Send>(
        &self,
        pieces: usize,
        work: impl Fn() -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let threads = self.threads.min(pieces);
        if threads <= 1 {
            return Ok(vec![work()?]);
        }
        let mut ended: Vec<Option<Result<R>>> = Vec::new();
        ended.resize_with(threads, || None);
        rayon::scope(|scope| {
            for end in &mut ended {
                scope.spawn(|_| *end = Some(work()));
            }
        });
        ended.into_iter().flatten().collect()
    }
}
