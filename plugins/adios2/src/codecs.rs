//! The codecs of this process. ADIOS2 may create operators at every step, so thread pools are kept.

use std::{
    collections::HashMap,
    num::NonZero,
    process,
    sync::{Mutex, PoisonError},
    thread,
};

use fsz::Codec;

/// Codecs by process, number of threads and device.
type Pools = HashMap<(u32, usize, Option<usize>), Codec>;

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
    let threads =
        threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    let key = (process::id(), threads, device);
    if let Some(codec) = pools.get(&key) {
        return Ok(codec.clone());
    }
    let codec = device.map_or_else(|| Ok(Codec::cpu()), Codec::cuda)?.threads(threads)?;
    pools.insert(key, codec.clone());
    Ok(codec)
}
