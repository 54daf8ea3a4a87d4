//! The paper's own compression kernels, timed beside those of the codec on the same field.

use cudarc::driver::result;
use fsz::cuda::Compression;
use fsz::cuda::internal::{self, check};
use fsz::format::{RateByte, TILE, TILE_BLOCKS, WORD};
use fsz::{CompressOptions, DType, Error, Result, Stream};

use crate::clock::{QUEUE, timed_after};
use crate::codec::DeviceBench;
use crate::kernels::{Kernel, PaperArgs, pointer};

/// What a tile's payload takes at most when nothing is escaped: µ, and for each block signs and as many
/// bit-planes as its rate can say.
const MOST_TILE_BYTES: u64 = (WORD * (1 + TILE_BLOCKS * (1 + RateByte::RATE as usize))) as u64;
/// A rate byte for each block.
const TILE_RATES: u64 = TILE_BLOCKS as u64;

/// The designs that the FSZ paper compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PaperDesign {
    /// The paper's: one read evaluates all four variants, a second one encodes.
    TwoReads,
    /// What the paper calls naive: a read for each variant, a fifth one encodes.
    FiveReads,
}

/// What compressing with one of the paper's kernels took.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PaperTimes {
    /// Seconds of each run.
    pub encode: Vec<f64>,
    /// Whether the rates and the payload of all whole tiles are those of the codec's stream. They are
    /// where nothing is escaped.
    pub same: bool,
}

impl DeviceBench {
    /// Compresses `data` with one of the paper's kernels (one thread per tile, four tiles a thread, one
    /// warp per thread block) `repeats` times, with the bound resolved by the codec's survey, and
    /// compares what it writes with `stream`, which the codec made of the same field and options. The
    /// kernels make no strict bound, escapes, checksums, index or certificate, and leave a last,
    /// partial tile out.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when `stream` is not of such a field; [`Error::Unsupported`] for
    /// research switches; [`Error::Device`].
    pub fn paper(
        &self,
        design: PaperDesign,
        data: &[f32],
        options: &CompressOptions,
        stream: &Stream<'_>,
        repeats: usize,
    ) -> Result<PaperTimes> {
        let info = &stream;
        let header = info.header();
        if header.dtype != DType::F32 || header.elements() != data.len() as u64 {
            return Err(Error::InvalidArgument("the stream is of another field".into()));
        }
        let kernel = match design {
            PaperDesign::TwoReads => Kernel::TwoReads,
            PaperDesign::FiveReads => Kernel::FiveReads,
        };
        let compression = Compression::new(&header.shape, DType::F32, options)?;
        let tiles = (data.len() / TILE) as u64;
        let grid = tiles.div_ceil(self.kernels.paper_tiles);
        let scan_len = 8 * (2 + grid);
        let _current = internal::enter(&self.codec)?;
        let field = self.upload(data)?;
        let (rates, payload) =
            (self.memory(TILE_RATES * tiles)?, self.memory(MOST_TILE_BYTES * tiles)?);
        let (control, scan) = (self.memory(compression.scratch_len())?, self.memory(scan_len)?);
        // SAFETY: the memory was sized above.
        unsafe {
            let queue = QUEUE.cast();
            internal::clear(&compression, control.address(), queue)?;
            let (field, control) = (field.address(), control.address());
            internal::survey(&self.codec, &compression, field, control, queue)?;
        }
        let mut arguments = PaperArgs {
            field: field.address(),
            tiles,
            control: control.address(),
            rates: rates.address(),
            payload: payload.address(),
            scratch: scan.address(),
        };
        let clear = || {
            // SAFETY: as above.
            check("cuMemsetD8Async", unsafe {
                result::memset_d8_async(scan.address(), 0, scan_len as usize, QUEUE)
            })
        };
        let encode = timed_after(repeats, clear, || {
            if grid == 0 {
                return Ok(());
            }
            // SAFETY: the arguments are those of the kernels; the memory was sized above.
            unsafe { self.kernels.launch(kernel, (grid, 32), &mut [pointer(&mut arguments)]) }
        })?;
        // Thread blocks that have begun, and words of the payload.
        let mut counted = [[0; 8]; 2];
        scan.read(0, counted.as_flattened_mut())?;
        let words = u64::from_le_bytes(counted[1]) as usize;
        let mut written = vec![0; (TILE_RATES * tiles) as usize];
        rates.read(0, &mut written)?;
        let mut expected = Vec::with_capacity(written.len());
        for chunk in 0..stream.chunks() {
            expected.extend_from_slice(stream.chunk(chunk)?.heads);
        }
        let mut same = expected.starts_with(&written);
        written.resize(WORD * words, 0);
        payload.read(0, &mut written)?;
        same &= stream.payload().starts_with(&written);
        Ok(PaperTimes { encode, same })
    }
}
