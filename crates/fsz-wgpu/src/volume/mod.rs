//! A part of a field as voxels on the GPU, gathered slab by slab from decoded slices.

mod ray;

pub use ray::{Hit, Look, Mode, Rays, Section, VolumeColours};

use std::ops::Range;

use fsz::format::MAX_MISSING;

use crate::error::{Error, Result};
use crate::gpu::{Gpu, Pipeline};
use crate::slice::GpuSlice;

/// Voxels of a brick along each axis, which the shaders write down too.
const BRICK: u32 = 8;

/// Threads of a workgroup that gathers.
const GROUP: u32 = 64;

/// Bricks of a workgroup along each axis.
const BRICKS: u32 = 4;

/// The elements of a field of three axes that a volume holds; of each array the slowest axis is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// The first element.
    pub start: [u64; 3],
    /// Elements along each axis; none is 0.
    pub count: [u64; 3],
    /// Elements that a voxel stands for, along each axis; none is 0.
    pub stride: [u64; 3],
}

impl Sampling {
    /// Voxels along each axis, slowest first.
    pub fn size(&self) -> [u64; 3] {
        std::array::from_fn(|k| self.count[k].div_ceil(self.stride[k].max(1)))
    }

    /// Bytes of its voxels on the GPU.
    pub fn bytes(&self) -> u64 {
        self.size().iter().fold(4, |bytes: u64, &side| bytes.saturating_mul(side))
    }
}

/// What a voxel tells of the elements that it stands for. NaN, ±Inf and missing values are no part of it, and a voxel
/// of nothing else is empty.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    /// Their mean.
    Mean,
    /// The largest magnitude of what the slab has: errors.
    Largest,
    /// The largest magnitude of their differences to this slab of the original.
    LargestError(&'a GpuSlice),
    /// The number of the kind of tile in [`TILE_KINDS`](crate::TILE_KINDS) of the middle one.
    Kind,
}

/// A slab of elements: planes across the slowest axis, each with some rows.
#[derive(Clone, Copy, Debug)]
pub struct Slab<'a> {
    /// The values, row by row.
    pub values: &'a GpuSlice,
    /// The original's where there is one that has missing values, otherwise the same.
    pub original: Option<&'a GpuSlice>,
    /// Elements of a row.
    pub columns: u64,
    /// The place in a row of the first that the volume holds.
    pub offset: u64,
}

/// Voxels on the GPU.
#[derive(Debug)]
pub struct Volume {
    gpu: Gpu,
    sampling: Sampling,
    voxels: wgpu::TextureView,
    bricks: wgpu::TextureView,
}

/// As the shader's structure of this name. Axes are those of the GPU, fastest first.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Params {
    size: [u32; 3],
    first_row: u32,
    stride: [u32; 3],
    first_plane: u32,
    count: [u32; 3],
    columns: u32,
    offset: u32,
    mode: u32,
    missing_count: u32,
    empty: u32,
    missing: [u32; MAX_MISSING],
}

impl Volume {
    /// A volume of empty memory; [`Volume::fill`] brings all of it, [`Volume::finish`] makes it ready to be looked at.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when it has no voxels or more along an axis than a texture of this GPU
    /// ([`Volume::longest`]); [`Error::NoAdapter`] of a GPU [without volumes](Gpu::check_volumes); [`Error::Device`] when
    /// its memory is full.
    pub fn new(gpu: &Gpu, sampling: Sampling) -> Result<Volume> {
        gpu.check_volumes()?;
        let longest = u64::from(Volume::longest(gpu));
        let size = sampling.size();
        let fits = size.iter().all(|side| (1..=longest).contains(side));
        let counted = sampling.count.iter().all(|&n| n <= u64::from(u32::MAX));
        if !fits || !counted || sampling.stride.contains(&0) {
            return Err(Error::InvalidArgument(format!(
                "a volume of {size:?} voxels, where each side is from 1 to {longest}"
            )));
        }
        let [depth, height, width] = size.map(|side| side as u32);
        gpu.checked(|device| {
            let texture = |label, size: [u32; 3], format| {
                let texture = device.create_texture(&wgpu::TextureDescriptor {
                    label: Some(label),
                    size: wgpu::Extent3d {
                        width: size[0],
                        height: size[1],
                        depth_or_array_layers: size[2],
                    },
                    mip_level_count: 1,
                    sample_count: 1,
                    dimension: wgpu::TextureDimension::D3,
                    format,
                    usage: wgpu::TextureUsages::STORAGE_BINDING
                        | wgpu::TextureUsages::TEXTURE_BINDING,
                    view_formats: &[],
                });
                texture.create_view(&Default::default())
            };
            let size = [width, height, depth];
            let bricks = size.map(|side| side.div_ceil(BRICK));
            Volume {
                gpu: gpu.clone(),
                sampling,
                voxels: texture("fsz voxels", size, wgpu::TextureFormat::R32Uint),
                bricks: texture("fsz bricks", bricks, wgpu::TextureFormat::Rg32Uint),
            }
        })
    }

    /// The most voxels along an axis.
    pub fn longest(gpu: &Gpu) -> u32 {
        gpu.device.limits().max_texture_dimension_3d
    }

    /// What it holds.
    pub fn sampling(&self) -> &Sampling {
        &self.sampling
    }

    /// Gathers some planes and of these some rows of elements, both counted from the volume's first, out of a slab of
    /// just these. They begin with a voxel, and end with one or with the volume. `missing` are the bits of values that
    /// stand for none.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when planes or rows are others or the slab is not theirs, has no tiles where they are
    /// asked for, or there are more missing values than a stream names; [`Error::Device`] when the GPU fails.
    pub fn fill(
        &self,
        [planes, rows]: [Range<u64>; 2],
        slab: Slab<'_>,
        cell: Cell<'_>,
        missing: &[u32],
    ) -> Result<()> {
        let wrong = |what: &str| Err(Error::InvalidArgument(what.to_owned()));
        let ([_, _, across], stride) = (self.sampling.count, self.sampling.stride);
        for (axis, range) in [&planes, &rows].into_iter().enumerate() {
            let (side, stride) = (self.sampling.count[axis], stride[axis]);
            let ends = range.end == side || range.end.is_multiple_of(stride);
            let begins = range.start < range.end && range.start.is_multiple_of(stride);
            if !begins || !ends || range.end > side {
                return wrong("a slab begins and ends with a voxel");
            }
        }
        let [count, rows_count] = [&planes, &rows].map(|range| range.end - range.start);
        let elements = count.checked_mul(rows_count).and_then(|n| n.checked_mul(slab.columns));
        let in_row = slab.offset.checked_add(across).is_some_and(|end| end <= slab.columns);
        if elements != Some(slab.values.len) || !in_row {
            return wrong("a slab has every row of its planes");
        }
        let other = match cell {
            Cell::LargestError(original) => Some(original),
            _ => slab.original,
        };
        if other.is_some_and(|other| other.len != slab.values.len) {
            return wrong("the original's slab has as many elements");
        }
        if missing.len() > MAX_MISSING {
            return Err(Error::InvalidArgument(format!("more than {MAX_MISSING} missing values")));
        }
        let tiles = match (cell, &slab.values.tiles) {
            (Cell::Kind, None) => return wrong("the slab does not come from a stream"),
            (_, Some(tiles)) => tiles,
            (_, None) => &slab.values.values,
        };
        let mut bits = [0; MAX_MISSING];
        bits[..missing.len()].copy_from_slice(missing);
        let filled =
            [count.div_ceil(stride[0]), rows_count.div_ceil(stride[1]), across.div_ceil(stride[2])];
        let turned = |[z, y, x]: [u64; 3]| [x, y, z].map(|side| side as u32);
        let params = Params {
            size: turned(filled),
            first_row: (rows.start / stride[1]) as u32,
            // A cell may be longer than the field.
            stride: turned(std::array::from_fn(|k| stride[k].min(self.sampling.count[k]))),
            first_plane: (planes.start / stride[0]) as u32,
            count: turned([count, rows_count, across]),
            columns: slab.columns as u32,
            offset: slab.offset as u32,
            mode: match cell {
                Cell::Mean => 0,
                Cell::LargestError(_) => 1,
                Cell::Kind => 2,
                Cell::Largest => 3,
            },
            missing_count: missing.len() as u32,
            empty: f32::NAN.to_bits(),
            missing: bits,
        };
        let gpu = &self.gpu;
        let params = gpu.uniform(bytemuck::bytes_of(&params))?;
        let originals = other.map_or(&slab.values.values, |other| &other.values);
        gpu.checked(|_| {
            let buffers = [&params, &slab.values.values, originals, tiles];
            let resources = buffers.map(|buffer| buffer.as_entire_binding()).into_iter();
            let resources = resources.chain([wgpu::BindingResource::TextureView(&self.voxels)]);
            let [depth, height, width] = filled.map(|side| side as u32);
            let groups = [width.div_ceil(GROUP), height, depth];
            gpu.submit(Pipeline::Gather, resources, groups);
        })
    }

    /// Takes the range of each brick, when all voxels are there.
    ///
    /// # Errors
    /// [`Error::Device`] when the GPU fails.
    pub fn finish(&self) -> Result<()> {
        let gpu = &self.gpu;
        let size = self.bricks.texture().size();
        let groups = [size.width, size.height, size.depth_or_array_layers];
        gpu.checked(|_| {
            let resources = [&self.voxels, &self.bricks].map(wgpu::BindingResource::TextureView);
            let groups = groups.map(|side| side.div_ceil(BRICKS));
            gpu.submit(Pipeline::Bricks, resources, groups);
        })
    }

    /// Waits until the GPU has done all that it was asked for.
    ///
    /// # Errors
    /// [`Error::Device`] when it fails.
    pub fn wait(&self) -> Result<()> {
        self.gpu.wait()
    }
}
