//! The codec of this process.

use std::{
    env, process,
    sync::{Mutex, PoisonError},
};

use fsz::Codec;

use crate::Result;

/// How many threads work on a chunk. Without it the calling thread does: HDF5 programs are often started
/// once per core, and HDF5 lets one thread in at a time.
const THREADS: &str = "FSZ_HDF5_THREADS";

/// The codec on threads of its own, how many, and the process that they are of: a forked one inherits
/// the codec without its threads.
static CODEC: Mutex<Option<(u32, usize, Codec)>> = Mutex::new(None);

/// Never fails: HDF5 may crash when a chunk cannot be written. A wrong number of threads is told when a
/// dataset is created; here it is 1, as where threads cannot be had.
pub(crate) fn get() -> Codec {
    let alone = || Codec::cpu().threads(1).unwrap_or_else(|_| Codec::cpu());
    match threads() {
        Ok(threads) if threads > 1 => pool(threads).unwrap_or_else(|_| alone()),
        _ => alone(),
    }
}

fn pool(threads: usize) -> fsz::Result<Codec> {
    let mut kept = CODEC.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, n, codec)) = &*kept
        && (*process, *n) == (process::id(), threads)
    {
        return Ok(codec.clone());
    }
    let codec = Codec::cpu().threads(threads)?;
    let before = kept.replace((process::id(), threads, codec.clone()));
    // A pool of another process has no threads that could end.
    if let Some((process, _, codec)) = before
        && process != process::id()
    {
        std::mem::forget(codec);
    }
    Ok(codec)
}

/// How many threads work on a chunk.
///
/// # Errors
/// The variable is not a number of threads.
pub(crate) fn threads() -> Result<usize> {
    let Some(value) = env::var_os(THREADS) else { return Ok(1) };
    let number = value.to_str().and_then(|text| text.trim().parse().ok());
    number.filter(|&n| n >= 1).ok_or_else(|| format!("{THREADS}: {value:?} is not a number from 1"))
}
