//! The matched-ratio comparison: FSZ beside fixed-rate zfp of the same size, on one slice.

use anyhow::Result;
use fsz::{Element, Profile, Stream};
use fsz_metrics::Sample;

use crate::codecs;
use crate::record::{Matched, Panel};
use crate::slice::Slice;
use crate::subject::Subject;

/// Steps of the search for the bound at which FSZ reaches a given size: each halves the distance.
#[cfg(feature = "zfp")]
const STEPS: usize = 12;

/// A comparison at this value-range bound, and one with each zfp stream of the field.
pub fn comparisons<T: Element + Sample>(
    subject: &Subject<'_, T>,
    bound: f64,
) -> Result<Vec<Matched>> {
    let mut decoded = fsz_field::zeros::<T>(subject.field.shape())?;
    let (mut all, slice) = (Vec::new(), slice(subject)?);
    let comparison = Comparison::new(subject, slice.as_ref(), bound, &mut decoded)?;
    #[cfg(feature = "zfp")]
    let comparison = {
        let mut comparison = comparison;
        if subject.zfp_takes(comparison.absolute) {
            let rate = subject.rate_of(comparison.fsz_len)?;
            let len = subject.zfp(fsz_field::zfp::Mode::Rate(rate), &mut decoded)? as u64;
            comparison.add(codecs::ZFP_RATE, len, &decoded)?;
        }
        comparison
    };
    all.push(comparison.matched);
    #[cfg(feature = "zfp")]
    for stream in subject.plan.streams.iter().filter(|stream| stream.field == subject.name) {
        let len = stream.decode(subject.field.shape(), &mut decoded)?;
        let theirs = decoded.clone();
        let bound = bound_of_size(subject, len)?;
        let mut comparison = Comparison::new(subject, slice.as_ref(), bound, &mut decoded)?;
        comparison.add(&stream.name(), len, &theirs)?;
        all.push(comparison.matched);
    }
    Ok(all)
}

fn slice<T: Element + Sample>(subject: &Subject<'_, T>) -> Result<Option<Slice>> {
    Ok(Slice::middle(&subject.field.shape().indices()?, subject.values, &subject.missing))
}

/// The value-range bound at which FSZ's stream is as long as another one, by bisection of its
/// logarithm.
#[cfg(feature = "zfp")]
fn bound_of_size<T: Element + Sample>(subject: &Subject<'_, T>, len: u64) -> Result<f64> {
    let (mut low, mut high) = (1e-9f64.ln(), 0.5f64.ln());
    for _ in 0..STEPS {
        let middle = (low + high) / 2.0;
        let found = subject.compress(middle.exp(), Profile::default())?.len() as u64;
        if found > len { low = middle } else { high = middle }
    }
    // Four digits tell the bound as well as a reader can use it.
    let digits = format!("{:.3e}", high.exp());
    Ok(digits.parse().unwrap_or(high.exp()))
}

/// A comparison while it is made.
struct Comparison<'a, T> {
    subject: &'a Subject<'a, T>,
    slice: Option<&'a Slice>,
    /// The bound that FSZ keeps.
    absolute: f64,
    #[cfg(feature = "zfp")]
    fsz_len: usize,
    matched: Matched,
}

impl<'a, T: Element + Sample> Comparison<'a, T> {
    /// The original and FSZ at a value-range bound.
    fn new(
        subject: &'a Subject<'a, T>,
        slice: Option<&'a Slice>,
        bound: f64,
        decoded: &mut [T],
    ) -> Result<Self> {
        let bytes = subject.compress(bound, Profile::default())?;
        let stream = Stream::open(&bytes)?;
        subject.plan.codec.decompress_into(&stream, decoded)?;
        let range = slice.map_or((0.0, 0.0), |slice| slice.range);
        let index = slice.map_or(0, |slice| slice.index);
        let mut comparison = Comparison {
            subject,
            slice,
            absolute: stream.header().absolute_bound,
            #[cfg(feature = "zfp")]
            fsz_len: bytes.len(),
            matched: Matched { bound, index, range, panels: Vec::new() },
        };
        comparison.add("original", size_of_val(subject.values) as u64, subject.values)?;
        comparison.add(codecs::FSZ, bytes.len() as u64, decoded)?;
        Ok(comparison)
    }

    fn add(&mut self, codec: &str, bytes: u64, values: &[T]) -> Result<()> {
        let (subject, bound) = (self.subject, self.absolute);
        let c = fsz_metrics::compare(subject.values, values, &subject.missing, Some(bound.into()))?;
        let picture = self.slice.map(|slice| slice.picture(values, &subject.missing).data_url());
        self.matched.panels.push(Panel {
            codec: codec.to_owned(),
            ratio: subject.over(bytes),
            psnr: c.psnr(),
            beyond: c.violation_share().unwrap_or(0.0),
            picture: picture.transpose()?.unwrap_or_default(),
        });
        Ok(())
    }
}
