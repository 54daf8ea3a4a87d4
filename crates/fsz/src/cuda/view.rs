//! What kernels are told, as they read it (`cuda/encode`, `cuda/decode`).

use crate::{
    element::Dtype,
    error::{Error, Result},
    geometry::element_count,
    header::{self, FORMAT_VERSION},
    layout,
    options::{Options, Research},
    stream::Stream,
};

/// Bytes of a header before the shape.
const FIXED_HEADER: u64 = 144;
/// Header bytes 26 to 31 of what the kernels know: profile and layout 0, blocks of 2⁵, 2³ to a tile,
/// all features of the default.
const KIND_TAIL: [u8; 6] = [0, 0, 5, 3, 7, 0];

/// `Sections` in `cuda/format/format.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub elements: u64,
    pub tiles: u64,
    pub chunks: u64,
    pub rates: u64,
    pub sizes: u64,
    pub offsets: u64,
    pub sums: u64,
    pub payload: u64,
}

impl Layout {
    pub fn new(elements: u64, layout: &layout::Layout) -> Self {
        Layout {
            elements,
            tiles: layout.tiles,
            chunks: layout.chunks,
            rates: layout.rates.start,
            sizes: layout.sizes.start,
            offsets: layout.offsets.start,
            sums: layout.sums.start,
            payload: layout.payload,
        }
    }
}

/// `StreamView` in `cuda/decode/index.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamView {
    pub bytes: u64,
    pub capacity: u64,
    pub header_first: u64,
    pub header_kind: u64,
    pub missing_at: u64,
    pub layout: Layout,
}

/// `OutputRange` in `cuda/decode/output.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub out: u64,
    pub begin: u64,
    pub end: u64,
}

/// `OutputBox` in `cuda/decode/output.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxPlace {
    pub out: u64,
    pub dims: u32,
    pub shape: [u64; 8],
    pub start: [u64; 8],
    pub count: [u64; 8],
}

/// `Missing` in `cuda/encode/control.cuh`, of `f32`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct MissingF32 {
    pub bits: [u32; 4],
    pub count: u32,
}

/// `Missing` in `cuda/encode/control.cuh`, of `f64`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct MissingF64 {
    pub bits: [u64; 4],
    pub count: u32,
}

/// `CompressArgs` in `cuda/encode/arguments.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompressArgs<M> {
    pub field: u64,
    pub stream: u64,
    pub capacity: u64,
    pub control: u64,
    pub entries: u64,
    pub layout: Layout,
    pub missing: M,
}

/// `BoundAsked` in `cuda/encode/bound.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundAsked {
    pub kind: u32,
    pub reserved: u32,
    pub asked: f64,
    pub min: f64,
    pub max: f64,
}

/// `HeaderImage` in `cuda/encode/finish.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeaderImage {
    pub words: [u32; layout::MAX_HEADER as usize / 4],
    pub len: u32,
}

/// `Control` in `cuda/encode/control.cuh`, of which the host reads the beginning.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Control {
    pub stream_len: u64,
    pub status: u32,
    rest: [u32; 31],
}

impl Control {
    /// Before anything is known.
    pub const NONE: Self = Control { stream_len: 0, status: 0, rest: [0; 31] };
}

/// What must be known of a stream to decode it where it lies, in device memory, without looking at it
/// from the host: its shape, element type, and what its header holds.
#[derive(Clone, Debug)]
pub struct StreamKind {
    pub(crate) shape: Vec<u64>,
    pub(crate) dtype: Dtype,
    pub(crate) layout: Layout,
    header_first: u64,
    header_kind: u64,
    missing_at: u64,
}

impl StreamKind {
    /// That of the stream that compressing a field of this shape, type and these options makes.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for options out of range; [`Error::Unsupported`] for research switches.
    pub fn new(shape: &[u64], dtype: Dtype, options: &Options) -> Result<Self> {
        if shape.len() > 8 {
            return Err(Error::invalid(format!("{} dimensions: at most 8", shape.len())));
        }
        options.check(shape)?;
        if options.research != Research::default() {
            return Err(only_on_cpu());
        }
        let mut kind = [0; 8];
        kind[..2].copy_from_slice(&[dtype.code(), shape.len() as u8]);
        kind[2..].copy_from_slice(&KIND_TAIL);
        Self::build(
            shape,
            dtype,
            header::header_len(shape, options) as u64,
            u64::from_le_bytes(kind),
            options.start.is_some(),
            options.missing.len(),
        )
    }

    /// That of a stream which the host holds.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for streams of research switches.
    pub fn of(stream: &Stream<'_>) -> Result<Self> {
        let header = stream.header();
        if !serves(stream) {
            return Err(only_on_cpu());
        }
        let kind = stream.as_bytes().get(24..32).and_then(|b| b.first_chunk::<8>());
        let kind = kind.ok_or_else(|| Error::corrupt("a header without a kind"))?;
        Self::build(
            &header.shape,
            header.dtype,
            header.header_len,
            u64::from_le_bytes(*kind),
            header.start.is_some(),
            header.missing_bits.len(),
        )
    }

    fn build(
        shape: &[u64],
        dtype: Dtype,
        header_len: u64,
        header_kind: u64,
        has_start: bool,
        missing: usize,
    ) -> Result<Self> {
        let too_large = || Error::invalid(format!("a field of shape {shape:?} is too large"));
        let elements = element_count(shape).ok_or_else(too_large)?;
        let layout = layout::Layout::new(header_len, elements, crate::geometry::Geometry::STANDARD)
            .ok_or_else(too_large)?;
        if layout.chunks > i32::MAX as u64 {
            return Err(too_large());
        }
        let axes = 8 * shape.len() as u64 * (1 + u64::from(has_start));
        Ok(StreamKind {
            shape: shape.to_vec(),
            dtype,
            layout: Layout::new(elements, &layout),
            header_first: FORMAT_VERSION as u64 | header_len << 16,
            header_kind,
            missing_at: if missing > 0 { FIXED_HEADER + axes } else { 0 },
        })
    }

    /// Elements of the field.
    pub fn elements(&self) -> u64 {
        self.layout.elements
    }

    /// The stream at device address `bytes`, of which `capacity` bytes may be read.
    pub(crate) fn view(&self, bytes: u64, capacity: u64) -> Result<StreamView> {
        if !bytes.is_multiple_of(16) {
            return Err(Error::invalid(
                "a stream in device memory begins at a multiple of 16 bytes",
            ));
        }
        if capacity < self.layout.payload {
            return Err(Error::Truncated { needed: self.layout.payload, got: capacity });
        }
        Ok(StreamView {
            bytes,
            capacity,
            header_first: self.header_first,
            header_kind: self.header_kind,
            missing_at: self.missing_at,
            layout: self.layout,
        })
    }
}

/// Whether devices decode this kind of stream: all but some that research switches make.
pub(crate) fn serves(stream: &Stream<'_>) -> bool {
    let header = stream.header();
    header.geometry.is_standard() && header.research.cross_block
}

pub(crate) fn only_on_cpu() -> Error {
    Error::unsupported("research switches on a CUDA device: use Codec::cpu()")
}

impl BoxPlace {
    /// The box of `count` elements, none 0, from `start` on. `shape` has at most 8 axes.
    pub fn new(shape: &[u64], start: &[u64], count: &[u64], out: u64) -> Self {
        let mut place = BoxPlace { out, dims: 1, shape: [1; 8], start: [0; 8], count: [1; 8] };
        // A field of 0 dimensions is one of one axis of one element.
        place.dims = shape.len().max(1) as u32;
        place.shape[..shape.len()].copy_from_slice(shape);
        place.start[..shape.len()].copy_from_slice(start);
        place.count[..shape.len()].copy_from_slice(count);
        place
    }

    /// The first and the last element of the box in the field.
    pub fn corners(&self) -> (u64, u64) {
        let (mut first, mut last) = (0, 0);
        for axis in 0..self.dims as usize {
            first = first * self.shape[axis] + self.start[axis];
            last = last * self.shape[axis] + self.start[axis] + self.count[axis] - 1;
        }
        (first, last)
    }
}
