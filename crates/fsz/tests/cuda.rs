//! On a CUDA device: the same bytes as the CPU, both ways, for every kind of input.
//!
//! This binary needs neither cargo nor a network: build it with `cargo test --release -p fsz-codec --test cuda
//! --no-run`, carry it to the machine with the device and run it there. Without a device its tests say
//! loudly that they skip; with FSZ_REQUIRE_CUDA=1 they fail instead.
#![cfg(feature = "cuda")]

mod common;

use common::{
    BOUNDS, compress, data_folder, every, fields, forge,
    inputs::{KINDS, Random, field, waves},
    pairs,
    seal::{DenseIndex, header, seal, seal_entries, seal_metadata},
    some,
};
use fsz::{Backend, Bound, Codec, CompressOptions, Dense, Element, Layout, Profile, Stream};

/// The codec of the first device, or `None` with a loud word about what is skipped.
fn device(what: &str) -> Option<Codec> {
    match Codec::cuda(0) {
        Ok(codec) => {
            assert_eq!(codec.backend(), Backend::Cuda);
            Some(codec)
        }
        Err(why) => {
            assert!(std::env::var_os("FSZ_REQUIRE_CUDA").is_none(), "{what}: {why}");
            eprintln!("SKIPPED: {what}: {why}");
            None
        }
    }
}

fn poison<T: Element>(n: usize) -> Vec<T> {
    vec![T::from_f64(-12345.678); n]
}

fn bits<T: Element>(field: &[T]) -> Vec<u64> {
    field.iter().map(|d| d.to_bits64()).collect()
}

fn relative(eps: f64, floor: f64) -> Bound {
    Bound::Relative { eps, floor }
}

/// Pointwise-relative bounds: with codes of many sizes, with and without a floor, straight ones too.
fn relative_bounds() -> [Bound; 8] {
    [
        relative(1e-3, 0.0),
        relative(1e-2, 1e-2),
        relative(0.5, 0.0),
        relative(0.4, 0.3),
        relative(1e-5, 1e-4),
        relative(3e-7, 0.0),
        relative(3e-8, 1e-3),
        relative(0.1, 50.0),
    ]
}

/// Decodes a stream of the CPU on the device and compares with the CPU's own decoding.
fn same_field<T: Element>(what: &str, codec: &Codec, stream: &[u8]) {
    let stream = Stream::open(stream).expect("opens");
    let n = stream.header().elements() as usize;
    let mut expected = poison::<T>(n);
    Codec::cpu().decompress_into(&stream, &mut expected).expect("the CPU decodes");
    let mut found = poison::<T>(n);
    codec.decompress_into(&stream, &mut found).unwrap_or_else(|e| panic!("{what}: {e}"));
    if let Some(at) = (0..n).find(|&i| expected[i].to_bits64() != found[i].to_bits64()) {
        panic!("{what}: element {at} of {n} is {:?}, should be {:?}", found[at], expected[at]);
    }
}

/// The profiles, as an encoder takes them by default.
fn profiles() -> [Profile; 2] {
    [Profile::default(), Profile::Dense(Dense::new())]
}

/// The device writes the CPU's stream, and decodes it to the CPU's field; with every profile.
fn check<T: Element>(
    what: &str,
    codec: &Codec,
    data: &[T],
    shape: &[u64],
    options: &CompressOptions,
) {
    for profile in profiles() {
        check_profile(what, codec, data, shape, options, profile);
    }
}

fn check_profile<T: Element>(
    what: &str,
    codec: &Codec,
    data: &[T],
    shape: &[u64],
    options: &CompressOptions,
    profile: Profile,
) {
    let options = &options.clone().profile(profile);
    let what = format!("{what} {} {shape:?} {options:?}", T::DTYPE);
    let stream = compress(&Codec::cpu(), data, shape, options);
    same_stream(&what, &stream, &compress(codec, data, shape, options));
    same_field::<T>(&what, codec, &stream);
}

fn same_stream(what: &str, expected: &[u8], found: &[u8]) {
    if expected != found {
        let at = expected.iter().zip(found).position(|(a, b)| a != b);
        let (n, m) = (found.len(), expected.len());
        panic!("{what}: byte {at:?} differs; {n} bytes, should be {m}");
    }
}

fn every_kind<T: Element>(codec: &Codec) {
    let sizes = pairs(&KINDS, &[1, 2, 255, 256, 257, 5000, 40_000]);
    let bounds: Vec<Bound> = BOUNDS.into_iter().chain(relative_bounds()).collect();
    for ((kind, n), bound) in some(pairs(&sizes, &bounds)) {
        let mut options = CompressOptions::new(bound);
        if n != 257 {
            options = options.missing(1e20).missing(-999.0);
        }
        check(kind, codec, &field::<T>(kind, n, 7), &[n as u64], &options);
    }
}

fn like_others<T: Element>(codec: &Codec) {
    let (model, shape) = ([9, 40, 64], [20, 33, 47]);
    let bounds: Vec<Bound> = BOUNDS.into_iter().chain(relative_bounds()).collect();
    let layouts = [Layout::Line, Layout::Plane, Layout::Brick];
    let cases = pairs(&pairs(&KINDS, &layouts), &bounds);
    for (seed, ((kind, layout), bound)) in some(cases.into_iter().enumerate()) {
        let dense = CompressOptions::new(bounds[(seed + 1) % bounds.len()])
            .profile(Profile::Dense(Dense::new().with_layout(layout)));
        let other = field::<T>(KINDS[seed % KINDS.len()], 9 * 40 * 64, 8);
        let other = compress(&Codec::cpu(), &other, &model, &dense);
        let other = Stream::open(&other).expect("opens");
        let options = CompressOptions::new(bound).missing(-999.0).like(&other).expect("sound");
        let what = format!("{kind} {layout:?} {bound:?}");
        let data = field::<T>(kind, 20 * 33 * 47, 9);
        let stream = compress(&Codec::cpu(), &data, &shape, &options);
        same_stream(&what, &stream, &compress(codec, &data, &shape, &options));
        same_field::<T>(&what, codec, &stream);
    }
}

#[test]
fn fields_coded_like_another() {
    let Some(codec) = device("fields coded like another") else { return };
    like_others::<f32>(&codec);
    like_others::<f64>(&codec);
    // Steps that a lattice of 16 points cannot divide.
    let smooth = field::<f32>("smooth", 9 * 40 * 64, 10);
    let dense = CompressOptions::new(Bound::Absolute(0.01)).profile(Profile::Dense(Dense::new()));
    let other = compress(&Codec::cpu(), &smooth, &[9, 40, 64], &dense);
    let other = Stream::open(&other).expect("opens");
    for bound in [1e-38, 5e-38, 9.4e-38, 1e-37, 2e-37] {
        let options = CompressOptions::new(Bound::Absolute(bound)).like(&other).expect("sound");
        let data: Vec<f32> = smooth.iter().map(|d| d * 1e-34).collect();
        let stream = compress(&Codec::cpu(), &data, &[9, 40, 64], &options);
        same_stream(
            &format!("{bound:e}"),
            &stream,
            &compress(&codec, &data, &[9, 40, 64], &options),
        );
    }
}

#[test]
fn every_kind_of_field() {
    let Some(codec) = device("every kind of field") else { return };
    every_kind::<f32>(&codec);
    every_kind::<f64>(&codec);
}

#[test]
fn all_small_sizes() {
    let Some(codec) = device("all small sizes") else { return };
    for n in some(0..=2000) {
        let kind = KINDS[n % KINDS.len()];
        for bound in [Bound::Absolute(0.003), relative_bounds()[n % 5 % 2]] {
            let options = CompressOptions::new(bound);
            check(kind, &codec, &field::<f32>(kind, n, 3), &[n as u64], &options);
            check(kind, &codec, &field::<f64>(kind, n, 3), &[n as u64], &options);
        }
    }
}

#[test]
fn around_every_boundary() {
    let Some(codec) = device("around every boundary") else { return };
    let sizes =
        [16383, 16384, 16385, 32768, 131_072, 131_073, 1_048_575, 1_048_576, 1_048_577, 3_200_001];
    let bounds = [Bound::ValueRange(1e-3), relative(1e-3, 0.0), relative(1e-2, 0.05)];
    let kinds = ["smooth, noise", "ragged land", "outliers"];
    for ((n, bound), kind) in some(pairs(&pairs(&sizes, &bounds), &kinds)) {
        let options = CompressOptions::new(bound);
        check(kind, &codec, &field::<f32>(kind, n, 5), &[n as u64], &options);
        check(kind, &codec, &field::<f64>(kind, n, 5), &[n as u64], &options);
    }
}

fn parts<T: Element>(
    codec: &Codec,
    random: &mut Random,
    kind: &str,
    shape: &[u64],
    profile: Profile,
    bound: Bound,
) {
    let n: u64 = shape.iter().product();
    let options = CompressOptions::new(bound).missing(1e20).profile(profile);
    let bytes = compress(&Codec::cpu(), &field::<T>(kind, n as usize, 2), shape, &options);
    let stream = Stream::open(&bytes).expect("opens");
    for _ in 0..20 {
        let start: Vec<u64> = shape.iter().map(|&n| random.below(n as usize) as u64).collect();
        let count: Vec<u64> = shape
            .iter()
            .zip(&start)
            .map(|(&n, &s)| random.below((n - s) as usize + 1) as u64)
            .collect();
        let expected = Codec::cpu().decompress_box::<T>(&stream, &start, &count).expect("decodes");
        let found = codec.decompress_box::<T>(&stream, &start, &count).expect("decodes");
        let what = format!("{kind} {shape:?}: {count:?} from {start:?}");
        assert!(expected.shape() == found.shape(), "{what}");
        assert!(expected.iter().zip(&found).all(|(a, b)| a.to_bits64() == b.to_bits64()), "{what}");
    }
    for (axis, &len) in shape.iter().enumerate() {
        let index = random.below(len as usize) as u64;
        let axis = ndarray::Axis(axis);
        let expected = Codec::cpu().decompress_slice::<T>(&stream, axis, index).expect("decodes");
        let found = codec.decompress_slice::<T>(&stream, axis, index).expect("decodes");
        assert!(expected.iter().zip(&found).all(|(a, b)| a.to_bits64() == b.to_bits64()));
    }
    let grid = stream.grid();
    let tiles = grid.tiles();
    for _ in 0..20 {
        let a = random.below(tiles as usize + 1) as u64;
        let b = a + random.below((tiles - a) as usize + 1) as u64;
        let len = grid.len_of(a..b) as usize;
        let (mut expected, mut found) = (poison::<T>(len), poison::<T>(len));
        Codec::cpu().decompress_tiles_into(&stream, a..b, &mut expected).expect("decodes");
        codec.decompress_tiles_into(&stream, a..b, &mut found).expect("decodes");
        assert_eq!(bits(&expected), bits(&found), "{kind} {shape:?}: tiles {a}..{b}");
    }
}

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
    for eps in [0.5, 0.3, 0.1, 1e-2, 1e-3, 1e-4, 2e-5, 4e-6] {
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
    for eps in [0.5, 0.3, 0.1, 1e-2, 1e-3, 1e-4, 2e-5, 4e-6] {
        for floor in [0.0, 1e-3, 0.2] {
            let data = runs_of_either_sign(&mut random, runs);
            let options = CompressOptions::new(relative(eps, floor)).missing(1e20);
            let shape = [data.len() as u64];
            check_profile("either sign", &codec, &data, &shape, &options, Profile::default());
            let options = CompressOptions::new(relative(eps, floor));
            check_profile("either sign", &codec, &data, &shape, &options, Profile::default());
            let wide: Vec<f64> = data.iter().map(|&d| d as f64 * 1.000_000_123).collect();
            check_profile("either sign", &codec, &wide, &shape, &options, Profile::default());
        }
    }
}

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

/// Boxes with some elements that are like no other: of large residuals, too far for a residual, beyond the bound once they
/// are decoded, without a code; beside masks of some kinds, too.
fn odd_among_others<T: Element>(codec: &Codec) {
    let mut random = Random::new(31);
    let odd = |kind: usize, random: &mut Random, d: f64| match kind {
        // Steps of some thousand codes of the first bounds.
        0 => d + 40.0 * random.unit() + 10.0,
        1 => -d,
        2 => d * (1.0 + 300.0 * random.unit()),
        3 => [0.0, -0.0, 1e-30, f64::NAN, f64::INFINITY, 1e20][random.below(6)],
        4 => 1e-9 * random.unit(),
        _ => 0.0,
    };
    let bounds = [
        Bound::Absolute(2e-3),
        Bound::Absolute(5e-5),
        Bound::Absolute(0.5),
        relative(1e-2, 0.0),
        relative(1e-3, 0.0),
        relative(1e-4, 1e-3),
        relative(2e-6, 0.0),
    ];
    let masked = |mask: usize, i: u64| match mask {
        1 if i / 50 % 37 < 9 => Some(f64::NAN),
        2 if i / 300 % 5 > 2 => Some(1e20),
        // Whole boxes, as a rule.
        3 if (i / 20_000).is_multiple_of(2) => Some(f64::NAN),
        _ => None,
    };
    let odds = pairs(&pairs(&[0, 1, 2, 3, 4, 5], &[1, 30, 400]), &[0, 1, 2, 3]);
    for ((((kind, rate), mask), bound), (shape, layout)) in
        some(pairs(&pairs(&odds, &bounds), &layouts()))
    {
        let n: u64 = shape.iter().product();
        let mut value = |i: u64| {
            let d = 5.0 + 2.0 * ((i % 97) as f64 * 0.065).sin() + 0.01 * random.unit();
            let d = if random.below(4096) < rate { odd(kind, &mut random, d) } else { d };
            T::from_f64(masked(mask, i).unwrap_or(d))
        };
        let data: Vec<T> = (0..n).map(&mut value).collect();
        let profile = Profile::Dense(Dense::new().with_layout(layout));
        let options = CompressOptions::new(bound).missing(1e20);
        let what = format!("odd elements {kind} {rate} {mask}");
        check_profile(&what, codec, &data, &shape, &options, profile);
    }
}

#[test]
fn odd_elements_among_others() {
    let Some(codec) = device("odd elements among others") else { return };
    odd_among_others::<f32>(&codec);
    odd_among_others::<f64>(&codec);
}

/// Boxes that interpolation suits, with some residuals of thousands of codes: elements beside waves, or zeros, which a
/// pointwise-relative bound has far from all others; in some masked elements, too.
fn large_residuals<T: Element>(codec: &Codec) {
    let mut random = Random::new(37);
    let bounds = [
        Bound::Absolute(1e-4),
        Bound::Absolute(6e-4),
        relative(1e-3, 0.0),
        relative(3e-4, 1e-4),
        relative(1e-4, 0.0),
    ];
    // How rough the waves are: by that a predictor is chosen.
    let fields = pairs(&pairs(&[1e-6, 1e-3, 1e-2], &["beside", "zeros", "rare"]), &[false, true]);
    for ((((rough, kind), masked), bound), (shape, layout)) in
        some(pairs(&pairs(&fields, &bounds), &layouts()))
    {
        let mut value = |(i, d): (usize, T)| {
            let d = (d.to_f64() + rough * random.unit()).exp();
            let rate = if kind == "rare" { 4096 } else { 200 };
            T::from_f64(match random.below(rate) {
                _ if masked && i / 19 % 37 == 0 => f64::NAN,
                0 if kind == "zeros" => 0.0,
                0 => d * (1.0 + 8.0 * random.unit()),
                _ => d,
            })
        };
        let data: Vec<T> = waves(&shape).into_iter().enumerate().map(&mut value).collect();
        let profile = Profile::Dense(Dense::new().with_layout(layout));
        let what = format!("large residuals {rough} {kind} {masked}");
        check_profile(&what, codec, &data, &shape, &CompressOptions::new(bound), profile);
    }
}

#[test]
fn large_residuals_among_others() {
    let Some(codec) = device("large residuals among others") else { return };
    large_residuals::<f32>(&codec);
    large_residuals::<f64>(&codec);
}

/// Waves under noise that differs in size from box to box, with boxes of steep lines among them: nearly all contexts
/// have frequencies of their own.
#[test]
fn tables_of_more_than_a_kilobyte() {
    const BOX: usize = 4096;
    let Some(codec) = device("long tables") else { return };
    let mut random = Random::new(11);
    let boxes = (0..64).flat_map(|number| {
        let size = 2f64.powi(random.below(18) as i32 - 4);
        let (mut line, steep) = (0.0, number % 4 == 3);
        let value = |i: usize| {
            let noise = size * (2.0 * random.unit() - 1.0);
            line += 50.0 * noise;
            (if steep { line } else { 30.0 * (i as f64 / 50.0).sin() + 2.0 * noise }) as f32
        };
        (0..BOX).map(value).collect::<Vec<_>>()
    });
    let data: Vec<f32> = boxes.collect();
    let options = CompressOptions::new(Bound::Absolute(0.1));
    let profile = Profile::Dense(Dense::new().with_layout(Layout::Line));
    check_profile("long tables", &codec, &data, &[data.len() as u64], &options, profile);
    let stream = compress(&Codec::cpu(), &data, &[data.len() as u64], &options.profile(profile));
    let index = DenseIndex::of(&stream, &header(&stream).expect("a header")).expect("an index");
    let words = &stream[index.sizes + 4 * (index.entries - 1)..];
    let words = u32::from_le_bytes(*words.first_chunk().expect("the size of the tables"));
    assert!(4 * words > 1024, "{words} words");
}

/// Of large fields boxes in the same places choose the layout.
#[test]
fn layouts_of_large_fields() {
    let Some(codec) = device("large fields") else { return };
    for (shape, lines) in [([19, 661, 683], 1), ([1, 3, 2_860_000], 3), ([2200, 63, 65], 3)] {
        let shape = [shape[0], shape[1], (shape[2] / every() as u64).max(3)];
        // Of lines that have nothing to do with each other, some.
        let mut data: Vec<f32> = waves(&shape);
        let own = shape[2] as usize;
        data.chunks_mut(own).step_by(lines).enumerate().for_each(|(i, line)| {
            line.iter_mut().for_each(|d| *d += (i * i % 17) as f32);
        });
        for bound in [Bound::ValueRange(1e-2), Bound::ValueRange(1e-4)] {
            let options = CompressOptions::new(bound);
            let profile = Profile::Dense(Dense::new());
            check_profile("large fields", &codec, &data, &shape, &options, profile);
        }
    }
}

/// Shapes whose boxes are cut short in every way.
fn layouts() -> Vec<(Vec<u64>, Layout)> {
    let shapes: [(&[u64], Layout); 12] = [
        (&[4096], Layout::Line),
        (&[70_003], Layout::Line),
        (&[64, 64], Layout::Plane),
        (&[129, 200], Layout::Plane),
        (&[3, 97, 131], Layout::Plane),
        (&[5, 1, 65, 1, 66], Layout::Plane),
        (&[16, 16, 16], Layout::Brick),
        (&[17, 31, 33], Layout::Brick),
        (&[45, 30, 29], Layout::Brick),
        (&[18, 1, 47, 40], Layout::Brick),
        (&[3, 2, 15, 17, 33], Layout::Brick),
        (&[15, 63, 64], Layout::Brick),
    ];
    // Of as many chunks, and with boxes that are cut at the same sides; an emulated device takes 30 us an element.
    let smaller: [(&[u64], Layout); 12] = [
        (&[4096], Layout::Line),
        (&[37_003], Layout::Line),
        (&[64, 64], Layout::Plane),
        (&[129, 70], Layout::Plane),
        (&[3, 70, 67], Layout::Plane),
        (&[3, 1, 65, 1, 66], Layout::Plane),
        (&[16, 16, 16], Layout::Brick),
        (&[17, 31, 17], Layout::Brick),
        (&[33, 30, 17], Layout::Brick),
        (&[9, 1, 47, 20], Layout::Brick),
        (&[2, 2, 15, 17, 18], Layout::Brick),
        (&[15, 31, 48], Layout::Brick),
    ];
    let shapes = if every() == 1 { shapes } else { smaller };
    shapes.into_iter().map(|(shape, layout)| (shape.to_vec(), layout)).collect()
}

#[test]
fn every_layout_of_boxes() {
    let Some(codec) = device("every layout") else { return };
    let bounds = [
        Bound::ValueRange(1e-2),
        Bound::ValueRange(1e-4),
        Bound::Absolute(1e-6),
        relative(1e-1, 1e-2),
        relative(1e-2, 0.0),
        relative(1e-3, 1e-3),
        relative(1e-4, 0.0),
    ];
    for ((kind, bound), (shape, layout)) in some(pairs(&pairs(&KINDS, &bounds), &layouts())) {
        let n = shape.iter().product::<u64>() as usize;
        let options = CompressOptions::new(bound).missing(1e20);
        let profile = Profile::Dense(Dense::new().with_layout(layout));
        let (single, double) = (field::<f32>(kind, n, 3), field::<f64>(kind, n, 3));
        check_profile(kind, &codec, &single, &shape, &options, profile);
        check_profile(kind, &codec, &double, &shape, &options, profile);
    }
}

/// A field that Lorenzo prediction suits: short runs of small steps, and boxes of one value each. `odd` of its
/// elements are no numbers, or far from all others.
fn steps<T: Element>(n: usize, odd: usize) -> Vec<T> {
    let mut random = Random::new(11);
    let mut at = 0.0;
    let mut data: Vec<T> = (0..n)
        .map(|i| {
            let flat = i / 4096 % 3 == 1;
            if !flat || i % 4096 == 0 {
                let jumps = random.below(12) == 0;
                at = if jumps {
                    random.below(10_001) as f64 - 5e3
                } else {
                    at + random.unit() - 0.5
                };
            }
            T::from_f64(at)
        })
        .collect();
    for k in 0..odd {
        let at = random.below(n);
        data[at] = T::from_f64([f64::NAN, 1e20, -3e7, f64::INFINITY][k % 4]);
    }
    data
}

fn lorenzo<T: Element>(codec: &Codec) {
    let shapes =
        [&[400_003][..], &[40, 4096], &[300, 1001], &[9, 192, 250], &[40, 67, 130], &[12, 8192]];
    let bounds = [Bound::Absolute(0.4), Bound::Absolute(1e-3), relative(1e-3, 0.4)];
    let cases = pairs(&pairs(&shapes, &bounds), &[0, 30]);
    for ((shape, bound), odd) in some(cases) {
        let data = steps::<T>(shape.iter().product::<u64>() as usize, odd);
        let options =
            CompressOptions::new(bound).missing(1e20).profile(Profile::Dense(Dense::new()));
        let stream = compress(&Codec::cpu(), &data, shape, &options);
        if odd == 0 && bound == Bound::Absolute(0.4) {
            // The numbers of the header are those of FORMAT.md.
            let predictor = stream[28];
            assert_eq!(predictor, 3, "{shape:?} is coded by Lorenzo prediction");
        }
        let what = format!("steps {} {shape:?} {bound:?} {odd}", T::DTYPE);
        same_stream(&what, &stream, &compress(codec, &data, shape, &options));
        same_field::<T>(&what, codec, &stream);
    }
}

#[test]
fn boxes_of_lorenzo_prediction() {
    let Some(codec) = device("boxes of Lorenzo prediction") else { return };
    lorenzo::<f32>(&codec);
    lorenzo::<f64>(&codec);
}

/// Fields of one shape in turn, as steps and variables of a simulation are: what is chosen for one is what is expected of
/// the next.
fn in_turn<T: Element>(codec: &Codec) {
    // An emulated device takes seconds for what a real one does in a millisecond.
    let shape = if every() == 1 { [23, 41, 67] } else { [3, 17, 31] };
    let n = shape.iter().product::<u64>() as usize;
    let fields = KINDS.map(|kind| field::<T>(kind, n, 5));
    for bound in [Bound::ValueRange(1e-3), Bound::Relative { eps: 1e-2, floor: 1e-3 }] {
        let options = CompressOptions::new(bound).missing(1e20).missing(-999.0);
        let dense = options.profile(Profile::Dense(Dense::new()));
        let expected = fields.each_ref().map(|data| compress(&Codec::cpu(), data, &shape, &dense));
        let chosen = |kind: usize| Stream::open(&expected[kind]).expect("opens").header().profile;
        for kind in some(0..KINDS.len()) {
            // One that is coded otherwise: of others nothing new would be expected.
            let mut others = (1..KINDS.len()).map(|by| (kind + by) % KINDS.len());
            let next = others.find(|&other| chosen(other) != chosen(kind));
            let next = next.expect("not all are coded alike");
            for i in [kind, kind, kind, kind, next, next, next, kind, next, kind, kind, kind] {
                let what = format!("{} {} {bound:?}", T::DTYPE, KINDS[i]);
                same_stream(&what, &expected[i], &compress(codec, &fields[i], &shape, &dense));
            }
        }
    }
}

#[test]
fn choices_that_are_expected() {
    let Some(codec) = device("choices in turn") else { return };
    in_turn::<f32>(&codec);
    in_turn::<f64>(&codec);
}

#[test]
fn boxes_slices_and_tiles() {
    let Some(codec) = device("boxes, slices and tiles") else { return };
    let mut random = Random::new(5);
    let shapes = [&[1u64][..], &[50_001], &[300, 211], &[40, 50, 60], &[7, 5, 11, 3, 2, 4]];
    let plain = shapes.into_iter().flat_map(|shape| profiles().map(|p| (shape.to_vec(), p)));
    let boxes = layouts()
        .into_iter()
        .map(|(shape, layout)| (shape, Profile::Dense(Dense::new().with_layout(layout))));
    let fields: Vec<(Vec<u64>, Profile)> = plain.chain(boxes).collect();
    let bounds = [Bound::ValueRange(1e-3), relative(1e-3, 0.0), relative(1e-3, 1e-2)];
    let kinds = pairs(&["smooth, noise", "land", "outliers"], &bounds);
    for ((kind, bound), (shape, profile)) in some(pairs(&kinds, &fields)) {
        parts::<f32>(&codec, &mut random, kind, &shape, profile, bound);
        parts::<f64>(&codec, &mut random, kind, &shape, profile, bound);
    }
}

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

#[test]
fn golden_streams() {
    let Some(codec) = device("golden streams") else { return };
    let folder = std::env::var_os("FSZ_TEST_GOLDEN").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/v1"),
        std::path::PathBuf::from,
    );
    let mut refused = 0;
    for entry in std::fs::read_dir(&folder).expect("the golden streams are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "fsz") {
            continue;
        }
        let what = path.display().to_string();
        let bytes = std::fs::read(&path).expect("reads");
        let stream = Stream::open(&bytes).expect("opens");
        let outcome = match stream.header().dtype {
            fsz::DType::F32 => codec.decompress::<f32>(&stream).map(drop),
            fsz::DType::F64 => codec.decompress::<f64>(&stream).map(drop),
        };
        if let Err(fsz::Error::Unsupported(_)) = outcome {
            assert!(what.contains("research"), "{what}: {outcome:?}");
            refused += 1;
            continue;
        }
        match stream.header().dtype {
            fsz::DType::F32 => same_field::<f32>(&what, &codec, &bytes),
            fsz::DType::F64 => same_field::<f64>(&what, &codec, &bytes),
        }
    }
    assert!(refused >= 3, "research geometries are for the CPU");
    // A codec that chose the device itself leaves them to the CPU.
    let codec = Codec::auto();
    assert_eq!(codec.backend(), Backend::Cuda);
    for name in ["f32-research-16x64.fsz", "f32-relative-floor.fsz"] {
        let bytes = std::fs::read(folder.join(name)).expect("reads");
        let stream = Stream::open(&bytes).expect("opens");
        codec.decompress::<f32>(&stream).expect("the CPU decodes");
    }
}

#[test]
fn real_fields() {
    let Some(codec) = device("real fields") else { return };
    let Some(folder) = data_folder("real fields on the device") else { return };
    for bound in [
        Bound::ValueRange(1e-2),
        Bound::ValueRange(1e-4),
        Bound::Absolute(1e-3),
        relative(1e-1, 0.0),
        relative(1e-3, 0.0),
        relative(1e-2, 1e-3),
        relative(1e-4, 0.0),
    ] {
        for (name, shape, data) in fields::<f32>(&folder) {
            let mut options = CompressOptions::new(bound);
            if name.starts_with("pop_") {
                options = options.missing(9.96921e36);
            }
            check(&name, &codec, &data, &shape, &options);
            let data: Vec<f64> = data.iter().map(|&d| d as f64).collect();
            check(&name, &codec, &data, &shape, &options);
        }
        for (name, shape, data) in fields::<f64>(&folder) {
            check(&name, &codec, &data, &shape, &CompressOptions::new(bound));
        }
    }
}

/// Both decoders refuse, or both give the same field.
fn agree(what: &str, codec: &Codec, bytes: &[u8]) -> bool {
    fn outcome<T: Element>(codec: &Codec, stream: &Stream<'_>) -> Option<Vec<u64>> {
        codec.decompress::<T>(stream).ok().map(|f| f.iter().map(|d| d.to_bits64()).collect())
    }
    let Ok(stream) = Stream::open(bytes) else { return false };
    let (cpu, cuda) = match stream.header().dtype {
        fsz::DType::F32 => (outcome::<f32>(&Codec::cpu(), &stream), outcome::<f32>(codec, &stream)),
        fsz::DType::F64 => (outcome::<f64>(&Codec::cpu(), &stream), outcome::<f64>(codec, &stream)),
    };
    assert_eq!(cpu.is_some(), cuda.is_some(), "{what}: only one of the decoders refuses");
    assert!(cpu == cuda, "{what}: the decoders differ");
    cpu.is_some()
}

/// Forges each stream of the paper's profile so often. Gives how many opened, and how many of them decoded.
fn forge_tiles(codec: &Codec, rounds: usize) -> [usize; 2] {
    let mut random = Random::new(11);
    let (mut opened, mut decoded) = (0, 0);
    for kind in ["smooth, noise", "land", "ragged land", "nan in places", "outliers", "noise"] {
        let bounds = [Bound::ValueRange(1e-3), relative(1e-3, 0.0), relative(1e-2, 1e-2)];
        for (n, bound) in [300usize, 777, 2100].into_iter().zip(bounds) {
            let options = CompressOptions::new(bound).missing(1e20);
            let shape = [n as u64];
            for stream in [
                compress(&Codec::cpu(), &field::<f32>(kind, n, 1), &shape, &options),
                compress(&Codec::cpu(), &field::<f64>(kind, n, 1), &shape, &options),
            ] {
                let header = u16::from_le_bytes([stream[10], stream[11]]) as usize;
                for round in 0..rounds {
                    let mut forged = stream.clone();
                    // Rate bytes and payload, the payload's ends above all.
                    for _ in 0..=round % 3 {
                        let at = match random.below(3) {
                            0 => header + random.below(8 * n.div_ceil(256)),
                            1 => header + random.below(forged.len() - header),
                            _ => forged.len() - 1 - random.below(40.min(forged.len() - header)),
                        };
                        forged[at] = match random.below(4) {
                            0 => 0xFF,
                            1 => forged[at] ^ (1 << random.below(8)),
                            2 => forged[at] & 0xE0,
                            _ => random.bits() as u8,
                        };
                    }
                    match round % 4 {
                        0 => seal_metadata(&mut forged),
                        _ => seal(&mut forged),
                    }
                    let what = format!("{kind}, {n}, round {round}");
                    opened += usize::from(Stream::open(&forged).is_ok());
                    decoded += usize::from(agree(&what, codec, &forged));
                }
            }
        }
    }
    println!("{opened} forged streams opened, {decoded} of them decoded");
    [opened, decoded]
}

#[test]
fn damaged_and_forged_streams() {
    let Some(codec) = device("damaged and forged streams") else { return };
    let [opened, decoded] = forge_tiles(&codec, 400_usize.div_ceil(every()));
    assert!(decoded > 0 && opened > decoded, "{opened} opened, {decoded} decoded");
}

/// The same for streams of boxes.
fn forge_boxes(codec: &Codec, rounds: usize) -> [usize; 2] {
    let mut random = Random::new(12);
    let (mut opened, mut decoded) = (0, 0);
    let shapes: [(&[u64], Layout); 3] =
        [(&[5000], Layout::Line), (&[70, 66], Layout::Plane), (&[17, 18, 19], Layout::Brick)];
    for kind in ["smooth, noise", "ragged land", "nan in places", "outliers", "noise"] {
        for (shape, layout) in shapes {
            let bounds = [Bound::ValueRange(1e-3), relative(1e-2, 0.0), relative(1e-3, 1e-2)];
            let options = bounds.map(|bound| {
                let profile = Profile::Dense(Dense::new().with_layout(layout));
                CompressOptions::new(bound).missing(1e20).profile(profile)
            });
            let n = shape.iter().product::<u64>() as usize;
            let (single, double) = (field::<f32>(kind, n, 1), field::<f64>(kind, n, 1));
            for bytes in options.iter().flat_map(|options| {
                [
                    compress(&Codec::cpu(), &single, shape, options),
                    compress(&Codec::cpu(), &double, shape, options),
                ]
            }) {
                let sections = Stream::open(&bytes).expect("opens").sections().clone();
                let header = u16::from_le_bytes([bytes[10], bytes[11]]) as usize;
                let payload = sections.payload as usize;
                for round in 0..rounds {
                    let mut forged = bytes.clone();
                    for _ in 0..=round % 3 {
                        // The beginning of the payload, with modes and records, above all.
                        let at = match random.below(8) {
                            0 => header + random.below(forged.len() - header),
                            1 => 28 + random.below(3),
                            2 | 3 => forged.len() - 1 - random.below(200),
                            4 | 5 => payload + random.below(forged.len() - payload),
                            _ => payload + random.below(40.min(forged.len() - payload)),
                        };
                        forged[at] = match random.below(4) {
                            0 => 0xFF,
                            1 => forged[at] ^ (1 << random.below(8)),
                            2 => forged[at] & 0xE0,
                            _ => random.bits() as u8,
                        };
                    }
                    seal_entries(&mut forged, &sections);
                    seal_metadata(&mut forged);
                    let what = format!("{kind}, {shape:?}, round {round}");
                    opened += usize::from(Stream::open(&forged).is_ok());
                    decoded += usize::from(agree(&what, codec, &forged));
                }
            }
        }
    }
    println!("{opened} forged streams opened, {decoded} of them decoded");
    [opened, decoded]
}

#[test]
fn forged_streams_of_boxes() {
    let Some(codec) = device("forged streams of boxes") else { return };
    for forged in forge::small_states() {
        assert!(!agree("a state that is too small", &codec, &forged));
    }
    let [opened, decoded] = forge_boxes(&codec, 200_usize.div_ceil(every()));
    assert!(decoded > 0 && opened > decoded, "{opened} opened, {decoded} decoded");
}

/// `cargo test --release -p fsz-codec --test cuda hundred_thousand -- --ignored --nocapture`
#[test]
#[ignore = "a hundred thousand streams take minutes"]
fn a_hundred_thousand_forged_streams() {
    let Some(codec) = device("a hundred thousand forged streams") else { return };
    let [_, decoded] = forge_tiles(&codec, 2_800);
    assert!(decoded > 0);
}

/// As above.
#[test]
#[ignore = "a hundred thousand streams take minutes"]
fn a_hundred_thousand_forged_streams_of_boxes() {
    let Some(codec) = device("a hundred thousand forged streams of boxes") else { return };
    let [_, decoded] = forge_boxes(&codec, 3_400);
    assert!(decoded > 0);
}

#[test]
fn every_flipped_bit_of_a_payload_is_an_error() {
    let Some(codec) = device("flipped bits") else { return };
    let kinds = ["smooth, noise", "ragged land", "outliers"];
    let range = Bound::ValueRange(1e-3);
    let [paper, dense] = profiles();
    let floor = relative(1e-3, 0.01);
    let cases = [(paper, range), (dense, range), (paper, floor), (dense, floor)];
    for (kind, (profile, bound)) in kinds.into_iter().flat_map(|kind| cases.map(|c| (kind, c))) {
        let options = CompressOptions::new(bound).profile(profile);
        let stream = compress(&Codec::cpu(), &field::<f32>(kind, 700, 1), &[700], &options);
        let payload = u64::from_le_bytes(std::array::from_fn(|i| stream[64 + i])) as usize;
        let first = stream.len() - payload;
        for at in some(first..stream.len()) {
            let mut flipped = stream.clone();
            flipped[at] ^= 1 << (at % 8);
            let flipped = Stream::open(&flipped).expect("the payload is not looked at");
            assert!(codec.decompress::<f32>(&flipped).is_err(), "{kind}: byte {at}");
        }
    }
}

/// Blocks of order 2 whose last code is beyond 2^24, where a float no longer holds every whole number: second
/// differences of 14 bits, from the largest code and difference on with which such a block goes the short way.
#[test]
fn codes_that_floats_cannot_hold() {
    let Some(codec) = device("codes beyond 2^24") else { return };
    let (mut data, mut largest) = (Vec::new(), 0);
    for tile in 0..512i32 {
        let (mut code, mut difference) = (0, 0);
        // The last block of the tile begins at the largest code, give or take a few.
        let first = (1 << 22) - 1 - 16_383 * 36 - tile % 64;
        for i in 0..256 {
            if i >= 216 {
                // The last element is rounded to what a float holds.
                difference += if i < 255 { 16_383 } else { 16_382 };
            }
            code = if i == 0 { first } else { code + difference };
            data.push(if tile % 2 == 0 { code } else { -code } as f32);
        }
        largest = largest.max(code);
    }
    assert!(largest > 1 << 24, "{largest}");
    let shape = [data.len() as u64];
    let options = CompressOptions::new(Bound::Absolute(1.0));
    let bytes = compress(&Codec::cpu(), &data, &shape, &options);
    let step = Stream::open(&bytes).expect("opens").header().quantization_step;
    assert_eq!(step, 1.0, "the elements are the codes");
    check_profile("parabolas", &codec, &data, &shape, &options, Profile::default());
    // Whole numbers that no float holds are in forged streams alone.
    let payload = Stream::open(&bytes).expect("opens").sections().payload as usize;
    let mut random = Random::new(3);
    for round in some(0..100) {
        let mut forged = bytes.clone();
        for _ in 0..20 {
            let at = payload + random.below(forged.len() - payload);
            forged[at] ^= 1 << random.below(8);
        }
        seal(&mut forged);
        assert!(agree(&format!("forged parabolas, round {round}"), &codec, &forged), "no chains");
    }
}

#[test]
fn one_codec_serves_many_threads() {
    let Some(codec) = device("many threads") else { return };
    std::thread::scope(|scope| {
        for t in 0..8usize {
            let codec = codec.clone();
            scope.spawn(move || {
                for round in some(0..20) {
                    let n = 1000 + 7919 * t + 131 * round;
                    let kind = KINDS[(t + round) % KINDS.len()];
                    let options = CompressOptions::new(Bound::ValueRange(1e-3));
                    check(kind, &codec, &field::<f32>(kind, n, 9), &[n as u64], &options);
                }
            });
        }
    });
}

#[test]
fn a_device_that_is_not_there_is_refused() {
    assert!(matches!(Codec::cuda(1 << 20), Err(fsz::Error::Device(_))));
    Codec::auto();
}

/// Each device of the machine at once, from a thread of its own, gives the CPU's bytes.
#[test]
fn every_device_gives_the_same_stream() {
    let count = fsz::devices().map_or(0, |devices| devices.len());
    if count < 2 {
        eprintln!("SKIPPED: several devices: this machine has {count}");
        return;
    }
    let data = field::<f32>(KINDS[0], 1_000_000, 11);
    let (shape, options) = ([data.len() as u64], CompressOptions::new(Bound::ValueRange(1e-3)));
    let expected = compress(&Codec::cpu(), &data, &shape, &options);
    std::thread::scope(|scope| {
        for device in 0..count {
            let (data, options, expected) = (&data, &options, &expected);
            scope.spawn(move || {
                let codec = Codec::cuda(device).expect("opens");
                for run in 0..20 {
                    let stream = compress(&codec, data, &shape, options);
                    assert!(stream == *expected, "device {device}, run {run}");
                    same_field::<f32>(&format!("device {device}"), &codec, &stream);
                }
            });
        }
    });
}
