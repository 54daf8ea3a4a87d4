//! What kernels are told, as they read it (`cuda/encode`, `cuda/decode`).

use crate::{
    dtype::DType,
    error::{Error, Result},
    format::{
        self, FIXED_HEADER, FORMAT_VERSION, FixedHeader, MAX_DIMS, MAX_HEADER, MAX_MISSING,
        TileGrid, at, header,
    },
    options::{CompressOptions, Research},
    profile::Profile,
    stream::Stream,
};

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
    pub fn new(elements: u64, sections: &format::Sections) -> Self {
        Layout {
            elements,
            tiles: sections.tiles,
            chunks: sections.chunks,
            rates: sections.heads.start,
            sizes: sections.sizes.start,
            offsets: sections.offsets.start,
            sums: sections.sums.start,
            payload: sections.payload,
        }
    }
}

/// `StreamView` in `cuda/decode/stream_view.cuh`.
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
    pub shape: [u64; MAX_DIMS],
    pub start: [u64; MAX_DIMS],
    pub count: [u64; MAX_DIMS],
}

/// `Missing` in `cuda/encode/control.cuh`, of `f32`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct MissingF32 {
    pub bits: [u32; MAX_MISSING],
    pub count: u32,
}

/// `Missing` in `cuda/encode/control.cuh`, of `f64`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct MissingF64 {
    pub bits: [u64; MAX_MISSING],
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
    pub words: [u32; MAX_HEADER / 4],
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
    pub(crate) dtype: DType,
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
    pub fn new(shape: &[u64], dtype: DType, options: &CompressOptions) -> Result<Self> {
        options.check(shape, dtype)?;
        if !options.profile.is_standard_paper() {
            return Err(only_on_cpu());
        }
        let nothing = header::Outcome::unknown();
        let header = FixedHeader::new(dtype, shape, options, &nothing);
        Self::build(
            shape,
            dtype,
            header.header_len as u64,
            kind_of(&header),
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
        Self::build(
            &header.shape,
            header.dtype,
            header.fields().header_len as u64,
            kind_of(header.fields()),
            header.start.is_some(),
            header.missing_bits.len(),
        )
    }

    fn build(
        shape: &[u64],
        dtype: DType,
        header_len: u64,
        header_kind: u64,
        has_start: bool,
        missing: usize,
    ) -> Result<Self> {
        let too_large = || Error::invalid(format!("a field of shape {shape:?} is too large"));
        let profile = Profile::default();
        let grid = TileGrid::new(&profile, shape).ok_or_else(too_large)?;
        let sections =
            format::Sections::new(header_len, &grid, profile.head_len()).ok_or_else(too_large)?;
        if sections.chunks > i32::MAX as u64 {
            return Err(too_large());
        }
        let axes = 8 * shape.len() as u64 * (1 + u64::from(has_start));
        Ok(StreamKind {
            shape: shape.to_vec(),
            dtype,
            layout: Layout::new(grid.elements(), &sections),
            header_first: FORMAT_VERSION as u64 | header_len << 16,
            header_kind,
            missing_at: if missing > 0 { FIXED_HEADER as u64 + axes } else { 0 },
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
    let standard = Research::default();
    stream.header().profile.research().is_some_and(|research| {
        research.cross_block
            && research.block_len == standard.block_len
            && research.blocks_per_tile == standard.blocks_per_tile
    })
}

/// What stands in the 8 header bytes from the element type on.
fn kind_of(header: &FixedHeader) -> u64 {
    let mut bytes = [0; FIXED_HEADER];
    header.write(&mut bytes);
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at::dtype + i]))
}

pub(crate) fn only_on_cpu() -> Error {
    Error::unsupported("research switches on a CUDA device: use Codec::cpu()")
}

impl BoxPlace {
    /// The box of `count` elements, none 0, from `start` on. `shape` has at most 8 axes.
    pub fn new(shape: &[u64], start: &[u64], count: &[u64], out: u64) -> Self {
        let mut place = BoxPlace {
            out,
            dims: 1,
            shape: [1; MAX_DIMS],
            start: [0; MAX_DIMS],
            count: [1; MAX_DIMS],
        };
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
