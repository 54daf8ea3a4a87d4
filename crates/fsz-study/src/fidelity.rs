//! How faithful a reconstruction is, beyond the largest error and PSNR.

use anyhow::Result;
use fsz::Element;
use fsz_field::Field;
use fsz_metrics::{Missing, Sample};

use crate::record::Fidelity;

/// Bins of the distribution of the error.
const BINS: usize = 41;
/// Lags of the autocorrelation.
const LAGS: usize = 10;
/// Elements of a tile.
use fsz::format::TILE;

/// The figures of a reconstruction of `field` (which holds `values`) at an absolute bound.
pub fn measure<T: Element + Sample>(
    codec: &str,
    field: &Field,
    values: &[T],
    decoded: &[T],
    bound: f64,
    missing: &Missing<T>,
) -> Result<Fidelity> {
    let shape = field.shape().indices()?;
    let axis = shape.iter().rposition(|&side| side > 1).unwrap_or(shape.len().saturating_sub(1));
    let correlation = match shape.is_empty() {
        true => vec![f64::NAN],
        false => fsz_metrics::error_autocorrelation(values, decoded, &shape, axis, LAGS, missing)?,
    };
    let derivative = fsz_metrics::derivative_error(values, decoded, &shape, missing)?;
    let histogram = distribution(values, decoded, missing, bound)?;
    let (worst_tile, worst_tile_rmse) = worst_tile(values, decoded, missing)?;
    Ok(Fidelity {
        codec: codec.to_owned(),
        ssim: fsz_metrics::ssim(values, decoded, &shape, missing)?.mean,
        autocorrelation: correlation[0],
        largest_autocorrelation: correlation.iter().fold(f64::NAN, |most, c| most.max(c.abs())),
        from_uniform: from_uniform(&histogram),
        histogram,
        spectrum: spectrum(values, decoded, &shape, missing)?,
        gradient: derivative.gradient,
        laplacian: derivative.laplacian,
        worst_tile,
        worst_tile_rmse,
    })
}

/// Shares of the pairs per bin over ±bound; what lies beyond is in none. Nothing where there are no pairs, or no bound.
fn distribution<T: Sample>(
    values: &[T],
    decoded: &[T],
    missing: &Missing<T>,
    bound: f64,
) -> Result<Vec<f64>> {
    if !(bound > 0.0 && bound.is_finite()) {
        return Ok(Vec::new());
    }
    let found = fsz_metrics::error_histogram(values, decoded, missing, bound, BINS)?;
    let all = found.counts.iter().sum::<u64>() + found.below + found.above;
    if all == 0 {
        return Ok(Vec::new());
    }
    Ok(found.counts.iter().map(|&n| n as f64 / all as f64).collect())
}

/// Half the sum of |share − 1 / bins|, with what lies in no bin; NaN without bins.
fn from_uniform(histogram: &[f64]) -> f64 {
    if histogram.is_empty() {
        return f64::NAN;
    }
    let even = 1.0 / histogram.len() as f64;
    let inside: f64 = histogram.iter().sum();
    let apart: f64 = histogram.iter().map(|share| (share - even).abs()).sum();
    0.5 * (apart + (1.0 - inside))
}

/// Power of the reconstruction over that of the original, shell by shell.
fn spectrum<T: Sample>(
    values: &[T],
    decoded: &[T],
    shape: &[usize],
    missing: &Missing<T>,
) -> Result<Vec<[f64; 2]>> {
    let original = fsz_metrics::power_spectrum(values, shape, missing)?;
    let other = fsz_metrics::power_spectrum(decoded, shape, missing)?;
    let told = |power: f64| power > 0.0 && power.is_finite();
    let shells = original.iter().zip(&other).filter(|(a, _)| a.frequency > 0.0 && told(a.power));
    let all: Vec<[f64; 2]> = shells.map(|(a, b)| [a.frequency, b.power / a.power]).collect();
    // A line of a few hundred points shows all that a plot can.
    let step = all.len().div_ceil(256).max(1);
    Ok(all.into_iter().step_by(step).collect())
}

/// Index and RMSE of the tile with the largest; the first tile of a field without errors.
fn worst_tile<T: Sample>(values: &[T], decoded: &[T], missing: &Missing<T>) -> Result<(u64, f64)> {
    let mut worst = (0, 0.0);
    for (i, (a, b)) in values.chunks(TILE).zip(decoded.chunks(TILE)).enumerate() {
        let rmse = fsz_metrics::compare(a, b, missing, None)?.rmse;
        if rmse > worst.1 {
            worst = (i as u64, rmse);
        }
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_from_uniform() {
        assert!(from_uniform(&[0.25; 4]).abs() < 1e-15);
        assert!((from_uniform(&[1.0, 0.0, 0.0, 0.0]) - 0.75).abs() < 1e-15);
        // Half the pairs beyond the bound.
        assert!((from_uniform(&[0.125; 4]) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn nothing_has_no_distance_from_uniform() {
        let share = |original: f32, bound| {
            let found = distribution(&[original; 9], &[1.0; 9], &Missing::none(), bound);
            from_uniform(&found.unwrap())
        };
        assert!(share(1.0, 0.0).is_nan() && share(f32::NAN, 0.5).is_nan());
        // All in the one bin in the middle.
        assert!((share(1.0, 0.5) - (1.0 - 1.0 / BINS as f64)).abs() < 1e-12);
    }

    #[test]
    fn the_worst_tile_is_found() {
        let values = vec![1.0f32; 3 * TILE];
        let mut decoded = values.clone();
        decoded[2 * TILE + 5] = 2.0;
        decoded[5] = 1.5;
        assert_eq!(worst_tile(&values, &decoded, &Missing::none()).unwrap(), (2, 1.0 / 16.0));
        // Squares of these errors are more than an f64 holds.
        let (values, mut decoded) = ([0.0; TILE], [0.0; TILE]);
        decoded[5] = 1e200;
        assert_eq!(worst_tile(&values, &decoded, &Missing::none()).unwrap(), (0, 1e200 / 16.0));
    }
}
