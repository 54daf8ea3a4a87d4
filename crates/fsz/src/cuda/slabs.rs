//! Decoding large fields of boxes slab by slab: one crosses the bus while the device decodes those behind it.

use std::{ops::Range, slice};

use cudarc::driver::sys;

use super::{
    abi::StreamView,
    decompress::{DECOMPRESS_SCRATCH, NO_FAULT, launch_box, verdict},
    device::Device,
    error::ok,
    event::Event,
    lanes::{Half, Pieces, shares},
    stream_kind::StreamKind,
    workspace::Workspace,
};
use crate::{element::Element, error::Result, exec::Execution};

/// Bytes of an output from which on it is decoded in slabs, and of a slab at least.
const FROM: usize = 128 << 20;
const LEAST: usize = 32 << 20;
/// Slabs at most: each takes two launches.
const MOST: usize = 8;

/// Indices of the slowest axis that a slab is a multiple of: chunks seldom belong to two slabs, which would both decode
/// them.
const STEP: u64 = 32;

/// The slabs of a field of this shape and so many bytes, by indices of the slowest axis; none where it is no use to have
/// several.
pub(crate) fn of_field(shape: &[u64], bytes: usize) -> Option<Vec<Range<u64>>> {
    let &axis = shape.first()?;
    if bytes < FROM || axis < 2 * STEP {
        return None;
    }
    let slabs = (bytes / LEAST).min(MOST) as u64;
    let step = axis.div_ceil(slabs).next_multiple_of(STEP);
    let slabs = (0..axis).step_by(step as usize).map(|first| first..axis.min(first + step));
    Some(slabs.collect())
}

/// Decodes the slabs of a field that lies in device memory, `view`, into `out`. The context is current.
pub(crate) fn to_host<T: Element>(
    device: &Device,
    (kind, view): (&StreamKind, &StreamView),
    Workspace { queue, field, scratch, .. }: &mut Workspace,
    (slabs, out): (&[Range<u64>], &mut [T]),
    run: Execution<'_>,
) -> Result<()> {
    let len = size_of_val(out);
    let to = field.room(len)?;
    let status = scratch.room(DECOMPRESS_SCRATCH)?;
    // SAFETY: `status` was made above.
    unsafe { kind.clear(status, queue.handle())? };
    let of_index = len / kind.shape[0] as usize;
    let (mut start, mut count) = (vec![0; kind.shape.len()], kind.shape.clone());
    let mut made = Vec::new();
    for slab in slabs {
        (start[0], count[0]) = (slab.start, slab.end - slab.start);
        let (at, event) = (to + slab.start * of_index as u64, Event::new()?);
        // SAFETY: the memory was sized above, and is this call's alone, which waits.
        unsafe { launch_box(device, kind, view, (&start, &count), at, status, queue.handle())? };
        event.record(queue)?;
        made.push((slab.end as usize * of_index, event));
    }
    // In the order of the queue: where the last bytes are made, those before them are.
    let wait_for = |half: &Half, bytes: Range<usize>| {
        let slab = made.partition_point(|(end, _)| *end < bytes.end);
        let event = made[slab].1.handle();
        // SAFETY: stream and event are alive and of one context.
        ok("cuStreamWaitEvent", unsafe { sys::cuStreamWaitEvent(half.queue().handle(), event, 0) })
    };
    let (piece, lanes) = shares(len, run.threads);
    // SAFETY: numbers as bytes; any bytes are numbers.
    let bytes = unsafe { slice::from_raw_parts_mut(out.as_mut_ptr().cast(), len) };
    let pieces = Pieces { to: bytes, from: to, piece };
    let done = |bytes: usize| run.advance(bytes as u64);
    // SAFETY: the field's room is that of the output; what writes there is waited for.
    let copied = unsafe { device.download_made(pieces, lanes, run, &done, wait_for) };
    // Also after an error nothing may be under way in memory that is used again.
    queue.wait()?;
    copied?;
    let mut found = [NO_FAULT];
    queue.download(&mut found, status)?;
    verdict(found[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_are_all_of_the_field() {
        for axis in [64, 65, 512, 999, 100_000] {
            for bytes in [FROM, FROM + 4, 1 << 30, 5 << 30] {
                let slabs = of_field(&[axis, 7], bytes).expect("is large");
                let ends = slabs.iter().map(|slab| slab.end);
                assert!(ends.eq(slabs.iter().skip(1).map(|slab| slab.start).chain([axis])));
                assert!(slabs[0].start == 0 && slabs.iter().all(|slab| !slab.is_empty()));
            }
        }
        assert_eq!(of_field(&[512, 512, 256], FROM - 4), None);
        assert_eq!(of_field(&[63, 1 << 20], FROM), None);
        assert_eq!(of_field(&[], FROM), None);
    }
}
