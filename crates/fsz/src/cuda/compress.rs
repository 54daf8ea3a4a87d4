//! Launching the compression of a field without regions.

use std::ops::Range;

use cudarc::driver::{result, sys};

use crate::cuda::{
    boxes::{compress::BoxCompression, encoding::BoxEncoding, sampler::Bring},
    device::Device,
    driver::error::{check, ok},
    kernels::{
        abi::{
            Arguments, BoundAsked, CompressArgs, Control, HeaderImage, KernelElement, Missing,
            RelativeArgs, Statistics, Survey,
        },
        kernel::{Kernel, Operation},
        module::{CompressShapes, Launch, pointer},
        relative::RelativeBound,
    },
    stream_kind::{StreamKind, fitted},
};
use crate::{
    bound::Limit,
    dtype::DType,
    error::Result,
    format::{
        BOUND_ABSOLUTE, BOUND_GIVEN_RANGE, BOUND_VALUE_RANGE, MAX_HEADER, RelativePart,
        SAMPLE_STRIDE, header,
    },
    options::CompressOptions,
    profile::Profile,
    schedule::too_small,
};

/// Where the scan's entries begin in the scratch, behind the control.
pub(crate) const ENTRIES_AT: u64 = 256;
/// Elements that a thread block of the survey of a range has something to do with; of a survey of samples it has more.
const SURVEY_SHARE: u64 = 4096;
/// Most thread blocks of a survey whose parts another kernel puts together.
const PARTS_MOST: u64 = 512;

/// A compression of a field that is ready to be launched: everything that follows from shape, type and options but
/// regions, which these have none of.
#[derive(Clone, Debug)]
pub(crate) struct FieldCompression {
    pub(crate) kind: StreamKind,
    coding: Coding,
    bound: Asked,
    missing: Vec<u64>,
}

/// Device memory of a compression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pub field: u64,
    /// Where the stream is made, and bytes that it may have.
    pub stream: (u64, u64),
    pub scratch: u64,
}

/// The bound as kernels take it.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Absolute(BoundAsked),
    Relative(RelativeBound),
}

/// What the stream is made of.
#[derive(Clone, Debug)]
enum Coding {
    Tiles { image: Box<HeaderImage> },
    Boxes(Box<BoxCompression>),
}

/// The arguments of the kernels of a compression's bound and element type.
macro_rules! with_arguments {
    ($own:expr, $places:expr, $arguments:ident => $body:expr) => {
        match ($own.bound, $own.kind.dtype) {
            (Asked::Relative(RelativeBound::F32(bound)), _) => {
                let $arguments = RelativeArgs { arguments: $own.arguments($places), bound };
                $body
            }
            (Asked::Relative(RelativeBound::F64(bound)), _) => {
                let $arguments = RelativeArgs { arguments: $own.arguments($places), bound };
                $body
            }
            (Asked::Absolute(_), DType::F32) => {
                let $arguments = $own.arguments::<f32>($places);
                $body
            }
            (Asked::Absolute(_), DType::F64) => {
                let $arguments = $own.arguments::<f64>($places);
                $body
            }
        }
    };
}

impl FieldCompression {
    /// As [`Compression::new`](crate::cuda::Compression::new), without regions.
    pub fn new(shape: &[u64], dtype: DType, options: &CompressOptions) -> Result<Self> {
        let kind = match &options.profile {
            Profile::Dense(_) if options.model.is_none() => {
                options.check(shape, dtype)?;
                StreamKind::unknown(shape, dtype, options)?
            }
            _ => StreamKind::new(shape, dtype, options)?,
        };
        let (bound, part) = Asked::new(options, &kind)?;
        let profile = match options.model {
            Some(_) => fitted(shape, dtype, options)?,
            None => options.profile,
        };
        let coding = match &profile {
            Profile::Dense(dense) => {
                let coder = kind.coder();
                let boxes = BoxCompression::new(*dense, coder, shape, dtype, options, part)?;
                let boxes = boxes.with_samples(bound.samples_len(dtype));
                Coding::Boxes(Box::new(boxes))
            }
            profile => Coding::Tiles { image: image(shape, dtype, options, profile, part) },
        };
        Ok(FieldCompression { coding, bound, missing: options.missing_bits(dtype), kind })
    }

    /// That of a field at an address of the host, which comes to device memory that all such fields share.
    pub fn of(mut self, home: u64) -> Self {
        if let Coding::Boxes(boxes) = &mut self.coding {
            boxes.home = Some(home);
        }
        self
    }

    /// Bytes of scratch memory that a launch works in.
    pub fn scratch_len(&self) -> u64 {
        match &self.coding {
            Coding::Tiles { .. } => {
                let parts = match self.bound {
                    Asked::Absolute(_) => {
                        let parts =
                            self.kind.elements().div_ceil(SURVEY_SHARE).clamp(1, PARTS_MOST);
                        size_of::<Statistics>() as u64 * parts
                    }
                    Asked::Relative(_) => 0,
                };
                self.samples_at() + self.bound.samples_len(self.kind.dtype) + parts
            }
            Coding::Boxes(boxes) => boxes.scratch_len(),
        }
    }

    /// Where samples of the field, or what thread blocks find of it, are in the scratch: behind the scan's entries of
    /// tiles, or where boxes are coded later.
    fn samples_at(&self) -> u64 {
        match &self.coding {
            Coding::Tiles { .. } => ENTRIES_AT + 8 * self.kind.sections.chunks,
            Coding::Boxes(boxes) => boxes.samples_at(),
        }
    }

    /// Bytes that a stream takes at most, whatever the field's values.
    pub fn max_len(&self) -> u64 {
        match &self.coding {
            Coding::Tiles { .. } => {
                self.kind.sections.payload + self.kind.elements() * self.kind.dtype.size() as u64
            }
            Coding::Boxes(boxes) => boxes.max_len(),
        }
    }

    /// Enqueues the whole compression: clearing the scratch, the survey and the encoding.
    ///
    /// # Safety
    /// `field` is device memory of the current context that holds the field; `stream`, at a multiple of
    /// 16, has `capacity` bytes, `payload` of the layout at least; `scratch`, at a multiple of 8, has
    /// [`scratch_len`](Self::scratch_len) bytes; all of them until `queue` is past the launch.
    pub(crate) unsafe fn launch(
        &self,
        device: &Device,
        field: u64,
        (stream, capacity): (u64, u64),
        scratch: u64,
        queue: sys::CUstream,
    ) -> Result<()> {
        let chunks = 0..self.kind.sections.chunks;
        // SAFETY: the caller vouches for the memory; what the encoding depends on is right before it.
        unsafe {
            self.begin(device, (field, self.kind.elements()), field, scratch, queue)?;
            self.encode_after(device, field, chunks, (stream, capacity), scratch, (queue, true))
        }
    }

    /// Whether kernels of encoding resolve the bound themselves for the field at `field`.
    fn resolves(&self, device: &Device, field: u64) -> Result<bool> {
        if !matches!((&self.coding, self.bound), (Coding::Tiles { .. }, Asked::Absolute(_))) {
            return Ok(false);
        }
        let module = device.kernels.compress(self.kind.coder(), self.kind.dtype)?;
        Ok(self.is_persistent(&module.shapes, field))
    }

    /// Thread blocks of a survey that leaves it to the encoding to resolve the bound.
    fn parts(&self, bound: &BoundAsked, shapes: &CompressShapes) -> u64 {
        let share = share(bound, shapes.survey_threads);
        self.kind.elements().div_ceil(share).clamp(1, PARTS_MOST)
    }

    /// All that the encoding of the field at `field` depends on: clears the scratch, and looks at elements as the bound
    /// asks. Those of an absolute bound may be others than the field's: one that is as large as the largest of its
    /// samples will do.
    ///
    /// # Safety
    /// As [`launch`](Self::launch), and of these elements.
    pub(crate) unsafe fn begin(
        &self,
        device: &Device,
        (mut from, mut elements): (u64, u64),
        field: u64,
        mut scratch: u64,
        queue: sys::CUstream,
    ) -> Result<()> {
        let mut bound = match self.bound {
            Asked::Absolute(bound) if self.resolves(device, field)? => bound,
            // SAFETY: the caller vouches for the memory.
            _ => unsafe {
                self.clear(scratch, queue)?;
                return self.survey_of(device, (from, elements), scratch, queue);
            },
        };
        let module = device.kernels.compress(self.kind.coder(), self.kind.dtype)?;
        let kernel = Kernel { operation: Operation::Survey, dtype: self.kind.dtype };
        let launch = Launch::new(self.parts(&bound, &module.shapes), module.shapes.survey_threads);
        let (mut f32s, mut f64s) = self.missing();
        let missing = match self.kind.dtype {
            DType::F32 => pointer(&mut f32s),
            DType::F64 => pointer(&mut f64s),
        };
        // These kernels have entries of 4 bytes.
        let mut words = (ENTRIES_AT + 4 * self.kind.sections.chunks).div_ceil(8);
        let mut parts = scratch + self.samples_at();
        let mut arguments = [
            pointer(&mut from),
            pointer(&mut elements),
            pointer(&mut bound),
            missing,
            pointer(&mut scratch),
            pointer(&mut words),
            pointer(&mut parts),
        ];
        // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
        unsafe { module.launch(kernel, launch, queue, &mut arguments) }
    }

    /// Whether tiles of the field at `field` are encoded by thread blocks that stay.
    fn is_persistent(&self, shapes: &CompressShapes, field: u64) -> bool {
        let chunks = self.kind.sections.chunks;
        // The tensor copy engine wants 16-byte alignment and counts rows in 31 bits.
        let copies = field.is_multiple_of(16) && chunks < 1 << 22;
        shapes.persistent_grid > 0 && copies && chunks > 0
    }

    /// Whether the bound is that of a kernel which can encode a range of chunks.
    fn has_ranges(&self) -> bool {
        matches!(self.bound, Asked::Absolute(bound) if bound.kind as u8 != BOUND_VALUE_RANGE)
    }

    /// What these do.
    fn persistent(&self) -> Operation {
        let coder = self.kind.coder();
        match self.bound {
            Asked::Absolute(_) if !self.has_ranges() => Operation::CompressPersistent(coder),
            _ => Operation::CompressRanging(coder),
        }
    }

    /// Clears the scratch.
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    pub(crate) unsafe fn clear(&self, scratch: u64, queue: sys::CUstream) -> Result<()> {
        let len = match &self.coding {
            Coding::Tiles { .. } => self.samples_at() as usize,
            Coding::Boxes(boxes) => boxes.cleared_len() as usize,
        };
        // SAFETY: the caller vouches for the memory.
        check("cuMemsetD8Async", unsafe { result::memset_d8_async(scratch, 0, len, queue) })
    }

    /// Looks at the field as the bound asks, and leaves what it found in the control. Follows [`clear`](Self::clear).
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    pub(crate) unsafe fn survey(
        &self,
        device: &Device,
        field: u64,
        scratch: u64,
        queue: sys::CUstream,
    ) -> Result<()> {
        // SAFETY: the caller vouches for the memory.
        unsafe { self.survey_of(device, (field, self.kind.elements()), scratch, queue) }
    }

    /// The same of other elements than the field's.
    ///
    /// # Safety
    /// As [`launch`](Self::launch), of these elements.
    unsafe fn survey_of(
        &self,
        device: &Device,
        (mut field, mut elements): (u64, u64),
        mut scratch: u64,
        queue: sys::CUstream,
    ) -> Result<()> {
        let (mut f32s, mut f64s) = self.missing();
        let all = device.multiprocessors as u64;
        let dtype = self.kind.dtype;
        let (functions, threads) = match &self.coding {
            Coding::Tiles { .. } => {
                let module = device.kernels.compress(self.kind.coder(), dtype)?;
                (&module.functions, module.shapes.survey_threads)
            }
            Coding::Boxes(_) => {
                let module = device.kernels.compress_boxes(self.kind.coder(), dtype)?;
                (&module.functions, module.shapes.survey_threads)
            }
        };
        let (operation, mut bound) = (self.bound.operation(), self.bound);
        let (grid, bound) = match &mut bound {
            Asked::Absolute(bound) => (elements.div_ceil(share(bound, threads)), pointer(bound)),
            Asked::Relative(bound) => {
                *bound = bound.with_room(scratch + self.samples_at());
                let grid = bound.samples() / threads as u64;
                let bound = match bound {
                    RelativeBound::F32(bound) => pointer(bound),
                    RelativeBound::F64(bound) => pointer(bound),
                };
                (grid, bound)
            }
        };
        let grid = grid.clamp(1, 4 * all);
        let kernel = Kernel { operation, dtype };
        let missing = match self.kind.dtype {
            DType::F32 => pointer(&mut f32s),
            DType::F64 => pointer(&mut f64s),
        };
        let mut arguments =
            [pointer(&mut field), pointer(&mut elements), bound, missing, pointer(&mut scratch)];
        let launch = Launch::new(grid, threads);
        // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
        unsafe { functions.launch(kernel, launch, queue, &mut arguments) }
    }

    /// Writes the stream. Follows [`begin`](Self::begin).
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    pub(crate) unsafe fn encode(
        &self,
        device: &Device,
        field: u64,
        stream: (u64, u64),
        scratch: u64,
        queue: sys::CUstream,
    ) -> Result<()> {
        let chunks = 0..self.kind.sections.chunks;
        // SAFETY: the caller vouches for the memory.
        unsafe { self.encode_chunks(device, field, chunks, stream, scratch, queue) }
    }

    /// Writes what some chunks add to the stream, after all chunks before them; the last ones complete it. All chunks
    /// at once where [`by_ranges`](Self::by_ranges) does not hold.
    ///
    /// # Safety
    /// As [`launch`](Self::launch); of the field, these chunks are there.
    pub(crate) unsafe fn encode_chunks(
        &self,
        device: &Device,
        field: u64,
        chunks: Range<u64>,
        stream: (u64, u64),
        scratch: u64,
        queue: sys::CUstream,
    ) -> Result<()> {
        // SAFETY: as the caller vouches.
        unsafe { self.encode_after(device, field, chunks, stream, scratch, (queue, false)) }
    }

    /// The same in the queue of `order`, early where that says so: the kernel of [`begin`](Self::begin) is what is before it.
    ///
    /// # Safety
    /// As [`encode_chunks`](Self::encode_chunks).
    unsafe fn encode_after(
        &self,
        device: &Device,
        field: u64,
        chunks: Range<u64>,
        stream: (u64, u64),
        scratch: u64,
        order: (sys::CUstream, bool),
    ) -> Result<()> {
        let places = Places { field, stream, scratch };
        // SAFETY: the caller vouches for the memory; the arguments are those of bound and dtype.
        with_arguments!(self, places, arguments => unsafe {
            self.encode_with(device, chunks, arguments, order)
        })
    }

    /// What the encoding of boxes by ranges of chunks shares; chooses before, where the field is not to be coded like another.
    /// `bring` is called before boxes of the field are looked at, of which nothing else need be there. None where tiles are
    /// coded. Follows [`begin`](Self::begin).
    ///
    /// # Safety
    /// As [`launch`](Self::launch), until what comes of this is gone.
    pub(crate) unsafe fn prepare_boxes(
        &self,
        device: &Device,
        places: Places,
        queue: sys::CUstream,
        bring: Bring<'_>,
    ) -> Result<Option<BoxEncoding>> {
        let Coding::Boxes(boxes) = &self.coding else { return Ok(None) };
        // SAFETY: as the caller vouches; the arguments are those of bound and dtype.
        with_arguments!(self, places, arguments => unsafe {
            boxes.prepare(device, arguments, queue, Some(bring)).map(Some)
        })
    }

    /// Writes what some chunks of boxes add to the stream, after all chunks before them; the last ones complete it.
    ///
    /// # Safety
    /// As [`launch`](Self::launch); of the field, these chunks are there.
    pub(crate) unsafe fn encode_boxes(
        &self,
        device: &Device,
        encoding: &BoxEncoding,
        chunks: Range<u64>,
        places: Places,
        queue: sys::CUstream,
    ) -> Result<()> {
        // SAFETY: as the caller vouches; the arguments are those of bound and dtype.
        with_arguments!(self, places, arguments => unsafe {
            encoding.launch(device, chunks, arguments, queue)
        })
    }

    /// How boxes are coded; none where tiles are.
    pub(crate) fn boxes(&self) -> Option<&BoxCompression> {
        match &self.coding {
            Coding::Boxes(boxes) => Some(boxes),
            Coding::Tiles { .. } => None,
        }
    }

    /// Whether the field at `field` may be encoded range by range of its chunks, by a bound that needs no look at the
    /// whole field but [`sampled_magnitude`](crate::value_range::sampled_magnitude).
    pub(crate) fn by_ranges(&self, device: &Device, field: u64) -> Result<bool> {
        match &self.coding {
            Coding::Tiles { .. } if self.has_ranges() => {
                let module = device.kernels.compress(self.kind.coder(), self.kind.dtype)?;
                Ok(self.is_persistent(&module.shapes, field))
            }
            Coding::Tiles { .. } => Ok(false),
            Coding::Boxes(_) => Ok(self.has_ranges()),
        }
    }

    fn arguments<T: KernelElement>(&self, places: Places) -> CompressArgs<T> {
        let Places { field, stream: (stream, capacity), scratch } = places;
        let entries = scratch + ENTRIES_AT;
        CompressArgs {
            field,
            stream,
            capacity,
            control: scratch,
            entries,
            sections: self.kind.sections,
            missing: Missing::new(&self.missing),
        }
    }

    /// # Safety
    /// As [`launch`](Self::launch); `arguments` are those of the kernels of the bound and the element type.
    unsafe fn encode_with<A: Arguments>(
        &self,
        device: &Device,
        chunks: Range<u64>,
        mut arguments: A,
        (queue, early): (sys::CUstream, bool),
    ) -> Result<()> {
        let image = match &self.coding {
            Coding::Tiles { image } => image,
            // SAFETY: as the caller vouches.
            Coding::Boxes(boxes) => unsafe {
                return boxes.encode(device, arguments, queue);
            },
        };
        let (field, scratch) = (arguments.common().field, arguments.common().control);
        let coder = self.kind.coder();
        let module = device.kernels.compress(coder, self.kind.dtype)?;
        let shapes = &module.shapes;
        let mut image = **image;
        if self.is_persistent(shapes, field) {
            let mut map = tensor_map(field, self.kind.elements(), self.kind.dtype)?;
            let (threads, shared) = shapes.persistent;
            let most = shapes.persistent_grid.min(device.multiprocessors) as u64;
            let grid = most.min(chunks.end - chunks.start);
            // Thread blocks that take one chunk each wait for those before them alone, which have begun.
            let cooperative = grid < chunks.end - chunks.start;
            let launch = Launch { grid, threads, shared, cooperative, early };
            let kernel = Kernel { operation: self.persistent(), dtype: self.kind.dtype };
            let Range { mut start, mut end } = chunks;
            let mut survey = Survey {
                bound: BoundAsked { kind: 0, fine: 0, asked: 0.0, min: 0.0, max: 0.0 },
                parts: scratch + self.samples_at(),
                count: 0,
                reserved: 0,
            };
            // A kernel that resolves the bound takes the survey, and that of ranges of chunks alone the range.
            let count = match self.bound {
                Asked::Absolute(bound) => {
                    let looked = bound.kind as u8 != BOUND_GIVEN_RANGE;
                    let count = if looked { self.parts(&bound, shapes) as u32 } else { 0 };
                    survey = Survey { bound, count, ..survey };
                    if self.has_ranges() { 6 } else { 4 }
                }
                Asked::Relative(_) => 3,
            };
            let mut arguments = [
                pointer(&mut map),
                pointer(&mut arguments),
                pointer(&mut image),
                pointer(&mut survey),
                pointer(&mut start),
                pointer(&mut end),
            ];
            // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
            unsafe { module.launch(kernel, launch, queue, &mut arguments[..count]) }
        } else {
            let launch = Launch {
                grid: self.kind.sections.chunks.max(1),
                threads: shapes.simple_threads,
                shared: shapes.simple_shared,
                cooperative: false,
                early: false,
            };
            let operation = Operation::Compress(coder);
            let kernel = Kernel { operation, dtype: self.kind.dtype };
            let mut arguments = [pointer(&mut arguments), pointer(&mut image)];
            // SAFETY: as above.
            unsafe { module.launch(kernel, launch, queue, &mut arguments) }
        }
    }

    fn missing(&self) -> (Missing<f32>, Missing<f64>) {
        (Missing::new(&self.missing), Missing::new(&self.missing))
    }
}

/// Elements that a thread block of so many threads has something to do with in a survey.
fn share(bound: &BoundAsked, threads: u32) -> u64 {
    match bound.kind as u8 {
        BOUND_ABSOLUTE => threads as u64 * SAMPLE_STRIDE as u64,
        BOUND_VALUE_RANGE => SURVEY_SHARE,
        _ => u64::MAX,
    }
}

impl Asked {
    /// That of options, and what a header has of a pointwise-relative one.
    fn new(options: &CompressOptions, kind: &StreamKind) -> Result<(Self, Option<RelativePart>)> {
        let (code, asked, min, max) = match options.limit()? {
            Limit::Absolute(bound) => (BOUND_ABSOLUTE, bound, 0.0, 0.0),
            Limit::ValueRange(ratio) => (BOUND_VALUE_RANGE, ratio, 0.0, 0.0),
            Limit::GivenRange { ratio, min, max } => (BOUND_GIVEN_RANGE, ratio, min, max),
            Limit::Relative { eps, floor } => {
                let (elements, at) = (kind.elements(), kind.relative_at);
                let profile = &options.profile;
                let (bound, part) =
                    RelativeBound::new(kind.dtype, (eps, floor), profile, elements, at);
                return Ok((Asked::Relative(bound), Some(part)));
            }
        };
        let bound = BoundAsked { kind: code.into(), fine: options.fine(), asked, min, max };
        Ok((Asked::Absolute(bound), None))
    }

    /// What looks at the field as the bound asks.
    fn operation(&self) -> Operation {
        match self {
            Asked::Absolute(_) => Operation::Bound,
            Asked::Relative(_) => Operation::RelativeBound,
        }
    }

    /// Bytes of the samples that a kernel takes of a field.
    fn samples_len(&self, dtype: DType) -> u64 {
        match self {
            Asked::Relative(bound) => bound.samples() * dtype.size() as u64,
            Asked::Absolute(_) => 0,
        }
    }
}

/// The header without what only encoding tells.
pub(crate) fn image(
    shape: &[u64],
    dtype: DType,
    options: &CompressOptions,
    profile: &Profile,
    relative: Option<RelativePart>,
) -> Box<HeaderImage> {
    let len = header::header_len(shape, options);
    let mut bytes = [0; MAX_HEADER];
    let outcome = header::Outcome { relative, ..header::Outcome::unknown(profile) };
    header::write(&mut bytes[..len], dtype, shape, options, &outcome);
    let mut image = HeaderImage { words: [0; MAX_HEADER / 4], len: len as u32 };
    for (word, bytes) in image.words.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    Box::new(image)
}

/// The field as rows of a block, of which the tensor copy engine brings 32 at a time.
fn tensor_map(field: u64, elements: u64, dtype: DType) -> Result<sys::CUtensorMap> {
    let size = dtype.size();
    let kind = match dtype {
        DType::F32 => sys::CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        DType::F64 => sys::CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    };
    // The last, broken row is read without the engine.
    let (dims, strides) = ([32, (elements / 32).max(1)], [32 * size as u64]);
    let (box_dims, steps) = ([128 / size as u32, 32], [1, 1]);
    let mut map = std::mem::MaybeUninit::<sys::CUtensorMap>::uninit();
    // SAFETY: all pointers are to arrays of the rank given, and outlive the call, which reads no memory
    // of the field.
    ok("cuTensorMapEncodeTiled", unsafe {
        sys::cuTensorMapEncodeTiled(
            map.as_mut_ptr(),
            kind,
            2,
            field as *mut _,
            dims.as_ptr(),
            strides.as_ptr(),
            box_dims.as_ptr(),
            steps.as_ptr(),
            sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B,
            sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
            sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
    })?;
    // SAFETY: the call above has succeeded, so the map is made.
    Ok(unsafe { map.assume_init() })
}

/// What a finished compression came to: the stream's length.
pub(crate) fn verdict(control: &Control, capacity: u64) -> Result<u64> {
    if control.status != 0 || control.stream_len > capacity {
        return Err(too_small());
    }
    Ok(control.stream_len)
}
