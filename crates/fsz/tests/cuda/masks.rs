//! Masked elements: missing values, NaN and infinities among others.

use crate::check::{check, check_profile, device, relative};
use crate::common::{
    every,
    inputs::{Random, field},
    pairs, some,
};
use crate::layouts::layouts;
use fsz::{Bound, Codec, CompressOptions, Dense, Element, Profile};

/// Regions one after the other: none, some, every other or all elements masked, by patterns that change;
/// with elements that must be listed, and with noise that needs many bits.
fn changing_masks<T: Element>(n: usize, random: &mut Random) -> Vec<T> {
    let nan = |low: u64| match size_of::<T>() {
        4 => T::from_bits64(0x7FC0_0000 | low),
        _ => T::from_bits64(0x7FF8_0000_0000_0000 | low),
    };
    let patterns = [
        nan(0),
        nan(0),
        T::from_f64(1e20),
        T::from_f64(-999.0),
        nan(77),
        T::from_f64(f64::INFINITY),
    ];
    let mut data = Vec::with_capacity(n);
    while data.len() < n {
        let (pattern, other) =
            (patterns[random.below(patterns.len())], patterns[random.below(patterns.len())]);
        let style = random.below(8);
        let noise = if style == 6 { 1e4 } else { 0.02 };
        let (mut masked, mut run) = (false, 0);
        for _ in 0..2000 + random.below(60_000) {
            let i = data.len();
            if run == 0 {
                masked = !masked;
                run = 1 + random.below(if style == 2 { 2 } else { 120 });
            }
            run -= 1;
            let value = T::from_f64((i as f64 * 0.003).sin() * 9.0 + noise * random.unit());
            data.push(match style {
                0 => value,
                3 => pattern,
                4 if masked && i.is_multiple_of(3) => other,
                5 if i.is_multiple_of(97) => T::from_f64(1e18),
                _ if masked => pattern,
                _ => value,
            });
        }
    }
    data.truncate(n);
    data
}

#[test]
fn masks_that_change_over_many_rounds() {
    let Some(codec) = device("masks that change") else { return };
    let mut random = Random::new(11);
    for (n, bound) in [
        (9_000_001, Bound::ValueRange(1e-3)),
        (5_000_000, Bound::Absolute(0.01)),
        (5_000_001, relative(1e-3, 0.0)),
        (3_000_001, relative(1e-2, 0.02)),
    ] {
        let n = n / every();
        let (single, double) =
            (changing_masks::<f32>(n, &mut random), changing_masks::<f64>(n, &mut random));
        for names in some([&[1e20, -999.0][..], &[], &[1e20], &[-999.0]]) {
            let options =
                names.iter().fold(CompressOptions::new(bound), |o, &name| o.missing(name));
            check("masks", &codec, &single, &[n as u64], &options);
            check("masks", &codec, &double, &[n as u64], &options);
        }
    }
    // A bound that leaves codes of a missing value's size, and a range that is known.
    let n = 4_000_000 / every();
    let data = changing_masks::<f32>(n, &mut random);
    for bound in [
        Bound::ValueRangeOf { ratio: 1e-4, min: -10.0, max: 10.0 },
        Bound::ValueRange(1e-5),
        Bound::Absolute(1e4),
    ] {
        check("masks", &codec, &data, &[n as u64], &CompressOptions::new(bound).missing(-999.0));
        check("masks", &codec, &data, &[n as u64], &CompressOptions::new(bound).missing(0.0));
    }
}

/// Tiles of which any number of elements is left between masked ones, here and there: waves, lines and
/// noise as far from each other, and from 0, as 16 bits can tell, and further.
fn chains<T: Element>(tiles: usize, mask: f64, random: &mut Random) -> Vec<T> {
    let spreads = [3.0, 120.0, 7000.0, 16_300.0, 16_500.0, 32_700.0, 33_000.0, 200_000.0];
    let mut data = Vec::with_capacity(256 * tiles);
    for tile in 0..tiles {
        let left = [tile % 257, 256, 0, 1, 2, 32, 33, 224][random.below(8)];
        // The four tiles that a warp has go one way.
        let quad = tile / 4;
        let style = quad % 5;
        let spread = spreads[quad / 5 % spreads.len()] * if quad % 2 == 0 { 1.0 } else { 0.01 };
        let from = [0.0, -20_000.0, 40_000.0, 1e6][quad % 7 % 4];
        let mut rest = left;
        for i in 0..256 {
            // Each is as likely to be left, or they come first, or last.
            let stays = match random.below(40) {
                0 => rest > 0,
                _ if tile % 3 == 0 => i < left,
                _ if tile % 3 == 1 => i >= 256 - left,
                _ => random.below(256 - i) < rest,
            } || rest >= 256 - i;
            if !stays || rest == 0 {
                data.push(T::from_f64(mask));
                continue;
            }
            rest -= 1;
            let value = match style {
                0 => spread * (i as f64 * 0.05).sin(),
                1 => spread * (i as f64 / 128.0 - 1.0),
                2 => spread * (random.unit() - 0.5),
                // As far as can be from the one before, among some that are between.
                3 if rest == 0 || i / 8 % 2 == 0 => 0.0,
                3 => spread * if i % 2 == 0 { 0.5 } else { -0.5 },
                _ => spread * if i / 50 % 2 == 0 { 0.5 } else { -0.5 },
            };
            data.push(T::from_f64(from + value.round()));
        }
    }
    data
}

#[test]
fn masked_chains_of_every_length() {
    let Some(codec) = device("masked chains") else { return };
    let mut random = Random::new(31);
    let tiles = 12_000 / every().min(20);
    for (mask, names) in [(f64::NAN, &[][..]), (1e30, &[1e30]), (-9e9, &[-9e9])] {
        let (single, double) =
            (chains::<f32>(tiles, mask, &mut random), chains::<f64>(tiles, mask, &mut random));
        for bound in [
            // Steps of about 1, of `f32` for what it rounds away of 1e6.
            Bound::Absolute(0.5746),
            Bound::ValueRangeOf { ratio: 3e-7, min: -2e5, max: 1.3e6 },
            Bound::Absolute(20.0),
        ] {
            let options =
                names.iter().fold(CompressOptions::new(bound), |o, &name| o.missing(name));
            check("chains", &codec, &single, &[256 * tiles as u64], &options);
            check("chains", &codec, &double, &[256 * tiles as u64], &options);
        }
    }
}

/// A missing value that is one of a box's elements, or near them, beside one that is far away.
fn missing_among<T: Element>(codec: &Codec) {
    let shapes = match every() {
        1 => [&[20_000][..], &[150, 130], &[20, 30, 40]],
        // Some boxes each, most of them at an edge.
        _ => [&[5000][..], &[70, 66], &[17, 18, 19]],
    };
    let bounds =
        [Bound::ValueRange(1e-3), Bound::Absolute(10.0), relative(1e-3, 0.0), relative(1e-2, 0.1)];
    for (shape, bound) in pairs(&shapes, &bounds) {
        let n: u64 = shape.iter().product();
        let data = field::<T>("smooth, noise", n as usize, 3);
        let own = data[n as usize / 2].to_f64();
        for names in some([&[own][..], &[1e20, own], &[own * 1.0001], &[1e20], &[f64::NAN, own]]) {
            let options =
                names.iter().fold(CompressOptions::new(bound), |o, &name| o.missing(name));
            check("a missing value among others", codec, &data, shape, &options);
        }
    }
}

#[test]
fn missing_values_among_the_elements_of_a_box() {
    let Some(codec) = device("missing values among others") else { return };
    missing_among::<f32>(&codec);
    missing_among::<f64>(&codec);
}

/// Boxes of which most is masked, and values as far from each other as points can be: what is predicted of
/// masked points alone grows, and may not fit.
fn far_beside_masks<T: Element>(codec: &Codec) {
    let mut random = Random::new(23);
    for (percent, (shape, layout)) in some(pairs(&[50, 90, 98], &layouts())) {
        let n: u64 = shape.iter().product();
        let mut value = |i: u64| {
            // Waves of a box's length, so that a predictor is chosen that interpolates.
            let far = 1900.0 * ((i % 97) as f64 * 0.065).sin() + 60.0 * random.unit();
            T::from_f64(if random.below(100) < percent { f64::NAN } else { far })
        };
        let data: Vec<T> = (0..n).map(&mut value).collect();
        let profile = Profile::Dense(Dense::new().with_layout(layout));
        for bound in [Bound::Absolute(0.5), Bound::Absolute(8.0), relative(1e-3, 0.5)] {
            let options = CompressOptions::new(bound);
            check_profile("far beside masks", codec, &data, &shape, &options, profile);
        }
    }
}

#[test]
fn values_that_grow_beside_masks() {
    let Some(codec) = device("values beside masks") else { return };
    far_beside_masks::<f32>(&codec);
    far_beside_masks::<f64>(&codec);
}
