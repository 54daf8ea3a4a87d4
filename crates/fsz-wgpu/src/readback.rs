//! Buffers and textures of the GPU to the host.

use crate::error::{Error, Result};
use crate::gpu::Gpu;

/// The first `count` words of a buffer, waited for.
pub(crate) fn words(gpu: &Gpu, from: &wgpu::Buffer, count: usize) -> Result<Vec<u32>> {
    let bytes = 4 * count as u64;
    read(gpu, bytes, |encoder, host| encoder.copy_buffer_to_buffer(from, 0, host, 0, bytes))
}

/// The points of a texture of four bytes each, row by row, waited for.
pub(crate) fn texture(gpu: &Gpu, from: &wgpu::Texture) -> Result<Vec<u32>> {
    let size = from.size();
    let row = 4 * size.width;
    let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let mut words = read(gpu, u64::from(padded) * u64::from(size.height), |encoder, host| {
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(padded),
            rows_per_image: None,
        };
        let to = wgpu::TexelCopyBufferInfo { buffer: host, layout };
        encoder.copy_texture_to_buffer(from.as_image_copy(), to, size);
    })?;
    if padded != row {
        let (row, padded) = (row as usize / 4, padded as usize / 4);
        for y in 1..size.height as usize {
            words.copy_within(y * padded..y * padded + row, y * row);
        }
        words.truncate(row * size.height as usize);
    }
    Ok(words)
}

/// `bytes` bytes that `copy` brings into a buffer of the host, waited for.
fn read(
    gpu: &Gpu,
    bytes: u64,
    copy: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
) -> Result<Vec<u32>> {
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let host = gpu.checked(|device| {
        let host = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("fsz read back"),
            size: bytes,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        copy(&mut encoder, &host);
        gpu.queue.submit([encoder.finish()]);
        host
    })?;
    let (tell, told) = std::sync::mpsc::channel();
    gpu.checked(|_| {
        host.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver waits below.
            let _ = tell.send(result);
        });
    })?;
    gpu.wait()?;
    told.recv().map_err(Error::device)?.map_err(Error::device)?;
    let view = host.get_mapped_range(..).map_err(Error::device)?;
    Ok(bytemuck::pod_collect_to_vec(&view[..]))
}
