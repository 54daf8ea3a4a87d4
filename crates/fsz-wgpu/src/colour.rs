//! Slices to pictures, on the GPU.

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::readback;
use crate::slice::GpuSlice;

/// What a point's colour says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Subject {
    /// The value, from `low` to `high` on the map.
    Values {
        /// Value of the map's first colour.
        low: f32,
        /// Value of its last colour.
        high: f32,
    },
    /// Value − original, from −`bound` to `bound` on the map; beyond it in the alarm colour. What is kept
    /// bit for bit, NaN among it, has no error.
    Errors {
        /// The absolute bound.
        bound: f32,
    },
}

/// What lies over the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// How each tile is stored.
    Kinds,
    /// The sum of the rates of each tile's blocks, up to 248.
    Rates,
    /// The bytes of each tile, up to those of a verbatim one.
    Bytes,
}

/// The colours of a picture: RGBA, red in the lowest byte.
#[derive(Clone, Debug)]
pub struct Colours {
    /// The map of values or errors.
    pub map: [u32; 256],
    /// Of NaN.
    pub nan: u32,
    /// Of the missing value.
    pub missing_colour: u32,
    /// Of errors beyond the bound.
    pub alarm: u32,
    /// The bits of the missing value.
    pub missing: Option<u32>,
    /// Of the seven kinds of tiles, in the order of [`GpuSlice::tiles`].
    pub kinds: [u32; 7],
    /// The map of rates and bytes.
    pub scale: [u32; 256],
    /// What lies over the picture, and its share from 0 to 1.
    pub overlay: Option<(Overlay, f32)>,
}

/// A picture on the GPU, a word a point.
#[derive(Debug)]
pub struct Picture {
    gpu: Gpu,
    buffer: wgpu::Buffer,
    len: usize,
}

/// As the shader's structure of this name, filled up to 16 bytes.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Params {
    count: u32,
    mode: u32,
    overlay: u32,
    has_missing: u32,
    low: f32,
    high: f32,
    missing: u32,
    opacity: f32,
    nan_colour: u32,
    missing_colour: u32,
    alarm_colour: u32,
    most_bytes: u32,
    groups: u32,
    unused: [u32; 3],
}

/// Bytes of a full verbatim tile whose elements have `width` words.
const fn most_bytes(width: u32) -> u32 {
    8 + 1024 * width
}

impl GpuSlice {
    /// Paints the slice. Errors are those against `original`, a slice of as many values.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when errors are asked for without an original of the same size;
    /// [`Error::Device`] when the GPU fails.
    pub fn paint(
        &self,
        subject: Subject,
        original: Option<&GpuSlice>,
        colours: &Colours,
    ) -> Result<Picture> {
        let (mode, low, high) = match subject {
            Subject::Values { low, high } => (0, low, high),
            Subject::Errors { bound } => (1, -bound, bound),
        };
        let original = match original {
            Some(original) if original.len() == self.len() => original,
            _ if mode == 0 => self,
            _ => {
                let what = "errors take an original slice of the same size";
                return Err(Error::InvalidArgument(what.to_owned()));
            }
        };
        let groups = (self.len() as u64).div_ceil(256);
        let across = groups.clamp(1, 65535);
        let overlay = colours.overlay.map_or(0, |(overlay, _)| match overlay {
            Overlay::Kinds => 1,
            Overlay::Rates => 2,
            Overlay::Bytes => 3,
        });
        let params = Params {
            count: self.len() as u32,
            mode,
            overlay,
            has_missing: u32::from(colours.missing.is_some()),
            low,
            high,
            missing: colours.missing.unwrap_or(0),
            opacity: colours.overlay.map_or(0.0, |(_, opacity)| opacity),
            nan_colour: colours.nan,
            missing_colour: colours.missing_colour,
            alarm_colour: colours.alarm,
            most_bytes: most_bytes(self.width),
            groups: across as u32,
            unused: [0; 3],
        };
        let gpu = &self.gpu;
        let params = gpu.uniform(bytemuck::bytes_of(&params));
        let table: Vec<u32> =
            colours.map.iter().chain(&colours.kinds).chain(&colours.scale).copied().collect();
        let colours = gpu.storage("fsz colours", 4 * table.len() as u64)?;
        gpu.queue.write_buffer(&colours, 0, bytemuck::cast_slice(&table));
        let buffer = gpu.storage("fsz picture", 4 * self.len() as u64)?;
        let pipeline = &gpu.pipelines.colour;
        let buffers = [&params, &self.values, &original.values, &self.tiles, &colours, &buffer];
        let entries: [_; 6] = std::array::from_fn(|i| wgpu::BindGroupEntry {
            binding: i as u32,
            resource: buffers[i].as_entire_binding(),
        });
        gpu.checked(|device| {
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &entries,
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(across as u32, groups.div_ceil(across) as u32, 1);
            drop(pass);
            gpu.queue.submit([encoder.finish()]);
        })?;
        Ok(Picture { gpu: gpu.clone(), buffer, len: self.len() })
    }
}

impl Picture {
    /// The buffer of the colours.
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// The colours, in the slice's order.
    ///
    /// # Errors
    /// [`Error::Device`] when the GPU fails.
    pub fn read_back(&self) -> Result<Vec<u32>> {
        readback::words(&self.gpu, &self.buffer, self.len)
    }
}
