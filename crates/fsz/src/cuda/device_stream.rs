//! Streams that stay in device memory, for hosts that decode parts of them again and again.

use std::{ops::Range, sync::Arc};

use crate::cuda::{
    decompress::{
        Decompression, MOST_LENT, VECTOR, clear_behind, launched_for_host, launched_to_host,
    },
    device::Device,
    device_codec::DeviceCodec,
    driver::workspace::Buffer,
    host::lanes::ALONE,
    kernels::abi::StreamView,
    stream_kind::StreamKind,
};
use crate::{
    codec::{check_output, check_type},
    element::Element,
    error::{Error, Result},
    exec::Execution,
    format::{TileGrid, header::Header},
    partial::check_box,
    room,
    selection::Selection,
    simd::Level,
    stream::Stream,
    threads::{self, Threads},
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
    kind: StreamKind,
    view: StreamView,
    /// What `view` is of; freed with this.
    _memory: Buffer,
}

impl DeviceStream {
    /// Copies a stream to CUDA device number `device`, and waits. Chunks are verified when they are decoded.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for streams that devices do not decode: of research switches;
    /// [`Error::Device`], above all for full memory.
    pub fn upload(device: usize, stream: &Stream<'_>) -> Result<Self> {
        let kind = StreamKind::of(stream)?;
        let device = Device::open(device)?;
        let bytes = stream.as_bytes();
        let mut memory = Buffer::new(&device.context);
        let at = device.work(|workspace| {
            let (queue, len) = (&workspace.queue, bytes.len());
            let at = memory.exactly(len + VECTOR)?;
            // SAFETY: the room was made above; `work` waits.
            unsafe {
                clear_behind(at + len as u64, queue.handle())?;
                device.upload(queue, at, bytes, on_threads(len), &|_| Ok(()))?;
            }
            Ok(at)
        })?;
        let view = kind.view(at, bytes.len() as u64)?;
        let (header, grid) = (stream.header().clone(), stream.grid().clone());
        Ok(DeviceStream { device, header, grid, kind, view, _memory: memory })
    }

    /// The stream's header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What [`DeviceCodec`] must know of it to decode it to device memory.
    pub fn kind(&self) -> &StreamKind {
        &self.kind
    }

    /// Its device address and length in bytes, as the calls of [`DeviceCodec`] take them. Valid until it is dropped.
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
    /// [`Error::InvalidArgument`] when `T` is not the stream's element type or `out`
    /// has another length;
    /// [`Error::Corrupt`]; [`Error::Device`].
    pub fn decompress_into<T: Element>(&self, out: &mut [T]) -> Result<()> {
        self.to_host(out, &Selection::Field)
    }

    /// Decompresses the tiles `tiles` into `out`, tile by tile; `out` has exactly their elements.
    ///
    /// # Errors
    /// As [`decompress_into`](Self::decompress_into), and
    /// [`Error::InvalidArgument`] for tiles that the field does not have.
    pub fn decompress_tiles_into<T: Element>(
        &self,
        tiles: Range<u64>,
        out: &mut [T],
    ) -> Result<()> {
        self.to_host(out, &Selection::Tiles(tiles))
    }

    /// Decompresses the box of `count` elements from `start` on in C order into `out`.
    ///
    /// # Errors
    /// As [`decompress_into`](Self::decompress_into), and
    /// [`Error::InvalidArgument`] for a box that is not inside the field.
    pub fn decompress_box_into<T: Element>(
        &self,
        start: &[u64],
        count: &[u64],
        out: &mut [T],
    ) -> Result<()> {
        self.to_host(out, &Selection::Box((start, count)))
    }

    /// Decompresses the box of `count` elements from `start` on in C order and lends it to `read`. Of a box of up to 32 MiB
    /// it is pinned memory that the device wrote, kept for the next call: nothing is allocated, and the host copies nothing.
    /// So it is the soonest way to a plane that `read` sends on or converts.
    ///
    /// # Errors
    /// As [`decompress_box_into`](Self::decompress_box_into).
    pub fn decompress_box_with<T: Element, R>(
        &self,
        start: &[u64],
        count: &[u64],
        read: impl FnOnce(&[T]) -> R,
    ) -> Result<R> {
        check_type::<T>(&self.header)?;
        let elements = check_box(&self.header.shape, start, count)?;
        let too_large = || Error::invalid("the box does not fit into memory");
        let len = usize::try_from(elements).map_err(|_| too_large())?;
        if len == 0 {
            return Ok(read(&[]));
        }
        if len > MOST_LENT / size_of::<T>() {
            let mut out = room::elements(elements, "a box")?;
            self.decompress_box_into(start, count, &mut out)?;
            return Ok(read(&out));
        }
        let (device, kind, view) = (&*self.device, &self.kind, &self.view);
        let selection = Selection::Box((start, count));
        device.work(|workspace| {
            let launch = |out, status, queue| {
                let decompression = Decompression { device, kind, view, out, status, queue };
                // SAFETY: it gives memory of the device, sized for the output.
                unsafe { decompression.with_regions(&selection) }
            };
            launched_for_host(kind, workspace, len, launch, read)
        })
    }

    fn to_host<T: Element>(&self, out: &mut [T], selection: &Selection<'_>) -> Result<()> {
        let elements = selection.elements(&self.header.shape, &self.grid)?;
        check_output(&self.header, out, elements)?;
        if out.is_empty() {
            return Ok(());
        }
        let run = on_threads(size_of_val(out));
        let (device, kind, view) = (&*self.device, &self.kind, &self.view);
        device.work(|workspace| {
            launched_to_host(device, kind, workspace, out, run, |out, status, queue| {
                let decompression = Decompression { device, kind, view, out, status, queue };
                // SAFETY: it gives memory of the device, sized for the output.
                unsafe { decompression.with_regions(selection) }
            })
        })
    }
}

/// How so many bytes are copied.
fn on_threads(bytes: usize) -> Execution<'static> {
    let threads = if bytes <= ALONE { 1 } else { threads::current() };
    Execution { level: Level::detect(), threads, progress: None }
}
