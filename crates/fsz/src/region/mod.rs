//! Bounds by region (FORMAT.md, *Regions*): a part of a field that keeps a bound of its own has a stream of its own,
//! within the stream of the field.

mod compress;
mod decompress;
mod fill;
mod frame;
mod mask;
mod parts;
mod ranges;
#[cfg(feature = "cuda")]
mod runs;

use std::{ops::Range, sync::Arc};

#[cfg(feature = "cuda")]
pub(crate) use compress::{certificate, of_field, of_region, width};
pub(crate) use compress::{compress, each_run};
#[cfg(feature = "cuda")]
pub(crate) use decompress::Wanted;
pub(crate) use decompress::{around, put};
#[cfg(feature = "cuda")]
pub(crate) use frame::Frame;
pub use mask::Mask;
pub use ranges::BoxRanges;
#[cfg(feature = "cuda")]
pub(crate) use runs::{covered, held};

#[cfg(feature = "cuda")]
use crate::format::box_runs::rows_of_box;
use crate::{
    bound::Bound,
    dtype::DType,
    error::{Error, Result},
    format::{
        MAX_REGIONS, Run, box_runs::run_in_box, geometry::element_count, regions,
        sections::max_compressed_len,
    },
    options::CompressOptions,
    partial::check_box,
    statistics::Certificate,
};

/// Which elements of a field a region has.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Place {
    /// A box.
    Box {
        /// Its first element along each axis, slowest first.
        start: Vec<u64>,
        /// Its elements along each axis.
        count: Vec<u64>,
    },
    /// Those where a mask is set.
    Mask(Arc<Mask>),
}

/// A part of a field and the bound that its elements keep.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Region {
    /// Its elements.
    pub place: Place,
    /// What they keep. A share of a value range is one of the range of the whole field.
    pub bound: Bound,
}

impl Region {
    /// The box of `count` elements from `start` on.
    pub fn in_box(start: &[u64], count: &[u64], bound: Bound) -> Self {
        Region { place: Place::Box { start: start.to_vec(), count: count.to_vec() }, bound }
    }

    /// The elements where a mask is set.
    pub fn where_set(mask: Mask, bound: Bound) -> Self {
        Region { place: Place::Mask(Arc::new(mask)), bound }
    }
}

/// A region of a stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoredRegion {
    /// Its elements.
    pub place: Place,
    /// The bound that they keep.
    pub bound: Bound,
    /// The absolute bound that follows from it, as in a [`Header`](crate::Header).
    pub absolute_bound: f64,
    /// What the encoder vouches for: of its elements, also of those that a later region covers.
    pub certificate: Certificate,
    /// Where its stream lies in that of the field.
    pub(crate) at: Range<usize>,
}

impl StoredRegion {
    /// Bytes of its stream.
    pub fn compressed_bytes(&self) -> u64 {
        self.at.len() as u64
    }

    /// Calls `take` with each part of the `len` elements of the field from `first` on that is in the region: where it
    /// begins in these, where in the region's [stream](crate::Stream::region_stream), and how many elements it has;
    /// all in C order of elements, `shape` being that of the field.
    ///
    /// # Panics
    /// May panic with another shape, and for elements that the field does not have.
    pub fn each_in(
        &self,
        shape: &[u64],
        (first, len): (u64, usize),
        take: impl FnMut(usize, usize, usize),
    ) {
        match &self.place {
            Place::Box { start, count } => run_in_box((first, len), shape, start, count, take),
            mask => mask.each_in(&Part::Elements(0), (first, len), shape, take),
        }
    }
}

impl Place {
    /// Elements of the region.
    pub fn elements(&self) -> u64 {
        match self {
            Place::Box { count, .. } => element_count(count).unwrap_or(0),
            Place::Mask(mask) => mask.set(),
        }
    }

    /// Whether the element at `index` in C order of a field of this shape is in the region; none is where the field does
    /// not have it, or cannot have the region.
    pub fn contains(&self, shape: &[u64], index: u64) -> bool {
        let is_there = element_count(shape).is_some_and(|elements| index < elements);
        if !is_there || check_place(self, shape).is_err() {
            return false;
        }
        let mut own = false;
        self.each_in(&self.whole(), (index, 1), shape, |_, _, n| own = n > 0);
        own
    }

    /// The shape of its stream.
    pub(crate) fn shape(&self) -> Vec<u64> {
        match self {
            Place::Box { count, .. } => count.clone(),
            Place::Mask(mask) => vec![mask.set()],
        }
    }

    /// Calls `take` with each part of a run of elements of the field that is in the region: where it begins in the run,
    /// where in the elements `part` of the region, and how many elements it has.
    fn each_in(
        &self,
        part: &Part,
        run: Run,
        shape: &[u64],
        mut take: impl FnMut(usize, usize, usize),
    ) {
        match (self, part) {
            (Place::Mask(mask), Part::Elements(first)) => {
                for (own, before) in mask.within(run.0..run.0 + run.1 as u64) {
                    let n = (own.end - own.start) as usize;
                    take((own.start - run.0) as usize, (before - first) as usize, n);
                }
            }
            (_, Part::Box { start, count }) => run_in_box(run, shape, start, count, take),
            _ => {}
        }
    }

    /// The runs of the field's elements that are in the region, in its order.
    #[cfg(feature = "cuda")]
    pub(crate) fn runs(&self, shape: &[u64]) -> Box<dyn Iterator<Item = Run> + Send + '_> {
        match self {
            Place::Box { start, count } => Box::new(rows_of_box(shape, start, count)),
            Place::Mask(mask) => {
                Box::new(mask.runs().map(|run| (run.start, (run.end - run.start) as usize)))
            }
        }
    }

    /// All of it.
    fn whole(&self) -> Part {
        match self {
            Place::Box { start, count } => Part::Box { start: start.clone(), count: count.clone() },
            Place::Mask(_) => Part::Elements(0),
        }
    }
}

/// Which of a region's elements are at hand.
enum Part {
    /// A box of the field that lies in that of the region.
    Box { start: Vec<u64>, count: Vec<u64> },
    /// The elements of a mask from this one on.
    Elements(u64),
}

/// The region that holds each element of some runs of the field, one run after another: its number and 1 more; 0, which
/// all are at first, where none does.
pub(crate) fn owners<'a>(
    places: impl Iterator<Item = &'a Place>,
    shape: &[u64],
    runs: impl Iterator<Item = Run> + Clone,
    out: &mut [u8],
) {
    for (number, place) in places.enumerate() {
        let (part, mut at) = (place.whole(), 0);
        for run in runs.clone() {
            place.each_in(&part, run, shape, |from, _, n| {
                out[at + from..at + from + n].fill(number as u8 + 1);
            });
            at += run.1;
        }
    }
}

/// Whether a field can have the regions of these options.
pub(crate) fn check(options: &CompressOptions, shape: &[u64], dtype: DType) -> Result<()> {
    let regions = &options.regions;
    if regions.is_empty() {
        return Ok(());
    }
    if regions.len() > MAX_REGIONS {
        return Err(Error::invalid(format!("{} regions: at most {MAX_REGIONS}", regions.len())));
    }
    for bound in regions.iter().map(|region| region.bound).chain([options.bound]) {
        bound.check(dtype)?;
        if bound.is_target() {
            return Err(Error::invalid(format!(
                "a target ({}) with bounds by region: find the bound without regions first, and give it \
                 as an absolute one",
                bound.kind()
            )));
        }
    }
    regions.iter().try_for_each(|region| check_place(&region.place, shape))
}

fn check_place(place: &Place, shape: &[u64]) -> Result<()> {
    match place {
        Place::Box { start, count } => check_box(shape, start, count).map(drop),
        Place::Mask(mask) if element_count(shape) == Some(mask.elements()) => Ok(()),
        Place::Mask(mask) => Err(Error::invalid(format!(
            "a mask of {} elements for a field of shape {shape:?}",
            mask.elements()
        ))),
    }
}

/// The most bytes that regions take.
pub(crate) fn max_len(regions: &[Region], shape: &[u64], dtype: DType) -> Result<u64> {
    let mut most = regions::Table::len_of(regions.iter().map(|region| &region.place)) as u64;
    for region in regions {
        check_place(&region.place, shape)?;
        // Neither can be near the largest number, but regions may lie over each other.
        let own = max_compressed_len(&region.place.shape(), dtype)?.next_multiple_of(16) + 16;
        most = most.checked_add(own).ok_or_else(|| {
            Error::invalid(format!("regions of a field of shape {shape:?} are too large"))
        })?;
    }
    Ok(if regions.is_empty() { 0 } else { most })
}
