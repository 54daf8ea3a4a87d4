//! Curves of rate and distortion.

use anyhow::Result;
use fsz::{Element, Profile, Stream};
use fsz_metrics::Sample;

use crate::codecs;
use crate::record::CurvePoint;
use crate::subject::Subject;

/// Value-range bounds of FSZ.
const CURVE: [f64; 9] = [1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5];
/// Bits per value of fixed-rate zfp.
#[cfg(feature = "zfp")]
const RATES: [f64; 7] = [1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 16.0];

/// PSNR over bits per value: FSZ, zfp in both of its modes, and the zfp streams of the field.
pub fn measure<T: Element + Sample>(subject: &Subject<'_, T>) -> Result<Vec<CurvePoint>> {
    let mut decoded = fsz_field::zeros::<T>(subject.field.shape())?;
    let mut points = Vec::new();
    for bound in CURVE {
        let bytes = subject.compress(bound, Profile::default())?;
        let stream = Stream::open(&bytes)?;
        subject.plan.codec.decompress_into(&stream, &mut decoded)?;
        points.push(point(subject, codecs::FSZ, bytes.len(), &decoded)?);
        #[cfg(feature = "zfp")]
        {
            let absolute = stream.header().absolute_bound;
            let mode = fsz_field::zfp::Mode::Accuracy(absolute);
            if subject.zfp_takes(absolute) {
                let len = subject.zfp(mode, &mut decoded)?;
                points.push(point(subject, codecs::ZFP_ACCURACY, len, &decoded)?);
            }
        }
    }
    #[cfg(feature = "zfp")]
    for rate in RATES.into_iter().filter(|_| subject.zfp_takes(1.0)) {
        let len = subject.zfp(fsz_field::zfp::Mode::Rate(rate), &mut decoded)?;
        points.push(point(subject, codecs::ZFP_RATE, len, &decoded)?);
    }
    #[cfg(feature = "zfp")]
    for stream in subject.plan.streams.iter().filter(|stream| stream.field == subject.name) {
        let len = stream.decode(subject.field.shape(), &mut decoded)?;
        points.push(point(subject, &stream.name(), len as usize, &decoded)?);
    }
    Ok(points)
}

fn point<T: Element + Sample>(
    subject: &Subject<'_, T>,
    codec: &str,
    len: usize,
    decoded: &[T],
) -> Result<CurvePoint> {
    let found = fsz_metrics::compare(subject.values, decoded, &subject.missing, None)?;
    Ok(CurvePoint {
        codec: codec.to_owned(),
        bits: 8.0 * len as f64 / subject.values.len().max(1) as f64,
        psnr: found.psnr(),
        max_abs_error: found.max_abs_error,
    })
}
