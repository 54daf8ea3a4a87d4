//! The section of a stream that holds its regions (FORMAT.md, *Regions*).

use std::{ops::Range, sync::Arc};

use super::{
    constants::{ALIGNMENT, MAX_REGIONS, REGION_BOX, REGION_MASK},
    geometry::element_count,
    header::Header,
};
use crate::{
    dtype::DType,
    error::{Error, Result},
    partial::check_box,
    region::{Mask, Place, StoredRegion},
    statistics::Certificate,
    stream::Stream,
};

/// Bytes before the first entry.
const HEAD: usize = 48;

/// What all regions of a field have in common.
#[derive(Debug)]
pub(crate) struct Regions {
    pub regions: Vec<StoredRegion>,
    min: f64,
    max: f64,
    nan: u64,
    inf: u64,
    missing: u64,
}

impl Regions {
    /// Makes the certificate of the elements outside of regions that of the field.
    pub fn complete(&self, certificate: &mut Certificate) {
        let &Regions { ref regions, min, max, nan, inf, missing } = self;
        for own in regions.iter().map(|region| &region.certificate) {
            certificate.max_abs_error = certificate.max_abs_error.max(own.max_abs_error);
            certificate.escaped += own.escaped;
        }
        let max_relative_error = None;
        *certificate =
            Certificate { min, max, nan, inf, missing, max_relative_error, ..*certificate };
    }
}

/// What stands before the streams of regions.
pub(crate) struct Table<'a> {
    places: Vec<&'a Place>,
    /// The codes of masks, of boxes nothing.
    codes: Vec<Vec<u8>>,
}

impl<'a> Table<'a> {
    pub fn new(places: impl Iterator<Item = &'a Place>) -> Self {
        let places = Vec::from_iter(places);
        let code = |place: &&Place| match place {
            Place::Mask(mask) => mask.code(),
            Place::Box { .. } => Vec::new(),
        };
        let codes = places.iter().map(code).collect();
        Table { places, codes }
    }

    /// The bytes of that of some regions.
    pub fn len_of<'p>(places: impl Iterator<Item = &'p Place>) -> usize {
        let entry = |place: &Place| match place {
            Place::Box { count, .. } => 16 + 16 * count.len(),
            Place::Mask(mask) => 32 + mask.code_len(),
        };
        HEAD + places.map(entry).sum::<usize>()
    }

    /// The section up to the streams, which have these lengths, with what is known of the whole field.
    pub fn before_streams(&self, streams: &[u64], field: &Certificate) -> Vec<u8> {
        let &Certificate { min, max, nan, inf, missing, .. } = field;
        // One NaN stands for "there is none".
        let end = |end: f64| match end.is_nan() {
            true => DType::F64.nan_pattern(false),
            false => end.to_bits(),
        };
        let mut part = Vec::new();
        let mut put = |number: u64| part.extend(number.to_le_bytes());
        [self.places.len() as u64, end(min), end(max), nan, inf, missing]
            .into_iter()
            .for_each(&mut put);
        for ((place, code), &stream) in self.places.iter().zip(&self.codes).zip(streams) {
            match place {
                Place::Box { start, count } => {
                    [REGION_BOX, stream].into_iter().for_each(&mut put);
                    start.iter().chain(count).copied().for_each(&mut put);
                }
                Place::Mask(mask) => {
                    let runs = mask.runs().len() as u64;
                    [REGION_MASK, stream, runs, code.len() as u64].into_iter().for_each(&mut put);
                }
            }
        }
        self.codes.iter().for_each(|code| part.extend(code));
        part
    }
}

/// Reads and checks the section `at` of the stream `bytes`, which has this header.
pub(crate) fn read(bytes: &[u8], at: &Range<u64>, header: &Header) -> Result<Regions> {
    let mut rest = Rest(&bytes[at.start as usize..at.end as usize]);
    let count = rest.number()?;
    if !(1..=MAX_REGIONS as u64).contains(&count) {
        return Err(Error::corrupt(format!("{count} regions")));
    }
    let [min, max] = [f64::from_bits(rest.number()?), f64::from_bits(rest.number()?)];
    let [nan, inf, missing] = [rest.number()?, rest.number()?, rest.number()?];
    let none = nan
        .checked_add(inf)
        .and_then(|sum| sum.checked_add(missing))
        .filter(|&sum| sum <= header.elements())
        .map(|sum| sum == header.elements());
    let is_sound = match none {
        Some(true) => min.is_nan() && max.is_nan(),
        Some(false) => min.is_finite() && min <= max && max.is_finite(),
        None => false,
    };
    if !is_sound {
        return Err(Error::corrupt("the counts or the range of a field with regions contradict"));
    }
    let entries = (0..count).map(|_| Entry::read(&mut rest, header.shape.len()));
    let entries = entries.collect::<Result<Vec<_>>>()?;
    let places = entries.into_iter().map(|entry| entry.place(&mut rest, header));
    let places = places.collect::<Result<Vec<_>>>()?;
    let mut regions = Vec::new();
    let whole = (at.end - at.start) as usize;
    for (place, len) in places {
        let done = whole - rest.0.len();
        let padding = rest.take(done.next_multiple_of(ALIGNMENT as usize) - done)?;
        if padding.iter().any(|&byte| byte != 0) {
            return Err(Error::corrupt("bytes between regions are not zero"));
        }
        let first = at.start as usize + whole - rest.0.len();
        let own = rest.take(usize::try_from(len).map_err(|_| too_short())?)?;
        regions.push(stored(place, own, first, header)?);
    }
    match rest.0 {
        [] => Ok(Regions { regions, min, max, nan, inf, missing }),
        _ => Err(Error::corrupt("the section of regions goes on behind them")),
    }
}

/// A region whose stream these bytes are, which begin at `first`.
fn stored(place: Place, bytes: &[u8], first: usize, header: &Header) -> Result<StoredRegion> {
    // Looked at first: an opened stream would read regions within regions without an end.
    if super::header::read(bytes)?.has_regions() {
        return Err(Error::corrupt("a region with regions of its own"));
    }
    let stream = Stream::open(bytes)?;
    let own = stream.header();
    if own.dtype != header.dtype || own.shape != place.shape() {
        return Err(Error::corrupt("a region whose stream has another type or shape"));
    }
    Ok(StoredRegion {
        place,
        bound: own.bound,
        absolute_bound: own.absolute_bound,
        certificate: *stream.certificate(),
        at: first..first + bytes.len(),
    })
}

/// An entry of the table.
enum Entry {
    Box { start: Vec<u64>, count: Vec<u64>, stream: u64 },
    Mask { runs: u64, code: u64, stream: u64 },
}

impl Entry {
    fn read(rest: &mut Rest<'_>, dims: usize) -> Result<Self> {
        let (kind, stream) = (rest.number()?, rest.number()?);
        let mut numbers = || (0..dims).map(|_| rest.number()).collect::<Result<Vec<_>>>();
        match kind {
            REGION_BOX => Ok(Entry::Box { start: numbers()?, count: numbers()?, stream }),
            REGION_MASK => Ok(Entry::Mask { runs: rest.number()?, code: rest.number()?, stream }),
            _ => Err(Error::unsupported(format!(
                "a region of kind {kind}: use the release that wrote the stream, or a newer one"
            ))),
        }
    }

    /// Its elements, and the length of its stream; takes the code of a mask.
    fn place(self, rest: &mut Rest<'_>, header: &Header) -> Result<(Place, u64)> {
        match self {
            Entry::Box { start, count, stream } => {
                let inside = check_box(&header.shape, &start, &count);
                inside.map_err(|_| Error::corrupt("a region is not inside the field"))?;
                Ok((Place::Box { start, count }, stream))
            }
            Entry::Mask { runs, code, stream } => {
                let code = rest.take(usize::try_from(code).map_err(|_| too_short())?)?;
                let all = element_count(&header.shape).unwrap_or(0);
                Ok((Place::Mask(Arc::new(Mask::read(code, runs, all)?)), stream))
            }
        }
    }
}

fn too_short() -> Error {
    Error::corrupt("the section of regions is shorter than what it announces")
}

/// What is left of the section.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (own, rest) = self.0.split_at_checked(len).ok_or_else(too_short)?;
        self.0 = rest;
        Ok(own)
    }

    fn number(&mut self) -> Result<u64> {
        let bytes = self.take(8)?;
        Ok(u64::from_le_bytes(std::array::from_fn(|i| bytes[i])))
    }
}
