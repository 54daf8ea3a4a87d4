//! The codec's kernels.

use cudarc::driver::result;
use fsz::cuda::internal::{self, Part, check};
use fsz::cuda::{Compression, DeviceCodec, DeviceMemory, StreamKind};
use fsz::{CompressOptions, Element, Error, Result, Stream};

use crate::clock::{QUEUE, timed, timed_after};
use crate::kernels::Kernels;

/// Times the codec on one CUDA device. Times are those of the kernels alone, in seconds, between two
/// events on the device; everything is in device memory before and after.
#[derive(Debug)]
pub struct DeviceBench {
    pub(crate) device: usize,
    pub(crate) codec: DeviceCodec,
    pub(crate) kernels: Kernels,
}

/// What compressing took.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompressTimes {
    /// Seconds of each encoding.
    pub encode: Vec<f64>,
    /// Seconds of each survey, which clears the scratch: a value-range bound reads the whole field, an absolute one samples
    /// it.
    pub survey: Vec<f64>,
    /// Seconds of each whole call: clearing, survey and encoding.
    pub call: Vec<f64>,
    /// Bytes of the stream.
    pub stream_len: u64,
}

/// What decompressing took.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DecompressTimes {
    /// Seconds of each decoding.
    pub decode: Vec<f64>,
    /// Seconds of each whole call: clearing and decoding.
    pub call: Vec<f64>,
}

impl DeviceBench {
    /// CUDA device number `device`.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn open(device: usize) -> Result<Self> {
        let codec = DeviceCodec::open(device)?;
        let kernels = Kernels::load(&codec)?;
        Ok(DeviceBench { device, codec, kernels })
    }

    /// Compresses `data` `repeats` times and returns the times of encoding with the bound resolved, those
    /// of the survey that resolves it, and those of whole calls.
    ///
    /// # Errors
    /// As [`Codec::compress_into`](fsz::Codec::compress_into).
    pub fn compress<T: Element>(
        &self,
        data: &[T],
        shape: &[u64],
        options: &CompressOptions,
        repeats: usize,
    ) -> Result<CompressTimes> {
        let compression = Compression::new(shape, T::DTYPE, options)?;
        if compression.kind().elements() != data.len() as u64 {
            return Err(Error::InvalidArgument("data and shape differ in length".into()));
        }
        let codec = &self.codec;
        let most = compression.max_len();
        let _current = internal::enter(codec)?;
        let field = self.upload(data)?;
        let stream = self.memory(most)?;
        let scratch = self.memory(compression.scratch_len())?;
        let (from, to, scratch) = (field.address(), (stream.address(), most), scratch.address());
        // SAFETY: the memory was sized above, here and below.
        let call = || unsafe { codec.compress(&compression, from, to, scratch, QUEUE.cast()) };
        // SAFETY: as above.
        let begin = || unsafe { internal::begin(codec, &compression, from, scratch, QUEUE.cast()) };
        // SAFETY: as above.
        let encode =
            || unsafe { internal::encode(codec, &compression, from, to, scratch, QUEUE.cast()) };
        Ok(CompressTimes {
            call: timed(repeats, call)?,
            survey: timed(repeats, begin)?,
            encode: timed_after(repeats, begin, encode)?,
            // SAFETY: the scratch is that of the last encoding.
            stream_len: unsafe { codec.compressed_len(scratch, most, QUEUE.cast())? },
        })
    }

    /// Decompresses a stream `repeats` times and returns each time.
    ///
    /// # Errors
    /// As [`Codec::decompress`](fsz::Codec::decompress).
    pub fn decompress(&self, stream: &Stream<'_>, repeats: usize) -> Result<DecompressTimes> {
        let elements = stream.header().elements();
        self.decode(stream, Part::All, elements, repeats)
    }

    /// Decompresses the box of `count` elements from `start` on `repeats` times and returns each time.
    ///
    /// # Errors
    /// As [`Codec::decompress_box`](fsz::Codec::decompress_box).
    pub fn decompress_box(
        &self,
        stream: &Stream<'_>,
        start: &[u64],
        count: &[u64],
        repeats: usize,
    ) -> Result<DecompressTimes> {
        let elements = count.iter().fold(1, |n: u64, side| n.saturating_mul(*side));
        self.decode(stream, Part::Box { start, count }, elements, repeats)
    }

    fn decode(
        &self,
        stream: &Stream<'_>,
        part: Part<'_>,
        elements: u64,
        repeats: usize,
    ) -> Result<DecompressTimes> {
        let kind = StreamKind::of(stream)?;
        let size = stream.header().dtype.size() as u64;
        let _current = internal::enter(&self.codec)?;
        let bytes = self.upload(stream.as_bytes())?;
        let out = self.memory(elements.saturating_mul(size))?;
        let scratch = DeviceMemory::new(self.device, DeviceCodec::DECOMPRESS_SCRATCH, 0xFF)?;
        let (at, out, scratch) = (bytes.address(), out.address(), scratch.address());
        let from = (at, stream.as_bytes().len() as u64);
        let decode = || {
            // SAFETY: the memory was sized above.
            unsafe { internal::decode(&self.codec, &kind, from, part, out, scratch, QUEUE.cast()) }
        };
        let call = || {
            let codec = &self.codec;
            // SAFETY: as above.
            unsafe {
                match part {
                    Part::All => codec.decompress(&kind, from, out, scratch, QUEUE.cast()),
                    Part::Box { start, count } => {
                        codec.decompress_box(&kind, from, start, count, out, scratch, QUEUE.cast())
                    }
                }
            }
        };
        let times =
            DecompressTimes { decode: timed(repeats, decode)?, call: timed(repeats, call)? };
        // SAFETY: the scratch is that of the calls above.
        unsafe { self.codec.outcome(scratch, QUEUE.cast())? };
        Ok(times)
    }

    /// Device memory of `len` bytes, and never of none.
    pub(crate) fn memory(&self, len: u64) -> Result<DeviceMemory> {
        DeviceMemory::new(self.device, usize::try_from(len).unwrap_or(usize::MAX).max(16), 0)
    }

    /// Device memory that holds `data`. The device's context is current.
    pub(crate) fn upload<T: Copy>(&self, data: &[T]) -> Result<DeviceMemory> {
        let memory = self.memory(size_of_val(data) as u64)?;
        // SAFETY: the memory was made for this above.
        let copied = unsafe { result::memcpy_htod_sync(memory.address(), data) };
        check("cuMemcpyHtoD", copied).map(|()| memory)
    }
}
