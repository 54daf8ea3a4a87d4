//! Slices to pictures, on the GPU.

use fsz::format::MAX_MISSING;

use crate::error::{Error, Result};
use crate::gpu::{Gpu, Pipeline};
use crate::readback;
use crate::slice::{GpuSlice, TILE_KINDS};

/// What a point's colour says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Subject {
    /// The value, from `low` to `high` on the map.
    Values {
        /// Value of the map's first colour; above 0 where `log` is set.
        low: f32,
        /// Value of its last colour.
        high: f32,
        /// By the logarithm: what is below `low` takes the first colour.
        log: bool,
    },
    /// An error; what is kept bit for bit, NaN among it, has none.
    Errors {
        /// What the error is measured by.
        measure: Measure,
        /// The error of the map's last colour: the absolute bound, where there is one.
        limit: f32,
        /// The same as a share of the original, where that is more; 0 for none.
        share: f32,
        /// Errors beyond the limit have the alarm colour, and those that are no numbers.
        bounded: bool,
        /// The slice has errors already; otherwise it has values, and its errors are those against the
        /// original, rounded to `f32`.
        given: bool,
    },
}

/// What an error is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// From −`limit` to `limit` on the map.
    Signed,
    /// Its magnitude, from 0 to `limit`.
    Absolute,
    /// Its magnitude by that of the original, by the logarithm over six decades up to 1.
    Relative,
}

/// What lies over the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// How each tile is stored.
    Kinds,
    /// The sum of the rates of each tile's blocks.
    Rates {
        /// That of the last colour.
        most: u32,
    },
    /// The bytes of each tile.
    Bytes {
        /// Those of the last colour.
        most: u32,
    },
}

/// How the points of a slice lie in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Rows of the slice; the last may be shorter.
    pub rows: u32,
    /// Its columns.
    pub columns: u32,
    /// Every how many rows and columns one is drawn; at least 1.
    pub step: u32,
}

/// The colours of a picture: RGBA, red in the lowest byte.
#[derive(Clone, Debug)]
pub struct Colours {
    /// The map of values or errors.
    pub map: [u32; 256],
    /// Of NaN.
    pub nan: u32,
    /// Of +Inf and -Inf, where values are painted.
    pub infinite: u32,
    /// Of the missing values.
    pub missing_colour: u32,
    /// Of errors beyond the bound.
    pub alarm: u32,
    /// Of points that the slice does not have.
    pub outside: u32,
    /// The bits of the missing values; no more than a stream names.
    pub missing: Vec<u32>,
    /// Of the kinds of tiles, in the order of [`TILE_KINDS`].
    pub kinds: [u32; TILE_KINDS.len()],
    /// The map of rates and bytes.
    pub scale: [u32; 256],
    /// What lies over the picture, and its share from 0 to 1.
    pub overlay: Option<(Overlay, f32)>,
}

/// A picture on the GPU.
#[derive(Clone, Debug)]
pub struct Picture {
    pub(crate) gpu: Gpu,
    pub(crate) texture: wgpu::Texture,
}

/// Threads of a workgroup along either axis.
const GROUP: u32 = 16;

/// Where values lie on the map, as the shader reckons: with a span that is a number, and no product whose
/// parts it might reckon apart.
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Axis {
    scale: f32,
    low: f32,
    span: f32,
    least: f32,
}

impl Axis {
    pub fn new(low: f32, high: f32, log: bool) -> Axis {
        let (first, last) = (f64::from(low), f64::from(high));
        if log {
            let (from, to) = (first.log2(), last.log2());
            return Axis { scale: 1.0, low: from as f32, span: (to - from) as f32, least: low };
        }
        // A power of two, so that nothing is rounded.
        let exponent = (last - first).log2().floor().clamp(-126.0, 126.0);
        let scale = (-exponent).exp2();
        let span = (last - first) * scale;
        Axis { scale: scale as f32, low: (first * scale) as f32, span: span as f32, least: low }
    }
}

/// As the shader's structure of this name, filled up to 16 bytes.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Params {
    missing: [u32; MAX_MISSING],
    missing_count: u32,
    width: u32,
    height: u32,
    step: u32,
    columns: u32,
    count: u32,
    mode: u32,
    given: u32,
    overlay: u32,
    most: u32,
    has_bound: u32,
    axis: Axis,
    limit: f32,
    share: f32,
    opacity: f32,
    nan_colour: u32,
    missing_colour: u32,
    alarm_colour: u32,
    outside_colour: u32,
    infinite_colour: u32,
    unused: u32,
}

impl Params {
    fn new(slice: &GpuSlice, subject: Subject, layout: Layout, colours: &Colours) -> Params {
        let (mode, axis, [limit, share], bounded, given) = match subject {
            Subject::Values { low, high, log } => {
                (u32::from(log), Axis::new(low, high, log), [0.0; 2], false, false)
            }
            Subject::Errors { measure, limit, share, bounded, given } => {
                let mode = match measure {
                    Measure::Signed => 2,
                    Measure::Absolute => 3,
                    Measure::Relative => 4,
                };
                (mode, Axis::default(), [limit, share], bounded, given)
            }
        };
        let (overlay, most) = match colours.overlay {
            None => (0, 0),
            Some((Overlay::Kinds, _)) => (1, 0),
            Some((Overlay::Rates { most }, _)) => (2, most),
            Some((Overlay::Bytes { most }, _)) => (3, most),
        };
        let count = colours.missing.len().min(MAX_MISSING);
        let mut missing = [0; MAX_MISSING];
        missing[..count].copy_from_slice(&colours.missing[..count]);
        Params {
            missing,
            missing_count: count as u32,
            width: layout.columns.div_ceil(layout.step),
            height: layout.rows.div_ceil(layout.step),
            step: layout.step,
            columns: layout.columns,
            count: slice.len() as u32,
            mode,
            given: u32::from(given),
            overlay,
            most,
            has_bound: u32::from(bounded),
            axis,
            limit,
            share,
            opacity: colours.overlay.map_or(0.0, |(_, opacity)| opacity),
            nan_colour: colours.nan,
            missing_colour: colours.missing_colour,
            alarm_colour: colours.alarm,
            outside_colour: colours.outside,
            infinite_colour: colours.infinite,
            unused: 0,
        }
    }
}

impl GpuSlice {
    /// Paints the slice. Errors are those against `original`, a slice of as many values; errors that are
    /// given take it for [`Measure::Relative`] and to know missing values.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when errors are asked for without an original of the same size, tiles
    /// are to be laid over a slice that knows of none, there are more missing values than a stream names, or the
    /// picture is empty or larger than a texture of this GPU; [`Error::Device`] when the GPU fails.
    pub fn paint(
        &self,
        subject: Subject,
        original: Option<&GpuSlice>,
        layout: Layout,
        colours: &Colours,
    ) -> Result<Picture> {
        let wrong = |what: &str| Err(Error::InvalidArgument(what.to_owned()));
        let original = match (original, subject) {
            (Some(original), _) if original.len() == self.len() => original,
            (_, Subject::Values { .. }) => self,
            _ => return wrong("errors take an original slice of the same size"),
        };
        if colours.overlay.is_some() && self.tiles.is_none() {
            return wrong("the slice does not come from a stream: it has no tiles");
        }
        if colours.missing.len() > MAX_MISSING {
            let what = format!("more than {MAX_MISSING} missing values");
            return Err(Error::InvalidArgument(what));
        }
        let gpu = &self.gpu;
        let params =
            Params::new(self, subject, Layout { step: layout.step.max(1), ..layout }, colours);
        let (width, height) = (params.width, params.height);
        check_size(gpu, width, height)?;
        let params = gpu.uniform(bytemuck::bytes_of(&params))?;
        let words: Vec<u32> =
            colours.map.iter().chain(&colours.scale).chain(&colours.kinds).copied().collect();
        let table = gpu.filled("fsz colours", &words)?;
        let tiles = self.tiles.as_ref().unwrap_or(&self.values);
        let texture = gpu.checked(|device| {
            let texture = texture(device, width, height);
            let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
            let buffers = [&params, &self.values, &original.values, tiles, &table];
            let resources = buffers.map(|buffer| buffer.as_entire_binding()).into_iter();
            let resources = resources.chain([wgpu::BindingResource::TextureView(&view)]);
            let groups = [width.div_ceil(GROUP), height.div_ceil(GROUP), 1];
            gpu.submit(Pipeline::Colour, resources, groups);
            texture
        })?;
        Ok(Picture { gpu: gpu.clone(), texture })
    }
}

/// Refuses a picture that is empty, or larger than a texture of the GPU.
pub(crate) fn check_size(gpu: &Gpu, width: u32, height: u32) -> Result<()> {
    let most = gpu.device.limits().max_texture_dimension_2d;
    if !(1..=most).contains(&width) || !(1..=most).contains(&height) {
        return Err(Error::InvalidArgument(format!(
            "a picture of {width} × {height}, where each side is from 1 to {most}"
        )));
    }
    Ok(())
}

/// A texture for a picture.
pub(crate) fn texture(device: &wgpu::Device, width: u32, height: u32) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("fsz picture"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::STORAGE_BINDING
            | wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

impl Picture {
    /// The texture, of format `Rgba8Unorm`.
    pub fn texture(&self) -> &wgpu::Texture {
        &self.texture
    }

    /// Columns.
    pub fn width(&self) -> u32 {
        self.texture.width()
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.texture.height()
    }

    /// The colours, row by row from the top.
    ///
    /// # Errors
    /// [`Error::Device`] when the GPU fails.
    pub fn read_back(&self) -> Result<Vec<u32>> {
        readback::texture(&self.gpu, &self.texture)
    }
}
