//! The stream header (FORMAT.md, *Header*): reading and writing its bytes.

use crate::{
    certificate::Certificate,
    checksum::{WeightedSum, mix},
    element::Dtype,
    error::{Error, Result},
    geometry::{Geometry, element_count},
    layout::Layout,
    options::{Bound, Centering, MAX_MISSING, MAX_NAME, Options, Research},
};

pub(crate) const MAGIC: [u8; 8] = [0x89, b'F', b'S', b'Z', 0x0D, 0x0A, 0x1A, 0x0A];
/// The format version that this crate writes.
pub(crate) const FORMAT_VERSION: u16 = 1;
const FIXED: usize = 144;
const CHECKSUM_AT: usize = 12;
const MAX_DIMS: usize = 8;

const CROSS_BLOCK: u8 = 1;
const CENTERING: u8 = 2;
const ORDER2: u8 = 4;
const MEAN: u8 = 8;

const HAS_NAME: u8 = 1;
const HAS_STEP: u8 = 2;
const HAS_START: u8 = 4;

/// What a stream says of itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Header {
    /// Version of FORMAT.md.
    pub format_version: u16,
    /// Element type.
    pub dtype: Dtype,
    /// Elements per axis, slowest axis first.
    pub shape: Vec<u64>,
    /// Where the field begins in a global array, if recorded.
    pub start: Option<Vec<u64>>,
    /// Time step, if recorded.
    pub step: Option<u64>,
    /// Variable name, if recorded.
    pub name: Option<String>,
    /// The bound as asked.
    pub bound: Bound,
    /// The absolute bound that it came to, in the field's unit; 0 for a field of one value.
    pub absolute_bound: f64,
    /// Distance between neighbouring reconstructed values; 0 when every element is stored exactly.
    pub quantization_step: f64,
    /// Parts of the algorithm that were switched.
    pub research: Research,
    /// Missing values that were named.
    pub missing: Vec<f64>,
    pub(crate) missing_bits: Vec<u64>,
    pub(crate) geometry: Geometry,
    pub(crate) header_len: u64,
    pub(crate) stream_len: u64,
    pub(crate) payload_len: u64,
    pub(crate) metadata_sum: u32,
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

    pub(crate) fn layout(&self) -> Result<Layout> {
        Layout::new(self.header_len, self.elements(), self.geometry)
            .ok_or_else(|| Error::corrupt("the shape overflows 64 bits"))
    }
}

/// Length in bytes of the header that `write` makes.
pub(crate) fn header_len(shape: &[u64], options: &Options) -> usize {
    let starts = options.start.as_ref().map_or(0, Vec::len);
    let name = options.name.as_ref().map_or(0, |n| 2 + n.len());
    (FIXED + 8 * (shape.len() + starts + options.missing.len()) + name).next_multiple_of(16)
}

/// What is only known when the field is encoded.
pub(crate) struct Outcome {
    pub absolute_bound: f64,
    pub quantization_step: f64,
    pub stream_len: u64,
    pub payload_len: u64,
    pub metadata_sum: u32,
    pub certificate: Certificate,
}

/// Writes the header to `out`, which is `header_len` bytes long.
pub(crate) fn write(
    out: &mut [u8],
    dtype: Dtype,
    shape: &[u64],
    options: &Options,
    outcome: &Outcome,
) {
    let research = &options.research;
    let mut w = Writer { out, at: 0 };
    w.bytes(&MAGIC);
    w.bytes(&FORMAT_VERSION.to_le_bytes());
    w.bytes(&(header_len(shape, options) as u16).to_le_bytes());
    w.bytes(&[0; 4]);
    w.u64(outcome.stream_len);
    let features = bit(research.cross_block, CROSS_BLOCK)
        | bit(research.centering != Centering::Off, CENTERING)
        | bit(research.order2, ORDER2)
        | bit(research.centering == Centering::Mean, MEAN);
    w.bytes(&[
        dtype.code(),
        shape.len() as u8,
        0,
        0,
        research.block_len.ilog2() as u8,
        research.blocks_per_tile.ilog2() as u8,
        features,
        0,
    ]);
    w.f64(options.bound.requested());
    w.f64(outcome.absolute_bound);
    w.f64(outcome.quantization_step);
    let kind = match options.bound {
        Bound::Absolute(_) => 0,
        Bound::ValueRange(_) => 1,
        Bound::ValueRangeOf { .. } => 2,
    };
    let flags = bit(options.name.is_some(), HAS_NAME)
        | bit(options.step.is_some(), HAS_STEP)
        | bit(options.start.is_some(), HAS_START);
    w.bytes(&[kind, options.missing.len() as u8, flags, 0]);
    w.bytes(&outcome.metadata_sum.to_le_bytes());
    w.u64(outcome.payload_len);
    w.u64(element_count(shape).unwrap_or(0));
    let c = &outcome.certificate;
    w.f64(c.max_abs_error);
    for end in [c.min, c.max] {
        w.u64(if end.is_nan() { Dtype::F64.nan_pattern(false) } else { end.to_bits() });
    }
    for count in [c.nan, c.inf, c.missing, c.escaped, options.step.unwrap_or(0)] {
        w.u64(count);
    }
    for &value in shape.iter().chain(options.start.iter().flatten()) {
        w.u64(value);
    }
    for bits in options.missing_bits(dtype) {
        w.u64(bits);
    }
    if let Some(name) = &options.name {
        w.bytes(&(name.len() as u16).to_le_bytes());
        w.bytes(name.as_bytes());
    }
    let at = w.at;
    out[at..].fill(0);
    let sum = mix(WeightedSum::new().bytes(out).value());
    out[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&sum.to_le_bytes());
}

fn bit(on: bool, mask: u8) -> u8 {
    if on { mask } else { 0 }
}

struct Writer<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl Writer<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.out[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    fn f64(&mut self, value: f64) {
        self.u64(value.to_bits());
    }
}

/// Reads and checks the header at the beginning of `bytes`.
pub(crate) fn read(bytes: &[u8]) -> Result<(Header, Certificate)> {
    let magic = &bytes[..bytes.len().min(8)];
    if magic != &MAGIC[..magic.len()] {
        return Err(Error::corrupt(
            "it does not begin with FSZ's magic number; is this an FSZ file?",
        ));
    }
    let need = |n: usize| {
        if bytes.len() < n {
            Err(Error::Truncated { needed: n as u64, got: bytes.len() as u64 })
        } else {
            Ok(())
        }
    };
    need(FIXED)?;
    let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    let f64_at = |at: usize| f64::from_bits(u64_at(at));

    let version = u16_at(8);
    if version != FORMAT_VERSION {
        return Err(Error::unsupported(format!(
            "format version {version}; this release reads version {FORMAT_VERSION}: \
             use the release that wrote it, or a newer one"
        )));
    }
    let header_len = u16_at(10) as usize;
    if header_len < FIXED || !header_len.is_multiple_of(16) {
        return Err(Error::corrupt(format!("a header of {header_len} bytes")));
    }
    need(header_len)?;
    let stored = u32::from_le_bytes(std::array::from_fn(|i| bytes[CHECKSUM_AT + i]));
    let sum = WeightedSum::new()
        .bytes(&bytes[..CHECKSUM_AT])
        .words(&[0])
        .bytes(&bytes[CHECKSUM_AT + 4..header_len]);
    if mix(sum.value()) != stored {
        return Err(Error::corrupt("the header's checksum does not match"));
    }

    // From here on only a forged header can be wrong; it still must not do harm.
    let dtype = Dtype::from_code(bytes[24])
        .ok_or_else(|| Error::unsupported(format!("element type {}", bytes[24])))?;
    let dims = bytes[25] as usize;
    if dims > MAX_DIMS {
        return Err(Error::corrupt(format!("{dims} dimensions")));
    }
    for (at, what) in [(26, "profile"), (27, "tile layout"), (31, "reference field")] {
        if bytes[at] != 0 {
            return Err(Error::unsupported(format!("{what} {}", bytes[at])));
        }
    }
    if !matches!(bytes[28], 5 | 6) || !matches!(bytes[29], 2..=4) {
        return Err(Error::unsupported("this tile geometry"));
    }
    let geometry = Geometry { block_len: 1 << bytes[28], blocks: 1 << bytes[29] };
    let features = bytes[30];
    if features > 15 || features & (CENTERING | MEAN) == MEAN {
        return Err(Error::unsupported(format!("predictor features {features:#x}")));
    }
    let research = Research {
        cross_block: features & CROSS_BLOCK != 0,
        centering: match (features & CENTERING != 0, features & MEAN != 0) {
            (false, _) => Centering::Off,
            (true, false) => Centering::FirstCode,
            (true, true) => Centering::Mean,
        },
        order2: features & ORDER2 != 0,
        block_len: geometry.block_len,
        blocks_per_tile: geometry.blocks,
    };
    let asked = f64_at(32);
    let absolute_bound = f64_at(40);
    let (min, max) = (f64_at(88), f64_at(96));
    let bound = match bytes[56] {
        0 => Bound::Absolute(asked),
        1 => Bound::ValueRange(asked),
        // The range itself is not kept; what it came to is.
        2 => Bound::ValueRangeOf { ratio: asked, min: 0.0, max: absolute_bound / asked },
        kind => return Err(Error::unsupported(format!("bound kind {kind}"))),
    };
    let missing_count = bytes[57] as usize;
    if missing_count > MAX_MISSING {
        return Err(Error::corrupt(format!("{missing_count} missing values")));
    }
    let flags = bytes[58];
    if flags & !(HAS_NAME | HAS_STEP | HAS_START) != 0 || bytes[59] != 0 {
        return Err(Error::unsupported(format!("header flags {flags:#x}")));
    }

    let mut at = FIXED;
    let mut numbers = |count: usize| -> Result<Vec<u64>> {
        if at + 8 * count > header_len {
            return Err(Error::corrupt("the header is shorter than what it announces"));
        }
        let values = (0..count).map(|i| u64_at(at + 8 * i)).collect();
        at += 8 * count;
        Ok(values)
    };
    let shape = numbers(dims)?;
    let start = if flags & HAS_START != 0 { Some(numbers(dims)?) } else { None };
    let missing_bits = numbers(missing_count)?;
    let name = if flags & HAS_NAME != 0 { Some(read_name(&bytes[at..header_len])?) } else { None };

    let elements =
        element_count(&shape).ok_or_else(|| Error::corrupt("the shape overflows 64 bits"))?;
    if elements != u64_at(72) {
        return Err(Error::corrupt("shape and number of elements contradict each other"));
    }
    let quantization_step = f64_at(48);
    if !(quantization_step >= 0.0 && quantization_step.is_finite())
        || dtype.value_of_bits(dtype.bits_of_value(quantization_step)) != quantization_step
    {
        return Err(Error::corrupt(format!("a quantization step of {quantization_step}")));
    }
    let header = Header {
        format_version: version,
        dtype,
        shape,
        start,
        step: (flags & HAS_STEP != 0).then(|| u64_at(136)),
        name,
        bound,
        absolute_bound,
        quantization_step,
        research,
        missing: missing_bits.iter().map(|&b| dtype.value_of_bits(b)).collect(),
        missing_bits,
        geometry,
        header_len: header_len as u64,
        stream_len: u64_at(16),
        payload_len: u64_at(64),
        metadata_sum: u32::from_le_bytes(std::array::from_fn(|i| bytes[60 + i])),
    };
    let certificate = Certificate {
        max_abs_error: f64_at(80),
        min,
        max,
        nan: u64_at(104),
        inf: u64_at(112),
        missing: u64_at(120),
        escaped: u64_at(128),
    };
    Ok((header, certificate))
}

fn read_name(bytes: &[u8]) -> Result<String> {
    let (len, rest) = bytes
        .split_first_chunk::<2>()
        .ok_or_else(|| Error::corrupt("the header is shorter than what it announces"))?;
    let len = u16::from_le_bytes(*len) as usize;
    if len > MAX_NAME || len > rest.len() {
        return Err(Error::corrupt("a name longer than the header"));
    }
    String::from_utf8(rest[..len].to_vec()).map_err(|_| Error::corrupt("a name that is not UTF-8"))
}
