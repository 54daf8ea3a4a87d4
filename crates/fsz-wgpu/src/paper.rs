//! The profile `paper` on the GPU.

use std::borrow::Cow;

use fsz::format::{BLOCK, CHUNK_TILES, TILE, TILE_BLOCKS};
use fsz::{DType, Header, Stream, TileRecords};

use crate::error::{Error, Result};
use crate::gpu::{Gpu, Pipeline};
use crate::memory::Needs;
use crate::page::Part;
use crate::profile::{Decoder, GpuPage, first_missing, groups, halves};
use crate::slice::Runs;
use crate::step::{Codes, Step};

/// Decodes tiles of 256 consecutive elements, a workgroup each.
#[derive(Debug)]
pub(crate) struct Paper {
    header: Header,
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
    code_base: [u32; 2],
    code_stride: [u32; 2],
    knee: u32,
    curve: u32,
}

impl Paper {
    pub fn new(stream: &Stream<'_>) -> Result<Self> {
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
        Ok(Paper { header: header.clone() })
    }
}

impl Decoder for Paper {
    fn bytes(&self) -> u64 {
        0
    }

    fn part<'s>(
        &self,
        stream: &'s Stream<'_>,
        _: &mut TileRecords<'s>,
        number: u64,
    ) -> fsz::Result<Part<'s>> {
        let chunk = stream.chunk(number)?;
        Ok(Part { heads: Cow::Borrowed(chunk.heads), payload: chunk.payload })
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
        let tile = TILE as u64;
        let touched = runs.within(page.tile * tile, (page.tile + page.tiles) * tile);
        if touched.is_empty() {
            return Ok(());
        }
        let tiles_per_run = (runs.len + tile - 2) / tile + 1;
        let groups = groups((touched.end - touched.start) * tiles_per_run);
        let codes = Codes::of(&self.header);
        let step = Step::new(codes.step);
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
            chunks: page.chunks as u32,
            groups: groups[0],
            last_tile: last_tile as u32,
            last_count: (elements - last_tile * tile) as u32,
            width: self.header.dtype.words() as u32,
            step: step.mantissa,
            exponent: step.exponent,
            missing: first_missing(&self.header),
            code_base: codes.base,
            code_stride: codes.stride,
            knee: codes.knee,
            curve: codes.curve,
        };
        let params = gpu.uniform(bytemuck::bytes_of(&params))?;
        let buffers = [&params, &page.buffer, values, tiles];
        let resources = buffers.map(|buffer| buffer.as_entire_binding());
        gpu.dispatch(encoder, Pipeline::Paper, resources, groups);
        Ok(())
    }
}

/// The memory that a stream needs.
pub(crate) fn needs(stream: &Stream<'_>) -> Needs {
    needs_of(stream.grid().tiles(), stream.header().dtype, stream.payload().len() as u64)
}

fn needs_of(tiles: u64, dtype: DType, payload: u64) -> Needs {
    let heads = TILE_BLOCKS as u64;
    let chunk = CHUNK_TILES * (TILE_BLOCKS + TILE * dtype.size());
    Needs {
        besides: 0,
        chunks: tiles.div_ceil(CHUNK_TILES as u64),
        heads_and_payload: heads * tiles + payload,
        most: chunk as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2048³ `f32` at ratio 20 on a card of 8 GB with the usual bindings of 128 MiB: original,
    /// reconstruction and a comparison are looked at, each with a picture.
    #[test]
    fn a_field_of_34_gb_at_ratio_20_fits_in_8_gb() {
        let elements = 1u64 << 33;
        let stream = 4 * elements / 20;
        let tiles = elements / TILE as u64;
        // Rates, and of every chunk its size, its checksum and its share of the offsets.
        let payload = stream - TILE_BLOCKS as u64 * tiles - 10 * (tiles / CHUNK_TILES as u64);
        let memory = needs_of(tiles, DType::F32, payload).memory(128 << 20, 1 << 22);
        assert!(memory.stream <= stream);
        assert!(memory.total(3) < 2_000_000_000, "{memory:?}");
        assert!(memory.total(3) < 8_000_000_000 / 4);
        assert_eq!(memory.pages, 13);
    }
}
