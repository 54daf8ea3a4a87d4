//! Where no memory is shared with CUDA: that takes file descriptors of Linux.

use fsz::cuda::DeviceMemory;

use crate::error::{Error, Result};
use crate::gpu::Gpu;

/// No GPU's memory can be shared.
pub(crate) fn uuid(_gpu: &Gpu) -> Option<[u8; 16]> {
    None
}

/// There is no such buffer.
pub(crate) fn shared(
    _gpu: &Gpu,
    _device: usize,
    _bytes: usize,
) -> Result<(DeviceMemory, wgpu::Buffer)> {
    Err(Error::device("memory is shared with CUDA on Linux alone"))
}
