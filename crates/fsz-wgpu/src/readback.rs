//! Buffers of the GPU to memory of the host.

use crate::error::{Error, Result};
use crate::gpu::Gpu;

/// The first `count` words of a buffer, waited for.
pub(crate) fn words(gpu: &Gpu, from: &wgpu::Buffer, count: usize) -> Result<Vec<u32>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let bytes = 4 * count as u64;
    let host = gpu.checked(|device| {
        let host = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("fsz read back"),
            size: bytes,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(from, 0, &host, 0, bytes);
        gpu.queue.submit([encoder.finish()]);
        host
    })?;
    let (tell, told) = std::sync::mpsc::channel();
    host.map_async(wgpu::MapMode::Read, .., move |result| {
        // The receiver waits below.
        let _ = tell.send(result);
    });
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).map_err(Error::device)?;
    told.recv().map_err(Error::device)?.map_err(Error::device)?;
    let view = host.get_mapped_range(..).map_err(Error::device)?;
    Ok(bytemuck::pod_collect_to_vec(&view[..]))
}
