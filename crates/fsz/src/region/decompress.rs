//! Streams to fields: what regions hold is put over what was decoded without them.

use std::ops::Range;

use super::{Part, Place, compress::each_run};
use crate::{
    codec::Codec,
    element::Element,
    error::Result,
    format::Run,
    options::DecompressOptions,
    room,
    selection::{Boxed, Selection},
    stream::Stream,
};

/// Puts the elements of regions into a part of a field that was decoded without them.
pub(crate) fn put<T: Element>(
    codec: &Codec,
    stream: &Stream<'_>,
    selection: &Selection<'_>,
    out: &mut [T],
    options: &DecompressOptions,
) -> Result<()> {
    if stream.regions().is_empty() {
        return Ok(());
    }
    let shape = &stream.header().shape;
    let of_tiles = |tiles: Range<u64>| tiles.flat_map(|tile| stream.grid().runs(tile));
    let Some((start, count)) = selection.around(shape, of_tiles) else { return Ok(()) };
    let options = options.aside();
    for (number, region) in stream.regions().iter().enumerate() {
        let runs = || selection.runs(shape, of_tiles);
        let wanted = Wanted::new(&region.place, (&start, &count), shape, runs());
        let Some(wanted) = wanted else { continue };
        let mut elements = room::elements(wanted.len as u64, "a region")?;
        let own = stream.region_stream(number)?;
        let (start, count) = (&wanted.start, &wanted.count);
        codec.decompress_box_with(&own, start, count, &mut elements, &options)?;
        codec.run(options.threads, options.progress.as_deref(), |run| {
            each_run(runs(), out, run, |part, out| {
                wanted.each_in(shape, part, |from, to, n| {
                    out[to..to + n].copy_from_slice(&elements[from..from + n]);
                });
            })
        })?;
    }
    Ok(())
}

/// What is to be decoded of a region.
pub(crate) struct Wanted<'a> {
    place: &'a Place,
    part: Part,
    /// The same as a box of the region's stream.
    pub start: Vec<u64>,
    pub count: Vec<u64>,
    /// Its elements.
    pub len: usize,
}

impl<'a> Wanted<'a> {
    /// Of a region for some runs of the field, which are in a box; `None` for nothing.
    pub fn new(
        place: &'a Place,
        (start, count): Boxed<'_>,
        shape: &[u64],
        runs: impl Iterator<Item = Run>,
    ) -> Option<Self> {
        match place {
            Place::Box { start: from, count: n } => {
                let sides = start.iter().zip(count).zip(from.iter().zip(n));
                let common = sides.map(|((&s, &c), (&f, &n))| s.max(f)..(s + c).min(f + n));
                let common = Vec::from_iter(common);
                if common.iter().any(Range::is_empty) {
                    return None;
                }
                let start = Vec::from_iter(common.iter().map(|side| side.start));
                let count = Vec::from_iter(common.iter().map(|side| side.end - side.start));
                let part = Part::Box { start: start.clone(), count: count.clone() };
                // A part of the field that lies around the box and has nothing of it.
                let mut any = false;
                for run in runs {
                    place.each_in(&part, run, shape, |_, _, _| any = true);
                    if any {
                        break;
                    }
                }
                let own = start.iter().zip(from).map(|(s, f)| s - f).collect();
                let len = count.iter().product::<u64>() as usize;
                any.then_some(Wanted { place, part, start: own, count, len })
            }
            Place::Mask(mask) => {
                let own = runs.map(|run| mask.set_before(run.0..run.0 + run.1 as u64));
                let own = own.filter(|own| !own.is_empty());
                let all = own.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))?;
                let count = all.end - all.start;
                Some(Wanted {
                    place,
                    part: Part::Elements(all.start),
                    start: vec![all.start],
                    count: vec![count],
                    len: count as usize,
                })
            }
        }
    }

    /// Calls `take` with each part of a run that is in the region: where it begins in what is decoded of that, where in the
    /// run, and how many elements it has.
    fn each_in(&self, shape: &[u64], run: Run, mut take: impl FnMut(usize, usize, usize)) {
        self.place.each_in(&self.part, run, shape, |to, from, n| take(from, to, n));
    }

    /// The same of many runs, whose elements are one after another.
    #[cfg(feature = "cuda")]
    pub fn each(
        &self,
        shape: &[u64],
        runs: impl Iterator<Item = Run>,
        mut take: impl FnMut(usize, usize, usize),
    ) {
        let mut at = 0;
        for run in runs {
            self.each_in(shape, run, |from, to, n| take(from, at + to, n));
            at += run.1;
        }
    }
}

/// The smallest box around some runs, of which there is one at least.
pub(crate) fn around(shape: &[u64], runs: impl Iterator<Item = Run>) -> (Vec<u64>, Vec<u64>) {
    let (mut first, mut last) = (shape.to_vec(), vec![0; shape.len()]);
    for (begin, len) in runs {
        let (mut a, mut b) = (begin, begin + (len as u64).max(1) - 1);
        // A run that goes on in another row has elements at any place of rows.
        for axis in (0..shape.len()).rev() {
            let (row_a, row_b) = (a / shape[axis], b / shape[axis]);
            let side = match row_a == row_b {
                true => (a % shape[axis], b % shape[axis]),
                false => (0, shape[axis] - 1),
            };
            first[axis] = first[axis].min(side.0);
            last[axis] = last[axis].max(side.1);
            (a, b) = (row_a, row_b);
        }
    }
    let count = first.iter().zip(&last).map(|(a, b)| b - a + 1).collect();
    (first, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bound, CompressOptions, Error, Progress, region::Region};

    /// What they hold may be as much as the rest of a field, and is decoded behind it.
    #[test]
    fn putting_regions_is_cancelled() {
        let data: Vec<f32> = (0..60_000).map(|i| (i as f32 * 0.01).sin()).collect();
        let shape = [60_000];
        let mask = (0..60_000).map(|i| i % 7 < 3).collect();
        for region in [
            Region::in_box(&[100], &[50_000], Bound::Absolute(1e-4)),
            Region::where_set(mask, Bound::Absolute(1e-4)),
        ] {
            let options = CompressOptions::new(Bound::Absolute(0.1)).region(region);
            let mut bytes = vec![0; 1 << 20];
            let codec = Codec::cpu();
            let len = codec.compress_into(&data, &shape, &options, &mut bytes).expect("compresses");
            let stream = Stream::open(&bytes[..len]).expect("opens");
            let progress = Progress::new();
            let options = DecompressOptions::new().progress(progress.clone());
            let mut out = vec![0f32; 60_000];
            let parts = [Selection::Field, Selection::Tiles(0..stream.grid().tiles())];
            put(&codec, &stream, &parts[0], &mut out, &options).expect("nobody cancels");
            assert!(out.iter().zip(&data).any(|(a, b)| *a != 0.0 && (a - b).abs() <= 1e-4));
            assert_eq!(progress.done(), 0, "regions are no bytes of the call's own");
            progress.cancel();
            for part in &parts {
                let outcome = put(&codec, &stream, part, &mut out, &options);
                assert!(matches!(outcome, Err(Error::Cancelled)), "{outcome:?}");
            }
        }
    }
}
