//! Memory for what is made of all values of a field.

use rayon::prelude::*;

use crate::error::{Error, Result};

/// What a parallel iterator makes of each value.
///
/// # Errors
/// Where there is no memory for it: a field may be larger than what is left of it.
pub(crate) fn collected<R: Send>(items: impl IndexedParallelIterator<Item = R>) -> Result<Vec<R>> {
    let mut all = Vec::new();
    let values = items.len();
    all.try_reserve_exact(values).map_err(|_| Error::Memory { values })?;
    all.par_extend(items);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_is_is_an_error() {
        const MOST: usize = isize::MAX as usize / 8;
        let all = collected(rayon::iter::repeat_n(0u64, MOST));
        assert_eq!(all, Err(Error::Memory { values: MOST }));
        assert_eq!(collected(rayon::iter::repeat_n(7u64, 3)), Ok(vec![7; 3]));
    }
}
