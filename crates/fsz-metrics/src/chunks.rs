//! Sums over long slices that are parallel and still the same on every run.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::watch::{UNWATCHED, Watch};

/// Elements of one chunk: large enough to hide the cost of a task, small enough to balance.
pub(crate) const CHUNK: usize = 1 << 16;

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
    // Nobody ends it.
    fold_pairs_watched(None, (a, b), UNWATCHED, map, fold).ok().flatten()
}

/// The same, watched, and after what is `folded` of the chunks before.
///
/// # Errors
/// [`Error::Ended`].
pub(crate) fn fold_pairs_watched<T, R>(
    folded: Option<R>,
    (a, b): (&[T], &[T]),
    watch: Watch<'_>,
    map: impl Fn(usize, &[T], &[T]) -> R + Sync,
    fold: impl Fn(R, R) -> R,
) -> Result<Option<R>>
where
    T: Sync,
    R: Send,
{
    let chunk = |(i, (a, b)): (usize, (&[T], &[T]))| {
        let found = map(i * CHUNK, a, b);
        watch(a.len()).then_some(found).ok_or(Error::Ended)
    };
    let chunks = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK)).enumerate();
    let parts = chunks.map(chunk).collect::<Result<Vec<R>>>()?;
    Ok(folded.into_iter().chain(parts).reduce(fold))
}
