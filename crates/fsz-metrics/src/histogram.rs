//! How the signed error is distributed.

use crate::chunks::fold_pairs;
use crate::error::{Error, Result, same_length};
use crate::sample::{Missing, Sample};

/// Counts of the signed error d' − d in bins of equal width over [−limit, +limit].
///
/// A bin holds its left edge; the last one holds its right edge too.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Half the width of the histogram.
    pub limit: f64,
    /// Pairs per bin, from −limit to +limit.
    pub counts: Vec<u64>,
    /// Pairs with an error below −limit.
    pub below: u64,
    /// Pairs with an error above +limit.
    pub above: u64,
}

impl Histogram {
    /// The edges of the bins: one more than there are bins.
    pub fn edges(&self) -> impl Iterator<Item = f64> + '_ {
        let bins = self.counts.len();
        let width = 2.0 * self.limit / bins as f64;
        (0..=bins).map(move |i| -self.limit + width * i as f64)
    }
}

/// Counts the signed error in `bins` bins over [−limit, +limit]; the bound is a good limit.
///
/// # Errors
/// When the lengths differ, the limit is not a positive number, or there is no bin.
pub fn error_histogram<T: Sample>(
    original: &[T],
    reconstructed: &[T],
    missing: &Missing<T>,
    limit: f64,
    bins: usize,
) -> Result<Histogram> {
    same_length(original, reconstructed)?;
    if !(limit > 0.0 && limit.is_finite()) || bins == 0 {
        return Err(Error::Argument("a histogram needs a positive limit and a bin".into()));
    }
    let empty = || Histogram { limit, counts: vec![0; bins], below: 0, above: 0 };
    let per_unit = bins as f64 / (2.0 * limit);
    let counted = fold_pairs(
        original,
        reconstructed,
        |_, a, b| {
            let mut part = empty();
            for (a, b) in a.iter().zip(b).filter_map(|(&a, &b)| missing.pair(a, b)) {
                let error = b - a;
                if error < -limit {
                    part.below += 1;
                } else if error > limit {
                    part.above += 1;
                } else {
                    let bin = ((error + limit) * per_unit) as usize;
                    part.counts[bin.min(bins - 1)] += 1;
                }
            }
            part
        },
        |mut all, part| {
            all.counts.iter_mut().zip(&part.counts).for_each(|(sum, n)| *sum += n);
            all.below += part.below;
            all.above += part.above;
            all
        },
    );
    Ok(counted.unwrap_or_else(empty))
}
