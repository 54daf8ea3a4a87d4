//! The stream header (FORMAT.md, *Header*): its bytes, and what a user sees of them.

use super::{
    at,
    checksum::byte_rows,
    constants::{
        FORMAT_VERSION, HAS_NAME, HAS_REGIONS, HAS_START, HAS_TIME_STEP, MAGIC, MAX_DIMS,
        MAX_HEADER, MAX_MISSING, MAX_NAME,
    },
    fields::{FIXED_HEADER, FixedHeader},
    geometry::element_count,
    profile::{Profile, RESERVED_BOUNDS, Reference, unsupported},
    relative::RelativePart,
    rules,
    sections::Sections,
    tile_grid::TileGrid,
};
#[cfg(feature = "cuda")]
use crate::statistics::Statistics;
use crate::{
    bound::Bound,
    dtype::DType,
    error::{Error, Result},
    options::CompressOptions,
    profile::Decoding,
    statistics::Certificate,
};

/// What a stream says of itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Header {
    /// Version of FORMAT.md.
    pub format_version: u16,
    /// Element type.
    pub dtype: DType,
    /// Elements per axis, slowest axis first.
    pub shape: Vec<u64>,
    /// Where the field begins in a global array, if recorded.
    pub start: Option<Vec<u64>>,
    /// Time step, if recorded.
    pub time_step: Option<u64>,
    /// Variable name, if recorded.
    pub name: Option<String>,
    /// How elements are coded.
    pub profile: Profile,
    /// What the field is predicted from beside itself.
    pub reference: Reference,
    /// The bound as requested.
    pub bound: Bound,
    /// The absolute bound used, in the field's unit; 0 for a field of one value. Of a pointwise-relative bound, what
    /// the largest element keeps.
    pub absolute_bound: f64,
    /// Distance between neighbouring reconstructed values; 0 when every element is stored exactly, or the bound is
    /// pointwise-relative.
    pub quantization_step: f64,
    /// Missing values that were named.
    pub missing: Vec<f64>,
    /// Over the finite elements that are not missing; recorded when the bound was found for a PSNR.
    pub mean_squared_error: Option<f64>,
    /// What a pointwise-relative bound is quantized by.
    pub relative: Option<RelativePart>,
    pub(crate) missing_bits: Vec<u64>,
    /// Bytes of the section *regions*.
    pub(crate) regions_len: u64,
    pub(crate) fixed: FixedHeader,
}

impl Header {
    /// The bits of the missing values; those of an `f32` in the low half.
    pub fn missing_bits(&self) -> &[u64] {
        &self.missing_bits
    }

    /// Elements of the field.
    pub fn elements(&self) -> u64 {
        element_count(&self.shape).unwrap_or(0)
    }

    /// The fixed part, field by field.
    pub fn fields(&self) -> &FixedHeader {
        &self.fixed
    }

    /// Whether parts of the field have bounds of their own.
    pub fn has_regions(&self) -> bool {
        self.fixed.flags & HAS_REGIONS != 0
    }

    /// What a profile needs to know to decode.
    pub(crate) fn decoding(&self) -> Decoding<'_> {
        let &Header { dtype, quantization_step, relative, ref missing_bits, .. } = self;
        Decoding { dtype, quantization_step, relative, missing_bits }
    }

    pub(crate) fn grid(&self) -> Result<TileGrid> {
        TileGrid::new(&self.profile, &self.shape).ok_or_else(too_large)
    }

    pub(crate) fn sections(&self, grid: &TileGrid) -> Result<Sections> {
        let header_len = self.fixed.header_len as u64;
        Sections::with_regions(header_len, grid, &self.profile, self.regions_len)
            .ok_or_else(too_large)
    }
}

fn too_large() -> Error {
    Error::corrupt("the shape overflows 64 bits")
}

/// Length in bytes of the header that `write` makes, and with regions of the one that [`with_regions`] makes of it.
pub(crate) fn header_len(shape: &[u64], options: &CompressOptions) -> usize {
    let starts = options.start.as_ref().map_or(0, Vec::len);
    let name = options.name.as_ref().map_or(0, |n| 2 + n.len());
    let own = match options.bound {
        Bound::Psnr(_) => 1,
        Bound::Relative { .. } => RelativePart::NUMBERS,
        _ => 0,
    };
    let regions = usize::from(!options.regions.is_empty());
    let numbers = shape.len() + starts + options.missing.len() + own + regions;
    (FIXED_HEADER + 8 * numbers + name).next_multiple_of(16)
}

/// What is only known when the field is encoded.
pub(crate) struct Outcome<'a> {
    /// The profile as the field is coded by it.
    pub profile: &'a Profile,
    pub absolute_bound: f64,
    pub quantization_step: f64,
    pub stream_len: u64,
    pub payload_len: u64,
    pub metadata_checksum: u32,
    pub certificate: Certificate,
    pub relative: Option<RelativePart>,
}

#[cfg(feature = "cuda")]
impl<'a> Outcome<'a> {
    /// Before anything is encoded.
    pub fn unknown(profile: &'a Profile) -> Self {
        Outcome {
            profile,
            absolute_bound: 0.0,
            quantization_step: 0.0,
            stream_len: 0,
            payload_len: 0,
            metadata_checksum: 0,
            certificate: Statistics::<f64>::empty().certificate(),
            relative: None,
        }
    }
}

impl FixedHeader {
    /// The header of a field with these options; the length of the header is `header_len`'s.
    pub(crate) fn new(
        dtype: DType,
        shape: &[u64],
        options: &CompressOptions,
        outcome: &Outcome<'_>,
    ) -> Self {
        let flag = |on: bool, mask: u8| if on { mask } else { 0 };
        let [parameter_0, parameter_1, parameter_2] = outcome.profile.parameters();
        let Certificate { max_abs_error, min, max, nan, inf, missing, escaped, .. } =
            outcome.certificate;
        // One NaN stands for "there is none".
        let end = |end: f64| {
            if end.is_nan() { f64::from_bits(DType::F64.nan_pattern(false)) } else { end }
        };
        FixedHeader {
            magic: MAGIC,
            format_version: FORMAT_VERSION,
            header_len: header_len(shape, options) as u16,
            header_checksum: 0,
            stream_len: outcome.stream_len,
            dtype: dtype.code(),
            dims: shape.len() as u8,
            profile: outcome.profile.code(),
            layout: outcome.profile.layout(),
            parameter_0,
            parameter_1,
            parameter_2,
            reference: Reference::None.code(),
            requested_bound: options.bound.requested(),
            absolute_bound: outcome.absolute_bound,
            quantization_step: outcome.quantization_step,
            bound_kind: options.bound.code(),
            missing_count: options.missing.len() as u8,
            flags: flag(options.name.is_some(), HAS_NAME)
                | flag(options.time_step.is_some(), HAS_TIME_STEP)
                | flag(options.start.is_some(), HAS_START),
            reserved: 0,
            metadata_checksum: outcome.metadata_checksum,
            payload_len: outcome.payload_len,
            elements: element_count(shape).unwrap_or(0),
            max_abs_error,
            min: end(min),
            max: end(max),
            nan,
            inf,
            missing,
            escaped,
            time_step: options.time_step.unwrap_or(0),
        }
    }
}

/// Writes the header to `out`, which is `header_len` bytes long, a multiple of 16.
pub(crate) fn write(
    out: &mut [u8],
    dtype: DType,
    shape: &[u64],
    options: &CompressOptions,
    outcome: &Outcome<'_>,
) {
    let (fixed, rest) = out.split_first_chunk_mut().expect("a header has its fixed part");
    FixedHeader::new(dtype, shape, options, outcome).write(fixed);
    let numbers = shape.iter().chain(options.start.iter().flatten()).copied();
    let mut at = 0;
    let mut put = |bytes: &[u8]| {
        rest[at..at + bytes.len()].copy_from_slice(bytes);
        at += bytes.len();
    };
    for number in numbers.chain(options.missing_bits(dtype)) {
        put(&number.to_le_bytes());
    }
    if let (Bound::Psnr(_), Some(found)) = (options.bound, options.found) {
        put(&found.mean_squared_error.to_le_bytes());
    }
    for number in outcome.relative.iter().flat_map(RelativePart::numbers) {
        put(&number.to_le_bytes());
    }
    if let Some(name) = &options.name {
        put(&(name.len() as u16).to_le_bytes());
        put(name.as_bytes());
    }
    rest[at..].fill(0);
    seal(out);
}

/// Writes the checksum of a header, which is 0 yet.
fn seal(header: &mut [u8]) {
    let sum = byte_rows(header, 0);
    header[at::header_checksum..][..4].copy_from_slice(&sum.to_le_bytes());
}

/// The header of the same stream, which has no regions, with so many bytes of them, for [`finish`].
pub(crate) fn with_regions(old: &[u8], header: &Header, regions_len: u64) -> Vec<u8> {
    let starts = header.start.as_ref().map_or(0, Vec::len);
    let own = usize::from(header.mean_squared_error.is_some())
        + header.relative.map_or(0, |_| RelativePart::NUMBERS);
    let numbers = header.shape.len() + starts + header.missing_bits.len() + own;
    let (before, behind) = old.split_at(FIXED_HEADER + 8 * numbers);
    let name = match header.fixed.flags & HAS_NAME {
        0 => 0,
        _ => 2 + header.name.as_ref().map_or(0, String::len),
    };
    let mut new = before.to_vec();
    new.extend(regions_len.to_le_bytes());
    new.extend(&behind[..name]);
    new.resize(new.len().next_multiple_of(16), 0);
    let fixed = FixedHeader {
        header_len: new.len() as u16,
        flags: header.fixed.flags | HAS_REGIONS,
        ..header.fixed
    };
    if let Some(place) = new.first_chunk_mut() {
        fixed.write(place);
    }
    new
}

/// Writes what [`with_regions`] leaves open.
pub(crate) fn finish(header: &mut [u8], stream_len: u64, metadata_checksum: u32) {
    header[at::stream_len..][..8].copy_from_slice(&stream_len.to_le_bytes());
    header[at::metadata_checksum..][..4].copy_from_slice(&metadata_checksum.to_le_bytes());
    header[at::header_checksum..][..4].fill(0);
    seal(header);
}

/// The checksum that belongs to a header, whatever it holds in its place.
pub(crate) fn checksum(header: &[u8]) -> u32 {
    let mut first = [0; 16];
    first.copy_from_slice(&header[..16]);
    first[at::header_checksum..][..4].fill(0);
    byte_rows(&first, 0).wrapping_add(byte_rows(&header[16..], 1))
}

/// Whether bytes begin as a stream does, as far as they go.
pub(crate) fn has_magic(bytes: &[u8]) -> bool {
    let magic = MAGIC.to_le_bytes();
    let n = bytes.len().min(magic.len());
    bytes[..n] == magic[..n]
}

/// Reads and checks the header at the beginning of `bytes`.
pub(crate) fn read(bytes: &[u8]) -> Result<Header> {
    if bytes.starts_with(b"FSZ1") {
        return Err(Error::corrupt(
            "it begins with FSZ1, as files of the paper author's release do, which are of another format: \
             the program fsz reads them",
        ));
    }
    if !has_magic(bytes) {
        return Err(Error::corrupt(
            "it does not begin with FSZ's magic number; is this an FSZ file?",
        ));
    }
    let truncated =
        |needed: usize| Error::Truncated { needed: needed as u64, got: bytes.len() as u64 };
    let fixed = bytes.first_chunk().ok_or_else(|| truncated(FIXED_HEADER))?;
    let fixed = FixedHeader::read(fixed);
    if fixed.format_version != FORMAT_VERSION {
        return Err(Error::unsupported(format!(
            "format version {}; this release reads version {FORMAT_VERSION}: \
             use the release that wrote it, or a newer one",
            fixed.format_version
        )));
    }
    let header_len = fixed.header_len as usize;
    if !(FIXED_HEADER..=MAX_HEADER).contains(&header_len) || !header_len.is_multiple_of(16) {
        return Err(Error::corrupt(format!("a header of {header_len} bytes")));
    }
    let header = bytes.get(..header_len).ok_or_else(|| truncated(header_len))?;
    if checksum(header) != fixed.header_checksum {
        return Err(Error::corrupt("the header's checksum does not match"));
    }
    // From here on only a forged header can be wrong; it still must not do harm.
    let header = interpret(fixed, &header[FIXED_HEADER..])?;
    match rules::broken(&fixed) {
        Some(rule) => Err(Error::corrupt(format!("a contradictory header: {}", rule.broken))),
        None => Ok(header),
    }
}

/// Reads a header that this crate has just written.
#[cfg(feature = "ndarray")]
pub(crate) fn read_written(bytes: &[u8]) -> Result<Header> {
    let (fixed, rest) = bytes.split_first_chunk().expect("a stream has its header");
    let fixed = FixedHeader::read(fixed);
    interpret(fixed, &rest[..fixed.header_len as usize - FIXED_HEADER])
}

/// What the fields of a header and the bytes behind them stand for.
fn interpret(fixed: FixedHeader, rest: &[u8]) -> Result<Header> {
    let dtype = DType::from_code(fixed.dtype)
        .ok_or_else(|| unsupported("element type", fixed.dtype, &[]))?;
    let dims = fixed.dims as usize;
    if dims > MAX_DIMS {
        return Err(Error::corrupt(format!("{dims} dimensions")));
    }
    let profile = Profile::from_header(&fixed)?;
    let reference = Reference::from_code(fixed.reference)?;
    let mut bound = Bound::from_header(&fixed)
        .ok_or_else(|| unsupported("bound kind", fixed.bound_kind, RESERVED_BOUNDS))?;
    let missing_count = fixed.missing_count as usize;
    if missing_count > MAX_MISSING {
        return Err(Error::corrupt(format!("{missing_count} missing values")));
    }
    let flags = fixed.flags;
    if flags & !(HAS_NAME | HAS_TIME_STEP | HAS_START | HAS_REGIONS) != 0 || fixed.reserved != 0 {
        return Err(unsupported("header flags", flags, &[]));
    }
    let mut rest = Rest(rest);
    let shape = rest.numbers(dims)?;
    let start = if flags & HAS_START != 0 { Some(rest.numbers(dims)?) } else { None };
    let missing_bits = rest.numbers(missing_count)?;
    let mean_squared_error = match bound {
        Bound::Psnr(_) => rest.numbers(1)?.first().map(|&bits| f64::from_bits(bits)),
        _ => None,
    };
    let mut relative = None;
    if let Bound::Relative { floor, .. } = &mut bound {
        let part = RelativePart::read(&rest.numbers(RelativePart::NUMBERS)?, &fixed, dtype)?;
        profile.check_relative(&part)?;
        *floor = part.floor;
        relative = Some(part);
    }
    let regions_len = if flags & HAS_REGIONS != 0 { rest.numbers(1)?[0] } else { 0 };
    let name = if flags & HAS_NAME != 0 { rest.name()? } else { String::new() };
    if rest.0.len() >= 16 || rest.0.iter().any(|&b| b != 0) {
        return Err(Error::corrupt("the header goes on behind its end"));
    }
    if mean_squared_error.is_some_and(|error| !(error.is_finite() && error >= 0.0)) {
        return Err(Error::corrupt("the mean squared error is negative or not finite"));
    }
    if element_count(&shape).ok_or_else(too_large)? != fixed.elements {
        return Err(Error::corrupt("the number of elements is not that of the shape"));
    }
    let ends = start.iter().flatten().zip(&shape);
    if ends.into_iter().any(|(start, n)| start.checked_add(*n).is_none()) {
        return Err(Error::corrupt("the start in the global array overflows 64 bits"));
    }
    if dtype == DType::F32 && missing_bits.iter().any(|bits| bits >> 32 != 0) {
        return Err(Error::corrupt("a missing value that is not an f32"));
    }
    Ok(Header {
        format_version: fixed.format_version,
        dtype,
        shape,
        start,
        time_step: (flags & HAS_TIME_STEP != 0).then_some(fixed.time_step),
        name: (!name.is_empty()).then_some(name),
        profile,
        reference,
        bound,
        absolute_bound: fixed.absolute_bound,
        quantization_step: fixed.quantization_step,
        missing: missing_bits.iter().map(|&b| dtype.value_of_bits(b)).collect(),
        missing_bits,
        regions_len,
        mean_squared_error,
        relative,
        fixed,
    })
}

/// What is left of a header.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn take(&mut self, len: usize) -> Result<&[u8]> {
        let (own, rest) = self
            .0
            .split_at_checked(len)
            .ok_or_else(|| Error::corrupt("the header is shorter than what it announces"))?;
        self.0 = rest;
        Ok(own)
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<u64>> {
        let bytes = self.take(8 * count)?;
        Ok(bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect())
    }

    fn name(&mut self) -> Result<String> {
        let len = self.take(2)?;
        let len = u16::from_le_bytes([len[0], len[1]]) as usize;
        if len > MAX_NAME {
            return Err(Error::corrupt(format!("a name of {len} bytes")));
        }
        String::from_utf8(self.take(len)?.to_vec())
            .map_err(|_| Error::corrupt("a name that is not UTF-8"))
    }
}
