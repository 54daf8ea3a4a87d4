//! What threads take of a field with regions.

use std::{iter, mem};

use crate::format::Run;

/// Elements that a thread takes at a time, and between two looks at whether to stop.
pub(super) const PART: usize = 1 << 16;

/// Some runs of a field with their places in `out`, where they are one after another: about a part at a time, and of no run
/// more than that.
pub(super) fn parts<E>(
    runs: impl Iterator<Item = Run>,
    out: &mut [E],
) -> impl Iterator<Item = Vec<(Run, &mut [E])>> {
    let of_run = |(first, len): Run| {
        (0..len).step_by(PART).map(move |from| (first + from as u64, PART.min(len - from)))
    };
    let (mut runs, mut rest) = (runs.flat_map(of_run), out);
    iter::from_fn(move || {
        let (mut part, mut len) = (Vec::new(), 0);
        while len < PART
            && let Some(run) = runs.next()
        {
            let (own, behind) = mem::take(&mut rest).split_at_mut(run.1);
            rest = behind;
            len += own.len();
            part.push((run, own));
        }
        (!part.is_empty()).then_some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_runs_in_order() {
        let runs = [(7, 3), (20, 0), (30, 3 * PART + 5), (4 * PART as u64, 1), (9 << 20, PART)];
        let mut out = vec![0; runs.iter().map(|run| run.1).sum()];
        let mut sizes = Vec::new();
        for part in parts(runs.into_iter(), &mut out) {
            sizes.push(part.iter().map(|(run, _)| run.1).sum::<usize>());
            for ((first, len), own) in part {
                assert_eq!(own.len(), len);
                own.iter_mut().zip(first..).for_each(|(own, element)| *own = element);
            }
        }
        let expected = runs.iter().flat_map(|&(first, len)| first..first + len as u64);
        assert_eq!(out, Vec::from_iter(expected));
        assert!(sizes.len() >= 4 && sizes.iter().all(|&len| len <= 2 * PART), "{sizes:?}");
        assert_eq!(parts(iter::empty(), &mut out[..0]).count(), 0);
    }
}
