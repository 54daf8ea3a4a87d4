//! The codec as a user sees it: fields to streams and back.

use std::{borrow::Cow, ops::Range, sync::Arc};

use ndarray::{ArrayD, ArrayView, Axis, Dimension, IxDyn};
use rayon::{ThreadPool, ThreadPoolBuilder};

#[cfg(feature = "cuda")]
use crate::cuda;
use crate::{
    bound::{self, Quantizer},
    certificate::Tally,
    element::Element,
    encode::Encoder,
    error::{Error, Result},
    geometry::{CHUNK_ELEMENTS, element_count},
    header::{self, Outcome},
    layout::{Layout, max_compressed_len},
    options::{Bound, Options},
    place::{Run, place, too_small},
    progress::Progress,
    quantize, region,
    simd::{Level, Simd},
    stream::{Stream, metadata_sum},
    survey,
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

#[derive(Clone, Debug, Default)]
enum Threads {
    /// The pool that is current where the call is made.
    #[default]
    Current,
    /// The calling thread alone.
    Calling,
    Own(Arc<ThreadPool>),
}

/// Compresses fields and decompresses streams. Cheap to clone, and usable from many threads at once.
///
/// ```
/// # fn main() -> fsz::Result<()> {
/// let field = ndarray::Array3::from_shape_fn((8, 20, 30), |(z, y, x)| (z * y) as f32 + x as f32 * 0.1);
/// let codec = fsz::Codec::auto()?;
/// let stream = codec.compress(field.view(), fsz::Bound::ValueRange(1e-3))?;
/// let slice = codec.decompress_slice::<f32>(&stream, ndarray::Axis(0), 5)?;
/// let bound = stream.info().header().absolute_bound as f32;
/// assert!((slice[[3, 4]] - field[[5, 3, 4]]).abs() <= bound);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Codec {
    threads: Threads,
    level: Level,
    /// Where the codec runs, when it is not on the CPU.
    #[cfg(feature = "cuda")]
    device: Option<Arc<cuda::Device>>,
    /// The device was not asked for: what it cannot do, the CPU does.
    #[cfg(feature = "cuda")]
    automatic: bool,
}

impl Codec {
    /// The fastest backend of this machine: the first CUDA device where one answers, else the CPU.
    /// [`devices`](crate::devices) says why there is none.
    ///
    /// # Errors
    /// None today: the CPU always answers.
    pub fn auto() -> Result<Self> {
        #[cfg(feature = "cuda")]
        if let Ok(codec) = Self::cuda(0) {
            return Ok(Codec { automatic: true, ..codec });
        }
        Ok(Self::cpu())
    }

    /// CUDA device number `device`. Gives the same bytes as the CPU.
    ///
    /// # Errors
    /// [`Error::Device`] when there is no such device, driver or image for it; [`Error::Unsupported`]
    /// when this build has no CUDA codec.
    #[cfg(feature = "cuda")]
    pub fn cuda(device: usize) -> Result<Self> {
        Ok(Codec { device: Some(cuda::Device::open(device)?), ..Self::cpu() })
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
        Codec {
            threads: Threads::Current,
            level,
            #[cfg(feature = "cuda")]
            device: None,
            #[cfg(feature = "cuda")]
            automatic: false,
        }
    }

    /// The same codec on `n` threads of its own; with 1, the calling thread works alone.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for 0; [`Error::Io`] when threads cannot be started.
    pub fn threads(mut self, n: usize) -> Result<Self> {
        self.threads = match n {
            0 => return Err(Error::invalid("0 threads: use at least 1")),
            1 => Threads::Calling,
            _ => {
                let pool = ThreadPoolBuilder::new()
                    .num_threads(n)
                    .thread_name(|i| format!("fsz-{i}"))
                    .build()
                    .map_err(|e| Error::Io(std::io::Error::other(e)))?;
                Threads::Own(Arc::new(pool))
            }
        };
        Ok(self)
    }

    /// Where this codec runs.
    pub fn backend(&self) -> Backend {
        #[cfg(feature = "cuda")]
        if self.device.is_some() {
            return Backend::Cuda;
        }
        Backend::Cpu
    }

    /// The instructions that the CPU codec uses: `"AVX2"` or `"portable"`.
    pub fn instructions(&self) -> &'static str {
        self.level.name()
    }

    /// What the device makes of `work`, or `None` when the CPU is to do it. `served` is whether devices
    /// know this kind of stream at all.
    #[cfg(feature = "cuda")]
    fn on_device<R>(
        &self,
        served: bool,
        work: impl FnOnce(&cuda::Device) -> Result<R>,
    ) -> Option<Result<R>> {
        let device = self.device.as_ref()?;
        if self.automatic && !served {
            return None;
        }
        match work(device) {
            Err(Error::Device(_)) if self.automatic => None,
            answer => Some(answer),
        }
    }

    fn run<R: Send>(
        &self,
        progress: Option<&Progress>,
        work: impl FnOnce(Run<'_>) -> R + Send,
    ) -> R {
        let run = |parallel| Run { level: self.level, parallel, progress };
        match &self.threads {
            Threads::Calling => work(run(false)),
            Threads::Current => {
                let parallel = rayon::current_num_threads() > 1;
                work(run(parallel))
            }
            Threads::Own(pool) => pool.install(|| work(run(true))),
        }
    }

    /// Compresses a field.
    ///
    /// # Errors
    /// As [`Codec::compress_with`].
    pub fn compress<T: Element, D: Dimension>(
        &self,
        field: ArrayView<'_, T, D>,
        bound: Bound,
    ) -> Result<Stream<'static>> {
        self.compress_with(field, &Options::new(bound))
    }

    /// Compresses a field (C order costs no copy).
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for options out of range or more than 8 dimensions;
    /// [`Error::Cancelled`].
    pub fn compress_with<T: Element, D: Dimension>(
        &self,
        field: ArrayView<'_, T, D>,
        options: &Options,
    ) -> Result<Stream<'static>> {
        let shape: Vec<u64> = field.shape().iter().map(|&n| n as u64).collect();
        let data = match field.as_slice() {
            Some(data) => Cow::Borrowed(data),
            None => Cow::Owned(field.iter().copied().collect()),
        };
        let mut bytes = vec![0; max_compressed_len(&shape, T::DTYPE)? as usize];
        let len = self.compress_into(&data, &shape, options, &mut bytes)?;
        bytes.truncate(len);
        bytes.shrink_to_fit();
        Stream::from_vec(bytes)
    }

    /// Compresses `data`, a field of `shape` (slowest axis first) in C order, into `out` and returns the
    /// stream's length in bytes. A buffer of [`max_compressed_len`] bytes always suffices.
    ///
    /// # Errors
    /// As [`Codec::compress_with`], and [`Error::InvalidArgument`] when `data` and `shape` differ in length
    /// or `out` is too small.
    pub fn compress_into<T: Element>(
        &self,
        data: &[T],
        shape: &[u64],
        options: &Options,
        out: &mut [u8],
    ) -> Result<usize> {
        if shape.len() > 8 {
            return Err(Error::invalid(format!("{} dimensions: at most 8", shape.len())));
        }
        options.check(shape)?;
        if element_count(shape) != Some(data.len() as u64) {
            return Err(Error::invalid(format!(
                "{} elements for a field of shape {shape:?}",
                data.len()
            )));
        }
        #[cfg(feature = "cuda")]
        if !data.is_empty()
            && let Some(answer) = self.on_device(options.research == Default::default(), |device| {
                let bytes = size_of_val(data) as u64;
                let progress = options.progress.as_deref();
                if let Some(progress) = progress {
                    progress.begin(bytes);
                    progress.check()?;
                }
                let len = cuda::from_host(device, data, shape, options, out)?;
                progress.map_or(Ok(()), |p| p.advance(bytes))?;
                Ok(len)
            })
        {
            return answer;
        }
        self.run(options.progress.as_deref(), |run| compress(data, shape, options, out, run))
    }

    /// Decompresses a whole field.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when `T` is not the stream's element type; [`Error::Corrupt`].
    pub fn decompress<T: Element>(&self, stream: &Stream<'_>) -> Result<ArrayD<T>> {
        let shape = stream.header().shape.clone();
        self.decompress_box(stream, &vec![0; shape.len()], &shape)
    }

    /// Decompresses a whole field in C order into `out`, which has exactly its elements.
    ///
    /// # Errors
    /// As [`Codec::decompress`].
    pub fn decompress_into<T: Element>(&self, stream: &Stream<'_>, out: &mut [T]) -> Result<()> {
        self.decompress_with(stream, out, None)
    }

    /// The same, reporting to `progress` and cancelled through it.
    ///
    /// # Errors
    /// As [`Codec::decompress`], and [`Error::Cancelled`].
    pub fn decompress_with<T: Element>(
        &self,
        stream: &Stream<'_>,
        out: &mut [T],
        progress: Option<&Progress>,
    ) -> Result<()> {
        check_output(stream, out, stream.header().elements())?;
        if let Some(progress) = progress {
            progress.begin(size_of_val(out) as u64);
        }
        let tiles = stream.index().layout.tiles;
        #[cfg(feature = "cuda")]
        if let Some(answer) = self.on_device(cuda::serves(stream), |device| {
            progress.map_or(Ok(()), Progress::check)?;
            cuda::tiles_to_host(device, stream, 0..tiles, out)?;
            progress.map_or(Ok(()), |p| p.advance(size_of_val(out) as u64))
        }) {
            return answer;
        }
        self.run(progress, |run| region::tiles(stream, 0..tiles, out, run))
    }

    /// Decompresses the tiles `tiles` into `out`, which has exactly their elements (the last tile of a
    /// field may be short). Other tiles of the chunks that hold them are read and checked, not decoded.
    ///
    /// # Errors
    /// As [`Codec::decompress`], and [`Error::InvalidArgument`] for tiles that the field does not have.
    pub fn decompress_tiles_into<T: Element>(
        &self,
        stream: &Stream<'_>,
        tiles: Range<u64>,
        out: &mut [T],
    ) -> Result<()> {
        let header = stream.header();
        let all = stream.index().layout.tiles;
        if tiles.start > tiles.end || tiles.end > all {
            return Err(Error::invalid(format!("tiles {tiles:?} of a field of {all} tiles")));
        }
        let len = header.geometry.tile_len() as u64;
        let end = (tiles.end * len).min(header.elements());
        check_output(stream, out, end - (tiles.start * len).min(end))?;
        #[cfg(feature = "cuda")]
        if let Some(answer) = self.on_device(cuda::serves(stream), |device| {
            cuda::tiles_to_host(device, stream, tiles.clone(), out)
        }) {
            return answer;
        }
        self.run(None, |run| region::tiles(stream, tiles, out, run))
    }

    /// Decompresses the slice at `index` of `axis`; the result lacks that axis.
    ///
    /// # Errors
    /// As [`Codec::decompress`], and [`Error::InvalidArgument`] for a slice that the field does not have.
    pub fn decompress_slice<T: Element>(
        &self,
        stream: &Stream<'_>,
        axis: Axis,
        index: u64,
    ) -> Result<ArrayD<T>> {
        let shape = &stream.header().shape;
        if axis.index() >= shape.len() {
            return Err(Error::invalid(format!(
                "axis {} of a field of {} dimensions",
                axis.index(),
                shape.len()
            )));
        }
        if index >= shape[axis.index()] {
            return Err(Error::invalid(format!(
                "slice {index} of an axis of {} elements",
                shape[axis.index()]
            )));
        }
        let mut start = vec![0; shape.len()];
        let mut count = shape.clone();
        start[axis.index()] = index;
        count[axis.index()] = 1;
        Ok(self.decompress_box(stream, &start, &count)?.index_axis_move(axis, 0))
    }

    /// Decompresses the box of `count` elements from `start` on (an entry per axis).
    ///
    /// # Errors
    /// As [`Codec::decompress`], and [`Error::InvalidArgument`] for a box that is not inside the field.
    pub fn decompress_box<T: Element>(
        &self,
        stream: &Stream<'_>,
        start: &[u64],
        count: &[u64],
    ) -> Result<ArrayD<T>> {
        let elements = region::check_box(&stream.header().shape, start, count)?;
        check_type::<T>(stream)?;
        let too_large = || Error::invalid("the box does not fit into memory");
        let mut out = Vec::new();
        out.try_reserve_exact(usize::try_from(elements).map_err(|_| too_large())?)
            .map_err(|_| too_large())?;
        out.resize(elements as usize, T::default());
        self.decompress_box_into(stream, start, count, &mut out)?;
        let shape: Vec<usize> = count.iter().map(|&n| n as usize).collect();
        ArrayD::from_shape_vec(IxDyn(&shape), out).map_err(|e| Error::invalid(e.to_string()))
    }

    /// Decompresses the box of `count` elements from `start` on in C order into `out`.
    ///
    /// # Errors
    /// As [`Codec::decompress_box`].
    pub fn decompress_box_into<T: Element>(
        &self,
        stream: &Stream<'_>,
        start: &[u64],
        count: &[u64],
        out: &mut [T],
    ) -> Result<()> {
        let elements = region::check_box(&stream.header().shape, start, count)?;
        check_output(stream, out, elements)?;
        if elements == stream.header().elements() {
            return self.decompress_into(stream, out);
        }
        #[cfg(feature = "cuda")]
        if let Some(answer) = self.on_device(cuda::serves(stream), |device| {
            cuda::box_to_host(device, stream, (start, count), out)
        }) {
            return answer;
        }
        self.run(None, |run| region::boxed(stream, start, count, out, run))
    }
}

fn check_type<T: Element>(stream: &Stream<'_>) -> Result<()> {
    let dtype = stream.header().dtype;
    if dtype != T::DTYPE {
        return Err(Error::invalid(format!("the field is {dtype}, not {}", T::DTYPE)));
    }
    Ok(())
}

fn check_output<T: Element>(stream: &Stream<'_>, out: &[T], elements: u64) -> Result<()> {
    check_type::<T>(stream)?;
    if out.len() as u64 != elements {
        return Err(Error::invalid(format!(
            "an output of {} elements where {elements} are needed",
            out.len()
        )));
    }
    Ok(())
}

/// Field → bound → quantize → predict → choose → pack → place → stream.
fn compress<T: Element>(
    data: &[T],
    shape: &[u64],
    options: &Options,
    out: &mut [u8],
    run: Run<'_>,
) -> Result<usize> {
    let geometry = options.research.geometry()?;
    let header_len = header::header_len(shape, options);
    let layout = Layout::new(header_len as u64, data.len() as u64, geometry)
        .ok_or_else(|| Error::invalid(format!("a field of shape {shape:?} is too large")))?;
    if (out.len() as u64) < layout.payload {
        return Err(too_small());
    }
    if let Some(progress) = run.progress {
        progress.begin(size_of_val(data) as u64);
    }
    run.check()?;
    let parallel = run.parallel && data.len() > CHUNK_ELEMENTS as usize;
    let run = Run { parallel, ..run };

    let missing_bits = options.missing_bits(T::DTYPE);
    let missing: Vec<T> = missing_bits.iter().map(|&b| T::from_bits64(b)).collect();
    let range = matches!(options.bound, Bound::ValueRange(_))
        .then(|| survey::range(data, &missing, run))
        .transpose()?;
    let largest = |(min, max): (f64, f64)| min.abs().max(max.abs());
    let magnitude = match (options.bound, &range) {
        (Bound::ValueRangeOf { min, max, .. }, _) => largest((min, max)),
        (_, Some(range)) => range.ends().map_or(0.0, largest),
        _ => 1.25 * survey::sampled_magnitude(data, &missing),
    };
    let absolute_bound = bound::absolute(options.bound, range.as_ref());
    let quantizer = Quantizer::new(absolute_bound, magnitude);
    let fused = run.level.fused();
    let known =
        range.is_some_and(|r| !r.has_special()) && quantize::in_reach(magnitude, &quantizer, fused);
    let encoder = Encoder {
        quantizer,
        missing,
        missing_bits,
        research: options.research,
        geometry,
        known,
        ranged: range.is_some(),
    };

    let placed = place(&encoder, data, &layout, out, run)?;
    let mut tally: Tally<T> = placed.tally;
    if let Some(range) = range {
        tally.range = range;
    }
    let stream_len = layout.payload + placed.payload_len;
    let metadata = metadata_sum(&out[header_len..layout.payload as usize]);
    let outcome = Outcome {
        absolute_bound,
        quantization_step: quantizer.step.to_f64(),
        stream_len,
        payload_len: placed.payload_len,
        metadata_sum: metadata,
        certificate: tally.certificate(),
    };
    header::write(&mut out[..header_len], T::DTYPE, shape, options, &outcome);
    Ok(stream_len as usize)
}

impl Level {
    fn fused(self) -> bool {
        match self {
            Level::Portable => crate::simd::portable::Portable::FUSED,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => crate::simd::avx2::Avx2::FUSED,
        }
    }
}
