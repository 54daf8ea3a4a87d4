//! How much of a field lives at which scale.

use rayon::prelude::*;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

use crate::error::{Result, holds};
use crate::memory::collected;
use crate::sample::{Class, Missing, Sample};
use crate::units::{largest, units};

/// Modes of about the same wave number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shell {
    /// Centre of the shell in cycles per sample, from 0; 0.5 is the Nyquist frequency of one axis.
    pub frequency: f64,
    /// Number of modes in it.
    pub modes: u64,
    /// Mean of |F|² / N² over them, where F is the discrete Fourier transform of the N values; +Inf or 0 where it is
    /// more or less than an `f64` holds.
    pub power: f64,
}

/// Isotropic power spectrum: |F(k)|² / N² averaged over shells of equal wave number.
///
/// The field's mean is taken away first. A mode (k₀, k₁, …) with signed indices has the frequency
/// f = √Σ(kᵢ / nᵢ)² in cycles per sample and belongs to shell round(f · n), n the longest side;
/// shells go up to n / 2. Modes beyond it (the corners) are left out. For a cube these are the
/// usual shells of integer |k|. `power · modes` is the energy of a shell, and by Parseval all
/// energies add up to the variance. NaN, ±Inf and missing values count as the mean.
///
/// Holds a complex `f64` (16 bytes) per value in memory.
///
/// # Errors
/// When the shape does not hold the values, or there is no memory for them.
pub fn power_spectrum<T: Sample>(
    field: &[T],
    shape: &[usize],
    missing: &Missing<T>,
) -> Result<Vec<Shell>> {
    holds(shape, field.len())?;
    if field.is_empty() {
        return Ok(Vec::new());
    }
    let units = units(largest(field, missing));
    let mut modes = without_mean(field, missing, units)?;
    for axis in 0..shape.len() {
        transform_along(&mut modes, shape, axis);
    }
    let mut shells = gather_shells(&modes, shape);
    // One division by the square would be by what no number holds.
    shells.iter_mut().for_each(|shell| shell.power = shell.power / units / units);
    Ok(shells)
}

/// The values minus their mean, 0 where there is no number; in units, of which 1 has so many.
fn without_mean<T: Sample>(
    field: &[T],
    missing: &Missing<T>,
    units: f64,
) -> Result<Vec<Complex<f64>>> {
    let number = |v: T| (missing.class(v) == Class::Finite).then(|| v.to_f64() * units);
    let (sum, count) = field
        .iter()
        .filter_map(|&v| number(v))
        .fold((0.0, 0u64), |(sum, count), v| (sum + v, count + 1));
    let mean = sum / count.max(1) as f64;
    let value = |&v| Complex::new(number(v).map_or(0.0, |v| v - mean), 0.0);
    collected(field.par_iter().map(value))
}

/// Transforms every line along `axis`, in place.
fn transform_along(values: &mut [Complex<f64>], shape: &[usize], axis: usize) {
    let along = shape[axis];
    if along == 1 {
        return;
    }
    let stride: usize = shape[axis + 1..].iter().product();
    let fft = FftPlanner::new().plan_fft_forward(along);
    if stride == 1 {
        values.par_chunks_mut(along).for_each(|line| fft.process(line));
        return;
    }
    // Lines lie across memory: gather a few neighbouring ones at a time, so that each cache line
    // that is touched is used whole, and put back those of many before the next: no second plane is held.
    const TOGETHER: usize = 8;
    const HELD: usize = 1 << 20;
    let batch = TOGETHER * (HELD / (TOGETHER * along)).max(rayon::current_num_threads());
    let gather = |plane: &[Complex<f64>], first: usize| {
        let lines = TOGETHER.min(stride - first);
        let mut scratch = vec![Complex::default(); lines * along];
        for i in 0..along {
            for line in 0..lines {
                scratch[line * along + i] = plane[i * stride + first + line];
            }
        }
        fft.process(&mut scratch);
        scratch
    };
    for plane in values.chunks_exact_mut(along * stride) {
        for start in (0..stride).step_by(batch) {
            let shared = &*plane;
            let done: Vec<_> = (start..stride.min(start + batch))
                .into_par_iter()
                .step_by(TOGETHER)
                .map(|first| (first, gather(shared, first)))
                .collect();
            for (first, scratch) in done {
                let lines = scratch.len() / along;
                for i in 0..along {
                    for line in 0..lines {
                        plane[i * stride + first + line] = scratch[line * along + i];
                    }
                }
            }
        }
    }
}

/// Averages |F|² / N² over the shells.
fn gather_shells(modes: &[Complex<f64>], shape: &[usize]) -> Vec<Shell> {
    let longest = shape.iter().copied().max().unwrap_or(1);
    let mut shells: Vec<Shell> = (0..=longest / 2)
        .map(|s| Shell { frequency: s as f64 / longest as f64, modes: 0, power: 0.0 })
        .collect();
    let scale = 1.0 / (modes.len() as f64 * modes.len() as f64);
    let mut index = vec![0usize; shape.len()];
    for mode in modes {
        let squared: f64 = index.iter().zip(shape).map(|(&k, &n)| squared_frequency(k, n)).sum();
        if let Some(shell) = shells.get_mut((squared.sqrt() * longest as f64).round() as usize) {
            shell.modes += 1;
            shell.power += mode.norm_sqr() * scale;
        }
        advance(&mut index, shape);
    }
    for shell in &mut shells {
        shell.power /= shell.modes.max(1) as f64;
    }
    shells
}

/// (k / n)² with k taken as signed: indices beyond n / 2 are the negative frequencies.
fn squared_frequency(k: usize, n: usize) -> f64 {
    let signed = k.min(n - k) as f64;
    (signed / n as f64).powi(2)
}

/// The next index in C order.
fn advance(index: &mut [usize], shape: &[usize]) {
    for (i, &n) in index.iter_mut().zip(shape).rev() {
        *i += 1;
        if *i < n {
            return;
        }
        *i = 0;
    }
}
