//! Sums over long slices that are parallel and still the same on every run.

use rayon::prelude::*;

/// Elements of one chunk: large enough to hide the cost of a task, small enough to balance.
const CHUNK: usize = 1 << 16;

/// Maps chunks of the two slices in parallel and folds the results in chunk order, so that the
/// rounding of the sums does not depend on the number of threads.
pub(crate) fn fold_pairs<T, R>(
    a: &[T],
    b: &[T],
    map: impl Fn(usize, &[T], &[T]) -> R + Sync,
    fold: impl Fn(R, R) -> R,
) -> Option<R>
where
    T: Sync,
    R: Send,
{
    let parts: Vec<R> = a
        .par_chunks(CHUNK)
        .zip(b.par_chunks(CHUNK))
        .enumerate()
        .map(|(i, (a, b))| map(i * CHUNK, a, b))
        .collect();
    parts.into_iter().reduce(fold)
}
