//! The paper's own compression kernels, timed beside the product's on the same field.

use cudarc::driver::result;

use super::{
    bench::{DeviceBench, timed_after},
    compress::Compression,
    error::check,
    kernels::{Kernel, Launch, pointer},
    memory::Workspace,
};
use crate::{
    element::Dtype,
    error::{Error, Result},
    geometry::TILE,
    options::Options,
    stream::Stream,
};

/// What a tile's payload takes at most when nothing is escaped: µ, and 8 blocks of rate 31.
const MOST_TILE_BYTES: u64 = 4 * (1 + 8 * 32);

/// `PaperArgs` in `cuda/bench/published.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaperArgs {
    field: u64,
    tiles: u64,
    control: u64,
    rates: u64,
    payload: u64,
    scratch: u64,
}

/// The designs that the FSZ paper compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PaperDesign {
    /// The paper's: one read evaluates all four variants, a second one encodes.
    TwoReads,
    /// What the paper calls naive: a read for each variant, a fifth one encodes.
    FiveReads,
}

/// What compressing with one of the paper's kernels came to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PaperTimes {
    /// Seconds of each run.
    pub encode: Vec<f64>,
    /// Whether the rates and the payload of all whole tiles are those of the product's stream. They
    /// are where nothing is escaped.
    pub same: bool,
}

impl DeviceBench {
    /// Compresses `data` with one of the paper's kernels (one thread per tile, four tiles a thread, one
    /// warp per thread block) `repeats` times, with the bound resolved by the product's survey, and
    /// compares what it writes with `stream`, which the product made of the same field and options. The
    /// kernels make no strict bound, escapes, checksums, index or certificate, and leave a last,
    /// broken tile out.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when `stream` is not of such a field; [`Error::Unsupported`] for
    /// research switches; [`Error::Device`].
    pub fn paper(
        &self,
        design: PaperDesign,
        data: &[f32],
        options: &Options,
        stream: &Stream<'_>,
        repeats: usize,
    ) -> Result<PaperTimes> {
        let header = stream.header();
        if header.dtype != Dtype::F32 || header.elements() != data.len() as u64 {
            return Err(Error::invalid("the stream is of another field"));
        }
        let compression = Compression::new(&header.shape, Dtype::F32, options)?;
        let tiles = (data.len() / TILE) as u64;
        let kernel = match design {
            PaperDesign::TwoReads => Kernel::Paper,
            PaperDesign::FiveReads => Kernel::PaperNaive,
        };
        let device = &self.device;
        device.work(|Workspace { queue, field, stream: room, scratch }| {
            let module = device.kernels.bench()?;
            let grid = tiles.div_ceil(module.shapes.tiles.max(1) as u64);
            let payload_at = (8 * tiles).next_multiple_of(256);
            let scan_at = compression.scratch_len().next_multiple_of(256);
            let scan_len = 8 * (2 + grid) as usize;
            let from = field.room(size_of_val(data))?;
            let rates = room.room((payload_at + MOST_TILE_BYTES * tiles) as usize)?;
            let control = scratch.room(scan_at as usize + scan_len)?;
            let (scan, q) = (control + scan_at, queue.handle());
            queue.upload(from, data)?;
            // SAFETY: the memory was sized above.
            unsafe {
                compression.clear(control, q)?;
                compression.survey(device, from, control, q)?;
            }
            let payload = rates + payload_at;
            let mut arguments =
                PaperArgs { field: from, tiles, control, rates, payload, scratch: scan };
            let clear = || {
                // SAFETY: as above.
                check("cuMemsetD8Async", unsafe { result::memset_d8_async(scan, 0, scan_len, q) })
            };
            let encode = timed_after(q, repeats, clear, || {
                if grid == 0 {
                    return Ok(());
                }
                let launch = Launch::new(grid, 32);
                // SAFETY: the arguments are those of the kernels; the memory was sized above.
                unsafe { module.launch(kernel, launch, q, &mut [pointer(&mut arguments)]) }
            })?;
            let mut counted = [0u64; 2];
            queue.download(&mut counted, scan)?;
            let mut written = vec![0; 8 * tiles as usize];
            queue.download(&mut written, rates)?;
            let mut same = stream.rates().starts_with(&written);
            written.resize(4 * counted[1] as usize, 0);
            queue.download(&mut written, payload)?;
            same &= stream.payload().starts_with(&written);
            Ok(PaperTimes { encode, same })
        })
    }
}
