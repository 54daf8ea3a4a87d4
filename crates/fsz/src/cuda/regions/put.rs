//! What regions hold, put over a field in device memory that was decoded without them.

use cudarc::driver::{result, sys};

use crate::cuda::{
    boxes::compress::upload,
    decompress::{Decompression, REPORT, STATUS},
    driver::{
        capture::is_captured,
        error::check,
        workspace::{Workspace, wait_for},
    },
    kernels::{abi::Move, regions::moves},
    stream_kind::{RegionKind, StreamKind},
};
use crate::{
    error::{Error, Result},
    region::Wanted,
    selection::Selection,
};

/// Puts what regions hold over a part of the field at `out`. Where there are some it waits: the host finds out where
/// their elements go, and these and that list are in memory of the device's own for as long.
///
/// # Safety
/// As [`with_regions`](Decompression::with_regions), of which this is the end.
pub(crate) unsafe fn put_regions(
    field: &Decompression<'_>,
    selection: &Selection<'_>,
) -> Result<()> {
    let &Decompression { device, kind, queue, .. } = field;
    for (region, wanted) in wanted(kind, selection) {
        let mut list = Vec::new();
        wanted.each(&kind.shape, kind.runs(selection), |from, to, len| {
            list.extend(moves(from, to, len));
        });
        device.work(|workspace| {
            // SAFETY: the caller's promise; list and workspace live until the queue has been waited for.
            let put = unsafe { put_region(field, region, &wanted, &list, workspace) };
            // SAFETY: the queue is the caller's, alive.
            unsafe { wait_for(queue)? };
            put
        })?;
    }
    Ok(())
}

/// The regions that a part of a field meets, and what it takes of them.
fn wanted<'a>(
    kind: &'a StreamKind,
    selection: &'a Selection<'_>,
) -> impl Iterator<Item = (&'a RegionKind, Wanted<'a>)> {
    let around = match kind.regions[..] {
        [] => None,
        _ => selection.around(&kind.shape, |tiles| kind.runs_of_tiles(tiles)),
    };
    around.into_iter().flat_map(move |(start, count)| {
        kind.regions.iter().filter_map(move |region| {
            let runs = kind.runs(selection);
            let wanted = Wanted::new(&region.place, (&start, &count), &kind.shape, runs)?;
            Some((region, wanted))
        })
    })
}

/// Refuses a call that would wait in the middle of a graph's capture.
pub(crate) fn check_captured(
    kind: &StreamKind,
    selection: &Selection<'_>,
    queue: sys::CUstream,
) -> Result<()> {
    // The regions are looked for last, which takes time.
    if kind.regions.is_empty() || !is_captured(queue)? || wanted(kind, selection).next().is_none() {
        return Ok(());
    }
    Err(Error::unsupported(
        "decompressing with bounds by region waits for the device, so no CUDA graph can hold it: call it outside of the \
         capture",
    ))
}

/// Enqueues decoding what is wanted of a region, and moving its elements to where they go.
///
/// # Safety
/// As [`put_regions`]; nothing else uses the workspace, and it and `moves` stay until the queue is past this.
unsafe fn put_region(
    field: &Decompression<'_>,
    region: &RegionKind,
    wanted: &Wanted<'_>,
    moves: &[Move],
    workspace: &mut Workspace,
) -> Result<()> {
    let &Decompression { device, queue, .. } = field;
    let kind = &region.kind;
    let at = field.view.bytes + region.at.start as u64;
    let view = &kind.view(at, region.at.len() as u64)?;
    let elements = workspace.field.room(wanted.len * kind.dtype.size())?;
    let list = workspace.scratch.room(size_of_val(moves))?;
    // SAFETY: the room was made above; the caller vouches for the rest.
    unsafe {
        clear_sum(field.status, queue)?;
        let part = match wanted.count == kind.shape {
            true => Selection::Field,
            false => Selection::Box((&wanted.start, &wanted.count)),
        };
        Decompression { kind, view, out: elements, ..*field }.part(&part)?;
        upload(list, moves, queue)?;
        let module = device.kernels.regions(kind.dtype)?;
        module.move_elements(kind.dtype, (elements, field.out), (list, moves.len() as u64), queue)
    }
}

/// Enqueues that the next kernels add up the metadata checksum of another stream; what went wrong before stays in the
/// report.
///
/// # Safety
/// `report` is [`REPORT`] bytes of device memory of the current context.
unsafe fn clear_sum(report: u64, queue: sys::CUstream) -> Result<()> {
    let (sum, len) = (report + STATUS as u64, REPORT - STATUS);
    // SAFETY: the caller vouches for the memory.
    check("cuMemsetD8Async", unsafe { result::memset_d8_async(sum, 0xFF, len, queue) })
}
