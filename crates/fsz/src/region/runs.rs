//! Which elements another stream holds, as runs, for a device that is told where they lie.

use std::ops::Range;

use super::Region;

/// The elements of a field of this shape that regions hold: runs that rise and do not touch.
pub(crate) fn held(regions: &[Region], shape: &[u64]) -> Vec<Range<u64>> {
    let runs = regions.iter().flat_map(|region| region.place.runs(shape));
    united(runs.map(|(first, len)| first..first + len as u64).collect())
}

/// The elements of region number `number`, in its own order, that later ones hold: such runs, too.
pub(crate) fn covered(regions: &[Region], number: usize, shape: &[u64]) -> Vec<Range<u64>> {
    let place = &regions[number].place;
    let (whole, mut runs) = (place.whole(), Vec::new());
    for later in &regions[number + 1..] {
        for run in later.place.runs(shape) {
            place.each_in(&whole, run, shape, |_, own, n| runs.push(own as u64..(own + n) as u64));
        }
    }
    united(runs)
}

/// Those that overlap or touch as one.
fn united(mut runs: Vec<Range<u64>>) -> Vec<Range<u64>> {
    runs.retain(|run| !run.is_empty());
    runs.sort_unstable_by_key(|run| run.start);
    runs.dedup_by(|next, run| {
        let is_one = next.start <= run.end;
        if is_one {
            run.end = run.end.max(next.end);
        }
        is_one
    });
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bound::Bound,
        region::{Place, owners},
    };

    /// The runs of the elements for which something holds.
    fn runs_of(holds: impl Iterator<Item = bool>) -> Vec<Range<u64>> {
        let mut runs: Vec<Range<u64>> = Vec::new();
        for (i, _) in (0..).zip(holds).filter(|&(_, held)| held) {
            match runs.last_mut() {
                Some(run) if run.end == i => run.end += 1,
                _ => runs.push(i..i + 1),
            }
        }
        runs
    }

    #[test]
    fn runs_are_those_of_the_owners() {
        let bound = Bound::Absolute(1.0);
        let set = |holds: fn(u64) -> bool| (0..4 * 5 * 6).map(holds).collect();
        let regions = [
            Region::in_box(&[1, 0, 2], &[3, 4, 3], bound),
            Region::where_set(set(|i| i % 7 < 3), bound),
            Region::in_box(&[2, 1, 0], &[1, 3, 6], bound),
            Region::in_box(&[0, 0, 5], &[4, 5, 0], bound),
            Region::where_set(set(|i| (30..80).contains(&i) && i % 11 != 0), bound),
            Region::in_box(&[3, 0, 0], &[1, 5, 6], bound),
        ];
        let (shape, mut owner) = ([4, 5, 6], vec![0; 4 * 5 * 6]);
        for count in 0..=regions.len() {
            let regions = &regions[..count];
            let places = regions.iter().map(|region| &region.place);
            owner.fill(0);
            owners(places, &shape, std::iter::once((0, owner.len())), &mut owner);
            assert_eq!(held(regions, &shape), runs_of(owner.iter().map(|&own| own > 0)));
            for (number, region) in regions.iter().enumerate() {
                let place: &Place = &region.place;
                let own = place.runs(&shape).flat_map(|(first, n)| first..first + n as u64);
                let is_covered = |i: u64| usize::from(owner[i as usize]) != number + 1;
                assert_eq!(covered(regions, number, &shape), runs_of(own.map(is_covered)));
            }
        }
    }
}
