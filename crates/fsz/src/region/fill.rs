//! What stands in the place of elements that another stream holds: whatever costs few bits.

use std::sync::{Mutex, PoisonError};

use super::parts::PART;
use crate::{element::Element, error::Result, exec::Execution, missing::is_missing};

/// Elements that are looked at together.
const TOGETHER: usize = 64;

/// Which elements of a field are free: those that others hold than `keeper`, as [`owners`](super::owners) tells them.
#[derive(Clone, Copy)]
pub(super) struct Free<'a> {
    pub owner: &'a [u8],
    pub keeper: u8,
}

/// Puts the free elements, of rows of `width`, on the line between the neighbours before and behind in their row. Those of a
/// row without a neighbour take the values of the row before.
///
/// # Errors
/// [`Cancelled`](crate::Error::Cancelled).
pub(super) fn fill<T: Element>(
    data: &mut [T],
    width: usize,
    missing: &[T],
    Free { owner, keeper }: Free<'_>,
    run: Execution<'_>,
) -> Result<()> {
    let width = width.max(1);
    let known = data.iter().zip(owner).find(|&(&d, &own)| own == keeper && counts(d, missing));
    let first = known.map_or(T::from_f64(0.0), |(&d, _)| d);
    let filler = Filler { missing, keeper, first, run };

    let rows = (PART / width).max(1);
    let parts = data.chunks_mut(rows * width).zip(owner.chunks(rows * width));
    let like_above = Mutex::new(Vec::new());
    run.each(
        (owner.len() / (rows * width) + 1, parts.enumerate()),
        || Ok(()),
        |(), (part, (data, owner))| {
            let all = data.chunks_mut(width).zip(owner.chunks(width));
            for (number, (row, owner)) in (part * rows..).zip(all) {
                let above = if number == 0 { Above::Nothing } else { Above::Unknown };
                if !filler.row(above, row, owner)? {
                    like_above.lock().unwrap_or_else(PoisonError::into_inner).push(number);
                }
            }
            Ok(())
        },
    )?;

    // Each may need the one before.
    let mut like_above = like_above.into_inner().unwrap_or_else(PoisonError::into_inner);
    like_above.sort_unstable();
    for number in like_above {
        let (before, row) = data.split_at_mut(number * width);
        let above = Above::Row(&before[before.len() - width..]);
        filler.row(above, &mut row[..width], &owner[number * width..][..width])?;
    }
    Ok(())
}

/// What is above a row.
#[derive(Clone, Copy)]
enum Above<'a, T> {
    Nothing,
    /// A row that may not be filled yet.
    Unknown,
    Row(&'a [T]),
}

struct Filler<'a, T> {
    missing: &'a [T],
    keeper: u8,
    /// What stands where nothing is known: the first element that counts.
    first: T,
    run: Execution<'a>,
}

impl<T: Element> Filler<'_, T> {
    /// The next element from `at` on that is free, or is not.
    fn next(&self, owner: &[u8], at: usize, free: bool) -> Result<Option<usize>> {
        let is = |own: u8| (own != self.keeper) == free;
        for (number, part) in owner[at..].chunks(TOGETHER).enumerate() {
            if number.is_multiple_of(PART / TOGETHER) {
                self.run.check()?;
            }
            // All of them: that takes a few instructions.
            if part.iter().fold(false, |any, &own| any | is(own)) {
                let within = part.iter().position(|&own| is(own));
                return Ok(within.map(|within| at + number * TOGETHER + within));
            }
        }
        Ok(None)
    }

    /// Fills a row; false where some of it is to be like the one above, which is unknown.
    fn row(&self, above: Above<'_, T>, row: &mut [T], owner: &[u8]) -> Result<bool> {
        let (mut stop, mut filled) = (0, true);
        while let Some(at) = self.next(owner, stop, true)? {
            stop = self.next(owner, at, false)?.unwrap_or(row.len());
            let counts = |d: T| counts(d, self.missing);
            let before = (at > 0).then(|| row[at - 1]).filter(|&d| counts(d));
            let behind = row.get(stop).copied().filter(|&d| counts(d));
            let gap = &mut row[at..stop];
            match (before.or(behind), behind.or(before), above) {
                (Some(a), Some(b), _) => {
                    let steps = gap.len() + 1;
                    for (k, element) in (1_usize..).zip(&mut *gap) {
                        *element = between(a, b, k as f64 / steps as f64);
                    }
                }
                (_, _, Above::Row(above)) => gap.copy_from_slice(&above[at..stop]),
                (_, _, Above::Unknown) => filled = false,
                (_, _, Above::Nothing) => gap.fill(self.first),
            }
            // A value on the way may be one that is named as missing.
            gap.iter_mut().filter(|d| !counts(**d)).for_each(|d| *d = self.first);
        }
        Ok(filled)
    }
}

/// Whether an element tells anything of those beside it.
fn counts<T: Element>(d: T, missing: &[T]) -> bool {
    d.is_finite() && !is_missing(d, missing)
}

/// The value at `share` of the way from `a` to `b`, not beyond them.
fn between<T: Element>(a: T, b: T, share: f64) -> T {
    let (a, b) = (a.to_f64(), b.to_f64());
    T::from_f64((a * (1.0 - share) + b * share).clamp(a.min(b), a.max(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Progress};

    fn filled<T: Element>(
        data: &[T],
        width: usize,
        missing: &[T],
        free: impl Fn(usize) -> bool,
    ) -> Vec<T> {
        let owner: Vec<u8> = (0..data.len()).map(|i| u8::from(free(i))).collect();
        let free = Free { owner: &owner, keeper: 0 };
        let of = |threads| {
            let mut filled = data.to_vec();
            let run = Execution { threads, ..Execution::alone() };
            fill(&mut filled, width, missing, free, run).expect("nobody cancels");
            filled
        };
        let (alone, together) = (of(1), of(8));
        let bits = |filled: &[T]| Vec::from_iter(filled.iter().map(|d| d.to_bits64()));
        assert_eq!(bits(&alone), bits(&together));
        alone
    }

    #[test]
    fn gaps_are_lines_and_nothing_else_changes() {
        let nan = f32::NAN;
        let data = [nan, 9.0, 9.0, 3.0, 9.0, 9.0, 9.0, 7.0, 9.0, 9.0, 9.0, 9.0];
        let free = |i: usize| data[i] == 9.0;
        let lines = filled(&data, 4, &[], free);
        assert!(lines[0].is_nan());
        assert_eq!(lines[1..], [3.0, 3.0, 3.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0]);
        assert_eq!(filled(&[0.0, 9.0, 9.0, 3.0], 4, &[], |i| i % 3 != 0), [0.0, 1.0, 2.0, 3.0]);
        // 1 is a missing value here, and nothing is known of a field without numbers.
        assert_eq!(filled(&[0.0, 9.0, 9.0, 3.0], 4, &[1.0], |i| i % 3 != 0), [0.0, 0.0, 2.0, 3.0]);
        assert_eq!(filled(&[f64::INFINITY, 5.0], 2, &[], |i| i == 1)[1], 0.0);
        let widest = filled(&[f64::MIN, 0.0, f64::MAX], 3, &[], |i| i == 1);
        assert!(widest[1].is_finite());
    }

    /// Rows of several threads, some of which are like the row above, which another thread fills.
    #[test]
    fn rows_without_neighbours_are_like_those_above() {
        const WIDTH: usize = 1000;
        let data: Vec<f32> = (0..300 * WIDTH).map(|i| (i % 977) as f32).collect();
        let free = |i: usize| {
            let (row, x) = (i / WIDTH, i % WIDTH);
            (60..140).contains(&row) || row == 200 || (130..170).contains(&row) && x % 90 < 50
        };
        let all = filled(&data, WIDTH, &[], free);
        for (i, (&own, &was)) in all.iter().zip(&data).enumerate() {
            let (row, x) = (i / WIDTH, i % WIDTH);
            let expected = match row {
                60..140 => data[59 * WIDTH + x],
                200 => data[199 * WIDTH + x],
                _ if free(i) => continue,
                _ => was,
            };
            assert_eq!(own, expected, "row {row}, element {x}");
        }
        assert_eq!(all[150 * WIDTH + 49], data[150 * WIDTH + 50]);
    }

    #[test]
    fn filling_ends_when_it_is_cancelled() {
        let progress = Progress::new();
        progress.cancel();
        let run = Execution { progress: Some(&progress), ..Execution::alone() };
        let free = Free { owner: &[1; 8], keeper: 0 };
        let outcome = fill(&mut [1f32; 8], 4, &[], free, run);
        assert!(matches!(outcome, Err(Error::Cancelled)));
    }
}
