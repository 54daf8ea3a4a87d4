//! The codec as a user sees it: fields to streams and back.

#[cfg(feature = "cuda")]
use std::sync::Arc;
use std::{fmt, ops::Range};

use crate::{
    bound::Limit,
    compress::compress,
    element::Element,
    error::{Error, Result},
    exec::Execution,
    format::{
        geometry::{CHUNK, element_count},
        header::Header,
    },
    options::{CompressOptions, DecompressOptions},
    partial,
    progress::Progress,
    region,
    selection::Selection,
    simd::Level,
    stream::Stream,
    target,
    threads::{self, Threads},
    value_range,
};
#[cfg(feature = "cuda")]
use crate::{
    choice::{self, Class, Job, Work},
    cuda,
};

/// Where a codec runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// The processor.
    Cpu,
    /// An NVIDIA device.
    Cuda,
}

impl Backend {
    /// `"cpu"` or `"cuda"`.
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::Cuda => "cuda",
        }
    }
}

/// Who does a codec's calls.
#[derive(Clone, Debug)]
enum Place {
    Cpu,
    #[cfg(feature = "cuda")]
    Cuda(Arc<cuda::Device>),
    /// Each call finds out. What a device cannot do, or fails at, the CPU does.
    #[cfg(feature = "cuda")]
    Automatic {
        /// Whether calls may begin CUDA, which takes time.
        begins: bool,
    },
}

/// Compresses fields and decompresses streams. Cheap to clone, and usable from many threads at once.
///
/// ```
/// # #[cfg(feature = "ndarray")] fn main() -> fsz::Result<()> {
/// let field = ndarray::Array3::from_shape_fn((8, 20, 30), |(z, y, x)| (z * y) as f32 + x as f32 * 0.1);
/// let codec = fsz::Codec::auto();
/// let stream = codec.compress(field.view(), fsz::Bound::ValueRange(1e-3))?;
/// let slice = codec.decompress_slice::<f32>(&stream, ndarray::Axis(0), 5)?;
/// let bound = stream.header().absolute_bound as f32;
/// assert!((slice[[3, 4]] - field[[5, 3, 4]]).abs() <= bound);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "ndarray"))] fn main() {}
/// ```
#[derive(Clone, Debug)]
pub struct Codec {
    threads: Threads,
    level: Level,
    place: Place,
}

impl Codec {
    /// The CPU, or the first CUDA device for calls that are faster there: large ones, by what calls cost on this
    /// machine ([`Calibration`](crate::Calibration)). What the device does not serve, or fails at, the CPU does.
    /// CUDA is not started before calls gain by it; [`devices`](crate::devices) says why a device cannot be used.
    pub fn auto() -> Self {
        #[cfg(feature = "cuda")]
        return Codec { place: Place::Automatic { begins: true }, ..Self::cpu() };
        #[cfg(not(feature = "cuda"))]
        Self::cpu()
    }

    /// CUDA device number `device`. Gives the same bytes as the CPU.
    ///
    /// # Errors
    /// [`Error::Device`] when there is no such device, driver or image for it; [`Error::Unsupported`]
    /// when this build has no CUDA codec.
    #[cfg(feature = "cuda")]
    pub fn cuda(device: usize) -> Result<Self> {
        Ok(Codec { place: Place::Cuda(cuda::Device::open(device)?), ..Self::cpu() })
    }

    /// CUDA device number `device`, which this build cannot use.
    ///
    /// # Errors
    /// [`Error::Unsupported`].
    #[cfg(not(feature = "cuda"))]
    pub fn cuda(_device: usize) -> Result<Self> {
        Err(Error::unsupported("this build has no CUDA codec: build fsz with its feature `cuda`"))
    }

    /// The CPU, with all threads of the current rayon pool and the best instructions it has.
    pub fn cpu() -> Self {
        Self::on_cpu(Level::detect())
    }

    /// The CPU without instructions that not every processor has. Gives the same bytes, slower; for tests.
    pub fn cpu_portable() -> Self {
        Self::on_cpu(Level::Portable)
    }

    fn on_cpu(level: Level) -> Self {
        Codec { threads: Threads::Current, level, place: Place::Cpu }
    }

    /// The same codec on `n` threads of its own, or on [`most_threads`](Self::most_threads) where `n` is larger; with
    /// 1, the calling thread works alone. Where the system starts fewer threads, as under `ulimit -u`, it has about as many as
    /// that, or the calling thread; so it is in a process that was forked since, where a new codec has threads again.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for 0.
    pub fn threads(mut self, n: usize) -> Result<Self> {
        self.threads = Threads::new(n)?;
        Ok(self)
    }

    /// The most threads that a codec starts: 4 for each core that the process may use. More bring nothing.
    pub fn most_threads() -> usize {
        threads::most()
    }

    /// The same codec for calls that something slower goes on beside, such as the writing of a file: they are done in
    /// time wherever they run. An automatic one does not begin CUDA for them; a device that this process has begun with
    /// goes on.
    #[must_use]
    pub fn unhurried(self) -> Self {
        #[cfg(feature = "cuda")]
        if let Place::Automatic { .. } = self.place {
            return Codec { place: Place::Automatic { begins: false }, ..self };
        }
        self
    }

    /// CUDA device number `device`, for fields and streams in its memory. What crosses between that and host memory
    /// is copied by this codec's threads.
    ///
    /// # Errors
    /// [`Error::Device`] when there is no such device, driver or image for it.
    #[cfg(feature = "cuda")]
    pub fn device(&self, device: usize) -> Result<cuda::DeviceCodec> {
        Ok(cuda::DeviceCodec::new(cuda::Device::open(device)?, self.threads.clone()))
    }

    /// Where this codec runs. Of one that chooses for each call: CUDA where a device can be used, which is found
    /// out by starting it.
    pub fn backend(&self) -> Backend {
        match &self.place {
            Place::Cpu => Backend::Cpu,
            #[cfg(feature = "cuda")]
            Place::Cuda(_) => Backend::Cuda,
            #[cfg(feature = "cuda")]
            Place::Automatic { .. } => {
                cuda::Device::open(0).map_or(Backend::Cpu, |_| Backend::Cuda)
            }
        }
    }

    /// Where decompressing the whole stream would run if that were this process's only call. Starts nothing: a
    /// device that turns out to be unusable is replaced by the CPU.
    #[cfg_attr(
        not(feature = "cuda"),
        expect(unused_variables, reason = "only devices depend on it")
    )]
    pub fn backend_for(&self, stream: &Stream<'_>) -> Backend {
        match &self.place {
            Place::Cpu => Backend::Cpu,
            #[cfg(feature = "cuda")]
            Place::Cuda(_) => Backend::Cuda,
            #[cfg(feature = "cuda")]
            Place::Automatic { .. } => {
                let job = self.job(Work::Decompress, stream, stream.raw_bytes(), None);
                match cuda::serves(stream) && choice::is_for_device(&job) {
                    true => Backend::Cuda,
                    false => Backend::Cpu,
                }
            }
        }
    }

    /// The instructions that the CPU codec uses: `"AVX2"` or `"portable"`.
    pub fn instructions(&self) -> &'static str {
        self.level.name()
    }

    /// What the device makes of `work`, or `None` when the CPU is to do `job`. `served` is whether devices
    /// know this kind of stream at all.
    #[cfg(feature = "cuda")]
    fn on_device<R: Send>(
        &self,
        served: bool,
        job: impl FnOnce() -> Job,
        (threads, progress): (Option<usize>, Option<&Progress>),
        work: impl FnOnce(&cuda::Device, Execution<'_>) -> Result<R> + Send,
    ) -> Option<Result<R>> {
        match &self.place {
            Place::Cpu => None,
            Place::Cuda(device) => Some(self.run(threads, progress, |run| work(device, run))),
            Place::Automatic { .. } if !served => None,
            Place::Automatic { begins } => {
                let device = choice::device(&job(), *begins, self.level)?;
                let answer = self.run(threads, progress, |run| work(&device, run));
                (!matches!(answer, Err(Error::Device(_) | Error::Unsupported(_)))).then_some(answer)
            }
        }
    }

    /// A call on a stream, of so many uncompressed bytes.
    #[cfg(feature = "cuda")]
    fn job(&self, work: Work, stream: &Stream<'_>, bytes: u64, threads: Option<usize>) -> Job {
        let header = stream.header();
        let class = Class::new(work, &header.profile, header.dtype);
        Job { class, bytes, threads: self.thread_count(threads) }
    }

    /// Threads that a call works on, of which the caller allows so many.
    #[cfg(feature = "cuda")]
    fn thread_count(&self, most: Option<usize>) -> usize {
        self.threads.count().min(most.unwrap_or(usize::MAX))
    }

    pub(crate) fn run<R: Send>(
        &self,
        threads: Option<usize>,
        progress: Option<&Progress>,
        work: impl FnOnce(Execution<'_>) -> R + Send,
    ) -> R {
        let level = self.level;
        self.threads.run(threads, |threads| work(Execution { level, threads, progress }))
    }

    /// Compresses `data`, a field of `shape` (slowest axis first) in C order, into `out` and returns the
    /// stream's length in bytes. A buffer of [`CompressOptions::max_compressed_len`] bytes always suffices.
    /// For a [target](crate::Bound::is_target) the field is compressed, and for a PSNR decompressed, some times before, as a
    /// rule 3 to 5 and at most about 15, into memory of the call's own; the progress then counts each time anew.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for options out of range, more than 8 dimensions, or when `data` and `shape` differ in length
    /// or `out` is too small; [`Error::Io`] where a target or regions need memory that is not there; [`Error::Cancelled`];
    /// [`Error::Device`] of a codec for one device.
    pub fn compress_into<T: Element>(
        &self,
        data: &[T],
        shape: &[u64],
        options: &CompressOptions,
        out: &mut [u8],
    ) -> Result<usize> {
        T::compress_into(self, data, shape, options, out)
    }

    /// [`Codec::compress_into`], which is compiled for both types in [`Calls`](crate::calls::Calls).
    pub(crate) fn compress_into_of<T: Element>(
        &self,
        data: &[T],
        shape: &[u64],
        options: &CompressOptions,
        out: &mut [u8],
    ) -> Result<usize> {
        check_field(data, shape, options)?;
        if options.bound.is_target() && options.found.is_none() {
            let options = target::resolve(self, data, shape, options)?;
            return self.compress_into(data, shape, &options, out);
        }
        if !options.regions.is_empty() {
            return region::compress(self, data, shape, options, out);
        }
        #[cfg(feature = "cuda")]
        if !data.is_empty() {
            let bytes = size_of_val(data) as u64;
            let job = || Job {
                class: Class::new(Work::Compress, &options.profile, T::DTYPE),
                bytes,
                threads: self.thread_count(options.threads),
            };
            let how = (options.threads, options.progress.as_deref());
            let answer = self.on_device(cuda::writes(options), job, how, |device, run| {
                if let Some(progress) = run.progress {
                    progress.begin(bytes);
                }
                run.check()?;
                cuda::from_host(device, data, shape, options, out, run)
            });
            if let Some(answer) = answer {
                return answer;
            }
        }
        let threads = threads_for(data.len() as u64, options.threads);
        self.run(threads, options.progress.as_deref(), |run| {
            compress(data, shape, options, out, run)
        })
    }

    /// The absolute bound that a compression with these options keeps: what a target resolves to for this
    /// field, so that many fields, or all ranks of a program, can have one bound.
    ///
    /// # Errors
    /// As [`Codec::compress_into`], and [`Error::InvalidArgument`] where no bound reaches the target.
    pub fn find_bound<T: Element>(
        &self,
        data: &[T],
        shape: &[u64],
        options: &CompressOptions,
    ) -> Result<f64> {
        T::find_bound(self, data, shape, options)
    }

    /// [`Codec::find_bound`], which is compiled for both types in [`Calls`](crate::calls::Calls).
    pub(crate) fn find_bound_of<T: Element>(
        &self,
        data: &[T],
        shape: &[u64],
        options: &CompressOptions,
    ) -> Result<f64> {
        check_field(data, shape, options)?;
        let options = match options.bound.is_target() {
            true => &target::resolve(self, data, shape, options)?,
            false => options,
        };
        let limit = options.limit()?;
        let missing = options.missing_values::<T>();
        let of_range = matches!(limit, Limit::ValueRange(_) | Limit::Relative { .. });
        let range = of_range.then(|| {
            let progress = options.progress.as_deref();
            self.run(options.threads, progress, |run| value_range::range(data, &missing, run))
        });
        Ok(limit.absolute(range.transpose()?.as_ref()))
    }

    /// Decompresses a whole field in C order into `out`, which has exactly its elements.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when `T` is not the stream's element type, or `out` has another length; [`Error::Corrupt`];
    /// [`Error::Device`] of a codec for one device.
    pub fn decompress_into<T: Element>(&self, stream: &Stream<'_>, out: &mut [T]) -> Result<()> {
        self.decompress_with(stream, out, &DecompressOptions::new())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`Codec::decompress_into`], and [`Error::Cancelled`].
    pub fn decompress_with<T: Element>(
        &self,
        stream: &Stream<'_>,
        out: &mut [T],
        options: &DecompressOptions,
    ) -> Result<()> {
        T::decode(self, stream, &Selection::Field, out, options)
    }

    /// Decompresses the tiles `tiles` into `out`, tile by tile (where the profile's tiles are not boxes:
    /// consecutive elements); `out` has exactly their elements. Other tiles of the chunks that hold them are read and checked, not decoded.
    ///
    /// # Errors
    /// As [`Codec::decompress_into`], and [`Error::InvalidArgument`] for tiles that the field does not have.
    pub fn decompress_tiles_into<T: Element>(
        &self,
        stream: &Stream<'_>,
        tiles: Range<u64>,
        out: &mut [T],
    ) -> Result<()> {
        self.decompress_tiles_with(stream, tiles, out, &DecompressOptions::new())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`Codec::decompress_tiles_into`], and [`Error::Cancelled`].
    pub fn decompress_tiles_with<T: Element>(
        &self,
        stream: &Stream<'_>,
        tiles: Range<u64>,
        out: &mut [T],
        options: &DecompressOptions,
    ) -> Result<()> {
        T::decode(self, stream, &Selection::Tiles(tiles), out, options)
    }

    /// Decompresses the box of `count` elements from `start` on in C order into `out`.
    ///
    /// # Errors
    /// As [`Codec::decompress_into`], and [`Error::InvalidArgument`] for a box that is not inside the field.
    pub fn decompress_box_into<T: Element>(
        &self,
        stream: &Stream<'_>,
        start: &[u64],
        count: &[u64],
        out: &mut [T],
    ) -> Result<()> {
        self.decompress_box_with(stream, start, count, out, &DecompressOptions::new())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`Codec::decompress_box_into`], and [`Error::Cancelled`].
    pub fn decompress_box_with<T: Element>(
        &self,
        stream: &Stream<'_>,
        start: &[u64],
        count: &[u64],
        out: &mut [T],
        options: &DecompressOptions,
    ) -> Result<()> {
        T::decode(self, stream, &Selection::Box((start, count)), out, options)
    }

    /// Decompresses a part of a field, whichever it is; compiled for both types in [`Calls`](crate::calls::Calls).
    pub(crate) fn decode_of<T: Element>(
        &self,
        stream: &Stream<'_>,
        selection: &Selection<'_>,
        out: &mut [T],
        options: &DecompressOptions,
    ) -> Result<()> {
        let (header, grid) = (stream.header(), stream.grid());
        let elements = selection.elements(&header.shape, grid)?;
        check_output(header, out, elements)?;
        let selection = match selection {
            Selection::Box(_) if elements == header.elements() => &Selection::Field,
            part => part,
        };
        #[cfg(feature = "cuda")]
        {
            let job = || {
                let bytes = selection.decoded(grid) * size_of::<T>() as u64;
                self.job(Work::Decompress, stream, bytes, options.threads)
            };
            let how = begin(options, size_of_val(out));
            let answer = self.on_device(cuda::serves(stream), job, how, |device, run| {
                run.check()?;
                cuda::to_host(device, stream, selection, out, run)
            });
            if let Some(answer) = answer {
                answer?;
                return region::put(self, stream, selection, out, options);
            }
        }
        // A box may touch many chunks for few elements.
        let decoded = match selection {
            Selection::Box(_) => header.elements(),
            Selection::Field | Selection::Tiles(_) => elements,
        };
        let (threads, progress) = begin(options, size_of_val(out));
        let threads = threads_for(decoded, threads);
        self.run(threads, progress, |run| partial::decode(stream, selection, out, run))?;
        region::put(self, stream, selection, out, options)
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = self.level.name();
        match &self.place {
            Place::Cpu => write!(f, "CPU ({level})"),
            #[cfg(feature = "cuda")]
            Place::Cuda(device) => write!(f, "CUDA device {}", device.ordinal),
            #[cfg(feature = "cuda")]
            Place::Automatic { .. } => {
                write!(f, "CPU ({level}), and for large fields CUDA device 0 where there is one")
            }
        }
    }
}

/// Threads for a call on so many elements, of which the caller allows so many. To hand what is one thread's work to another
/// one takes as long as a small call.
fn threads_for(elements: u64, most: Option<usize>) -> Option<usize> {
    if elements > CHUNK as u64 { most } else { Some(1) }
}

/// Begins to report on a decompression of so many bytes; the threads that it may have, and whom it reports to.
fn begin(options: &DecompressOptions, bytes: usize) -> (Option<usize>, Option<&Progress>) {
    let progress = options.progress.as_deref();
    if let Some(progress) = progress {
        progress.begin(bytes as u64);
    }
    (options.threads, progress)
}

fn check_field<T: Element>(data: &[T], shape: &[u64], options: &CompressOptions) -> Result<()> {
    options.check(shape, T::DTYPE)?;
    if element_count(shape) != Some(data.len() as u64) {
        return Err(Error::invalid(format!(
            "{} elements for a field of shape {shape:?}",
            data.len()
        )));
    }
    Ok(())
}

pub(crate) fn check_type<T: Element>(header: &Header) -> Result<()> {
    let dtype = header.dtype;
    if dtype != T::DTYPE {
        return Err(Error::invalid(format!("the field is {dtype}, not {}", T::DTYPE)));
    }
    Ok(())
}

/// Whether an output is of a stream's element type and has so many elements.
pub(crate) fn check_output<T: Element>(header: &Header, out: &[T], elements: u64) -> Result<()> {
    check_type::<T>(header)?;
    if out.len() as u64 != elements {
        return Err(Error::invalid(format!(
            "an output of {} elements where {elements} are needed",
            out.len()
        )));
    }
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;
    use crate::bound::Bound;

    /// How often this thread has waited.
    fn waits() -> usize {
        let status = fs::read_to_string("/proc/thread-self/status").unwrap();
        let count =
            status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")).unwrap();
        count.trim().parse().unwrap()
    }

    #[test]
    fn a_small_call_stays_on_its_thread() {
        let codec = Codec::cpu().threads(2).unwrap();
        let values = |len: usize| (0..len).map(|i| (i as f32 / 9.0).sin()).collect::<Vec<_>>();
        let (few, many) = (values(CHUNK), values(40 * CHUNK));
        let options = CompressOptions::new(Bound::Absolute(1e-3));
        let waits_for = |data: &[f32]| {
            let shape = [data.len() as u64];
            let room = options.max_compressed_len(&shape, crate::DType::F32).unwrap() as usize;
            let (mut out, mut back) = (vec![0; room], vec![0.0f32; data.len()]);
            let before = waits();
            for _ in 0..50 {
                let len = codec.compress_into(data, &shape, &options, &mut out).unwrap();
                let stream = Stream::open(&out[..len]).unwrap();
                codec.decompress_into(&stream, &mut back).unwrap();
            }
            waits() - before
        };
        assert!(waits_for(&few) < 20);
        assert!(waits_for(&many) >= 50);
    }
}
