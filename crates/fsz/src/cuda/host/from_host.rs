//! Compressing fields in host memory through the device.

use crate::cuda::{
    compress::{FieldCompression, Places, verdict},
    device::Device,
    driver::workspace::Workspace,
    host::overlapped,
    kernels::abi::Control,
};
use crate::{
    element::Element, error::Result, exec::Execution, options::CompressOptions, schedule::too_small,
};

/// Compresses a field in host memory into `out`. The arguments have been checked.
pub(crate) fn from_host<T: Element>(
    device: &Device,
    data: &[T],
    shape: &[u64],
    options: &CompressOptions,
    out: &mut [u8],
    run: Execution<'_>,
) -> Result<usize> {
    let compression =
        FieldCompression::new(shape, T::DTYPE, options)?.of(data.as_ptr().addr() as u64);
    if (out.len() as u64) < compression.kind.sections.payload {
        return Err(too_small());
    }
    let most = compression.max_len().min(out.len() as u64);
    device.work(|workspace| {
        let Workspace { queue, field, stream, scratch, .. } = workspace;
        let from = field.room(size_of_val(data).max(16))?;
        let to = stream.room(most as usize)?;
        let control = scratch.room(compression.scratch_len() as usize)?;
        if overlapped::suits(&compression, size_of_val(data), run.threads, (device, from))? {
            let largest = overlapped::largest_sample(data, options, run)?;
            let places = Places { field: from, stream: (to, most), scratch: control };
            let (data, out) = ((data, largest), &mut out[..most as usize]);
            return overlapped::compress(device, &compression, data, (queue, places), out, run);
        }
        // SAFETY: the memory was sized above.
        unsafe { device.upload(queue, from, data, run, &|bytes| run.advance(bytes as u64))? };
        // SAFETY: the memory was sized above, and the workspace waits before it is used again.
        unsafe { compression.launch(device, from, (to, most), control, queue.handle())? };
        let mut found = [Control::NONE];
        queue.download(&mut found, control)?;
        let len = verdict(&found[0], most)? as usize;
        // SAFETY: the stream is as long as the device said, and the download above has waited for it.
        unsafe { device.download(queue, &mut out[..len], to, run, &|_| run.check())? };
        Ok(len)
    })
}
