//! Rate and distortion: what FSZ and zfp make of the original over a range of bounds and rates.

use std::sync::Arc;

use anyhow::{Context, Result};
use fsz::{Bound, Codec, CompressOptions, Profile, Progress, Stream};
use fsz_field::{Field, with_values};
use fsz_metrics::{Comparison, Missing, Sample, compare};
use ndarray::ArrayViewD;

use crate::model::document::Document;
use crate::model::plane::Place;
use crate::model::sweep_point::{Method, Point, Present};
use crate::model::zfp::{self, Mode};
use crate::work::unless_cancelled::unless_cancelled;

/// Value-range bounds of the sweep: half decades from 1e-1 to 1e-6.
fn bounds() -> impl Iterator<Item = f64> {
    (2..=12).map(|k| 10f64.powf(-f64::from(k) / 2.0))
}

/// Bits per value of the sweep.
const RATES: [f64; 11] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0];

/// Sweeps a plane of an original as a field of its own, or all of it.
///
/// # Errors
/// As [`sweep`], and when the original cannot be read.
pub fn swept(
    original: &Document,
    place: Option<Place>,
    missing: &[f64],
    present: (bool, Present),
    progress: &Arc<Progress>,
    each: impl FnMut(Point),
) -> Result<Option<String>> {
    let codec = Codec::cpu();
    let field = match place {
        Some(place) => original.plane_field(&codec, place, progress).map(Arc::new),
        None => original.values(&codec, progress),
    };
    match unless_cancelled(progress, field)? {
        Some(field) => {
            let swept = sweep(&field, missing, present, progress, each);
            field.check()?;
            swept
        }
        None => Ok(None),
    }
}

/// Compresses `field` as it is in the panes, and with `all` over the range of bounds and rates, and hands
/// each point over as it is found. The text says what was left out.
///
/// # Errors
/// When a field cannot be compressed. A cancelled sweep ends without one.
fn sweep(
    field: &Field,
    missing: &[f64],
    (all, present): (bool, Present),
    progress: &Arc<Progress>,
    each: impl FnMut(Point),
) -> Result<Option<String>> {
    with_values!(field.values(), values => {
        Sweep { field, values, missing, progress, each }.run(all, present)
    })
}

struct Sweep<'a, T, F> {
    field: &'a Field,
    values: &'a [T],
    missing: &'a [f64],
    progress: &'a Progress,
    each: F,
}

impl<T: fsz::Element + Sample, F: FnMut(Point)> Sweep<'_, T, F> {
    fn run(&mut self, all: bool, present: Present) -> Result<Option<String>> {
        let swept = bounds().filter(|_| all).map(Bound::ValueRange);
        let swept = swept.map(|bound| ((Profile::default(), bound), false));
        let codings: Vec<_> = swept.chain(present.fsz.map(|coding| (coding, true))).collect();
        let by_zfp = if all { bounds().count() + RATES.len() } else { 0 };
        let by_zfp = by_zfp + usize::from(present.zfp.is_some());
        let steps = codings.len() + if zfp::BUILT_IN { by_zfp } else { 0 };
        self.progress.begin(steps as u64);
        let mut accuracies = Vec::new();
        let mut unknown = 0;
        for (coding, present) in codings {
            let (absolute, found) = self.fsz(coding, present)?;
            unknown = found.nan + found.inf + found.missing;
            if !present {
                accuracies.push(absolute);
            }
            if self.progress.advance(1).is_err() {
                return Ok(None);
            }
        }
        if !zfp::BUILT_IN {
            return Ok(Some(zfp::NOT_BUILT_IN.to_owned()));
        }
        if unknown > 0 {
            let note = "zfp is omitted: it does not support NaN, ±Inf or missing values, which the \
                        field has";
            return Ok(Some(note.to_owned()));
        }
        accuracies.retain(|bound| *bound > 0.0);
        let rates = RATES.into_iter().filter(|_| all).map(|rate| (Mode::Rate(rate), false));
        let accuracies = accuracies.into_iter().map(|bound| (Mode::Accuracy(bound), false));
        let shown = present.zfp.map(|mode| (mode, true));
        for (mode, present) in rates.chain(accuracies).chain(shown) {
            if !self.zfp(mode, present)? || self.progress.advance(1).is_err() {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// The absolute bound that was used, and the comparison.
    fn fsz(
        &mut self,
        (profile, bound): (Profile, Bound),
        present: bool,
    ) -> Result<(f64, Comparison)> {
        let mut options = CompressOptions::new(bound).profile(profile);
        for &value in self.missing {
            options = options.missing(value);
        }
        let sides = self.field.shape().indices()?;
        let view = ArrayViewD::from_shape(sides, self.values)?;
        let codec = Codec::cpu();
        let stream: Stream<'_> = codec.compress_with(view, &options)?;
        let mut back = vec![T::ZERO; self.values.len()];
        codec.decompress_into(&stream, &mut back)?;
        let absolute = stream.header().absolute_bound;
        let found = self.compared(&back)?;
        let bytes = stream.compressed_bytes();
        self.point(Method::Fsz, absolute, bytes, &found, present);
        Ok((absolute, found))
    }

    /// False when it was cancelled.
    fn zfp(&mut self, mode: Mode, present: bool) -> Result<bool> {
        let go_on = |_| self.progress.check().is_ok();
        let Some((back, bytes)) = zfp::round_trip(self.field, mode, go_on)? else {
            return Ok(false);
        };
        let found = self.compared(back.as_slice::<T>().context("another element type")?)?;
        let (method, parameter) = match mode {
            Mode::Rate(rate) => (Method::ZfpRate, rate),
            Mode::Accuracy(bound) => (Method::ZfpAccuracy, bound),
        };
        self.point(method, parameter, bytes, &found, present);
        Ok(true)
    }

    fn compared(&self, back: &[T]) -> Result<Comparison> {
        let missing = Missing::<T>::new(self.missing);
        Ok(compare(self.values, back, &missing, None)?)
    }

    fn point(
        &mut self,
        method: Method,
        parameter: f64,
        bytes: u64,
        found: &Comparison,
        present: bool,
    ) {
        let bits = bytes as f64 * 8.0 / self.values.len().max(1) as f64;
        let (psnr, max_error) = (found.psnr(), found.max_abs_error);
        (self.each)(Point { method, parameter, bits, psnr, max_error, present });
    }
}

#[cfg(test)]
mod tests {
    use fsz_field::Shape;

    use super::*;

    fn field(hole: bool) -> Field {
        let mut values: Vec<f32> =
            (0..4096).map(|i| (i as f32 * 0.01).sin() * 50.0 + (i % 9) as f32).collect();
        if hole {
            values[77] = f32::NAN;
        }
        Field::new(Shape::new(&[16, 16, 16]).unwrap(), values).unwrap()
    }

    fn points(field: &Field, present: Present) -> (Vec<Point>, Option<String>) {
        let mut points = Vec::new();
        let progress = Progress::new();
        let note =
            sweep(field, &[], (true, present), &progress, |point| points.push(point)).unwrap();
        let omitted = note.as_ref().is_some_and(|note| note.contains("omitted"));
        assert!(omitted || progress.done() == progress.total(), "it counts what is done");
        (points, note)
    }

    #[test]
    fn more_bits_less_error_and_the_bound_is_kept() {
        let fsz = Some((Profile::default(), Bound::Absolute(0.5)));
        let (points, _) = points(&field(false), Present { fsz, zfp: None });
        let fsz: Vec<_> = points.iter().filter(|p| p.method == Method::Fsz && !p.present).collect();
        assert_eq!(fsz.len(), 11);
        assert!(fsz.is_sorted_by(|a, b| a.bits < b.bits && a.psnr < b.psnr));
        assert!(fsz.iter().all(|p| p.max_error <= p.parameter && p.max_error > 0.1 * p.parameter));
        let present: Vec<_> = points.iter().filter(|p| p.present).collect();
        assert!(matches!(present[..], [Point { method: Method::Fsz, parameter: 0.5, .. }]));
    }

    #[cfg(feature = "zfp")]
    #[test]
    fn zfp_is_swept_too() {
        let present = Present { fsz: None, zfp: Some(Mode::Rate(7.0)) };
        let (points, note) = points(&field(false), present);
        assert_eq!(note, None);
        for method in [Method::ZfpRate, Method::ZfpAccuracy] {
            let of: Vec<_> = points.iter().filter(|p| p.method == method && !p.present).collect();
            assert_eq!(of.len(), 11, "{method:?}");
            assert!(of.is_sorted_by(|a, b| a.bits <= b.bits && a.psnr <= b.psnr), "{of:?}");
        }
        let header = 12.0 * 8.0 / 4096.0;
        for point in points.iter().filter(|p| p.method == Method::ZfpRate) {
            assert!((point.bits - point.parameter - header).abs() < 0.02, "{point:?}");
        }
        assert!(points.iter().any(|p| p.present && p.parameter == 7.0));
    }

    #[test]
    fn zfp_is_omitted_where_it_does_not_support_the_values() {
        let (points, note) = points(&field(true), Present::default());
        assert!(note.is_some_and(|note| note.contains("zfp")));
        assert!(points.iter().all(|p| p.method == Method::Fsz && p.psnr.is_finite()));
    }

    #[test]
    fn a_cancelled_sweep_ends() {
        let progress = Progress::new();
        let mut found = 0;
        let each = |_| {
            found += 1;
            if found == 3 {
                progress.cancel();
            }
        };
        let end = sweep(&field(false), &[], (true, Present::default()), &progress, each);
        assert_eq!(end.unwrap(), None);
        assert_eq!(found, 3);
        // While the original is decoded.
        let waves = ndarray::Array1::from_shape_fn(5000, |i| (i as f32 * 0.01).sin());
        let stream = Codec::cpu().compress(waves.view(), Bound::Absolute(1e-3)).unwrap();
        let original = Document::from_stream("w".into(), "w".as_ref(), stream).unwrap();
        for place in [None, Some(Place::default())] {
            let none = |_| unreachable!("nothing is swept");
            let end = swept(&original, place, &[], (true, Present::default()), &progress, none);
            assert_eq!(end.unwrap(), None);
        }
    }
}
