//! Pointwise-relative bounds of numbers all over the range of a type.

use crate::check::{check, check_profile, device, relative, relative_bounds};
use crate::common::{every, some};
use fsz::{CompressOptions, Element, Profile};

/// Every so manyth bit pattern of an element, the smallest and the largest numbers, and all of them negative.
fn patterns<T: Element>(stride: u64) -> Vec<T> {
    let magnitudes = 1u64 << (8 * size_of::<T>() - 1);
    let count = magnitudes / stride;
    let both = |k: u64| [k * stride, magnitudes + k * stride].map(T::from_bits64);
    (0..count).flat_map(both).collect()
}

/// Codes of a pointwise-relative bound all over the range of a type: with numbers so different side by side
/// they need many bits, so that every way through the encoder is gone; sorted ones go the short way.
#[test]
fn relative_bounds_of_every_magnitude() {
    let Some(codec) = device("relative bounds of every magnitude") else { return };
    let single: Vec<f32> = patterns(1021 * every() as u64);
    let double: Vec<f64> = patterns(((1 << 42) + 12_345) * every() as u64);
    let sorted = |k: usize, n: usize| -> Vec<f32> {
        (0..n).map(|i| f32::from_bits(0x0080_0000 + (k * 7919 + i * 37) as u32)).collect()
    };
    for bound in some(relative_bounds()) {
        let options = CompressOptions::new(bound);
        check("patterns", &codec, &single, &[single.len() as u64], &options);
        check("patterns", &codec, &double, &[double.len() as u64], &options);
    }
    for (k, eps) in some([0.3, 0.02, 1e-3, 1e-4, 1e-5, 2e-6].into_iter().enumerate()) {
        let mut data = sorted(k, 6_000_000 / every());
        for (floor, negative) in [(0.0, false), (0.0, true), (1e-20, true)] {
            if negative {
                data.iter_mut().skip(5000).step_by(3).for_each(|d| *d = -d.abs());
            }
            let options = CompressOptions::new(relative(eps, floor)).profile(Profile::default());
            let shape = [data.len() as u64];
            check_profile("sorted", &codec, &data, &shape, &options, Profile::default());
            let wide: Vec<f64> = data.iter().map(|&d| d as f64 * 1.000_000_123).collect();
            check_profile("sorted", &codec, &wide, &shape, &options, Profile::default());
        }
    }
}
