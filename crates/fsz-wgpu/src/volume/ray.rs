//! The picture of a volume, one ray per point of it.

use crate::colour::{Axis, Picture, check_size, texture};
use crate::error::Result;
use crate::gpu::Pipeline;
use crate::readback;
use crate::volume::Volume;

/// Threads of a workgroup along either axis of the picture.
const GROUP: u32 = 8;

/// What a ray shows of the values along it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// The greatest.
    Mip,
    /// All of them, each with its opacity.
    Compositing {
        /// The length that opacities are of: a layer so thick of one value has its opacity.
        depth: f32,
    },
    /// The first surface of this value, lit from the eye.
    Isosurface {
        /// The value.
        value: f32,
    },
}

impl Mode {
    /// What draws it.
    pub(crate) fn cast(self) -> Pipeline {
        match self {
            Mode::Mip => Pipeline::CastMip,
            Mode::Compositing { .. } => Pipeline::CastCompositing,
            Mode::Isosurface { .. } => Pipeline::CastIsosurface,
        }
    }

    /// What finds the place that one ray shows.
    fn pick(self) -> Pipeline {
        match self {
            Mode::Mip => Pipeline::PickMip,
            Mode::Compositing { .. } => Pipeline::PickCompositing,
            Mode::Isosurface { .. } => Pipeline::PickIsosurface,
        }
    }
}

/// The rays of a picture, in a space where the middle of the field is the origin and its axes, fastest first, are those
/// of the space. The ray through a point with the coordinates `a`, `b`, from −1 at the left and top to 1, begins at
/// `origin[0] + a · origin[1] + b · origin[2]` and goes along `direction[0] + a · direction[1] + b · direction[2]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rays {
    /// Where they begin.
    pub origin: [[f32; 3]; 3],
    /// Where they go.
    pub direction: [[f32; 3]; 3],
}

/// A plane through the volume that is drawn where it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// The axis that it is across, the slowest being 0.
    pub axis: usize,
    /// The index of its elements along it.
    pub index: u64,
    /// From 0 to 1.
    pub opacity: f32,
}

/// How a volume is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Columns and rows of the picture.
    pub size: [u32; 2],
    /// Its rays.
    pub rays: Rays,
    /// Half the sides of the whole field, fastest axis first.
    pub extent: [f32; 3],
    /// Elements of the whole field, slowest axis first.
    pub sides: [u64; 3],
    /// The part of the field that is seen: along each axis, slowest first, from where to where, in parts from 0 to 1.
    pub clip: [[f32; 2]; 3],
    /// From sample to sample, in voxels.
    pub step: f32,
    /// What the rays show.
    pub mode: Mode,
    /// A plane that is drawn too, but for [`Mode::Mip`].
    pub section: Option<Section>,
}

/// Colours and opacities of values. Colours are RGBA, red in the lowest byte.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeColours {
    /// From low to high; of kinds of tiles the first ones are theirs.
    pub map: [u32; 256],
    /// Of the same values, from 0 to 1.
    pub opacity: [f32; 256],
    /// Value of the first and of the last colour, and whether it is by the logarithm; none where voxels are kinds.
    pub range: Option<(f32, f32, bool)>,
}

/// What is seen most of along a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The index of the element there, slowest axis first.
    pub index: [u64; 3],
    /// The value that is seen.
    pub value: f32,
}

/// As the shader's structure of this name.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Params {
    origin: [f32; 3],
    width: u32,
    origin_across: [f32; 3],
    height: u32,
    origin_down: [f32; 3],
    log: u32,
    direction: [f32; 3],
    step: f32,
    direction_across: [f32; 3],
    depth: f32,
    direction_down: [f32; 3],
    iso: f32,
    scale: [f32; 3],
    kinds: u32,
    offset: [f32; 3],
    slice_axis: u32,
    clip_low: [f32; 3],
    slice: f32,
    clip_high: [f32; 3],
    slice_opacity: f32,
    size: [u32; 3],
    place: Axis,
    picked: [f32; 2],
    unused: [u32; 3],
}

/// The opacity of what lets no light pass.
const OPAQUE: f32 = 0.9999;

impl Params {
    fn new(volume: &Volume, look: &Look, colours: &VolumeColours, picked: [f32; 2]) -> Params {
        let sampling = volume.sampling();
        // Axis `k` of the GPU is the field's `2 − k`. Element i of the field, its middle at (i + ½) of the sides, is in
        // voxel (i − start) / stride, of which the middle is at a whole number.
        let along = |k: usize| {
            let (side, stride) = (look.sides[2 - k] as f32, sampling.stride[2 - k] as f32);
            let scale = side / (2.0 * look.extent[k]) / stride;
            let first = sampling.start[2 - k] as f32;
            (scale, look.extent[k] * scale - first / stride - 0.5)
        };
        let voxel = |k: usize, part: f32| {
            let (scale, offset) = along(k);
            (2.0 * part - 1.0) * look.extent[k] * scale + offset
        };
        let size = sampling.size();
        // What the volume does not hold is not seen.
        let held = |k: usize, at: f32| at.clamp(-0.5, size[2 - k] as f32 - 0.5);
        let (scale, offset) =
            (std::array::from_fn(|k| along(k).0), std::array::from_fn(|k| along(k).1));
        let longest = f32::max(f32::max(scale[0], scale[1]), scale[2]);
        let slice = look.section.map_or((3, 0.0, 0.0), |section| {
            let k = 2 - section.axis.min(2);
            let part = (section.index as f32 + 0.5) / look.sides[2 - k] as f32;
            (k as u32, voxel(k, part), section.opacity)
        });
        let (low, high, log) = colours.range.unwrap_or((0.0, 255.0, false));
        Params {
            origin: look.rays.origin[0],
            width: look.size[0],
            origin_across: look.rays.origin[1],
            height: look.size[1],
            origin_down: look.rays.origin[2],
            log: u32::from(log),
            direction: look.rays.direction[0],
            step: look.step.max(0.05) / longest,
            direction_across: look.rays.direction[1],
            depth: match look.mode {
                Mode::Compositing { depth } => depth.max(1e-6),
                _ => 1.0,
            },
            direction_down: look.rays.direction[2],
            iso: match look.mode {
                Mode::Isosurface { value } => value,
                _ => 0.0,
            },
            scale,
            kinds: u32::from(colours.range.is_none()),
            offset,
            slice_axis: slice.0,
            clip_low: std::array::from_fn(|k| held(k, voxel(k, look.clip[2 - k][0]))),
            slice: slice.1,
            clip_high: std::array::from_fn(|k| held(k, voxel(k, look.clip[2 - k][1]))),
            slice_opacity: slice.2,
            size: std::array::from_fn(|k| size[2 - k] as u32),
            place: Axis::new(low, high, log),
            picked,
            unused: [0; 3],
        }
    }
}

/// The shader's table.
fn table(colours: &VolumeColours) -> Vec<u32> {
    let opacities = colours.opacity.map(|opacity| opacity.clamp(0.0, OPAQUE));
    let mut words = colours.map.to_vec();
    words.extend(opacities.map(f32::to_bits));
    let mut before = 0;
    words.push(before);
    for opacity in opacities {
        before += u32::from(opacity > 0.0);
        words.push(before);
    }
    words
}

impl Volume {
    /// Draws the volume. The picture's colours are premultiplied by their opacity.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) when the picture is empty or larger than a texture of this
    /// GPU; [`Error::Device`](crate::Error::Device) when the GPU fails.
    pub fn draw(&self, look: &Look, colours: &VolumeColours) -> Result<Picture> {
        let gpu = &self.gpu;
        let [width, height] = look.size;
        check_size(gpu, width, height)?;
        let params = Params::new(self, look, colours, [0.0; 2]);
        let params = gpu.uniform(bytemuck::bytes_of(&params))?;
        let table = gpu.filled("fsz transfer function", &table(colours))?;
        let texture = gpu.checked(|device| {
            let texture = texture(device, width, height);
            let view = texture.create_view(&Default::default());
            let resources = [
                params.as_entire_binding(),
                wgpu::BindingResource::TextureView(&self.voxels),
                wgpu::BindingResource::TextureView(&self.bricks),
                table.as_entire_binding(),
                wgpu::BindingResource::TextureView(&view),
            ];
            let groups = [width.div_ceil(GROUP), height.div_ceil(GROUP), 1];
            gpu.submit(look.mode.cast(), resources, groups);
            texture
        })?;
        Ok(Picture { gpu: gpu.clone(), texture })
    }

    /// What is seen most of at a point of the picture, its coordinates from −1 at the left and top to 1; none where
    /// nothing is seen. Waits for the GPU.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) when the GPU fails.
    pub fn pick(&self, look: &Look, colours: &VolumeColours, at: [f32; 2]) -> Result<Option<Hit>> {
        let gpu = &self.gpu;
        let params = Params::new(self, look, colours, at);
        let params = gpu.uniform(bytemuck::bytes_of(&params))?;
        let table = gpu.filled("fsz transfer function", &table(colours))?;
        let hit = gpu.storage("fsz hit", 20)?;
        gpu.checked(|_| {
            let resources = [
                params.as_entire_binding(),
                wgpu::BindingResource::TextureView(&self.voxels),
                wgpu::BindingResource::TextureView(&self.bricks),
                table.as_entire_binding(),
                hit.as_entire_binding(),
            ];
            gpu.submit(look.mode.pick(), resources, [1; 3]);
        })?;
        let words = readback::words(gpu, &hit, 5)?;
        if words.first() != Some(&1) {
            return Ok(None);
        }
        let sampling = self.sampling();
        let index = std::array::from_fn(|axis| {
            let voxel = f32::from_bits(words[1 + (2 - axis)]) + 0.5;
            let element = (voxel * sampling.stride[axis] as f32).max(0.0) as u64;
            sampling.start[axis] + element.min(sampling.count[axis] - 1)
        });
        Ok(Some(Hit { index, value: f32::from_bits(words[4]) }))
    }
}
