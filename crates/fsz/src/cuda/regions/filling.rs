//! Filling the place of elements that another stream holds, in device memory: as `region::fill` does.

use std::ops::Range;

use cudarc::driver::{result, sys};

use crate::cuda::{
    boxes::compress::upload,
    device::Device,
    driver::{
        error::check,
        workspace::{Buffer, wait_for},
    },
    kernels::{
        abi::{FillState, Filling, Gap, KernelElement, Missing},
        kernel::{Kernel, Operation},
        module::pointer,
        regions::SHARE,
    },
};
use crate::{dtype::DType, error::Result, with_element};

/// Rows of a segment at least. There are as many segments as rows in one, about: both are walked in turn.
const FEWEST_ROWS: u64 = 64;

/// A field in device memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub at: u64,
    pub dtype: DType,
    pub elements: u64,
    /// Elements of a row.
    pub width: u64,
}

/// Fills the elements of `runs`, which rise and do not touch, and waits.
///
/// # Safety
/// The field is device memory of the current context that nothing else uses; `queue` is one of it. Nothing else uses
/// `memory`.
pub(crate) unsafe fn fill(
    device: &Device,
    place: Place,
    runs: &[Range<u64>],
    missing: &[u64],
    memory: &mut Buffer,
    queue: sys::CUstream,
) -> Result<()> {
    if runs.is_empty() {
        return Ok(());
    }
    let gaps = gaps(runs, place.width);
    // SAFETY: the caller's promise; the gaps live until the queue has been waited for.
    unsafe {
        let filled = with_element!(place.dtype, T => {
            fill_with::<T>(device, place, &gaps, Missing::new(missing), memory, queue)
        });
        wait_for(queue)?;
        filled
    }
}

/// The runs as gaps of rows of `width`, in parts that warps do.
fn gaps(runs: &[Range<u64>], width: u64) -> Vec<Gap> {
    let mut gaps = Vec::with_capacity(runs.len());
    for run in runs {
        let mut begin = run.start;
        while begin < run.end {
            let end = run.end.min((begin / width + 1) * width);
            let parts = (begin..end).step_by(SHARE);
            gaps.extend(parts.map(|at| Gap { begin, end, at, len: (end - at).min(SHARE as u64) }));
            begin = end;
        }
    }
    gaps
}

/// # Safety
/// As [`fill`]; the gaps stay until the queue is past this, and `T` is its element type.
unsafe fn fill_with<T: KernelElement>(
    device: &Device,
    Place { at: field, dtype, elements, width }: Place,
    gaps: &[Gap],
    missing: Missing<T>,
    memory: &mut Buffer,
    queue: sys::CUstream,
) -> Result<()> {
    let rows = elements / width;
    let segment = rows.isqrt().max(FEWEST_ROWS);
    let segments = rows.div_ceil(segment);
    let columns = segments * width;
    // One segment needs no sources.
    let sources_len = if segments > 1 { 8 * columns } else { 0 };
    let lens = [size_of::<FillState>() as u64, size_of_val(gaps) as u64, sources_len, elements];
    let state = memory.room(lens.iter().sum::<u64>() as usize)?;
    let [gaps_at, sources, marks] = [1, 2, 3].map(|n| state + lens[..n].iter().sum::<u64>());
    let gap_count = gaps.len() as u64;
    let mut filling = Filling {
        field,
        elements,
        width,
        marks,
        gaps: gaps_at,
        gap_count,
        state,
        segment,
        sources,
        missing,
    };
    // SAFETY: the room was made above.
    unsafe {
        let set = |at, value, len: u64| result::memset_d8_async(at, value, len as usize, queue);
        check("cuMemsetD8Async", set(state, 0xFF, lens[0]))?;
        check("cuMemsetD8Async", set(marks, 0, elements))?;
        upload(gaps_at, gaps, queue)?;
    }
    let module = device.kernels.regions(dtype)?;
    let shapes = &module.shapes;
    let steps = [
        (Operation::MarkGaps, shapes.warps(gap_count)),
        (Operation::FindFirst, shapes.any(elements, device.multiprocessors)),
        (Operation::FillGaps, shapes.warps(gap_count)),
        (Operation::FindSources, shapes.threads(columns)),
        (Operation::CarrySources, shapes.threads(width)),
        (Operation::FillOpen, shapes.threads(columns)),
    ];
    let across = [Operation::FindSources, Operation::CarrySources];
    for (operation, launch) in steps {
        if segments == 1 && across.contains(&operation) {
            continue;
        }
        let kernel = Kernel { operation, dtype };
        // SAFETY: the argument is that of the kernels; the memory was made above, or the caller vouches for it.
        unsafe { module.launch(kernel, launch, queue, &mut [pointer(&mut filling)])? };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_end_with_rows_and_are_shared_out() {
        let found = gaps(&[3..5, 9..22, 30..2500], 10);
        let of = |begin, end, at, len| [begin, end, at, len];
        let first: Vec<_> =
            found.iter().take(5).map(|gap| of(gap.begin, gap.end, gap.at, gap.len)).collect();
        let expected =
            [[3, 5, 3, 2], [9, 10, 9, 1], [10, 20, 10, 10], [20, 22, 20, 2], [30, 40, 30, 10]];
        assert_eq!(first, expected);
        let long = gaps(&[5..3000, 4000..4001], 5000);
        let parts: Vec<_> =
            long.iter().map(|gap| of(gap.begin, gap.end, gap.at, gap.len)).collect();
        let expected = [
            [5, 3000, 5, 1024],
            [5, 3000, 1029, 1024],
            [5, 3000, 2053, 947],
            [4000, 4001, 4000, 1],
        ];
        assert_eq!(parts, expected);
    }
}
