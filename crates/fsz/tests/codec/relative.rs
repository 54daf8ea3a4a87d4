//! The pointwise-relative bound, at every value that an `f32` can have, and at those of `f64` that are hard.

use crate::common::{
    by_all, check_promise, codecs, compress, data_folder, decompress, dense, fields,
    inputs::{KINDS, Random, field},
    profiles,
    reference::{Request, encode},
};
use fsz::{Bound, Codec, CompressOptions, Element, Error, Profile, Stream};
use rayon::prelude::*;

/// Bounds of every kind of curve: as coarse as can be, usual ones, straight ones, and those that keep all bits.
const SHARES: [f64; 8] = [0.5, 0.1, 1e-2, 1e-3, 1e-5, 1e-6, 3e-7, 1e-8];

/// All bits patterns of `f32` of which the lowest bits are `below`, in the order of their values' bits, as fields of
/// 2²⁴ elements at most.
fn pattern_fields(below: u32, of: u32) -> impl Iterator<Item = Vec<f32>> {
    const LEN: u32 = 1 << 24;
    let count = 1u64.wrapping_shl(32) / u64::from(of);
    (0..count.div_ceil(u64::from(LEN))).map(move |part| {
        let numbers = part * u64::from(LEN)..count.min((part + 1) * u64::from(LEN));
        numbers.map(|i| f32::from_bits((i as u32).wrapping_mul(of).wrapping_add(below))).collect()
    })
}

/// Checks the bound at these values, exactly; gives how many have codes.
fn check_patterns(codec: &Codec, data: &[f32], bound: Bound, profile: Profile) -> u64 {
    let shape = [data.len() as u64];
    let options = CompressOptions::new(bound).profile(profile).missing(1e20);
    let bytes = compress(codec, data, &shape, &options);
    let back = decompress::<f32>(codec, &bytes);
    let Bound::Relative { eps, floor } = bound else { panic!("{bound:?}") };
    // In f64 the product with an eps of as many bits as an element is exact, and so is a difference of elements
    // within a factor of two of each other.
    let share = f64::from((eps as f32).next_down());
    for (&d, &b) in data.iter().zip(&back) {
        if d.to_bits() == b.to_bits() {
            continue;
        }
        let (x, y) = (f64::from(d), f64::from(b));
        let error = (x - y).abs();
        let within = error <= share * x.abs() || eps.mul_add(x.abs(), -error) >= 0.0;
        assert!(within || error <= floor, "{bound:?}: {x:e} ({:08x}) is {y:e}", d.to_bits());
    }
    let certificate = *Stream::open(&bytes).expect("opens").certificate();
    let exact = |d: &f32| !d.is_finite() || *d == 1e20;
    let special = data.iter().filter(|d| exact(d)).count() as u64;
    assert_eq!(certificate.nan + certificate.inf + certificate.missing, special);
    data.len() as u64 - certificate.escaped
}

/// One pattern of `of`, at every bound; gives how many values were checked, and how many have codes.
fn check_every_pattern(of: u32) -> [u64; 2] {
    let codec = Codec::cpu();
    let mut found = [0; 2];
    for (k, eps) in SHARES.into_iter().enumerate() {
        for floor in [0.0, 1e-6 * 10f64.powi(2 * k as i32)] {
            let profile = if k == 3 { profiles()[2].1 } else { Profile::default() };
            let bound = Bound::Relative { eps, floor };
            let check =
                |data: Vec<f32>| [data.len() as u64, check_patterns(&codec, &data, bound, profile)];
            let fields = pattern_fields(0x9E37_79B9 % of, of).par_bridge().map(check);
            let [all, coded] = fields.reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
            found = [found[0] + all, found[1] + coded];
        }
    }
    found
}

#[test]
fn one_pattern_of_each_4099() {
    let [all, coded] = check_every_pattern(4099);
    assert!(all > 16_000_000 && coded > all / 2, "{coded} of {all}");
}

/// `cargo test --release -p fsz-codec --test codec relative:: -- --ignored --nocapture`: all 2³² patterns at 8 bounds, each
/// with and without a floor.
#[test]
#[ignore = "seventy billion values take an hour of two cores"]
fn every_pattern() {
    let [all, coded] = check_every_pattern(1);
    eprintln!("{all} values checked, {coded} of them have codes");
    assert_eq!(all, 16 << 32);
}

/// One of 64 patterns.
#[test]
#[ignore = "a billion values take a minute"]
fn one_pattern_of_each_64() {
    let [all, coded] = check_every_pattern(64);
    eprintln!("{all} values checked, {coded} of them have codes");
}

/// Values of all sizes, near the edges of codes, near zero, and of both signs.
fn strained<T: Element>(random: &mut Random, len: usize, eps: f64) -> Vec<T> {
    let octaves = [2.0, 30.0, 250.0][random.below(3)];
    let sign = random.below(3);
    let mut value = 1.0f64;
    (0..len)
        .map(|_| {
            value = match random.below(8) {
                0 => 2f64.powf((random.unit() - 0.5) * octaves),
                1..4 => value * (1.0 + (random.below(5) as f64 - 2.0) * eps),
                _ => value * (1.0 + (random.unit() - 0.5) * eps),
            };
            value = value.clamp(1e-37, 1e37);
            let size = T::from_f64(match random.below(50) {
                0 => 0.0,
                1 => f64::MIN_POSITIVE * random.unit(),
                2 => f64::from(f32::MIN_POSITIVE) * random.unit(),
                3 => f64::MAX,
                4 => f64::INFINITY,
                5 => f64::NAN,
                _ => value,
            });
            // Up to two rounding errors off.
            let near = size.to_bits64().saturating_sub(2) + random.below(5) as u64;
            let moved = T::from_bits64(near).to_f64();
            let negative = sign == 1 || sign == 2 && random.below(2) == 1;
            T::from_f64(if negative { -moved } else { moved })
        })
        .collect()
}

fn strain<T: Element>(values: usize, profiles: &[(&'static str, Profile)]) {
    let codec = Codec::cpu();
    let mut random = Random::new(1717);
    let mut checked = 0;
    while checked < values {
        let eps = (0.5f64).min(10f64.powf(-8.1 * random.unit()).max(1e-8));
        let data = strained::<T>(&mut random, 20_000, eps);
        let floor = [0.0, eps * 10f64.powf(20.0 * random.unit() - 10.0)][random.below(2)];
        for (_, profile) in profiles {
            let options = CompressOptions::new(Bound::Relative { eps, floor }).profile(*profile);
            let bytes = compress(&codec, &data, &[20_000], &options);
            check_promise(&data, &decompress::<T>(&codec, &bytes), &bytes, &[]);
            checked += data.len();
        }
    }
}

#[test]
fn a_million_hard_values() {
    strain::<f32>(1_000_000, &profiles());
    strain::<f64>(1_000_000, &profiles());
}

/// `cargo test --release -p fsz-codec --test codec a_billion_hard -- --ignored`.
#[test]
#[ignore = "a billion values take half an hour"]
fn a_billion_hard_values_of_f64() {
    strain::<f64>(1_000_000_000, &profiles()[..1]);
}

fn special<T: Element>() {
    let tiny = T::from_bits64(1).to_f64();
    let least =
        T::from_f64(if tiny == f64::from_bits(1) { f64::MIN_POSITIVE } else { 2f64.powi(-126) });
    let most = T::from_bits64(T::from_f64(f64::INFINITY).to_bits64() - 1).to_f64();
    let numbers = [
        0.0,
        -0.0,
        tiny,
        -tiny,
        5.0 * tiny,
        least.to_f64(),
        -least.to_f64(),
        most,
        -most,
        1.0,
        -1.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e20,
        3.0,
    ];
    let data: Vec<T> = numbers.iter().cycle().take(700).map(|&x| T::from_f64(x)).collect();
    for eps in [0.5, 0.34, 1e-3, 1e-7] {
        for floor in [0.0, tiny, 1e-3, 1.0, 1e30, most, f64::MAX] {
            let mut request = Request::new(&[700], Bound::Relative { eps, floor });
            request.missing = vec![1e20];
            let field = (&data[..], &request.shape[..]);
            let (stream, back) =
                by_all("special", codecs(), field, &request.options(), &request.missing);
            assert!(stream == encode(&data, &request), "{eps} {floor}");
            // Zeros are exact, and lose their sign.
            assert!(back[..2].iter().all(|b| b.to_bits64() == 0), "{eps} {floor}");
            let nothing: Vec<T> = vec![T::from_f64(f64::NAN); 300];
            let request = Request::new(&[300], Bound::Relative { eps, floor });
            by_all("nothing", codecs(), (&nothing, &[300]), &request.options(), &[]);
            by_all("empty", codecs(), (&nothing[..0], &[0]), &request.options(), &[]);
        }
    }
}

#[test]
fn zeros_subnormals_infinities_and_the_largest_numbers() {
    special::<f32>();
    special::<f64>();
}

/// Streams of `dense` are what the document's own decoder reads.
fn dense_fields<T: Element>() {
    for kind in KINDS {
        for (n, shape) in
            [(16_320, vec![24, 34, 20]), (5000, vec![5000]), (0, vec![0]), (1, vec![])]
        {
            let data = field::<T>(kind, n, 7);
            for (eps, floor) in [(0.3, 0.0), (1e-2, 0.0), (1e-2, 1e-3), (1e-5, 0.0), (1e-7, 1e-9)] {
                let profile = profiles()[1].1;
                let options = CompressOptions::new(Bound::Relative { eps, floor })
                    .profile(profile)
                    .missing(1e20)
                    .missing(-999.0);
                let codecs = codecs().into_iter().rev().take(2).collect();
                let (stream, back) =
                    by_all(kind, codecs, (&data, &shape), &options, &[1e20, -999.0]);
                let expected = dense::decode(&stream).bits;
                assert!(
                    back.iter().map(|d| d.to_bits64()).eq(expected),
                    "{kind} {n} {eps} {floor}"
                );
            }
        }
    }
}

#[test]
fn dense_has_the_same_codes() {
    dense_fields::<f32>();
    dense_fields::<f64>();
}

#[test]
fn real_fields() {
    let Some(folder) = data_folder("real fields within pointwise-relative bounds") else { return };
    let codecs = || codecs().into_iter().take(2).collect::<Vec<_>>();
    for (eps, floor) in [(1e-1, 0.0), (1e-3, 0.0), (1e-2, 1e-3)] {
        let bound = Bound::Relative { eps, floor };
        for (name, shape, data) in fields::<f32>(&folder) {
            for (_, profile) in &profiles()[..2] {
                let options = CompressOptions::new(bound).profile(*profile);
                by_all(&name, codecs(), (&data, &shape), &options, &[]);
            }
        }
        for (name, shape, data) in fields::<f64>(&folder) {
            for (_, profile) in &profiles()[..2] {
                let options = CompressOptions::new(bound).profile(*profile);
                by_all(&name, codecs(), (&data, &shape), &options, &[]);
            }
        }
    }
}

#[test]
fn what_is_no_bound_is_refused() {
    let refused = |bound, f64s: bool| {
        let options = CompressOptions::new(bound);
        let mut out = vec![0; 4096];
        let codec = Codec::cpu();
        match f64s {
            true => codec.compress_into(&[1.0f64], &[1], &options, &mut out),
            false => codec.compress_into(&[1.0f32], &[1], &options, &mut out),
        }
    };
    for (eps, floor) in [
        (0.0, 0.0),
        (-0.1, 0.0),
        (f64::NAN, 0.0),
        (f64::INFINITY, 0.0),
        (0.51, 0.0),
        (0.1, -1.0),
        (0.1, f64::NAN),
        (0.1, f64::INFINITY),
    ] {
        for f64s in [false, true] {
            let outcome = refused(Bound::Relative { eps, floor }, f64s);
            assert!(
                matches!(outcome, Err(Error::InvalidArgument(_))),
                "{eps} {floor}: {outcome:?}"
            );
        }
    }
    let small = Bound::Relative { eps: 1e-9, floor: 0.0 };
    assert!(matches!(refused(small, true), Err(Error::InvalidArgument(_))));
    refused(small, false).expect("f32 is stored as it is");
    // The header has no room for all of this.
    let long =
        CompressOptions::new(Bound::Relative { eps: 0.1, floor: 0.0 }).name(&"n".repeat(1024));
    let long = (0..4).fold(long.start(&[1; 8]), |long, k| long.missing(f64::from(k)));
    let outcome = Codec::cpu().compress_into(&[1f32], &[1; 8], &long, &mut vec![0; 8192]);
    assert!(matches!(outcome, Err(Error::InvalidArgument(_))), "{outcome:?}");
}
