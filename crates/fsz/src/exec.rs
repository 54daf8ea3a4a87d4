//! How a call runs: instructions, threads, and whom it reports to.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::{
    error::Result, float_mode::FloatMode, format::CHECKSUM_ROW, progress::Progress, simd::Level,
};

/// How a call is to be run.
#[derive(Clone, Copy)]
pub(crate) struct Execution<'a> {
    pub level: Level,
    /// Threads of the current rayon pool that work at most; with 1 the calling thread works alone.
    pub threads: usize,
    pub progress: Option<&'a Progress>,
}

#[cfg(any(test, feature = "cuda"))]
impl Execution<'_> {
    /// On the calling thread, without a report.
    pub fn alone() -> Self {
        Execution { level: Level::detect(), threads: 1, progress: None }
    }
}

impl Execution<'_> {
    pub fn check(&self) -> Result<()> {
        self.progress.map_or(Ok(()), Progress::check)
    }

    pub fn advance(&self, bytes: u64) -> Result<()> {
        self.progress.map_or(Ok(()), |p| p.advance(bytes))
    }

    /// What rows of bytes add to a checksum, the first of them with number `first`.
    pub fn byte_rows(&self, bytes: &[u8], first: u32) -> u32 {
        /// Bytes that a thread takes at a time.
        const PART: usize = 1 << 18;
        let rows = |(part, bytes): (usize, &[u8])| {
            let first = first.wrapping_add((part * PART / (4 * CHECKSUM_ROW)) as u32);
            self.level.byte_rows(bytes, first)
        };
        match self.threads > 1 && bytes.len() > PART {
            true => bytes.par_chunks(PART).enumerate().map(rows).reduce(|| 0, u32::wrapping_add),
            false => rows((0, bytes)),
        }
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
                scope.spawn(|_| {
                    let _mode = FloatMode::standard();
                    *end = Some(work());
                });
            }
        });
        ended.into_iter().flatten().collect()
    }

    /// Lets threads, each with a state of its own, take items in turn until there are no more or one fails.
    pub fn each<I: Iterator + Send, S>(
        &self,
        (count, items): (usize, I),
        state: impl Fn() -> Result<S> + Sync,
        work: impl Fn(&mut S, I::Item) -> Result<()> + Sync,
    ) -> Result<()> {
        let items = Mutex::new(Some(items));
        let items = || items.lock().unwrap_or_else(PoisonError::into_inner);
        self.on_threads(count, || {
            let mut state = state()?;
            loop {
                let next = items().as_mut().and_then(Iterator::next);
                let Some(item) = next else { return Ok(()) };
                work(&mut state, item).inspect_err(|_| *items() = None)?;
            }
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_does_not_depend_on_threads() {
        let bytes: Vec<u8> = (0..3_000_001u32).map(|i| (i * 37 / 11) as u8).collect();
        for first in [0, 7, 1 << 31] {
            let sum =
                |threads| Execution { threads, ..Execution::alone() }.byte_rows(&bytes, first);
            assert_eq!(sum(3), sum(1));
            assert_eq!(sum(1), Level::Portable.byte_rows(&bytes, first));
        }
    }
}
