//! The codec of this process.

use std::{
    env, process,
    sync::{Mutex, PoisonError},
};

use fsz::Codec;

use crate::{Result, text};

/// How many threads work on a chunk. Without it the calling thread does: HDF5 programs are often started
/// once per core, and HDF5 lets one thread in at a time.
const THREADS: &str = "FSZ_HDF5_THREADS";

/// The codec on threads of its own, with the process that they are of: a forked one inherits the
/// codec without its threads.
static CODEC: Mutex<Option<(u32, usize, Codec)>> = Mutex::new(None);

/// # Errors
/// A wrong number of threads, or none to be had.
pub(crate) fn get() -> Result<Codec> {
    let threads = threads()?;
    if threads == 1 {
        return Codec::cpu().threads(1).map_err(text);
    }
    let mut kept = CODEC.lock().unwrap_or_else(PoisonError::into_inner);
    match &*kept {
        Some((process, n, codec)) if (*process, *n) == (process::id(), threads) => {
            Ok(codec.clone())
        }
        _ => {
            let codec = Codec::cpu().threads(threads).map_err(text)?;
            // A pool of another process has no threads that could end.
            if let Some((process, _, codec)) = kept.replace((process::id(), threads, codec.clone()))
                && process != process::id()
            {
                std::mem::forget(codec);
            }
            Ok(codec)
        }
    }
}

fn threads() -> Result<usize> {
    let Some(value) = env::var_os(THREADS) else { return Ok(1) };
    let number = value.to_str().and_then(|text| text.trim().parse().ok());
    number
        .filter(|n| (1..=4096).contains(n))
        .ok_or_else(|| format!("{THREADS}: {value:?} is not a number from 1 to 4096"))
}
