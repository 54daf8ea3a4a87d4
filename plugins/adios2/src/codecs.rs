//! The codecs of this process. ADIOS2 makes operators by the step, so thread pools are kept.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use fsz::Codec;

static POOLS: Mutex<Option<HashMap<usize, Codec>>> = Mutex::new(None);

/// The CPU codec with so many threads, or with all of the machine's.
pub(crate) fn cpu(threads: Option<usize>) -> fsz::Result<Codec> {
    let Some(threads) = threads else {
        return Ok(Codec::cpu());
    };
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    if let Some(codec) = pools.get(&threads) {
        return Ok(codec.clone());
    }
    let codec = Codec::cpu().threads(threads)?;
    pools.insert(threads, codec.clone());
    Ok(codec)
}
