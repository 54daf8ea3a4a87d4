//! What a call may be given: shapes, names, starts, bounds that overflow, buffers.

use crate::check::{check, device, relative};
use crate::common::{compress, inputs::field};
use fsz::{Bound, CompressOptions};

#[test]
fn shapes_names_steps_and_starts() {
    let Some(codec) = device("shapes, names, steps and starts") else { return };
    for shape in [&[][..], &[0], &[3, 0, 5], &[2, 3, 5, 7], &[1; 8], &[2; 8]] {
        let n = shape.iter().product::<u64>() as usize;
        let data = field::<f64>("smooth", n, 1);
        let start: Vec<u64> = shape.iter().map(|n| n * 3).collect();
        for bound in [Bound::ValueRange(1e-3), relative(1e-3, 0.0), relative(1e-3, 0.1)] {
            let options = CompressOptions::new(bound);
            check("plain", &codec, &data, shape, &options);
            let options = options.name("Température").time_step(u64::MAX).start(&start);
            let options = options.missing(f64::NAN).missing(1e20).missing(-999.0).missing(0.0);
            check("full", &codec, &data, shape, &options);
            let data = field::<f32>("land", n, 1);
            check("full", &codec, &data, shape, &options);
        }
    }
}

/// A share of a range that is beyond the largest number is that number, on both sides.
#[test]
fn a_bound_that_overflows() {
    let Some(codec) = device("a bound that overflows") else { return };
    let data: Vec<f64> = (0..3000).map(|i| (i as f64 / 1500.0 - 1.0) * 1e308).collect();
    let given = |ratio, end: f64| Bound::ValueRangeOf { ratio, min: -end, max: end };
    for bound in [Bound::ValueRange(2.0), Bound::ValueRange(1e300), given(3.0, f64::MAX)] {
        check("overflow", &codec, &data, &[3000], &CompressOptions::new(bound));
    }
    let data: Vec<f32> = data.iter().map(|d| (d / 1e308) as f32 * f32::MAX).collect();
    for bound in [Bound::ValueRange(2.0), Bound::ValueRange(1e300), given(3.0, f64::MAX)] {
        check("overflow", &codec, &data, &[3000], &CompressOptions::new(bound));
    }
}

#[test]
fn a_buffer_that_is_too_small_is_refused() {
    let Some(codec) = device("too small a buffer") else { return };
    let data = field::<f32>("noise", 50_000, 1);
    let options = CompressOptions::new(Bound::ValueRange(1e-5));
    let full = compress(&codec, &data, &[50_000], &options);
    for len in [0, 100, 2000, full.len() / 2, full.len() - 1] {
        let mut out = vec![0xA5; len];
        let refused = codec.compress_into(&data, &[50_000], &options, &mut out);
        assert!(matches!(refused, Err(fsz::Error::InvalidArgument(_))), "{len}");
    }
    let mut out = vec![0xA5; full.len()];
    codec.compress_into(&data, &[50_000], &options, &mut out).expect("just fits");
    assert!(out == full);
}
