//! Pointwise-relative bounds of blocks of one sign and of either, which the encoder tells apart.

use crate::check::{check_profile, device, relative};
use crate::common::{every, inputs::Random};
use fsz::{CompressOptions, Profile};

/// Pointwise-relative bounds.
const SHARES: [f64; 8] = [0.5, 0.3, 0.1, 1e-2, 1e-3, 1e-4, 2e-5, 4e-6];

/// Runs of blocks that the encoder with a pointwise-relative bound tells apart by the signs and the sizes of their
/// elements: of one sign, of either, and with a few elements that are rare.
fn runs_of_signs(random: &mut Random, runs: usize) -> Vec<f32> {
    const RARE: [f32; 10] = [
        0.0,
        -0.0,
        1e-41,
        -f32::MIN_POSITIVE,
        f32::MAX,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e20,
        3e-30,
    ];
    let mut data = Vec::new();
    for run in 0..runs {
        let (style, scale) = (run % 8, 10f32.powi(random.below(9) as i32 - 4));
        let first = 0x3F00_0000 + random.below(1 << 24) as u32;
        for i in 0..1024 + 32 * random.below(64) {
            let smooth = scale * (2.0 + (i as f32 * 0.01).sin() + 0.001 * random.unit() as f32);
            data.push(match style {
                // Every element there is: those next to the edges between codes, on both sides.
                0 => f32::from_bits(first + i as u32),
                1 => -f32::from_bits(first + 3 * i as u32),
                2 if (i / 32).is_multiple_of(2) => -smooth,
                3 if random.below(300) == 0 => RARE[random.below(RARE.len())],
                4 if random.below(20) == 0 => -smooth,
                5 => -smooth,
                // Constant, so that errors repeat.
                6 => scale * 3.0,
                7 => smooth * (i as f32 * 0.02).exp(),
                _ => smooth,
            });
        }
    }
    data
}

#[test]
fn relative_bounds_of_one_sign() {
    let Some(codec) = device("relative bounds of blocks of one sign") else { return };
    let mut random = Random::new(77);
    let runs = if every() == 1 { 160 } else { 16 };
    for eps in SHARES {
        for floor in [0.0, 1e-3, 2.0] {
            let data = runs_of_signs(&mut random, runs);
            let shape = [data.len() as u64];
            let options = CompressOptions::new(relative(eps, floor)).missing(1e20);
            check_profile("signs", &codec, &data, &shape, &options, Profile::default());
            let same: Vec<f32> = data.iter().map(|d| -d.abs()).collect();
            check_profile("negative", &codec, &same, &shape, &options, Profile::default());
            // Only elements that need no other way.
            let plain: Vec<f32> =
                (0..data.len()).map(|i| 250.0 + 50.0 * (i as f32 * 0.001).sin()).collect();
            check_profile("smooth", &codec, &plain, &shape, &options, Profile::default());
            // Of many magnitudes, each for long: elements with large errors stand side by side.
            let wavy: Vec<f32> = (0..150_000)
                .map(|i| i as f32)
                .map(|i| {
                    (2.5 * (i * 1.7e-4).sin() + 0.7 * (i * 3.1e-3 * (1.0 + eps as f32)).sin()).exp()
                })
                .collect();
            let shape = [wavy.len() as u64];
            check_profile("wavy", &codec, &wavy, &shape, &options, Profile::default());
        }
    }
}

/// An `f64` of its own for each `f32`: those next to each other stay so.
fn widened(data: &[f32]) -> Vec<f64> {
    data.iter().map(|&d| d as f64 * 1.000_000_123).collect()
}

#[test]
fn relative_bounds_of_one_sign_in_doubles() {
    let Some(codec) = device("relative bounds of blocks of one sign, f64") else { return };
    let mut random = Random::new(79);
    let runs = if every() == 1 { 160 } else { 16 };
    for eps in SHARES {
        for floor in [0.0, 1e-3, 2.0] {
            let data = widened(&runs_of_signs(&mut random, runs));
            let options =
                CompressOptions::new(relative(eps, floor)).missing(1e20f32 as f64 * 1.000_000_123);
            let check = |name: &str, data: &[f64]| {
                check_profile(
                    name,
                    &codec,
                    data,
                    &[data.len() as u64],
                    &options,
                    Profile::default(),
                );
            };
            check("signs", &data);
            check("negative", &data.iter().map(|d| -d.abs()).collect::<Vec<_>>());
            // They differ in the lower half of their bits alone: so do the smallest and the largest.
            let close: Vec<f64> = (0..40_000).map(|_| 3.0 + 1e-9 * random.unit()).collect();
            check("close", &close);
            check("close, negative", &close.iter().map(|d| -d).collect::<Vec<_>>());
            // Beyond the 256 octaves of the short way, and next to the largest number.
            for power in [3.0, 150.0, 300.0] {
                let far: Vec<f64> = (0..40_000)
                    .map(|i| {
                        10f64.powf(power * (i as f64 * 1e-4).sin()) * (1.0 + 0.01 * random.unit())
                    })
                    .collect();
                check("far", &far);
            }
            let largest: Vec<f64> =
                (0..40_000).map(|i| f64::MAX * (1.0 - 1e-5 * i as f64 * random.unit())).collect();
            check("largest", &largest);
        }
    }
}

/// Runs of elements of either sign, as velocities and anomalies have them, with zeros and with elements so small
/// that they have no codes: alone, side by side, at the ends of tiles, and too many for the short way.
fn runs_of_either_sign(random: &mut Random, runs: usize) -> Vec<f32> {
    let mut data = Vec::new();
    for run in 0..runs {
        let (style, scale) = (run % 9, 10f32.powi(random.below(5) as i32 - 2));
        let begin = data.len();
        for i in 0..1024 * (1 + random.below(3)) + 32 * random.below(32) {
            let noise = scale * (random.unit() as f32 - 0.5);
            data.push(match style {
                0 => noise,
                1 => scale * (i as f32 * 0.013).sin() + 1e-3 * noise,
                2 if random.below(5) == 0 => [0.0, -0.0][random.below(2)],
                // Two values, so that errors repeat.
                3 => [scale, -scale][i % 2],
                4 => (8.0 * noise).round(),
                5 => 1e-4 * noise,
                6 if random.below(2000) == 0 => {
                    [f32::NAN, f32::MAX, f32::INFINITY, 1e20][random.below(4)]
                }
                _ => noise,
            });
        }
        if style == 7 {
            for tile in data[begin..].chunks_exact_mut(256) {
                let (count, side) = (random.below(11), random.below(4));
                for k in 0..count {
                    let at = match side {
                        0 => k,
                        1 => 255 - k,
                        2 => (97 + k) % 256,
                        _ => random.below(256),
                    };
                    tile[at] = 1e-30 * (random.unit() as f32 - 0.5);
                }
            }
        }
    }
    data
}

#[test]
fn relative_bounds_of_either_sign() {
    let Some(codec) = device("relative bounds of blocks of either sign") else { return };
    let mut random = Random::new(78);
    let runs = if every() == 1 { 180 } else { 36 };
    for eps in SHARES {
        for floor in [0.0, 1e-3, 0.2] {
            let data = runs_of_either_sign(&mut random, runs);
            let options = CompressOptions::new(relative(eps, floor)).missing(1e20);
            let shape = [data.len() as u64];
            check_profile("either sign", &codec, &data, &shape, &options, Profile::default());
            let options = CompressOptions::new(relative(eps, floor));
            check_profile("either sign", &codec, &data, &shape, &options, Profile::default());
            check_profile(
                "either sign",
                &codec,
                &widened(&data),
                &shape,
                &options,
                Profile::default(),
            );
        }
    }
}
