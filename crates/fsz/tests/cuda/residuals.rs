//! Boxes with elements that no predictor foresees, and the tables that these take.

use crate::check::{check_profile, device, relative};
use crate::common::{
    compress,
    inputs::{Random, waves},
    pairs,
    seal::{DenseIndex, header},
    some,
};
use crate::layouts::layouts;
use fsz::{Bound, Codec, CompressOptions, Dense, Element, Layout, Profile};

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
        // Other bits than those of odd ones.
        4 if i / 50 % 37 < 9 => Some(f64::from_bits(0xFFF8_0000_2000_0000)),
        _ => None,
    };
    let odds = pairs(&pairs(&[0, 1, 2, 3, 4, 5], &[1, 30, 400]), &[0, 1, 2, 3, 4]);
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
    const SIDE: usize = 64;
    const SHAPE: [u64; 2] = [16 * SIDE as u64; 2];
    let Some(codec) = device("long tables") else { return };
    let mut random = Random::new(11);
    let mut data = vec![0f32; 256 * SIDE * SIDE];
    for number in 0..256 {
        let size = 2f64.powi(random.below(10) as i32 - 4);
        let (mut line, steep) = (0.0, number % 5 == 4);
        for i in 0..SIDE * SIDE {
            let (y, x) = (number / 16 * SIDE + i / SIDE, number % 16 * SIDE + i % SIDE);
            let noise = 2.0 * random.unit() - 1.0;
            line += noise * 2f64.powi(i as i32 / 256 - 2);
            let wave = 1000.0 * (x as f64 / 10.0).sin() * (y as f64 / 10.0).cos();
            data[y * 16 * SIDE + x] = (if steep { line } else { wave + size * noise }) as f32;
        }
    }
    let options = CompressOptions::new(Bound::Absolute(0.1));
    let profile = Profile::Dense(Dense::new().with_layout(Layout::Plane));
    check_profile("long tables", &codec, &data, &SHAPE, &options, profile);
    let stream = compress(&Codec::cpu(), &data, &SHAPE, &options.profile(profile));
    let index = DenseIndex::of(&stream, &header(&stream).expect("a header")).expect("an index");
    let words = &stream[index.sizes + 4 * (index.entries - 1)..];
    let words = u32::from_le_bytes(*words.first_chunk().expect("the size of the tables"));
    assert!(4 * words > 1024, "{words} words");
}
