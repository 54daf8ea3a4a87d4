//! Fields in device memory, streams in host memory: only compressed bytes cross the bus.

use std::time::{Duration, Instant};

use cudarc::driver::result;

use crate::cuda::{
    compression::Compression,
    device_codec::DeviceCodec,
    driver::{
        error::check,
        event::Event,
        workspace::{Queue, Workspace},
    },
    host::lanes::ALONE,
    stream_kind::StreamKind,
};
use crate::{
    error::{Error, Result},
    exec::Execution,
    stream::Stream,
};

/// What [`DeviceCodec::compress_to_host`] made, and how long its parts took.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct HostCompression {
    /// Bytes of the stream.
    pub len: usize,
    /// The kernels, between two events on the device.
    pub kernels: Duration,
    /// From the end of the kernels until the whole stream was in host memory.
    pub copy: Duration,
}

impl DeviceCodec {
    /// Compresses the field at device address `field` to host memory, and waits. The working memory is
    /// kept for later calls.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an address out of alignment, and when `out` is shorter than the
    /// stream; [`Error::Device`].
    ///
    /// # Safety
    /// `field` holds the field, in memory that this device's primary context reaches, and nothing
    /// writes it until this returns.
    pub unsafe fn compress_to_host(
        &self,
        compression: &Compression,
        field: u64,
        out: &mut [u8],
    ) -> Result<HostCompression> {
        let most = compression.max_len();
        self.on_threads(most, |run| {
            self.device.work(|Workspace { queue, stream, scratch, .. }| {
                let at = stream.room(most as usize)?;
                let scratch = scratch.room(compression.scratch_len() as usize)?;
                let handle = queue.handle().cast();
                let timer = Timer::start(queue)?;
                // SAFETY: the caller vouches for the field; the rest was sized above, is this call's alone,
                // and is waited for.
                let len = unsafe {
                    self.compress(compression, field, (at, most), scratch, handle)?;
                    timer.stop()?;
                    self.compressed_len(scratch, most, handle)?
                };
                let room = out.len();
                let out = usize::try_from(len).ok().and_then(|len| out.get_mut(..len));
                let out = out.ok_or_else(|| {
                    Error::invalid(format!("no room for a stream of {len} bytes in {room}"))
                })?;
                let copying = Instant::now();
                // SAFETY: the stream is as long as the device said.
                unsafe { self.device.download(queue, out, at, run, &|_| Ok(()))? };
                let copy = copying.elapsed();
                Ok(HostCompression { len: out.len(), kernels: timer.elapsed()?, copy })
            })
        })
    }

    /// Decompresses a stream in host memory to device address `out`, and waits. The working memory is
    /// kept for later calls.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an address out of alignment; [`Error::Unsupported`] for streams
    /// of research switches; [`Error::Corrupt`]; [`Error::Device`]. `out` may then hold anything.
    ///
    /// # Safety
    /// `out` has room for the field's elements, in memory that this device's primary context reaches,
    /// and nothing else uses it until this returns.
    pub unsafe fn decompress_from_host(&self, stream: &Stream<'_>, out: u64) -> Result<()> {
        let kind = StreamKind::of(stream)?;
        let bytes = stream.as_bytes();
        self.on_threads(bytes.len() as u64, |run| {
            self.device.work(|Workspace { queue, stream, scratch, .. }| {
                let at = stream.room(bytes.len())?;
                let scratch = scratch.room(Self::DECOMPRESS_SCRATCH)?;
                let handle = queue.handle().cast();
                // SAFETY: the room was made above.
                unsafe { self.device.upload(queue, at, bytes, run, &|_| Ok(()))? };
                // SAFETY: the caller vouches for the output; the rest was sized above, is this call's
                // alone, and is waited for.
                unsafe {
                    self.decompress(&kind, (at, bytes.len() as u64), out, scratch, handle)?;
                    self.outcome(scratch, handle)
                }
            })
        })
    }

    /// Runs `work` where this codec's threads can share the copy of so many bytes at most.
    fn on_threads<R: Send>(&self, bytes: u64, work: impl FnOnce(Execution<'_>) -> R + Send) -> R {
        let most = (bytes <= ALONE as u64).then_some(1);
        self.threads.run(most, |threads| work(Execution { threads, ..Execution::alone() }))
    }
}

/// Two events around work on a CUDA stream.
struct Timer<'a> {
    queue: &'a Queue,
    begin: Event,
    end: Event,
}

impl<'a> Timer<'a> {
    /// Starts when the work before is done. The queue's context is current.
    fn start(queue: &'a Queue) -> Result<Self> {
        let timer = Timer { queue, begin: Event::new()?, end: Event::new()? };
        timer.begin.record(queue)?;
        Ok(timer)
    }

    /// Stops when the work so far is done.
    fn stop(&self) -> Result<()> {
        self.end.record(self.queue)
    }

    /// The device's time between the two; waits for the end.
    fn elapsed(&self) -> Result<Duration> {
        self.end.wait()?;
        // SAFETY: both events are alive and were recorded.
        let milliseconds = unsafe {
            check(
                "cuEventElapsedTime",
                result::event::elapsed(self.begin.handle(), self.end.handle()),
            )?
        };
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) * 1e-3))
    }
}
