//! Slices in memory that CUDA writes, without a copy from the one to the other.

use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fsz::cuda::{self, DeviceMemory};

use crate::error::Result;
use crate::external;
use crate::gpu::Gpu;
use crate::slice::GpuSlice;

/// Buffers that are kept for slices to come.
const KEPT: usize = 4;

/// Memory that wgpu and CUDA have both, of one GPU that both reach: what CUDA decodes there is a slice that lies where it is
/// painted. Buffers are used again, for it takes longer to make one than to copy a slice.
///
/// ```no_run
/// # fn main() -> fsz_wgpu::Result<()> {
/// # let (gpu, bytes) = (fsz_wgpu::Gpu::headless()?, Vec::new());
/// let stream = fsz::cuda::DeviceStream::upload(0, &fsz::Stream::open(&bytes)?)?;
/// let (start, count) = fsz::slice_box(&stream.header().shape, 0, 17)?;
/// if let Some(memory) = fsz_wgpu::SharedMemory::of(&gpu, 0) {
///     let mut buffer = memory.buffer(count.iter().product())?;
///     let numbers = stream.decompress_box_to(&start, &count, buffer.memory(), <[f32]>::to_vec)?;
///     let slice = buffer.into_slice();
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SharedMemory {
    gpu: Gpu,
    /// The number of the CUDA device.
    device: usize,
    idle: Arc<Idle>,
}

/// Buffers that neither side uses, the one that was used last at the end.
type Idle = Mutex<Vec<Both>>;

/// One buffer as both have it.
#[derive(Debug)]
struct Both {
    cuda: DeviceMemory,
    wgpu: wgpu::Buffer,
}

/// A buffer of [`SharedMemory`], for the values of one slice. It is used for another one when it is dropped, or the slice
/// that it became, and the GPU is past what reads it.
#[derive(Debug)]
pub struct SharedBuffer {
    gpu: Gpu,
    /// There until it is dropped.
    both: ManuallyDrop<Both>,
    len: u64,
    idle: Arc<Idle>,
}

impl SharedMemory {
    /// That of a GPU which is CUDA device number `device`. None where it is another one, is not used through Vulkan on
    /// Linux, or its device was not asked for with [`Gpu::features`].
    pub fn of(gpu: &Gpu, device: usize) -> Option<SharedMemory> {
        let own = external::uuid(gpu)?;
        let is_same = cuda::devices().ok()?.get(device).is_some_and(|info| info.uuid == own);
        is_same.then(|| SharedMemory { gpu: gpu.clone(), device, idle: Arc::default() })
    }

    /// A buffer for `len` values of `f32`, with any bytes in it.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) when they are more than a buffer takes;
    /// [`Error::Device`](crate::Error::Device) when the GPU's memory is full, or a driver does not share it;
    /// [`Error::Stream`](crate::Error::Stream) when CUDA does not take it.
    pub fn buffer(&self, len: u64) -> Result<SharedBuffer> {
        self.gpu.fits(len)?;
        // So that what the GPU is past is given back now.
        let _ = self.gpu.device.poll(wgpu::PollType::Poll);
        let bytes = 4 * len.max(1) as usize;
        let both = match self.idle_one(bytes) {
            Some(both) => both,
            None => {
                let (cuda, wgpu) = external::shared(&self.gpu, self.device, bytes)?;
                Both { cuda, wgpu }
            }
        };
        let (gpu, idle) = (self.gpu.clone(), Arc::clone(&self.idle));
        Ok(SharedBuffer { gpu, both: ManuallyDrop::new(both), len, idle })
    }

    /// The smallest idle buffer for so many bytes; none that is more than twice as large.
    fn idle_one(&self, bytes: usize) -> Option<Both> {
        let mut idle = locked(&self.idle);
        let size = |both: &Both| both.cuda.len();
        let fits = |both: &Both| (bytes..=bytes.saturating_mul(2)).contains(&size(both));
        let fitting = idle.iter().enumerate().filter(|(_, both)| fits(both));
        let at = fitting.min_by_key(|(_, both)| size(both))?.0;
        Some(idle.remove(at))
    }
}

impl SharedBuffer {
    /// It as CUDA has it, to decode the values to the first bytes of it. Nothing of wgpu reads it by now.
    pub fn memory(&mut self) -> &mut DeviceMemory {
        &mut self.both.cuda
    }

    /// The slice of its values, which CUDA has written and is past.
    pub fn into_slice(self) -> GpuSlice {
        let (gpu, len, values) = (self.gpu.clone(), self.len, self.both.wgpu.clone());
        GpuSlice { gpu, len, values, tiles: None, _shared: Some(self) }
    }
}

impl Drop for SharedBuffer {
    fn drop(&mut self) {
        // SAFETY: it is taken here alone, and never looked at afterwards.
        let both = unsafe { ManuallyDrop::take(&mut self.both) };
        let idle = Arc::clone(&self.idle);
        // All that reads it is submitted: whatever paints a slice borrows it until then.
        self.gpu.queue.on_submitted_work_done(move || {
            let mut idle = locked(&idle);
            idle.push(both);
            let oldest = (idle.len() > KEPT).then(|| idle.remove(0));
            drop(idle);
            // Freed without the others waiting for it.
            drop(oldest);
        });
    }
}

/// What a thread that died left there is whole.
fn locked(idle: &Idle) -> MutexGuard<'_, Vec<Both>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}
