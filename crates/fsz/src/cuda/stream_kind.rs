//! What a stream in device memory is, as its caller describes it.

use std::{iter, ops::Range};

use cudarc::driver::{result, sys};

use crate::cuda::{
    decompress::REPORT,
    driver::error::{check, ok},
    kernels::{
        abi::{BoxGrid, Sections, StreamView},
        kernel::Coder,
        relative::without_samples,
    },
};
use crate::{
    bound::Limit,
    dtype::DType,
    error::{Error, Result},
    float_mode::FloatMode,
    format::{
        self, FIXED_HEADER, FORMAT_VERSION, FixedHeader, Run, TILE, TileGrid, at,
        geometry::element_count, header,
    },
    options::CompressOptions,
    profile::Profile,
    region::{Place, StoredRegion},
    research::Research,
    selection::Selection,
    stream::Stream,
    with_element,
};

/// What must be known of a stream to decode it where it lies, in device memory, without looking at it
/// from the host: its shape, element type, and what its header holds.
#[derive(Clone, Debug)]
pub struct StreamKind {
    pub(crate) shape: Vec<u64>,
    pub(crate) dtype: DType,
    pub(crate) sections: Sections,
    pub(crate) tiles: Tiles,
    header_first: u64,
    header_kind: u64,
    missing_at: u64,
    /// Where the header has what it tells of a pointwise-relative bound; 0: the bound is another.
    pub(crate) relative_at: u64,
    /// Whether it is arithmetic that takes the time of decompressing tiles, not memory: codes of a
    /// pointwise-relative bound become elements by a curve, and those among escaped elements go to their places
    /// one by one.
    pub(crate) computes: bool,
    /// What bytes of the stream that kernels do not read add to its metadata checksum: the section of regions.
    unread: u32,
    /// What lies over the field.
    pub(crate) regions: Vec<RegionKind>,
}

/// One of so many elements is escaped where they are many: nearly each group of tiles then has some.
const MANY_ESCAPED: u64 = 64;

/// What must be known of a region of a stream.
#[derive(Clone, Debug)]
pub(crate) struct RegionKind {
    pub place: Place,
    /// Where its stream lies in that of the field.
    pub at: Range<usize>,
    pub kind: StreamKind,
}

/// What a header has behind its fixed part and the shape.
struct HeaderParts {
    start: bool,
    missing: usize,
    relative: bool,
}

impl HeaderParts {
    fn of(options: &CompressOptions) -> Self {
        HeaderParts {
            start: options.start.is_some(),
            missing: options.missing.len(),
            relative: options.bound.is_relative(),
        }
    }

    /// Where the missing values begin in the header of a field of so many axes; 0 where there are none.
    fn missing_at(&self, axes: usize) -> u64 {
        if self.missing > 0 { self.behind_axes(axes) } else { 0 }
    }

    /// Where what is told of a pointwise-relative bound begins; 0 where nothing is.
    fn relative_at(&self, axes: usize) -> u64 {
        if self.relative { self.behind_axes(axes) + 8 * self.missing as u64 } else { 0 }
    }

    fn behind_axes(&self, axes: usize) -> u64 {
        FIXED_HEADER as u64 + 8 * axes as u64 * (1 + u64::from(self.start))
    }
}

/// Errs for a stream at a device address that kernels cannot use.
pub(crate) fn check_stream_aligned(bytes: u64) -> Result<()> {
    if !bytes.is_multiple_of(16) {
        return Err(Error::invalid("a stream in device memory begins at a multiple of 16 bytes"));
    }
    Ok(())
}

/// How the tiles of a stream are coded.
#[derive(Clone, Debug)]
pub(crate) enum Tiles {
    /// Consecutive elements, of the paper's profile.
    Paper,
    /// Boxes of the profile `dense`.
    Dense { boxes: Box<BoxGrid>, grid: Box<TileGrid> },
    /// Not known before the field is compressed.
    Unknown,
}

impl StreamKind {
    /// That of the stream that compressing a field of this shape, type and these options makes.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for options out of range; [`Error::Unsupported`] for research switches, and for bounds by
    /// region and a profile that chooses while it compresses (but for [`like`](CompressOptions::like)): [`of`](Self::of)
    /// tells what a stream of these is. Also for fields of more elements than kernels count.
    pub fn new(shape: &[u64], dtype: DType, options: &CompressOptions) -> Result<Self> {
        let _mode = FloatMode::standard();
        options.check(shape, dtype)?;
        let chooses = matches!(options.profile, Profile::Dense(_)) && options.model.is_none();
        if chooses || !options.regions.is_empty() {
            return Err(before_compression());
        }
        if !writes(options) {
            return Err(only_on_cpu());
        }
        let profile = fitted(shape, dtype, options)?;
        let nothing = header::Outcome::unknown(&profile);
        let header = FixedHeader::new(dtype, shape, options, &nothing);
        Self::build(
            &profile,
            shape,
            dtype,
            header.header_len as u64,
            kind_of(&header),
            HeaderParts::of(options),
            0,
        )
    }

    /// That of a stream which the host holds. Where it has bounds by region, these are a part of it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for streams of research switches, and of fields of more elements than kernels count.
    pub fn of(stream: &Stream<'_>) -> Result<Self> {
        let section = &stream.sections().regions;
        let kind = Self::laid_out(stream, section.end - section.start)?;
        // Kernels of boxes read all that stands before the payload.
        let unread = if matches!(kind.tiles, Tiles::Dense { .. }) { 0 } else { kind.unread };
        let region = |(number, region): (usize, &StoredRegion)| {
            let kind = StreamKind::of(&stream.region_stream(number)?)?;
            Ok(RegionKind { place: region.place.clone(), at: region.at.clone(), kind })
        };
        let regions = stream.regions().iter().enumerate().map(region).collect::<Result<_>>()?;
        Ok(StreamKind { unread, regions, ..kind })
    }

    /// That of a stream of which the section of regions stays with the host: in device memory the payload follows the
    /// index, and the field's elements in regions are anything.
    pub(crate) fn of_field(stream: &Stream<'_>) -> Result<Self> {
        Self::laid_out(stream, 0)
    }

    /// That of a stream whose section of regions takes so many bytes in device memory, before anything is known of them.
    fn laid_out(stream: &Stream<'_>, regions_len: u64) -> Result<Self> {
        let header = stream.header();
        if !serves(stream) {
            return Err(only_on_cpu());
        }
        // The device's kernels know one order of the paper's tiles, whatever was switched in research.
        let profile = match &header.profile {
            Profile::Paper(_) => Profile::default(),
            other => *other,
        };
        let kind = Self::build(
            &profile,
            &header.shape,
            header.dtype,
            header.fields().header_len as u64,
            kind_of(header.fields()),
            HeaderParts {
                start: header.start.is_some(),
                missing: header.missing_bits.len(),
                relative: header.bound.is_relative(),
            },
            regions_len,
        )?;
        let fields = header.fields();
        let computes = kind.computes || fields.escaped > fields.elements / MANY_ESCAPED;
        Ok(StreamKind { computes, unread: stream.checksum_of_regions(), ..kind })
    }

    /// That of streams whose profile chooses its tiles while it compresses, or whose regions take what they take.
    pub(crate) fn unknown(shape: &[u64], dtype: DType, options: &CompressOptions) -> Result<Self> {
        let too_large = || Error::invalid(format!("a field of shape {shape:?} is too large"));
        let elements = element_count(shape).ok_or_else(too_large)?;
        Ok(StreamKind {
            shape: shape.to_vec(),
            dtype,
            sections: Sections::unknown(elements),
            tiles: Tiles::Unknown,
            header_first: 0,
            header_kind: 0,
            missing_at: 0,
            relative_at: HeaderParts::of(options).relative_at(shape.len()),
            computes: options.bound.is_relative(),
            unread: 0,
            regions: Vec::new(),
        })
    }

    fn build(
        profile: &Profile,
        shape: &[u64],
        dtype: DType,
        header_len: u64,
        header_kind: u64,
        parts: HeaderParts,
        regions_len: u64,
    ) -> Result<Self> {
        let too_large = || Error::invalid(format!("a field of shape {shape:?} is too large"));
        let grid = TileGrid::new(profile, shape).ok_or_else(too_large)?;
        let sections = format::Sections::with_regions(header_len, &grid, profile, regions_len)
            .ok_or_else(too_large)?;
        if sections.chunks > i32::MAX as u64 {
            return Err(beyond_devices());
        }
        let tiles = match profile {
            Profile::Dense(dense) => {
                let boxes = BoxGrid::new(&grid, dense.numbers()).ok_or_else(beyond_devices)?;
                Tiles::Dense { boxes: Box::new(boxes), grid: Box::new(grid.clone()) }
            }
            _ => Tiles::Paper,
        };
        Ok(StreamKind {
            shape: shape.to_vec(),
            dtype,
            sections: Sections::new(grid.elements(), &sections),
            tiles,
            header_first: FORMAT_VERSION as u64 | header_len << 16,
            header_kind,
            missing_at: parts.missing_at(shape.len()),
            relative_at: parts.relative_at(shape.len()),
            computes: parts.relative,
            unread: 0,
            regions: Vec::new(),
        })
    }

    /// Elements of the field.
    pub fn elements(&self) -> u64 {
        self.sections.elements
    }

    /// What codes the tiles.
    pub(crate) fn coder(&self) -> Coder {
        match (&self.tiles, self.relative_at > 0) {
            (Tiles::Paper, false) => Coder::Paper,
            (Tiles::Paper, true) => Coder::PaperRelative,
            (Tiles::Dense { .. } | Tiles::Unknown, false) => Coder::Dense,
            (Tiles::Dense { .. } | Tiles::Unknown, true) => Coder::DenseRelative,
        }
    }

    /// Enqueues what must stand in a report before a launch.
    ///
    /// # Safety
    /// `report` is [`REPORT`] bytes of device memory of the current context, at a multiple of 8.
    pub(crate) unsafe fn clear(&self, report: u64, queue: sys::CUstream) -> Result<()> {
        // SAFETY: the caller vouches for the memory.
        unsafe {
            check("cuMemsetD8Async", result::memset_d8_async(report, 0xFF, REPORT, queue))?;
            // Kernels add their shares of the metadata checksum to the last word, which so begins at all ones.
            if self.unread != 0 {
                let (at, begin) = (report + REPORT as u64 - 4, self.unread.wrapping_sub(1));
                ok("cuMemsetD32Async", sys::cuMemsetD32Async(at, begin, 1, queue))?;
            }
        }
        Ok(())
    }

    /// An error where the stream must be written before it is known.
    pub(crate) fn check_known(&self) -> Result<()> {
        if matches!(self.tiles, Tiles::Unknown) { Err(before_compression()) } else { Ok(()) }
    }

    /// The elements of a part of the field, as runs, one after another as they are decoded.
    pub(crate) fn runs<'a>(
        &'a self,
        selection: &Selection<'_>,
    ) -> Box<dyn Iterator<Item = Run> + Send + 'a> {
        selection.runs(&self.shape, |tiles| self.runs_of_tiles(tiles))
    }

    /// Those of tiles.
    pub(crate) fn runs_of_tiles(
        &self,
        tiles: Range<u64>,
    ) -> Box<dyn Iterator<Item = Run> + Send + '_> {
        if let Tiles::Dense { grid, .. } = &self.tiles {
            return Box::new(tiles.flat_map(|tile| grid.runs(tile)));
        }
        let first = tiles.start * TILE as u64;
        let end = (tiles.end * TILE as u64).min(self.elements());
        Box::new(iter::once((first, (end - first) as usize)))
    }

    /// The stream at device address `bytes`, of which `capacity` bytes may be read.
    pub(crate) fn view(&self, bytes: u64, capacity: u64) -> Result<StreamView> {
        self.check_known()?;
        check_stream_aligned(bytes)?;
        if capacity < self.sections.payload {
            return Err(Error::Truncated { needed: self.sections.payload, got: capacity });
        }
        Ok(StreamView {
            bytes,
            capacity,
            header_first: self.header_first,
            header_kind: self.header_kind,
            missing_at: self.missing_at,
            relative_at: self.relative_at,
            sections: self.sections,
        })
    }
}

/// The profile of options, as it was chosen for another field, for one of this shape and their bound.
pub(crate) fn fitted(shape: &[u64], dtype: DType, options: &CompressOptions) -> Result<Profile> {
    let profile = &options.profile;
    let limit = options.limit()?;
    with_element!(dtype, T => {
        let relative = match limit {
            Limit::Relative { eps, floor } => {
                Some(without_samples::<T>((eps, floor), profile, || ()))
            }
            _ => None,
        };
        profile.fitted(shape, relative.as_ref())
    })
}

/// Whether devices write streams of these options.
pub(crate) fn writes(options: &CompressOptions) -> bool {
    match &options.profile {
        Profile::Dense(_) => true,
        paper => paper.is_standard_paper(),
    }
}

/// Whether devices decode this kind of stream: all but some that research switches make.
pub(crate) fn serves(stream: &Stream<'_>) -> bool {
    let standard = Research::default();
    match &stream.header().profile {
        Profile::Paper(research) => {
            research.cross_block
                && research.block_len == standard.block_len
                && research.blocks_per_tile == standard.blocks_per_tile
        }
        Profile::Dense(_) => true,
        #[allow(unreachable_patterns, reason = "tests have one more")]
        _ => false,
    }
}

/// What stands in the 8 header bytes from the element type on.
fn kind_of(header: &FixedHeader) -> u64 {
    let mut bytes = [0; FIXED_HEADER];
    header.write(&mut bytes);
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at::dtype + i]))
}

/// The profile chooses while it compresses, and the streams of regions get lengths.
fn before_compression() -> Error {
    Error::unsupported(
        "a stream of the profile dense, or with bounds by region, before it is written: use StreamKind::of, or \
         CompressOptions::like",
    )
}

/// Of a field that the host may have and no kernel counts the parts of.
pub(super) fn beyond_devices() -> Error {
    Error::unsupported("a field of so many elements on a CUDA device: use the CPU")
}

fn only_on_cpu() -> Error {
    Error::unsupported("research switches on a CUDA device: compress on the CPU")
}
