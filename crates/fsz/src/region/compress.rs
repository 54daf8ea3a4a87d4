//! Fields to streams: the regions' first, then that of the field, which holds them.

use std::iter::once;

use bytemuck::Zeroable;

use super::{
    Place, Region,
    fill::{Free, fill},
    frame, owners,
    parts::{PART, parts},
};
use crate::{
    bound::Bound,
    codec::Codec,
    element::Element,
    error::Result,
    exec::Execution,
    format::{Run, box_runs::rows_of_box, regions::Table, sections::max_compressed_len},
    options::CompressOptions,
    progress::Progress,
    room,
    schedule::too_small,
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
    codec.run(options.threads, progress, |run| {
        each_run(once((0, data.len())), &mut owner, run, |part, own| {
            owners(places(), shape, once(part), own);
        })
    })?;

    let mut streams = Vec::new();
    for (number, region) in options.regions.iter().enumerate() {
        let shape_of_part = region.place.shape();
        let part = codec.run(options.threads, progress, |run| -> Result<_> {
            let mut part = gather(&region.place, shape, data, run)?;
            let owner = gather(&region.place, shape, &owner, run)?;
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

    let lens = Vec::from_iter(streams.iter().map(|stream: &Vec<u8>| stream.len() as u64));
    let table = Table::new(places()).before_streams(&lens, &certificate(range));
    let section = Vec::from_iter(once(&table).chain(&streams).map(Vec::as_slice));
    let filled = codec.run(options.threads, progress, |run| -> Result<_> {
        let mut filled = room::elements(data.len() as u64, "a field with regions")?;
        each_run(once((0, data.len())), &mut filled, run, |part, own| take(part, data, own))?;
        let free = Free { owner: &owner, keeper: 0 };
        fill(&mut filled, width(shape), &missing, free, run)?;
        Ok(filled)
    })?;
    let without = of_field(options, &range);
    let first = frame::begin(shape, (options, &without), frame::section_len(&section));
    let own = out.get_mut(first..).ok_or_else(too_small)?;
    let len = codec.compress_into(&filled, shape, &without, own)?;
    codec.run(options.threads, progress, |run| frame::insert(out, (first, len), &section, run))
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

/// The elements of a field that are in a region, in its order.
fn gather<E: Zeroable + Copy + Send + Sync>(
    place: &Place,
    shape: &[u64],
    data: &[E],
    run: Execution<'_>,
) -> Result<Vec<E>> {
    let elements = place.elements();
    let mut all = room::elements(elements, "a part of a field with regions")?;
    match place {
        Place::Box { start, count } => {
            let rows = rows_of_box(shape, start, count);
            each_run(rows, &mut all, run, |part, own| take(part, data, own))?;
        }
        // Each thread finds the runs of its part: there may be as many as elements.
        Place::Mask(mask) => each_run(once((0, elements as usize)), &mut all, run, |part, own| {
            let (first, n) = part;
            let mut rest = own;
            for run in mask.of_set(first..first + n as u64) {
                let len = (run.end - run.start) as usize;
                let own = rest.split_off_mut(..len).expect("as many as are set");
                take((run.start, len), data, own);
            }
        })?,
    }
    Ok(all)
}

/// Copies a run of a field.
fn take<E: Copy>((first, n): Run, data: &[E], own: &mut [E]) {
    own.copy_from_slice(&data[first as usize..][..n]);
}

/// Lets threads do `work` for some runs of a field and their places in `out`, where they are one after another.
pub(crate) fn each_run<E: Send>(
    runs: impl Iterator<Item = Run> + Send,
    out: &mut [E],
    run: Execution<'_>,
    work: impl Fn(Run, &mut [E]) + Sync,
) -> Result<()> {
    let count = out.len() / PART + 1;
    run.each(
        (count, parts(runs, out)),
        || Ok(()),
        |(), part| {
            run.check()?;
            part.into_iter().for_each(|(part, own)| work(part, own));
            Ok(())
        },
    )
}
