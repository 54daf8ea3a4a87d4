//! A compressed field on the GPU, and its slices.

use fsz::{Header, Stream};

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::page;
use crate::profile::{self, Decoder, GpuPage};
use crate::slice::{GpuSlice, Runs};

/// A stream whose pages lie on the GPU.
#[derive(Debug)]
pub struct GpuStream {
    gpu: Gpu,
    header: Header,
    decoder: Box<dyn Decoder>,
    pages: Vec<GpuPage>,
    bytes: u64,
}

impl GpuStream {
    /// Copies a stream's chunks to the GPU, after verifying that each can be decoded. The values are not kept.
    ///
    /// # Errors
    /// [`Error::Stream`] when the stream is damaged; [`Error::Unsupported`] for a research geometry or a
    /// field of more than 2⁴⁰ elements or 2²⁷ boxes; [`Error::Device`] when the GPU's memory is full.
    pub fn upload(gpu: &Gpu, stream: &Stream<'_>) -> Result<GpuStream> {
        let decoder = profile::decoder(gpu, stream)?;
        let mut pages = Vec::new();
        let mut bytes = decoder.bytes();
        let part = |records: &mut _, number| decoder.part(stream, records, number);
        for page in page::pages(stream, gpu.page_limit(), part)? {
            let size = 4 * page.words.len() as u64;
            let buffer = gpu.filled("fsz page", &page.words)?;
            // So that the host's copies do not pile up.
            gpu.queue.submit([]);
            bytes += size;
            pages.push(GpuPage {
                chunk: page.chunk,
                chunks: page.chunks,
                tile: page.tile,
                tiles: page.tiles,
                buffer,
            });
        }
        Ok(GpuStream { gpu: gpu.clone(), header: stream.header().clone(), decoder, pages, bytes })
    }

    /// The stream's header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Bytes of GPU memory that the compressed field takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Storage buffers that its chunks lie in.
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

    /// Decodes any runs of elements that do not overlap; precision and errors as
    /// [`GpuStream::decode_slice`].
    pub fn decode_runs(&self, runs: Runs) -> Result<GpuSlice> {
        let all = self.header.elements();
        let end = runs.span().and_then(|span| span.checked_add(runs.first));
        let overlap = runs.count > 1 && runs.stride < runs.len;
        if runs.elements() > 0 && (overlap || end.is_none_or(|end| end > all)) {
            return Err(Error::InvalidArgument(format!(
                "{runs:?} overlap or are not inside a field of {all} elements"
            )));
        }
        self.gpu.fits(runs.elements())?;
        let values = self.gpu.storage("fsz slice", 4 * runs.elements())?;
        let tiles = self.gpu.storage("fsz tiles", 4 * runs.elements())?;
        self.gpu.checked(|device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            for page in self.pages.iter().filter(|_| runs.elements() > 0) {
                self.decoder.dispatch(&self.gpu, &mut encoder, page, runs, &values, &tiles);
            }
            self.gpu.queue.submit([encoder.finish()]);
        })?;
        let len = runs.elements();
        Ok(GpuSlice { gpu: self.gpu.clone(), len, values, tiles: Some(tiles) })
    }
}
