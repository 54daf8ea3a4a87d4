//! Streams that stay in device memory, for hosts that decode parts of them again and again.

use std::{ops::Range, sync::Arc};

use cudarc::driver::sys;

use super::{
    abi::StreamView,
    decompress::{
        Boxed, VECTOR, clear_behind, launch_box, launch_field, launch_tiles, launched_to_host,
    },
    device::Device,
    device_codec::DeviceCodec,
    lanes::ALONE,
    stream_kind::StreamKind,
    workspace::Buffer,
};
use crate::{
    codec::{check_output, check_tiles},
    element::Element,
    error::Result,
    exec::Execution,
    format::{TileGrid, header::Header},
    partial::check_box,
    region::{self, Regional, StoredRegion},
    simd::Level,
    stream::Stream,
    threads::Threads,
};

/// A stream in the memory of a CUDA device. It is copied there once; then any part of it is decoded by kernels and a copy
/// of the values, where [`Codec`](crate::Codec) copies the compressed part for every call. Its memory is freed when it is
/// dropped. Usable from many threads at once.
///
/// ```no_run
/// # fn main() -> fsz::Result<()> {
/// let bytes = std::fs::read("U.fsz")?;
/// let stream = fsz::cuda::DeviceStream::upload(0, &fsz::Stream::open(&bytes)?)?;
/// let (start, count) = fsz::slice_box(&stream.header().shape, 0, 17)?;
/// let mut plane = vec![0f32; count.iter().product::<u64>() as usize];
/// stream.decompress_box_into(&start, &count, &mut plane)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct DeviceStream {
    device: Arc<Device>,
    header: Header,
    grid: TileGrid,
    /// Those of the stream without its regions.
    kind: StreamKind,
    view: StreamView,
    /// What lies over that, and the streams of these.
    regions: Vec<StoredRegion>,
    over: Vec<DeviceStream>,
    /// What `view` is of; freed with this.
    _memory: Buffer,
}

impl DeviceStream {
    /// Copies a stream to CUDA device number `device`, and waits. Chunks are verified when they are decoded.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) for streams that devices do not decode: of research switches;
    /// [`Error::Device`](crate::Error::Device), above all for full memory.
    pub fn upload(device: usize, stream: &Stream<'_>) -> Result<Self> {
        let of_region = |number| DeviceStream::upload(device, &stream.region_stream(number)?);
        let over = (0..stream.regions().len()).map(of_region).collect::<Result<_>>()?;
        let kind = StreamKind::of_field(stream)?;
        let device = Device::open(device)?;
        let index = &stream.as_bytes()[..kind.sections.payload as usize];
        let (payload, len) = (stream.payload(), index.len() + stream.payload().len());
        let mut memory = Buffer::new(&device.context);
        let at = device.work(|workspace| {
            let queue = &workspace.queue;
            let at = memory.exactly(len + VECTOR)?;
            // SAFETY: the room was made above; `work` waits.
            unsafe {
                clear_behind(at + len as u64, queue.handle())?;
                device.upload(queue, at, index, on_threads(index.len()), &|_| Ok(()))?;
                let to = at + index.len() as u64;
                device.upload(queue, to, payload, on_threads(payload.len()), &|_| Ok(()))?;
            }
            Ok(at)
        })?;
        let view = kind.view(at, len as u64)?;
        let (header, grid) = (stream.header().clone(), stream.grid().clone());
        let regions = stream.regions().to_vec();
        Ok(DeviceStream { device, header, grid, kind, view, regions, over, _memory: memory })
    }

    /// The stream's header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What [`DeviceCodec`] must know of it to decode it to device memory.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) for a stream with bounds by region.
    pub fn kind(&self) -> Result<&StreamKind> {
        match self.regions[..] {
            [] => Ok(&self.kind),
            _ => Err(region::not_in_device_memory()),
        }
    }

    /// The device address and length in bytes of it without its regions, as the calls of [`DeviceCodec`] take them. Valid until it is dropped.
    pub fn place(&self) -> (u64, u64) {
        (self.view.bytes, self.view.capacity)
    }

    /// The codec of its device.
    pub fn codec(&self) -> DeviceCodec {
        DeviceCodec::new(Arc::clone(&self.device), Threads::Calling)
    }

    /// Decompresses the whole field in C order into `out`, which has exactly its elements.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) when `T` is not the stream's element type or `out`
    /// has another length;
    /// [`Error::Corrupt`](crate::Error::Corrupt); [`Error::Device`](crate::Error::Device).
    pub fn decompress_into<T: Element>(&self, out: &mut [T]) -> Result<()> {
        check_output(&self.header, out, self.header.elements())?;
        self.to_host(out, |to, status, queue| {
            // SAFETY: `to_host` gives memory of the device, sized for the output.
            unsafe { launch_field(&self.device, &self.kind, &self.view, to, status, queue) }
        })?;
        let shape = &self.header.shape;
        region::put_box(self, (&vec![0; shape.len()], shape), out)
    }

    /// Decompresses the tiles `tiles` into `out`, tile by tile; `out` has exactly their elements.
    ///
    /// # Errors
    /// As [`decompress_into`](Self::decompress_into), and
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for tiles that the field does not have.
    pub fn decompress_tiles_into<T: Element>(
        &self,
        tiles: Range<u64>,
        out: &mut [T],
    ) -> Result<()> {
        check_tiles(&self.grid, &tiles)?;
        check_output(&self.header, out, self.grid.len_of(tiles.clone()))?;
        self.to_host(out, |to, status, queue| {
            // SAFETY: as in `decompress_into`.
            unsafe {
                launch_tiles(&self.device, &self.kind, &self.view, tiles.clone(), to, status, queue)
            }
        })?;
        region::put_tiles(self, &self.grid, tiles, out)
    }

    /// Decompresses the box of `count` elements from `start` on in C order into `out`.
    ///
    /// # Errors
    /// As [`decompress_into`](Self::decompress_into), and
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a box that is not inside the field.
    pub fn decompress_box_into<T: Element>(
        &self,
        start: &[u64],
        count: &[u64],
        out: &mut [T],
    ) -> Result<()> {
        let boxed: Boxed<'_> = (start, count);
        check_output(&self.header, out, check_box(&self.header.shape, start, count)?)?;
        self.to_host(out, |to, status, queue| {
            // SAFETY: as in `decompress_into`.
            unsafe { launch_box(&self.device, &self.kind, &self.view, boxed, to, status, queue) }
        })?;
        region::put_box(self, boxed, out)
    }

    fn to_host<T: Element>(
        &self,
        out: &mut [T],
        launch: impl FnOnce(u64, u64, sys::CUstream) -> Result<()>,
    ) -> Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        let run = on_threads(size_of_val(out));
        let device = &*self.device;
        device.work(|workspace| launched_to_host(device, &self.kind, workspace, out, run, launch))
    }
}

impl Regional for DeviceStream {
    fn shape(&self) -> &[u64] {
        &self.header.shape
    }

    fn regions(&self) -> &[StoredRegion] {
        &self.regions
    }

    fn decode<T: Element>(&self, region: usize, part: Boxed<'_>, out: &mut [T]) -> Result<()> {
        self.over[region].decompress_box_into(part.0, part.1, out)
    }
}

/// How so many bytes are copied.
fn on_threads(bytes: usize) -> Execution<'static> {
    let threads = if bytes <= ALONE { 1 } else { rayon::current_num_threads() };
    Execution { level: Level::detect(), threads, progress: None }
}
