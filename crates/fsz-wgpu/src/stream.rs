//! A compressed field on the GPU, and its slices.

use fsz::format::{BLOCK, CHUNK_TILES, TILE, TILE_BLOCKS};
use fsz::{DType, Header, Stream};

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::page;
use crate::slice::{GpuSlice, Runs};
use crate::step::Step;

/// Workgroups along an axis at most, on every GPU.
const GROUPS: u64 = 65535;

/// A stream whose pages lie on the GPU.
#[derive(Debug)]
pub struct GpuStream {
    gpu: Gpu,
    header: Header,
    missing: u32,
    pages: Vec<Page>,
    bytes: u64,
}

#[derive(Debug)]
struct Page {
    tile: u64,
    tiles: u64,
    buffer: wgpu::Buffer,
}

/// As the shader's structure of this name.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Params {
    first: [u32; 2],
    stride: [u32; 2],
    run: u32,
    runs: u32,
    inner: u32,
    tiles_per_run: u32,
    tile: u32,
    tiles: u32,
    chunks: u32,
    groups: u32,
    last_tile: u32,
    last_count: u32,
    width: u32,
    step: u32,
    exponent: i32,
    missing: u32,
    unused: [u32; 2],
}

fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

impl GpuStream {
    /// Copies a stream's rates and payload to the GPU, after verifying every checksum. The values are not
    /// decoded.
    ///
    /// # Errors
    /// [`Error::Stream`] when the stream is damaged; [`Error::Unsupported`] for a research geometry or a
    /// field of more than 2⁴⁰ elements; [`Error::Device`] when the GPU's memory is full.
    pub fn upload(gpu: &Gpu, stream: &Stream<'_>) -> Result<GpuStream> {
        let header = stream.header();
        let known = header.profile.research().is_some_and(|research| {
            research.block_len == BLOCK
                && research.blocks_per_tile == TILE_BLOCKS
                && research.cross_block
        });
        if !known {
            return Err(Error::Unsupported("a stream of a research geometry".to_owned()));
        }
        if header.elements().div_ceil(TILE as u64) > u64::from(u32::MAX) {
            return Err(Error::Unsupported("a field of more than 2^40 elements".to_owned()));
        }
        let mut pages = Vec::new();
        let mut bytes = 0;
        for page in page::pages(stream, gpu.page_limit())? {
            let size = 4 * page.words.len() as u64;
            let buffer = gpu.storage("fsz page", size)?;
            gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&page.words));
            // So that the host's copies do not pile up.
            gpu.queue.submit([]);
            bytes += size;
            pages.push(Page { tile: page.tile, tiles: page.tiles, buffer });
        }
        let missing = first_missing(stream);
        Ok(GpuStream { gpu: gpu.clone(), header: header.clone(), missing, pages, bytes })
    }

    /// The stream's header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Bytes of GPU memory that the compressed field takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Storage buffers that it lies in.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Decodes the slice at `index` of `axis`, the slowest axis being 0: the tiles that it touches.
    ///
    /// The values of an `f32` field are exact: those of the CPU, bit for bit. Those of an `f64` field have
    /// display precision: `f32` within two units of the last place, with ±Inf for what is larger than
    /// `f32` and 0 for what is smaller than its normal numbers. Take exact ones from the CPU.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when there is no such slice; [`Error::Unsupported`] when it has more
    /// elements than a buffer takes; [`Error::Device`] when the GPU fails.
    pub fn decode_slice(&self, axis: usize, index: u64) -> Result<GpuSlice> {
        self.decode_runs(Runs::slice(&self.header.shape, axis, index)?)
    }

    /// Decodes any runs of elements; precision and errors as [`GpuStream::decode_slice`].
    pub fn decode_runs(&self, runs: Runs) -> Result<GpuSlice> {
        let all = self.header.elements();
        let end = runs
            .count
            .saturating_sub(1)
            .checked_mul(runs.stride)
            .and_then(|last| last.checked_add(runs.first)?.checked_add(runs.len));
        if runs.elements() > 0 && end.is_none_or(|end| end > all) {
            return Err(Error::InvalidArgument(format!(
                "{runs:?} are not inside a field of {all} elements"
            )));
        }
        self.gpu.fits(runs.elements())?;
        let values = self.gpu.storage("fsz slice", 4 * runs.elements())?;
        let tiles = self.gpu.storage("fsz tiles", 4 * runs.elements())?;
        self.gpu.checked(|device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            for page in &self.pages {
                self.dispatch(&mut encoder, page, runs, &values, &tiles);
            }
            self.gpu.queue.submit([encoder.finish()]);
        })?;
        let len = runs.elements();
        Ok(GpuSlice { gpu: self.gpu.clone(), len, values, tiles: Some(tiles) })
    }

    /// Decodes what a page has of the runs.
    fn dispatch(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        page: &Page,
        runs: Runs,
        values: &wgpu::Buffer,
        tiles: &wgpu::Buffer,
    ) {
        let tile = TILE as u64;
        let touched = runs.within(page.tile * tile, (page.tile + page.tiles) * tile);
        if touched.is_empty() {
            return;
        }
        let tiles_per_run = (runs.len + tile - 2) / tile + 1;
        let groups = (touched.end - touched.start) * tiles_per_run;
        let across = groups.min(GROUPS);
        let step = Step::new(self.header.quantization_step);
        let elements = self.header.elements();
        let last_tile = (elements - 1) / tile;
        let params = Params {
            first: halves(runs.first),
            stride: halves(runs.stride),
            run: touched.start as u32,
            runs: (touched.end - touched.start) as u32,
            inner: runs.len as u32,
            tiles_per_run: tiles_per_run as u32,
            tile: page.tile as u32,
            tiles: page.tiles as u32,
            chunks: page.tiles.div_ceil(CHUNK_TILES as u64) as u32,
            groups: across as u32,
            last_tile: last_tile as u32,
            last_count: (elements - last_tile * tile) as u32,
            width: self.header.dtype.size() as u32 / 4,
            step: step.mantissa,
            exponent: step.exponent,
            missing: self.missing,
            unused: [0; 2],
        };
        let params = self.gpu.uniform(bytemuck::bytes_of(&params));
        let buffers = [&params, &page.buffer, values, tiles];
        let resources = buffers.map(|buffer| buffer.as_entire_binding());
        let groups = (across as u32, groups.div_ceil(across) as u32);
        self.gpu.dispatch(encoder, &self.gpu.pipelines.decode, resources, groups);
    }
}

/// The first missing value of the header as the shader writes it.
fn first_missing(stream: &Stream<'_>) -> u32 {
    let header = stream.header();
    let bits = header.missing_bits().first().copied().unwrap_or(0);
    match header.dtype {
        DType::F32 => bits as u32,
        DType::F64 => (f64::from_bits(bits) as f32).to_bits(),
    }
}
