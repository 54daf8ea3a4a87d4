//! Fields to streams: the regions' first, then that of the field, which holds them.

use std::mem;

use bytemuck::Zeroable;

use super::{
    Region,
    fill::{Free, PART, fill},
    frame, owners,
};
use crate::{
    bound::Bound,
    codec::Codec,
    element::Element,
    error::Result,
    exec::Execution,
    format::{Run, regions::Table, sections::max_compressed_len},
    options::CompressOptions,
    progress::Progress,
    room,
    statistics::{Certificate, Statistics, ValueRange},
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
    let progress = options.progress.as_deref();
    let range =
        codec.run(options.threads, progress, |run| value_range::range(data, &missing, run))?;
    let places = || options.regions.iter().map(|region| &region.place);
    let mut owner = room::elements::<u8>(data.len() as u64, "the regions' places")?;
    owners(places(), shape, std::iter::once((0, data.len())), &mut owner);

    let mut streams = Vec::new();
    for (number, region) in options.regions.iter().enumerate() {
        let shape_of_part = region.place.shape();
        let part = codec.run(options.threads, progress, |run| -> Result<_> {
            let runs = || region.place.runs(shape);
            let mut part = gather(runs(), region.place.elements(), data, run)?;
            let owner = gather(runs(), region.place.elements(), &owner, run)?;
            let free = Free { owner: &owner, keeper: number as u8 + 1 };
            fill(&mut part, width(&shape_of_part), &missing, free, run)?;
            Ok(part)
        })?;
        let mut own = of_region(options, region, &range);
        own.progress = progress.map(Progress::aside);
        let mut stream = room::zeros(max_compressed_len(&shape_of_part, T::DTYPE)?)?;
        let len = codec.compress_into(&part, &shape_of_part, &own, &mut stream)?;
        stream.truncate(len);
        streams.push(stream);
    }

    let section = Table::new(places()).write(&streams, &certificate(range));
    let filled = codec.run(options.threads, progress, |run| -> Result<_> {
        let mut filled = gather(pieces(data.len()), data.len() as u64, data, run)?;
        let free = Free { owner: &owner, keeper: 0 };
        fill(&mut filled, width(shape), &missing, free, run)?;
        Ok(filled)
    })?;
    let len = codec.compress_into(&filled, shape, &of_field(options, &range), out)?;
    frame::insert(out, len, &section)
}

/// The options of the stream that holds a region of a field of this range.
pub(crate) fn of_region<T: Element>(
    options: &CompressOptions,
    region: &Region,
    range: &ValueRange<T>,
) -> CompressOptions {
    let mut own = CompressOptions::new(in_range(region.bound, range));
    own.missing.clone_from(&options.missing);
    // The elements of a mask are a line, and a box may be thinner than the boxes that suit the field.
    let profile = options.profile.of_part(&region.place.shape());
    CompressOptions { threads: options.threads, ..own.profile(profile) }
}

/// Those of the stream that holds all elements outside of regions.
pub(crate) fn of_field<T: Element>(
    options: &CompressOptions,
    range: &ValueRange<T>,
) -> CompressOptions {
    let bound = in_range(options.bound, range);
    CompressOptions { bound, regions: Vec::new(), ..options.clone() }
}

/// What a section of regions tells of a field of this range.
pub(crate) fn certificate<T: Element>(range: ValueRange<T>) -> Certificate {
    Statistics { range, ..Statistics::empty() }.certificate()
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

/// Elements of a row.
pub(crate) fn width(shape: &[u64]) -> usize {
    shape.last().map_or(1, |&n| n as usize)
}

/// A field of so many elements in pieces.
fn pieces(len: usize) -> impl Iterator<Item = Run> + Send {
    (0..len).step_by(PART).map(move |from| (from as u64, PART.min(len - from)))
}

/// Some runs of a field, one after another: so many elements in all. A thread copies about a part at a time.
fn gather<E: Zeroable + Copy + Send + Sync>(
    mut runs: impl Iterator<Item = Run> + Send,
    elements: u64,
    data: &[E],
    run: Execution<'_>,
) -> Result<Vec<E>> {
    let mut all = room::elements(elements, "a part of a field with regions")?;
    let mut rest = &mut all[..];
    let parts = std::iter::from_fn(|| {
        let (mut part, mut len) = (Vec::new(), 0);
        while len < PART
            && let Some((first, n)) = runs.next()
        {
            let (own, behind) = mem::take(&mut rest).split_at_mut(n);
            rest = behind;
            len += own.len();
            part.push((first as usize, own));
        }
        (!part.is_empty()).then_some(part)
    });
    run.each(
        (elements as usize / PART + 1, parts),
        || Ok(()),
        |(), part| {
            run.check()?;
            part.into_iter()
                .for_each(|(first, own)| own.copy_from_slice(&data[first..][..own.len()]));
            Ok(())
        },
    )?;
    Ok(all)
}
