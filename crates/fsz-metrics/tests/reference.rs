//! Every metric against numpy, scipy and scikit-image: `reference/make.py` made the constants.

use fsz_metrics::{
    Missing, Sample, compare, derivative_error, error_autocorrelation, error_histogram,
    power_spectrum, ssim,
};

// Long numbers are as Python printed them.
#[allow(clippy::excessive_precision, clippy::unreadable_literal, clippy::approx_constant)]
mod values {
    include!("reference/values.rs");
}

const STEP: f64 = 0.1;
const BOUND: f64 = 0.045;
const MISSING: f64 = 1e20;

/// Numbers in [0, 1): the upper 24 bits of Knuth's MMIX generator.
fn uniform(seed: u64) -> impl Iterator<Item = f64> {
    let next = |s: &u64| s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    std::iter::successors(Some(seed), move |s| Some(next(s)))
        .skip(1)
        .map(|s| (s >> 40) as f64 / f64::from(1 << 24))
}

/// A ramp per axis, a product term and noise.
fn original(shape: &[usize], seed: u64) -> Vec<f64> {
    let count = shape.iter().product();
    let mut noise = uniform(seed);
    let value = |flat: usize| {
        let (mut rest, mut index) = (flat, vec![0.0; shape.len()]);
        for (i, &n) in index.iter_mut().zip(shape).rev() {
            *i = (rest % n) as f64;
            rest /= n;
        }
        let ramp: f64 = index.iter().enumerate().map(|(a, i)| (a + 1) as f64 * i / 32.0).sum();
        let bend = index.iter().product::<f64>() / 4096.0;
        ramp + bend + noise.next().unwrap()
    };
    (0..count).map(value).collect()
}

fn pair<T: Sample>(shape: &[usize], seed: u64) -> (Vec<T>, Vec<T>) {
    let a: Vec<T> = original(shape, seed).into_iter().map(T::from_f64).collect();
    let rounded = |v: &T| T::from_f64((v.to_f64() / STEP + 0.5).floor() * STEP);
    let b = a.iter().map(rounded).collect();
    (a, b)
}

/// NaN, Inf and 1e20 in the original; one of each is not kept; one number is lost.
fn masked_pair() -> (Vec<f32>, Vec<f32>) {
    let (mut a, mut b) = pair::<f32>(&[5, 30, 40], 1);
    let missing = MISSING as f32;
    for (at, value) in [(3, f32::NAN), (500, f32::INFINITY), (900, missing), (901, missing)] {
        (a[at], b[at]) = (value, value);
    }
    (a[40], a[41], a[42]) = (f32::NAN, f32::NEG_INFINITY, missing);
    b[777] = f32::NAN;
    (a, b)
}

#[track_caller]
fn close(found: f64, expected: f64) {
    let off = (found - expected).abs();
    assert!(off <= 1e-11 * expected.abs().max(1e-3), "found {found}, expected {expected}");
}

#[track_caller]
fn all_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(&f, &e)| close(f, e));
}

#[test]
fn pointwise_metrics_of_f32() {
    let (a, b) = pair::<f32>(&[5, 30, 40], 1);
    let found = compare(&a, &b, &Missing::none(), Some(BOUND.into())).unwrap();
    assert_eq!((found.min, found.max), (values::F32_MIN, values::F32_MAX));
    assert_eq!(found.max_abs_error, values::F32_MAX_ABS_ERROR);
    assert_eq!(found.max_abs_error_at, Some(values::F32_MAX_ABS_ERROR_AT));
    assert_eq!(found.violations(), Some(values::F32_BEYOND));
    close(found.violation_share().unwrap(), values::F32_BEYOND as f64 / 6000.0);
    close(found.mean_error, values::F32_MEAN_ERROR);
    close(found.rmse, values::F32_RMSE);
    close(found.nrmse(), values::F32_NRMSE);
    close(found.psnr(), values::F32_PSNR);
}

#[test]
fn pointwise_metrics_of_f64() {
    let (a, b) = pair::<f64>(&[5, 30, 40], 1);
    let found = compare(&a, &b, &Missing::none(), Some(BOUND.into())).unwrap();
    assert_eq!((found.min, found.max), (values::F64_MIN, values::F64_MAX));
    assert_eq!(found.max_abs_error, values::F64_MAX_ABS_ERROR);
    assert_eq!(found.max_abs_error_at, Some(values::F64_MAX_ABS_ERROR_AT));
    assert_eq!(found.beyond, Some(values::F64_BEYOND));
    close(found.mean_error, values::F64_MEAN_ERROR);
    close(found.rmse, values::F64_RMSE);
    close(found.nrmse(), values::F64_NRMSE);
    close(found.max_range_error(), found.max_abs_error / (found.max - found.min));
    close(found.psnr(), values::F64_PSNR);
}

#[test]
fn equal_fields_have_infinite_psnr_and_ssim_1() {
    let (a, _) = pair::<f64>(&[30, 40], 1);
    let found = compare(&a, &a, &Missing::none(), Some(0.0.into())).unwrap();
    assert_eq!((found.psnr(), found.nrmse()), (f64::INFINITY, 0.0));
    assert_eq!(found.violations(), Some(0));
    assert_eq!(ssim(&a, &a, &[30, 40], &Missing::none()).unwrap().mean, 1.0);
}

#[test]
fn what_is_not_a_number_is_left_out_and_counted() {
    let (a, b) = masked_pair();
    let missing = Missing::new(&[MISSING]);
    let found = compare(&a, &b, &missing, Some(1.0.into())).unwrap();
    assert_eq!((found.nan, found.inf, found.missing), (2, 2, 3));
    assert_eq!((found.altered, found.lost), (3, 1));
    assert_eq!(found.violations(), Some(4));
    assert_eq!(found.compared, values::MASKED_COMPARED);
    close(found.rmse, values::MASKED_RMSE);
    close(found.mean_error, values::MASKED_MEAN_ERROR);

    let similar = ssim(&a, &b, &[5, 30, 40], &missing).unwrap();
    close(similar.mean, values::MASKED_SSIM);
    assert_eq!(similar.windows, values::MASKED_SSIM_WINDOWS);
    assert_eq!(similar.windows + similar.left_out, 5 * 24 * 34);
    let lags = error_autocorrelation(&a, &b, &[5, 30, 40], 2, 3, &missing).unwrap();
    all_close(&lags, values::MASKED_AUTOCORRELATION);
    let counted = error_histogram(&a, &b, &missing, 1.0, 10).unwrap();
    assert_eq!(counted.counts.iter().sum::<u64>(), values::MASKED_COMPARED);
}

#[test]
fn ssim_is_that_of_scikit_image() {
    let none = Missing::none();
    let (a, b) = pair::<f32>(&[90, 40], 2);
    close(ssim(&a, &b, &[90, 40], &none).unwrap().mean, values::SSIM_2D);
    close(ssim(&a, &b, &[1, 90, 1, 40], &none).unwrap().mean, values::SSIM_2D);
    let (a, b) = pair::<f32>(&[5, 30, 40], 1);
    close(ssim(&a, &b, &[5, 30, 40], &none).unwrap().mean, values::SSIM_3D);
    let (a, b) = pair::<f32>(&[3, 5, 40], 4);
    close(ssim(&a, &b, &[3, 5, 40], &none).unwrap().mean, values::SSIM_NARROW);
    let (a, b) = pair::<f64>(&[300], 3);
    let found = ssim(&a, &b, &[300], &Missing::none()).unwrap();
    close(found.mean, values::SSIM_1D);
}

#[test]
fn ssim_of_degenerate_fields() {
    let none = Missing::<f64>::none();
    assert!(ssim(&[], &[], &[0, 4], &none).unwrap().mean.is_nan());
    assert_eq!(ssim(&[2.0], &[2.0], &[], &none).unwrap().mean, 1.0);
    assert_eq!(ssim(&[2.0; 100], &[2.0; 100], &[10, 10], &none).unwrap().mean, 1.0);
    assert!(ssim(&[2.0; 100], &[3.0; 100], &[10, 10], &none).unwrap().mean < 1.0);
    assert!(ssim(&[2.0; 100], &[3.0; 100], &[10, 11], &none).is_err());
    assert!(ssim(&[2.0; 2], &[3.0; 2], &[usize::MAX, 4], &none).is_err());
}

#[test]
fn histogram_is_that_of_numpy() {
    let (a, b) = pair::<f64>(&[5, 30, 40], 1);
    let found = error_histogram(&a, &b, &Missing::none(), BOUND, 16).unwrap();
    assert_eq!(found.counts, values::HISTOGRAM);
    assert_eq!((found.below, found.above), (values::HISTOGRAM_BELOW, values::HISTOGRAM_ABOVE));
    let edges: Vec<f64> = found.edges().collect();
    assert_eq!((edges.len(), edges[0], edges[16]), (17, -BOUND, BOUND));
    assert!(error_histogram(&a, &b, &Missing::none(), 0.0, 16).is_err());
    assert!(error_histogram(&a, &b, &Missing::none(), 1.0, 0).is_err());
}

#[test]
fn autocorrelation_is_that_of_numpy() {
    let (a, b) = pair::<f64>(&[5, 30, 40], 1);
    let along = |axis, lags| {
        error_autocorrelation(&a, &b, &[5, 30, 40], axis, lags, &Missing::none()).unwrap()
    };
    all_close(&along(0, 4), values::AUTOCORRELATION_0);
    all_close(&along(1, 6), values::AUTOCORRELATION_1);
    all_close(&along(2, 6), values::AUTOCORRELATION_2);
    assert!(along(0, 5)[4].is_nan(), "no pair is 5 apart along a side of 5");
    assert!(error_autocorrelation(&a, &b, &[5, 30, 40], 3, 1, &Missing::none()).is_err());
    let empty = error_autocorrelation::<f32>(&[], &[], &[0], 0, 2, &Missing::none()).unwrap();
    assert!(empty.iter().all(|c| c.is_nan()));
}

/// Many lines across memory are transformed in batches, which change nothing.
#[test]
fn the_order_of_axes_is_not_in_the_spectrum() {
    const LONG: usize = 600_000;
    let long = original(&[2, LONG], 3);
    let turned: Vec<f64> = (0..LONG).flat_map(|i| [long[i], long[LONG + i]]).collect();
    let shells = power_spectrum(&long, &[2, LONG], &Missing::none()).unwrap();
    let others = power_spectrum(&turned, &[LONG, 2], &Missing::none()).unwrap();
    let largest = shells.iter().map(|shell| shell.power).fold(0.0, f64::max);
    for (a, b) in shells.iter().zip(&others) {
        assert!(a.modes == b.modes && (a.power - b.power).abs() <= 1e-12 * largest, "{a:?} {b:?}");
    }
}

#[test]
fn spectrum_is_that_of_numpy() {
    let check = |shells: Vec<fsz_metrics::Shell>, modes: &[u64], power: &[f64]| {
        let (m, p): (Vec<_>, Vec<_>) = shells.iter().map(|s| (s.modes, s.power)).unzip();
        assert_eq!(m, modes);
        let largest = power.iter().copied().fold(0.0, f64::max);
        for (p, q) in p.iter().zip(power) {
            assert!((p - q).abs() <= 1e-12 * largest, "found {p}, expected {q}");
        }
    };
    let cube = original(&[8, 16, 16], 5);
    check(
        power_spectrum(&cube, &[8, 16, 16], &Missing::none()).unwrap(),
        values::SPECTRUM_3D_MODES,
        values::SPECTRUM_3D_POWER,
    );
    let (box_, _) = pair::<f32>(&[5, 9, 17], 6);
    check(
        power_spectrum(&box_, &[5, 9, 17], &Missing::none()).unwrap(),
        values::SPECTRUM_BOX_MODES,
        values::SPECTRUM_BOX_POWER,
    );
    check(
        power_spectrum(&original(&[101], 7), &[101], &Missing::none()).unwrap(),
        values::SPECTRUM_1D_MODES,
        values::SPECTRUM_1D_POWER,
    );
    assert!(power_spectrum::<f32>(&[], &[0, 3], &Missing::none()).unwrap().is_empty());
    assert!(power_spectrum(&[1.0, f64::NAN], &[3], &Missing::none()).is_err());
}

#[test]
fn shells_of_a_line_hold_all_the_variance() {
    let field = original(&[101], 7);
    let mean = field.iter().sum::<f64>() / 101.0;
    let variance = field.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 101.0;
    let shells = power_spectrum(&field, &[101], &Missing::none()).unwrap();
    close(shells.iter().map(|s| s.power * s.modes as f64).sum(), variance);
}

// Not beside the function: there the Fourier transforms would be compiled once more, for it alone.
#[test]
fn the_power_of_large_and_small_fields_is_a_number() {
    let of = |scale: f64| {
        let field: Vec<f64> = (0..400).map(|i| (i as f64 * 0.1).sin() * scale).collect();
        let shells = power_spectrum(&field, &[20, 20], &Missing::none()).unwrap();
        shells.iter().map(|shell| shell.power).collect::<Vec<f64>>()
    };
    let times = |factor: f64| of(1.0).iter().map(|power| power * factor).collect::<Vec<f64>>();
    // Of the larger one, the squares of whole modes are more than an f64 holds.
    for exponent in [-500, 508] {
        assert_eq!(of(2f64.powi(exponent)), times(2f64.powi(2 * exponent)), "{exponent}");
    }
    assert!(of(2f64.powi(1023))[1..].iter().all(|&power| power == f64::INFINITY));
}

#[test]
fn derivatives_are_those_of_numpy() {
    let (a, b) = pair::<f64>(&[101], 7);
    let found = derivative_error(&a, &b, &[101], &Missing::none()).unwrap();
    close(found.gradient, values::DERIVATIVE_1D_GRADIENT);
    close(found.laplacian, values::DERIVATIVE_1D_LAPLACIAN);
    assert_eq!(found.points, values::DERIVATIVE_1D_POINTS);
    let (a, b) = pair::<f32>(&[5, 30, 40], 1);
    let found = derivative_error(&a, &b, &[5, 1, 30, 40], &Missing::none()).unwrap();
    close(found.gradient, values::DERIVATIVE_3D_GRADIENT);
    close(found.laplacian, values::DERIVATIVE_3D_LAPLACIAN);
    assert_eq!(found.points, values::DERIVATIVE_3D_POINTS);
    let (a, b) = masked_pair();
    let found = derivative_error(&a, &b, &[5, 30, 40], &Missing::new(&[MISSING])).unwrap();
    close(found.gradient, values::DERIVATIVE_MASKED_GRADIENT);
    close(found.laplacian, values::DERIVATIVE_MASKED_LAPLACIAN);
    assert_eq!(found.points, values::DERIVATIVE_MASKED_POINTS);
    let flat = |other: &[f64]| derivative_error(&[1.0; 5], other, &[5], &Missing::none()).unwrap();
    assert!(flat(&[1.0; 5]).gradient.is_nan());
    assert_eq!(flat(&[1.0, 2.0, 4.0, 8.0, 16.0]).laplacian, f64::INFINITY);
    let short = derivative_error(&[1.0, 2.0], &[1.0, 2.0], &[2], &Missing::none()).unwrap();
    assert_eq!(short.points, 0);
    assert!(short.gradient.is_nan() && short.laplacian.is_nan());
}
