//! The codecs of this process. ADIOS2 may create operators at every step, so thread pools are kept.

use std::{
    collections::HashMap,
    num::NonZero,
    process,
    sync::{Mutex, PoisonError},
    thread,
};

use fsz::Codec;

/// Codecs by process, number of threads as asked for, and device.
type Pools = HashMap<(u32, Option<usize>, Option<usize>), Codec>;

/// A forked process (Python's multiprocessing forks) inherits pools without their threads.
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// The CPU codec with this many threads; by default as many as the machine has.
pub(crate) fn cpu(threads: Option<usize>) -> fsz::Result<Codec> {
    with(threads, None)
}

/// That of a CUDA device for host memory, which so many threads copy.
pub(crate) fn cuda(device: usize, threads: Option<usize>) -> fsz::Result<Codec> {
    with(threads, Some(device))
}

fn with(threads: Option<usize>, device: Option<usize>) -> fsz::Result<Codec> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    let key = |threads| (process::id(), threads, device);
    if let Some(codec) = pools.get(&key(threads)) {
        return Ok(codec.clone());
    }
    // The system is asked for its cores by reading files, which takes longer than to code a small ADIOS2 block.
    let count = threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
    let codec = match pools.get(&key(Some(count))) {
        Some(codec) => codec.clone(),
        None => device.map_or_else(|| Ok(Codec::cpu()), Codec::cuda)?.threads(count)?,
    };
    for threads in [threads, Some(count)] {
        pools.insert(key(threads), codec.clone());
    }
    Ok(codec)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    /// Calls of `read` that this thread has made.
    fn reads() -> usize {
        let io = fs::read_to_string("/proc/thread-self/io").unwrap();
        let line = io.lines().find_map(|line| line.strip_prefix("syscr: "));
        line.unwrap().parse().unwrap()
    }

    #[test]
    fn a_codec_that_is_there_is_given_without_reading_files() {
        let codec = cpu(None).unwrap();
        let before = reads();
        for _ in 0..100 {
            assert_eq!(cpu(None).unwrap().to_string(), codec.to_string());
        }
        // Reading the number reads, too.
        assert!(reads() - before < 10);
    }
}
