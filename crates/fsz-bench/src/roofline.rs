//! What the device's memory can do.

use fsz::Result;
use fsz::cuda::internal;

use crate::clock::{median, timed};
use crate::codec::DeviceBench;
use crate::kernels::{Kernel, pointer};

/// Bytes per second that the memory moves.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Roofline {
    /// Read and written together, copying.
    pub copy: f64,
    /// Reading alone.
    pub read: f64,
}

impl DeviceBench {
    /// Copies and reads `bytes` bytes `repeats` times; the medians count.
    ///
    /// # Errors
    /// [`Error::Device`](fsz::Error::Device).
    pub fn roofline(&self, bytes: u64, repeats: usize) -> Result<Roofline> {
        const THREADS: u32 = 256;
        let mut words = bytes / 16;
        let _current = internal::enter(&self.codec)?;
        let source = fsz::cuda::DeviceMemory::new(self.device, 16 * words as usize, 0x5A)?;
        let (copied, unused) = (self.memory(16 * words)?, self.memory(8)?);
        let (mut from, mut to, mut never) = (source.address(), copied.address(), unused.address());
        let copy = timed(repeats, || {
            let mut arguments = [pointer(&mut from), pointer(&mut to), pointer(&mut words)];
            let shape = (words.div_ceil(4 * THREADS as u64), THREADS);
            // SAFETY: the arguments are those of `fsz_copy`; the memory was sized above.
            unsafe { self.kernels.launch(Kernel::Copy, shape, &mut arguments) }
        })?;
        let read = timed(repeats, || {
            let mut arguments = [pointer(&mut from), pointer(&mut words), pointer(&mut never)];
            let shape = (words.div_ceil(8 * THREADS as u64), THREADS);
            // SAFETY: the arguments are those of `fsz_read`; the memory was sized above.
            unsafe { self.kernels.launch(Kernel::Read, shape, &mut arguments) }
        })?;
        let moved = 16.0 * words as f64;
        Ok(Roofline { copy: 2.0 * moved / median(copy), read: moved / median(read) })
    }
}
