//! Errors by region, where parts of a field have bounds of their own.

use rayon::prelude::*;

use crate::error::{Error, Result, same_length};
use crate::limit::Limit;
use crate::sample::{Class, Missing, Sample};
use crate::watch::{UNWATCHED, Watch};

/// Values that a thread looks at together.
const PART: usize = 1 << 16;

/// What [`by_region`] found in one region.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RegionErrors {
    /// Largest |d − d'| of pairs of numbers; 0 when there are none.
    pub max_abs_error: f64,
    /// Numbers further from d than the region's bound, decided exactly, and those that are no numbers any more.
    pub beyond: u64,
}

impl RegionErrors {
    fn join(self, other: Self) -> Self {
        RegionErrors {
            max_abs_error: self.max_abs_error.max(other.max_abs_error),
            beyond: self.beyond + other.beyond,
        }
    }
}

/// Compares values with their originals, those of each region with its bound: value `i` is of region `regions[i]`,
/// whose bound is `limits[regions[i]]`. An entry for each bound.
///
/// # Errors
/// When the lengths differ, or a value is of a region without a bound.
pub fn by_region<T: Sample>(
    original: &[T],
    reconstructed: &[T],
    missing: &Missing<T>,
    regions: &[u8],
    limits: &[Limit],
) -> Result<Vec<RegionErrors>> {
    by_region_watched((original, reconstructed), missing, (regions, limits), UNWATCHED)
}

/// The same, watched: every value is done once.
///
/// # Errors
/// As [`by_region`], and [`Error::Ended`].
pub fn by_region_watched<T: Sample>(
    (original, reconstructed): (&[T], &[T]),
    missing: &Missing<T>,
    (regions, limits): (&[u8], &[Limit]),
    watch: Watch<'_>,
) -> Result<Vec<RegionErrors>> {
    same_length(original, reconstructed)?;
    if regions.len() != original.len() || regions.iter().any(|&r| usize::from(r) >= limits.len()) {
        return Err(Error::Argument("each value needs a region, and each region a bound".into()));
    }
    let part = |((a, b), regions): ((&[T], &[T]), &[u8])| {
        let mut found = vec![RegionErrors::default(); limits.len()];
        let values = a.len();
        for ((&a, &b), &region) in a.iter().zip(b).zip(regions) {
            if missing.class(a) != Class::Finite {
                continue;
            }
            let (a, b, region) = (a.to_f64(), b.to_f64(), usize::from(region));
            let lost = !b.is_finite();
            let own = &mut found[region];
            own.beyond += u64::from(lost || limits[region].is_exceeded(a, b));
            own.max_abs_error = own.max_abs_error.max(if lost { 0.0 } else { (a - b).abs() });
        }
        watch(values).then_some(found).ok_or(Error::Ended)
    };
    let values = original.par_chunks(PART).zip(reconstructed.par_chunks(PART));
    let parts = values.zip(regions.par_chunks(PART)).map(part);
    let join = |a: Vec<RegionErrors>, b: Vec<RegionErrors>| {
        Ok(a.into_iter().zip(b).map(|(a, b)| a.join(b)).collect())
    };
    parts.try_reduce(|| vec![RegionErrors::default(); limits.len()], join)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_compared_with_the_bound_of_its_region() {
        let original: Vec<f32> = (0..200_000).map(|i| i as f32).collect();
        let off = |i: usize| if i.is_multiple_of(3) { 0.5 } else { 0.25 };
        let mut back: Vec<f32> = original.iter().enumerate().map(|(i, d)| d + off(i)).collect();
        let regions: Vec<u8> = (0..original.len()).map(|i| u8::from(i >= 100_000)).collect();
        back[3] = f32::NAN;
        let limits = [Limit::from(1.0), Limit::from(0.3)];
        let missing = Missing::new(&[150_000.0]);
        let found = by_region(&original, &back, &missing, &regions, &limits).unwrap();
        let thirds = (100_000..200_000).filter(|i| i % 3 == 0).count() as u64;
        let expected = |max_abs_error, beyond| RegionErrors { max_abs_error, beyond };
        assert_eq!(found, [expected(0.5, 1), expected(0.5, thirds - 1)]);
        assert!(by_region(&original, &back, &missing, &regions, &limits[..1]).is_err());
        assert!(by_region(&original, &back, &missing, &regions[1..], &limits).is_err());
    }
}
