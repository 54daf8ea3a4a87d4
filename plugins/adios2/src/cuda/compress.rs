//! A block in CUDA memory to an FSZ stream in host memory: only compressed bytes cross.

use std::time::Instant;

use fsz::{CompressOptions, DType, cuda::Compression};

use super::{
    clock::{Stopwatch, Times},
    place::Memory,
    workspace,
};

/// Compresses the field at `memory` into `out` and returns the stream's length, and what it took
/// where that is asked for (`timed`).
///
/// # Safety
/// `memory` holds a field of this shape and type, whose pending work has been waited for.
pub(crate) unsafe fn compress(
    memory: &Memory,
    dtype: DType,
    shape: &[u64],
    options: &CompressOptions,
    out: &mut [u8],
    timed: bool,
) -> Result<(usize, Option<Times>), String> {
    memory.check_context()?;
    let text = |error: fsz::Error| error.to_string();
    let compression = Compression::new(shape, dtype, options).map_err(text)?;
    let most = compression.max_len();
    workspace::with(memory.device, |workspace| {
        let (stream, scratch) = workspace.room(most, compression.scratch_len())?;
        let queue = workspace.queue();
        // SAFETY: the workspace's stream, of the context that is current in here.
        let watch = timed.then(|| unsafe { Stopwatch::start(queue.cast()) }).transpose()?;
        // SAFETY: the field is the caller's promise; the room was made above, is this call's alone
        // and the queue is one of the primary context, waited for right away.
        let length = unsafe {
            workspace
                .codec
                .compress(&compression, memory.address, (stream, most), scratch, queue)
                .map_err(text)?;
            watch.as_ref().map_or(Ok(()), Stopwatch::stop)?;
            workspace.codec.compressed_len(scratch, most, queue).map_err(text)?
        };
        let out = usize::try_from(length).ok().and_then(|length| out.get_mut(..length));
        let out = out.ok_or("the engine leaves no room for the stream")?;
        let copying = Instant::now();
        workspace.download(out, stream)?;
        let copy = copying.elapsed();
        let kernels = watch.map(|watch| watch.elapsed()).transpose()?;
        Ok((out.len(), kernels.map(|kernels| Times { kernels, copy })))
    })
}

/// Copies `bytes` bytes of device memory to the host.
///
/// # Safety
/// `memory` has as many bytes, whose pending work has been waited for.
pub(crate) unsafe fn copy_to_host(memory: &Memory, bytes: usize) -> Result<Vec<u8>, String> {
    let mut host = Vec::new();
    host.try_reserve_exact(bytes).map_err(|error| format!("no host memory: {error}"))?;
    host.resize(bytes, 0);
    memory.copy_out(&mut host)?;
    Ok(host)
}
