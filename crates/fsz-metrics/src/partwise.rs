//! A field that is compared with its original part by part, as it is decoded: it need not be in memory as a whole.

use crate::chunks::CHUNK;
use crate::comparison::{Comparison, check_bound, tally_chunks};
use crate::error::{Error, Result};
use crate::limit::Limit;
use crate::sample::{Missing, Sample};
use crate::ssim::{Part, Slices, Ssim};
use crate::tally::Tally;
use crate::watch::Watch;

/// [`compare`](crate::compare) and [`ssim`](crate::ssim()) of a reconstruction that comes in parts, in order. They find the same
/// to the bit.
///
/// ```
/// use fsz_metrics::{Missing, Partwise};
///
/// let (original, reconstructed) = ([1f32, 2.0, 3.0, 4.0], [1f32, 2.0, 3.5, 4.0]);
/// let missing = Missing::none();
/// let mut partwise = Partwise::new(&original, &[2, 2], &missing, None)?;
/// for part in reconstructed.chunks(3) {
///     partwise.add(part, &|_| true)?;
/// }
/// let (found, similar) = partwise.finish(&|_| true)?.expect("squares of such errors are numbers");
/// assert_eq!((found.max_abs_error, similar.windows), (0.5, 1));
/// # Ok::<(), fsz_metrics::Error>(())
/// ```
#[derive(Debug)]
pub struct Partwise<'a, T> {
    original: &'a [T],
    missing: &'a Missing<T>,
    bound: Option<Limit>,
    slices: Slices,
    /// Values that came and are still needed, and the index of the first.
    pending: Vec<T>,
    start: usize,
    /// How many are counted, and of how many the slices are compared.
    counted: usize,
    compared: usize,
    tally: Option<Tally>,
    similar: Part,
}

impl<'a, T: Sample> Partwise<'a, T> {
    /// Nothing has come yet.
    ///
    /// # Errors
    /// As [`compare`](crate::compare) and [`ssim`](crate::ssim()).
    pub fn new(
        original: &'a [T],
        shape: &[usize],
        missing: &'a Missing<T>,
        bound: Option<Limit>,
    ) -> Result<Self> {
        check_bound(bound)?;
        Ok(Partwise {
            original,
            missing,
            bound,
            slices: Slices::of(original, shape, missing)?,
            pending: Vec::new(),
            start: 0,
            counted: 0,
            compared: 0,
            tally: None,
            similar: Part::default(),
        })
    }

    /// How many values are kept at most, beside those of one part.
    pub fn kept(&self) -> usize {
        self.slices.area().max(CHUNK)
    }

    /// The next values. The watch hears of every value twice in all.
    ///
    /// # Errors
    /// [`Error::Length`] when there are more than in the original, and [`Error::Ended`].
    pub fn add(&mut self, part: &[T], watch: Watch<'_>) -> Result<()> {
        self.pending.extend_from_slice(part);
        let end = self.start + self.pending.len();
        if end > self.original.len() {
            return Err(Error::Length { original: self.original.len(), reconstructed: end });
        }
        self.count((end - self.counted) / CHUNK * CHUNK, watch)?;
        let whole = (end - self.compared) / self.slices.area().max(1) * self.slices.area();
        let similar = std::mem::take(&mut self.similar);
        let pairs = self.pairs(self.compared, whole);
        self.similar = self.slices.add(similar, pairs, self.missing, watch)?;
        self.compared += whole;
        let done = self.counted.min(self.compared);
        self.pending.drain(..done - self.start);
        self.start = done;
        Ok(())
    }

    /// What was found, when all parts have come; `None` where the squares of the errors are out of the range of `f64`: then
    /// [`compare`](crate::compare) looks at them twice.
    ///
    /// # Errors
    /// [`Error::Length`] when there are fewer values than in the original, and [`Error::Ended`].
    pub fn finish(mut self, watch: Watch<'_>) -> Result<Option<(Comparison, Ssim)>> {
        let (original, reconstructed) = (self.original.len(), self.start + self.pending.len());
        if original != reconstructed {
            return Err(Error::Length { original, reconstructed });
        }
        self.count(original - self.counted, watch)?;
        let tally = self.tally.unwrap_or_default();
        let comparison = |rmse| Comparison::of(&tally, original, self.bound, rmse);
        Ok(tally.rmse().map(|rmse| (comparison(rmse), self.similar.ssim())))
    }

    fn count(&mut self, values: usize, watch: Watch<'_>) -> Result<()> {
        let counted = self.tally.take();
        let (start, pairs) = (self.counted, self.pairs(self.counted, values));
        self.tally = tally_chunks(counted, start, pairs, self.missing, self.bound, watch)?;
        self.counted += values;
        Ok(())
    }

    /// Values from this index on, and their originals.
    fn pairs(&self, from: usize, values: usize) -> (&[T], &[T]) {
        let at = from - self.start;
        (&self.original[from..from + values], &self.pending[at..at + values])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{compare, ssim};

    const ALL: Watch<'static> = &|_| true;

    fn fields(len: usize) -> (Vec<f32>, Vec<f32>) {
        let value = |i: usize| (i as f32 * 0.37).sin() * ((i % 1013) as f32 + 0.1);
        let original: Vec<f32> =
            (0..len).map(|i| if i % 997 == 5 { f32::NAN } else { value(i) }).collect();
        let off = |(i, v): (usize, &f32)| v + ((i * 7919 % 1000) as f32 - 500.0) * 1e-4;
        let reconstructed = original.iter().enumerate().map(off).collect();
        (original, reconstructed)
    }

    #[test]
    fn parts_of_any_length_give_the_same_bits() {
        for shape in [&[3, 210, 330][..], &[2, 5, 131, 171], &[40_000, 7], &[300_001], &[], &[0, 4]]
        {
            let len = shape.iter().product();
            let (original, reconstructed) = fields(len);
            let (missing, bound) = (Missing::new(&[0.0]), Some(Limit::from(0.049)));
            let found = compare(&original, &reconstructed, &missing, bound).unwrap();
            let similar = ssim(&original, &reconstructed, shape, &missing).unwrap();
            for part in [997, CHUNK, 70_000, 200_000, len.max(1)] {
                let mut partwise = Partwise::new(&original, shape, &missing, bound).unwrap();
                for part in reconstructed.chunks(part) {
                    partwise.add(part, ALL).unwrap();
                    assert!(partwise.pending.len() <= partwise.kept());
                }
                let (own, own_similar) = partwise.finish(ALL).unwrap().unwrap();
                // As text, for NaN, and with all digits.
                assert_eq!(format!("{own:?}"), format!("{found:?}"), "{shape:?}, {part}");
                assert_eq!(format!("{own_similar:?}"), format!("{similar:?}"), "{shape:?}, {part}");
            }
        }
    }

    #[test]
    fn squares_out_of_range_are_told() {
        let (original, missing) = ([0.0, 2e-200], Missing::none());
        let mut partwise = Partwise::new(&original, &[2], &missing, None).unwrap();
        partwise.add(&[1e-200, 1e-200], ALL).unwrap();
        assert!(partwise.finish(ALL).unwrap().is_none());
    }

    #[test]
    fn another_number_of_values_is_refused() {
        let (original, missing) = ([1.0, 2.0], Missing::none());
        let new = || Partwise::new(&original, &[2], &missing, None).unwrap();
        let mut fewer = new();
        fewer.add(&[1.0], ALL).unwrap();
        let length = |reconstructed| Error::Length { original: 2, reconstructed };
        assert_eq!(fewer.finish(ALL).unwrap_err(), length(1));
        assert_eq!(new().add(&[1.0; 3], ALL).unwrap_err(), length(3));
        assert!(Partwise::new(&original, &[3], &missing, None).is_err());
        assert!(Partwise::new(&original, &[2], &missing, Some(Limit::from(-1.0))).is_err());
        assert_eq!(new().add(&[1.0; 2], &|_| false).unwrap_err(), Error::Ended);
    }
}
