//! A compressed field on the GPU, and its slices.

use std::ops::Range;

use fsz::{Header, Stream};

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::page;
use crate::profile::{self, Decoder, GpuPage};
use crate::region::GpuRegion;
use crate::slice::{GpuSlice, Runs};

/// A stream whose pages lie on the GPU.
#[derive(Debug)]
pub struct GpuStream {
    gpu: Gpu,
    header: Header,
    decoder: Box<dyn Decoder>,
    pages: Vec<GpuPage>,
    regions: Vec<GpuRegion>,
    bytes: u64,
    /// The elements that can be decoded.
    held: Range<u64>,
}

/// What decoding a slice takes is copied alone where it is less than this part of the chunks.
const SMALL_PART: u64 = 4;

impl GpuStream {
    /// Copies a stream's chunks to the GPU, after verifying that each can be decoded. The values are not kept.
    ///
    /// # Errors
    /// [`Error::Stream`] when the stream is damaged; [`Error::Unsupported`] for a research geometry or a
    /// field of more than 2⁴⁰ elements or 2²⁷ boxes; [`Error::Device`] when the GPU's memory is full.
    pub fn upload(gpu: &Gpu, stream: &Stream<'_>) -> Result<GpuStream> {
        GpuStream::of_chunks(gpu, stream, 0..stream.chunks(), 0..stream.header().elements())
    }

    /// Copies what decoding some runs takes, where that is a small part of the stream; otherwise none. So the first slice
    /// of a large field comes soon. Other runs are errors. Regions are brought as a whole.
    ///
    /// # Errors
    /// As [`GpuStream::upload`], and [`Error::InvalidArgument`] for runs that are not inside the field.
    pub fn upload_part(gpu: &Gpu, stream: &Stream<'_>, runs: Runs) -> Result<Option<GpuStream>> {
        let header = stream.header();
        let end = checked_end(runs, &(0..header.elements()))?;
        if runs.elements() == 0 {
            return Ok(None);
        }
        let (start, count) = box_around(&header.shape, runs.first, end - 1);
        let chunks = stream.chunks_of_box(&start, &count)?;
        let (Some(&first), Some(&last)) = (chunks.first(), chunks.last()) else { return Ok(None) };
        if (last - first + 1).saturating_mul(SMALL_PART) > stream.chunks() {
            return Ok(None);
        }
        let within = |(at, (&side, &start)): (u64, (&u64, &u64))| at * side + start;
        let begin = header.shape.iter().zip(&start).fold(0, |at, axis| within((at, axis)));
        let held = begin..begin + count.iter().product::<u64>();
        GpuStream::of_chunks(gpu, stream, first..last + 1, held).map(Some)
    }

    fn of_chunks(
        gpu: &Gpu,
        stream: &Stream<'_>,
        chunks: Range<u64>,
        held: Range<u64>,
    ) -> Result<GpuStream> {
        let decoder = profile::decoder(gpu, stream)?;
        let mut pages = Vec::new();
        let mut bytes = decoder.bytes();
        let part = |records: &mut _, number| decoder.part(stream, records, number);
        for page in page::pages(stream, chunks, gpu.page_limit(), part)? {
            let size = 4 * page.words.len() as u64;
            let buffer = gpu.filled("fsz page", &page.words)?;
            // So that the host's copies do not pile up.
            gpu.checked(|_| gpu.queue.submit([]))?;
            bytes += size;
            pages.push(GpuPage {
                chunk: page.chunk,
                chunks: page.chunks,
                tile: page.tile,
                tiles: page.tiles,
                buffer,
            });
        }
        let regions = GpuRegion::upload_all(gpu, stream)?;
        bytes += regions.iter().map(GpuRegion::bytes).sum::<u64>();
        let (gpu, header) = (gpu.clone(), stream.header().clone());
        Ok(GpuStream { gpu, header, decoder, pages, regions, bytes, held })
    }

    /// The stream's header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Bytes of GPU memory that the compressed field takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Storage buffers that its chunks lie in, without those of regions.
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
        checked_end(runs, &self.held)?;
        self.gpu.fits(runs.elements())?;
        let values = self.gpu.storage("fsz slice", 4 * runs.elements())?;
        let tiles = self.gpu.storage("fsz tiles", 4 * runs.elements())?;
        self.gpu.checked(|device| -> Result<()> {
            let mut encoder = device.create_command_encoder(&Default::default());
            for page in self.pages.iter().filter(|_| runs.elements() > 0) {
                self.decoder.dispatch(&self.gpu, &mut encoder, page, runs, &values, &tiles)?;
            }
            self.gpu.queue.submit([encoder.finish()]);
            Ok(())
        })??;
        let len = runs.elements();
        let slice = GpuSlice { gpu: self.gpu.clone(), len, values, tiles: Some(tiles) };
        for region in self.regions.iter().filter(|_| len > 0) {
            region.put(&self.gpu, &self.header.shape, runs, &slice)?;
        }
        Ok(slice)
    }
}

/// Where the last of some runs ends, which are to lie within some elements and not on each other.
fn checked_end(runs: Runs, held: &Range<u64>) -> Result<u64> {
    let end = runs.span().and_then(|span| span.checked_add(runs.first));
    let overlap = runs.count > 1 && runs.stride < runs.len;
    match end {
        Some(end)
            if runs.elements() == 0 || !overlap && runs.first >= held.start && end <= held.end =>
        {
            Ok(end)
        }
        None if runs.elements() == 0 => Ok(0),
        _ => Err(Error::InvalidArgument(format!(
            "{runs:?} overlap or are not inside elements {held:?}"
        ))),
    }
}

/// Start and count along each axis of the smallest box of elements that follow each other in C order and lie around two of
/// them, the first of which is not behind the second.
fn box_around(shape: &[u64], first: u64, last: u64) -> (Vec<u64>, Vec<u64>) {
    let (mut start, mut count) = (vec![0; shape.len()], shape.to_vec());
    let mut step: u64 = shape.iter().product();
    for (axis, &side) in shape.iter().enumerate() {
        step /= side;
        let (a, b) = (first / step % side, last / step % side);
        (start[axis], count[axis]) = (a, b - a + 1);
        if a != b {
            break;
        }
    }
    (start, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_around_two_elements_follow_each_other() {
        let shape = [3, 4, 5];
        for first in 0..60 {
            for last in first..60 {
                let (start, count) = box_around(&shape, first, last);
                let mut held = Vec::new();
                for z in start[0]..start[0] + count[0] {
                    for y in start[1]..start[1] + count[1] {
                        held.extend((start[2]..start[2] + count[2]).map(|x| (z * 4 + y) * 5 + x));
                    }
                }
                let all: Vec<u64> = (held[0]..=held[held.len() - 1]).collect();
                assert_eq!(held, all, "{first} to {last}");
                assert!(held.contains(&first) && held.contains(&last));
            }
        }
        assert_eq!(box_around(&shape, 23, 37), (vec![1, 0, 0], vec![1, 4, 5]));
        assert_eq!(box_around(&shape, 26, 29), (vec![1, 1, 1], vec![1, 1, 4]));
    }
}
