//! Blocks with a memory selection: a part of an array in memory.

use std::slice;

use fsz::{
    Codec,
    cuda::{CudaMemory, MemoryKind},
};

use super::{attempt, text};
use crate::{
    block::{Block, MemorySelection},
    device,
};

/// Copies the values of a block with a memory selection out of the array that they are a part of, by the codec's threads.
///
/// # Errors
/// The device of the array does not respond, or the selection is not inside the array.
///
/// # Safety
/// As [`Operator::write`](super::Operator::write).
pub(super) unsafe fn gather(
    codec: &Codec,
    memory: Option<&CudaMemory>,
    block: &Block<'_>,
    selection: &MemorySelection,
) -> Result<Vec<u8>, String> {
    let span = block.span_of(selection);
    let read = |memory: &CudaMemory| {
        // The host may read managed and pinned memory, but not before what writes there.
        memory.synchronize().map_err(text)?;
        let device = memory.kind() == MemoryKind::Device;
        // SAFETY: promised by the caller.
        device.then(|| unsafe { device::copy_to_host(memory, span) }).transpose()
    };
    let copy = match memory {
        Some(memory) => attempt(|| read(memory)).map_err(|reason| device::lost(&reason))?,
        None => None,
    };
    match copy {
        Some(array) => block.gather(codec, selection, &array),
        // SAFETY: promised by the caller: memory that the host reads, as bytes too.
        None => block.gather(codec, selection, unsafe { slice::from_raw_parts(block.data, span) }),
    }
}
