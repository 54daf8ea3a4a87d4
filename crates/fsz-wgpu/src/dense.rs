//! The profile `dense` on the GPU.

use std::borrow::Cow;

use fsz::format::{RateByte, TILE_BLOCKS, dense};
use fsz::{BoxDecoding, DType, Header, Stream, TileRecord, TileRecords};

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::memory::Needs;
use crate::page::Part;
use crate::profile::{Decoder, GpuPage, first_missing, groups, halves};
use crate::slice::{Runs, TILE_KINDS};
use crate::step::{Codes, Step};

/// Boxes of a field at most: the shader counts them, and those of a cell, in words.
const MOST_BOXES: u64 = 1 << 27;

/// Decodes chunks of boxes, a workgroup each.
#[derive(Debug)]
pub(crate) struct Dense {
    header: Header,
    boxes: BoxDecoding,
    chunk_tiles: u64,
    tiles: u64,
    slots: wgpu::Buffer,
    programs: wgpu::Buffer,
}

/// As the shader's structure of this name.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Params {
    counts: [u32; 4],
    cell: [u32; 4],
    extent: [u32; 4],
    last: [u32; 4],
    box_low: [u32; 4],
    box_high: [u32; 4],
    plane: [u32; 2],
    row: [u32; 2],
    first: [u32; 2],
    stride: [u32; 2],
    span: [u32; 2],
    inner: u32,
    chunk_tiles: u32,
    tiles: u32,
    chunk: u32,
    chunks: u32,
    groups: u32,
    width: u32,
    missing: u32,
    fine: u32,
    near: i32,
    far: i32,
    step: u32,
    step_exponent: i32,
    lattice: u32,
    lattice_exponent: i32,
    curve: u32,
    code_base: [u32; 2],
    code_stride: [u32; 2],
    knee: u32,
    blended: u32,
}

impl Dense {
    pub fn new(gpu: &Gpu, stream: &Stream<'_>) -> Result<Self> {
        let grid = stream.grid();
        if grid.tiles() > MOST_BOXES {
            return Err(Error::Unsupported("a field of more than 2^27 boxes".to_owned()));
        }
        let boxes = BoxDecoding::of(stream)?;
        Ok(Dense {
            header: stream.header().clone(),
            chunk_tiles: grid.tiles_per_chunk(),
            tiles: grid.tiles(),
            slots: gpu.filled("fsz slots", &boxes.slots)?,
            programs: gpu.filled("fsz programs", &boxes.programs)?,
            boxes,
        })
    }

    /// The distance of lattice points, as the CPU has it.
    fn lattice(&self, step: f64) -> f64 {
        let share = 0.5f64.powi(self.boxes.fine as i32);
        match self.header.dtype {
            DType::F32 => f64::from(step as f32 * share as f32),
            DType::F64 => step * share,
        }
    }
}

impl Decoder for Dense {
    fn bytes(&self) -> u64 {
        self.slots.size() + self.programs.size()
    }

    fn part<'s>(
        &self,
        stream: &'s Stream<'_>,
        records: &mut TileRecords<'s>,
        number: u64,
    ) -> fsz::Result<Part<'s>> {
        // The records of a chunk come from its symbols: what can be told of it can be decoded.
        let records = records.chunk(number)?;
        let facts =
            records.iter().flat_map(|r| facts(r, stream.grid().tile_len(r.index)).to_le_bytes());
        Ok(Part { heads: Cow::Owned(facts.collect()), payload: stream.chunk_payload(number)? })
    }

    fn dispatch(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        page: &GpuPage,
        runs: Runs,
        values: &wgpu::Buffer,
        tiles: &wgpu::Buffer,
    ) -> Result<()> {
        let axes = &self.boxes.axes;
        let words = |numbers: [u64; 4]| numbers.map(|n| n as u32);
        let [_, planes, rows, row] = axes.shape;
        // From an element to the next along each axis, and from a box to the next.
        let strides = [planes * rows * row, rows * row, row, 1];
        let box_strides: [u64; 4] = std::array::from_fn(|a| axes.extent[a] * strides[a]);
        let last = std::array::from_fn(|a| axes.shape[a] - (axes.counts[a] - 1) * axes.extent[a]);
        let groups = groups(page.chunks);
        // A run by itself has no other behind it.
        let stride = if runs.count > 1 { runs.stride } else { runs.len };
        let (near, far) = self.boxes.weights.unwrap_or((0, 0));
        let codes = Codes::of(&self.header);
        let (step, lattice) = (Step::new(codes.step), Step::new(self.lattice(codes.step)));
        let params = Params {
            counts: words(axes.counts),
            cell: words(axes.cell),
            extent: words(axes.extent),
            last: words(last),
            box_low: words(box_strides),
            box_high: words(box_strides.map(|n| n >> 32)),
            plane: halves(strides[1]),
            row: halves(strides[2]),
            first: halves(runs.first),
            stride: halves(stride),
            span: halves(runs.span().unwrap_or(0)),
            inner: runs.len as u32,
            chunk_tiles: self.chunk_tiles as u32,
            tiles: self.tiles as u32,
            chunk: page.chunk as u32,
            chunks: page.chunks as u32,
            groups: groups[0],
            width: self.header.dtype.words() as u32,
            missing: first_missing(&self.header),
            fine: self.boxes.fine,
            near,
            far,
            step: step.mantissa,
            step_exponent: step.exponent,
            lattice: lattice.mantissa,
            lattice_exponent: lattice.exponent,
            curve: codes.curve,
            code_base: codes.base,
            code_stride: codes.stride,
            knee: codes.knee,
            blended: self.boxes.blended.into(),
        };
        let params = gpu.uniform(bytemuck::bytes_of(&params))?;
        let buffers = [&params, &page.buffer, values, tiles, &self.slots, &self.programs];
        let resources = buffers.map(|buffer| buffer.as_entire_binding());
        gpu.dispatch(encoder, gpu.dense(), resources, groups);
        Ok(())
    }
}

/// What the shader writes for the elements of a box.
fn facts(record: &TileRecord, len: usize) -> u32 {
    let kind = record.kind();
    let kind = TILE_KINDS.iter().position(|&known| known == kind).unwrap_or(0);
    let most = TILE_BLOCKS as u64 * u64::from(RateByte::RATE);
    let bits = 8 * TILE_BLOCKS as u64 * record.bytes;
    let rate = bits.div_ceil(len.max(1) as u64).min(most);
    let bytes = record.bytes.min(u64::from(u16::MAX));
    kind as u32 | (rate as u32) << 8 | (bytes as u32) << 16
}

/// The memory that a stream needs.
pub(crate) fn needs(stream: &Stream<'_>) -> Result<Needs> {
    let (grid, boxes) = (stream.grid(), BoxDecoding::of(stream)?);
    let tiles = grid.tiles_per_chunk();
    // Facts and elements of all boxes; head, states, and a half word at either end.
    let elements = tiles * (4 + dense::BOX * stream.header().dtype.size()) as u64;
    let head = (tiles * u64::from(dense::HEAD_BOX_BITS)).div_ceil(32) + 1;
    Ok(Needs {
        besides: 4 * (boxes.slots.len() + boxes.programs.len()) as u64,
        chunks: grid.chunks(),
        heads_and_payload: 4 * grid.tiles() + stream.payload().len() as u64,
        most: elements + 4 * (head + dense::LANES as u64 + 1),
    })
}
