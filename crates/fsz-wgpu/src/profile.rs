//! What profiles do on the GPU. A profile is a module here and a line in each of two functions; all else asks
//! [`Decoder`].

use std::fmt::Debug;

use fsz::{DType, Header, Profile, Stream, TileRecords};

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::memory::Needs;
use crate::page::Part;
use crate::slice::Runs;
use crate::{dense, paper};

/// Workgroups along an axis at most, on every GPU.
const GROUPS: u64 = 65535;

/// A page on the GPU.
#[derive(Debug)]
pub(crate) struct GpuPage {
    /// First chunk and number of chunks.
    pub chunk: u64,
    pub chunks: u64,
    /// First tile and number of tiles.
    pub tile: u64,
    pub tiles: u64,
    pub buffer: wgpu::Buffer,
}

/// Decodes the streams of a profile.
pub(crate) trait Decoder: Debug + Send + Sync {
    /// Bytes that it has on the GPU besides the pages.
    fn bytes(&self) -> u64;

    /// What a page has of a chunk, of which all is verified that decoding takes for granted. `records` are
    /// those of the stream.
    fn part<'s>(
        &self,
        stream: &'s Stream<'_>,
        records: &mut TileRecords<'s>,
        number: u64,
    ) -> fsz::Result<Part<'s>>;

    /// Records the decoding of what a page has of some runs, which are not empty.
    ///
    /// # Errors
    /// [`Error::Device`] when the GPU's memory is full.
    fn dispatch(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        page: &GpuPage,
        runs: Runs,
        values: &wgpu::Buffer,
        tiles: &wgpu::Buffer,
    ) -> Result<()>;
}

/// The decoder of a stream.
pub(crate) fn decoder(gpu: &Gpu, stream: &Stream<'_>) -> Result<Box<dyn Decoder>> {
    Ok(match &stream.header().profile {
        Profile::Paper(_) => Box::new(paper::Paper::new(stream)?),
        Profile::Dense(_) => Box::new(dense::Dense::new(gpu, stream)?),
        _ => return Err(unknown(stream)),
    })
}

/// The memory that a stream needs.
pub(crate) fn needs(stream: &Stream<'_>) -> Result<Needs> {
    match &stream.header().profile {
        Profile::Paper(_) => Ok(paper::needs(stream)),
        Profile::Dense(_) => dense::needs(stream),
        _ => Err(unknown(stream)),
    }
}

fn unknown(stream: &Stream<'_>) -> Error {
    Error::Unsupported(format!("a stream of the profile {}", stream.header().profile.name()))
}

/// Workgroups as the columns and rows of a dispatch.
pub(crate) fn groups(count: u64) -> [u32; 3] {
    let across = count.min(GROUPS);
    [across as u32, count.div_ceil(across) as u32, 1]
}

/// Low and high word of a number.
pub(crate) fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// The first missing value of the header as shaders write it.
pub(crate) fn first_missing(header: &Header) -> u32 {
    let bits = header.missing_bits().first().copied().unwrap_or(0);
    match header.dtype {
        DType::F32 => bits as u32,
        DType::F64 => (f64::from_bits(bits) as f32).to_bits(),
    }
}
