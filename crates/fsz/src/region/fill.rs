//! What stands in the place of elements that another stream holds: whatever costs few bits.

use crate::{element::Element, error::Result, missing::is_missing, progress::Progress};

/// Elements between two looks at whether to stop.
const UNWATCHED: usize = 1 << 16;

/// Puts the elements for which `is_free` holds, of rows of `width`, on the line between the neighbours before and behind in
/// their row. A row without a neighbour takes the values of the row before.
///
/// # Errors
/// [`Cancelled`](crate::Error::Cancelled).
pub(super) fn fill<T: Element>(
    data: &mut [T],
    width: usize,
    missing: &[T],
    is_free: impl Fn(usize) -> bool,
    progress: Option<&Progress>,
) -> Result<()> {
    let check = || progress.map_or(Ok(()), Progress::check);
    check()?;
    let counts = |d: T| d.is_finite() && !is_missing(d, missing);
    // Before anything is known: the first element that counts.
    let first = (0..data.len()).find(|&i| !is_free(i) && counts(data[i]));
    let first = first.map_or(T::from_f64(0.0), |i| data[i]);
    for row in (0..data.len()).step_by(width.max(1)) {
        let end = row + width;
        let mut at = row;
        while at < end {
            if !is_free(at) {
                at += 1;
                // A field of one axis is one row.
                if at.is_multiple_of(UNWATCHED) {
                    check()?;
                }
                continue;
            }
            check()?;
            let stop = (at..end).find(|&i| !is_free(i)).unwrap_or(end);
            let before = (at > row).then(|| data[at - 1]).filter(|&d| counts(d));
            let behind = (stop < end).then(|| data[stop]).filter(|&d| counts(d));
            match (before.or(behind), behind.or(before)) {
                (Some(a), Some(b)) => {
                    for (k, element) in data[at..stop].iter_mut().enumerate() {
                        *element = between(a, b, (k + 1) as f64 / (stop - at + 1) as f64);
                    }
                }
                _ if row > 0 => {
                    for i in at..stop {
                        let above = data[i - width];
                        data[i] = if counts(above) { above } else { first };
                    }
                }
                _ => data[at..stop].fill(first),
            }
            // A value on the way may be one that is named as missing.
            data[at..stop].iter_mut().filter(|d| !counts(**d)).for_each(|d| *d = first);
            at = stop;
        }
    }
    Ok(())
}

/// The value at `share` of the way from `a` to `b`, not beyond them.
fn between<T: Element>(a: T, b: T, share: f64) -> T {
    let (a, b) = (a.to_f64(), b.to_f64());
    T::from_f64((a * (1.0 - share) + b * share).clamp(a.min(b), a.max(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn filled<T: Element>(
        data: &[T],
        width: usize,
        missing: &[T],
        free: impl Fn(usize) -> bool,
    ) -> Vec<T> {
        let mut filled = data.to_vec();
        fill(&mut filled, width, missing, free, None).expect("nobody cancels");
        filled
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

    #[test]
    fn filling_ends_when_it_is_cancelled() {
        let progress = Progress::new();
        progress.cancel();
        let outcome = fill(&mut [1f32; 8], 4, &[], |_| true, Some(&progress));
        assert!(matches!(outcome, Err(Error::Cancelled)));
    }
}
