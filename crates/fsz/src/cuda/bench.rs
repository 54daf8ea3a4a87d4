//! How fast the device does it, against what its memory can do in the same run.

use std::sync::Arc;

use cudarc::driver::{result, sys};

use super::{
    compress::Compression,
    decompress::{clear, launch_box, launch_tiles, verdict},
    device::Device,
    error::check,
    kernels::{Kernel, Launch, pointer},
    memory::Workspace,
    view::{Control, StreamKind, StreamView},
};
use crate::{
    element::Element,
    error::{Error, Result},
    geometry::TILE,
    options::Options,
    region::check_box,
    stream::Stream,
};

const WARM_UP: usize = 3;

/// Times the codec on one CUDA device. Times are those of the kernels alone, in seconds, between two
/// events on the device; everything is in device memory before and after.
#[derive(Clone, Debug)]
pub struct DeviceBench {
    pub(crate) device: Arc<Device>,
}

/// Bytes per second that the memory moves.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Roofline {
    /// Read and written together, copying.
    pub copy: f64,
    /// Reading alone.
    pub read: f64,
}

/// What compressing came to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompressTimes {
    /// Seconds of each encoding.
    pub encode: Vec<f64>,
    /// Seconds of each survey: a value-range bound reads all of the field, an absolute one samples it.
    pub survey: Vec<f64>,
    /// Bytes of the stream.
    pub stream_len: u64,
}

impl DeviceBench {
    /// CUDA device number `device`.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn open(device: usize) -> Result<Self> {
        Ok(DeviceBench { device: Device::open(device)? })
    }

    /// Copies and reads `bytes` bytes `repeats` times; the medians count.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn roofline(&self, bytes: u64, repeats: usize) -> Result<Roofline> {
        let mut words = bytes / 16;
        self.device.work(|Workspace { queue, field, stream, scratch }| {
            let (mut from, mut to) =
                (field.room(16 * words as usize)?, stream.room(16 * words as usize)?);
            let mut never = scratch.room(8)?;
            let module = self.device.kernels.bench()?;
            // SAFETY: the memory was sized above.
            check("cuMemsetD8Async", unsafe {
                result::memset_d8_async(from, 0x5A, 16 * words as usize, queue.handle())
            })?;
            let copy = timed(queue.handle(), repeats, || {
                let mut arguments = [pointer(&mut from), pointer(&mut to), pointer(&mut words)];
                let launch = Launch::new(words.div_ceil(4 * 256), 256);
                // SAFETY: the arguments are those of `fsz_copy`; the memory was sized above.
                unsafe { module.launch(Kernel::Copy, launch, queue.handle(), &mut arguments) }
            })?;
            let read = timed(queue.handle(), repeats, || {
                let mut arguments = [pointer(&mut from), pointer(&mut words), pointer(&mut never)];
                let launch = Launch::new(words.div_ceil(8 * 256), 256);
                // SAFETY: the arguments are those of `fsz_read`; the memory was sized above.
                unsafe { module.launch(Kernel::Read, launch, queue.handle(), &mut arguments) }
            })?;
            let moved = 16.0 * words as f64;
            Ok(Roofline { copy: 2.0 * moved / median(copy), read: moved / median(read) })
        })
    }

    /// Compresses `data` `repeats` times and returns the times of encoding with the bound resolved, and
    /// those of the survey that resolves it.
    ///
    /// # Errors
    /// As [`Codec::compress_into`](crate::Codec::compress_into).
    pub fn compress<T: Element>(
        &self,
        data: &[T],
        shape: &[u64],
        options: &Options,
        repeats: usize,
    ) -> Result<CompressTimes> {
        let compression = Compression::new(shape, T::DTYPE, options)?;
        if compression.kind().elements() != data.len() as u64 {
            return Err(Error::invalid("data and shape differ in length"));
        }
        let device = &self.device;
        let most = compression.max_len();
        device.work(|Workspace { queue, field, stream, scratch }| {
            let (from, to) = (field.room(size_of_val(data))?, stream.room(most as usize)?);
            let control = scratch.room(compression.scratch_len() as usize)?;
            let q = queue.handle();
            queue.upload(from, data)?;
            // SAFETY: the memory was sized above, here and below.
            let survey = timed_after(
                q,
                repeats,
                || unsafe { compression.clear(control, q) },
                || unsafe { compression.survey(device, from, control, q) },
            )?;
            let encode = timed_after(
                q,
                repeats,
                // SAFETY: as above.
                || unsafe {
                    compression.clear(control, q)?;
                    compression.survey(device, from, control, q)
                },
                // SAFETY: as above.
                || unsafe { compression.encode(device, from, (to, most), control, q) },
            )?;
            let mut found = [Control::NONE];
            queue.download(&mut found, control)?;
            let stream_len = super::compress::verdict(&found[0], most)?;
            Ok(CompressTimes { encode, survey, stream_len })
        })
    }

    /// Decompresses a stream `repeats` times and returns each time.
    ///
    /// # Errors
    /// As [`Codec::decompress`](crate::Codec::decompress).
    pub fn decompress(&self, stream: &Stream<'_>, repeats: usize) -> Result<Vec<f64>> {
        let tiles = 0..stream.header().elements().div_ceil(TILE as u64);
        let elements = stream.header().elements();
        self.decode(stream, elements, repeats, |kind, view, out, status, queue| {
            // SAFETY: `decode` gives memory of the device, sized for the output.
            unsafe { launch_tiles(&self.device, kind, view, tiles.clone(), out, status, queue) }
        })
    }

    /// Decompresses the box of `count` elements from `start` on `repeats` times and returns each time.
    ///
    /// # Errors
    /// As [`Codec::decompress_box`](crate::Codec::decompress_box).
    pub fn decompress_box(
        &self,
        stream: &Stream<'_>,
        start: &[u64],
        count: &[u64],
        repeats: usize,
    ) -> Result<Vec<f64>> {
        let elements = check_box(&stream.header().shape, start, count)?;
        self.decode(stream, elements, repeats, |kind, view, out, status, queue| {
            // SAFETY: as in `decompress`.
            unsafe { launch_box(&self.device, kind, view, (start, count), out, status, queue) }
        })
    }

    fn decode(
        &self,
        stream: &Stream<'_>,
        elements: u64,
        repeats: usize,
        launch: impl Fn(&StreamKind, &StreamView, u64, u64, sys::CUstream) -> Result<()>,
    ) -> Result<Vec<f64>> {
        let kind = StreamKind::of(stream)?;
        let bytes = stream.as_bytes();
        let len = elements as usize * kind.dtype.size();
        self.device.work(|Workspace { queue, field, stream, scratch }| {
            let (out, at, status) = (field.room(len)?, stream.room(bytes.len())?, scratch.room(8)?);
            queue.upload(at, bytes)?;
            let view = kind.view(at, bytes.len() as u64)?;
            // SAFETY: `status` was made above.
            unsafe { clear(status, queue.handle())? };
            let times = timed(queue.handle(), repeats, || {
                launch(&kind, &view, out, status, queue.handle())
            })?;
            let mut found = [0];
            queue.download(&mut found, status)?;
            verdict(found[0])?;
            Ok(times)
        })
    }
}

/// The middle one of some times.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn timed(
    queue: sys::CUstream,
    repeats: usize,
    work: impl FnMut() -> Result<()>,
) -> Result<Vec<f64>> {
    timed_after(queue, repeats, || Ok(()), work)
}

/// Seconds between the events around each of `repeats` calls of `work`, after a few that warm up.
/// `prepare` goes before each and is not timed.
pub(crate) fn timed_after(
    queue: sys::CUstream,
    repeats: usize,
    mut prepare: impl FnMut() -> Result<()>,
    mut work: impl FnMut() -> Result<()>,
) -> Result<Vec<f64>> {
    let (begin, end) = (Event::new()?, Event::new()?);
    let mut times = Vec::with_capacity(repeats);
    for round in 0..WARM_UP + repeats {
        prepare()?;
        begin.record(queue)?;
        work()?;
        end.record(queue)?;
        // SAFETY: both events were created above and recorded on one stream.
        let milliseconds = unsafe {
            check("cuEventSynchronize", result::event::synchronize(end.0))?;
            check("cuEventElapsedTime", result::event::elapsed(begin.0, end.0))?
        };
        if round >= WARM_UP {
            times.push(milliseconds as f64 * 1e-3);
        }
    }
    Ok(times)
}

struct Event(sys::CUevent);

impl Event {
    fn new() -> Result<Self> {
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
        check("cuEventCreate", event).map(Event)
    }

    fn record(&self, queue: sys::CUstream) -> Result<()> {
        // SAFETY: the event lives as long as `self`; the stream is the workspace's.
        check("cuEventRecord", unsafe { result::event::record(self.0, queue) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created in `new`, destroyed once.
        let _ = unsafe { result::event::destroy(self.0) };
    }
}
