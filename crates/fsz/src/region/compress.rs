//! Fields to streams: the regions' first, then that of the field, which holds them.

use super::{Part, Place, fill::fill, frame, owners, rows};
use crate::{
    bound::Bound,
    codec::Codec,
    element::Element,
    error::Result,
    format::{regions::Table, sections::max_compressed_len},
    options::CompressOptions,
    statistics::{Statistics, ValueRange},
    value_range,
};

/// Compresses `data`, a field of `shape` with regions, into `out`; the arguments have been checked.
pub(crate) fn compress<T: Element>(
    codec: &Codec,
    data: &[T],
    shape: &[u64],
    options: &CompressOptions,
    out: &mut [u8],
) -> Result<usize> {
    let missing = options.missing_values::<T>();
    let range = codec.run(options.threads, None, |run| value_range::range(data, &missing, run))?;
    let places = || options.regions.iter().map(|region| &region.place);
    let mut owner = vec![0; data.len()];
    owners(places(), shape, std::iter::once((0, data.len())), &mut owner);

    let mut streams = Vec::new();
    for (number, region) in options.regions.iter().enumerate() {
        let (part, shape_of_part) = (gather(&region.place, data, shape), region.place.shape());
        let owner = gather(&region.place, &owner, shape);
        let covered = |i: usize| usize::from(owner[i]) != number + 1;
        let part = fill(&part, width(&shape_of_part), &missing, covered);
        let mut own = CompressOptions::new(in_range(region.bound, &range));
        own.missing.clone_from(&options.missing);
        let own = CompressOptions { threads: options.threads, ..own.profile(options.profile) };
        let mut stream = vec![0; max_compressed_len(&shape_of_part, T::DTYPE)? as usize];
        let len = codec.compress_into(&part, &shape_of_part, &own, &mut stream)?;
        stream.truncate(len);
        streams.push(stream);
    }

    let field = Statistics { range, ..Statistics::empty() }.certificate();
    let section = Table::new(places()).write(&streams, &field);
    let bound = in_range(options.bound, &range);
    let main = CompressOptions { bound, regions: Vec::new(), ..options.clone() };
    let filled = fill(data, width(shape), &missing, |i| owner[i] != 0);
    let len = codec.compress_into(&filled, shape, &main, out)?;
    frame::insert(out, len, &section)
}

/// A bound that refers to the range of the field with that range named.
fn in_range<T: Element>(bound: Bound, range: &ValueRange<T>) -> Bound {
    match bound {
        Bound::ValueRange(ratio) => {
            let (min, max) = range.ends().unwrap_or_default();
            Bound::ValueRangeOf { ratio, min, max }
        }
        other => other,
    }
}

fn width(shape: &[u64]) -> usize {
    shape.last().map_or(1, |&n| n as usize)
}

/// What a region has of the elements of a field.
fn gather<E: Copy>(place: &Place, data: &[E], shape: &[u64]) -> Vec<E> {
    let mut part = Vec::with_capacity(place.elements() as usize);
    let mut take = |first: u64, n: u64| part.extend(&data[first as usize..(first + n) as usize]);
    match (place, place.whole()) {
        (_, Part::Box { start, count }) => {
            rows(shape, &start, &count).for_each(|(first, n)| take(first, n as u64));
        }
        (Place::Mask(mask), _) => mask.runs().for_each(|run| take(run.start, run.end - run.start)),
        _ => {}
    }
    part
}
