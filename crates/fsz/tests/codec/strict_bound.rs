//! The bound holds for every value, checked exactly, of fields that are made to strain it: multiples of the
//! bound give or take a rounding error, waves, noise, and codes of all sizes.

use crate::common::{
    check_promise, compress, decompress,
    inputs::{Random, waves},
    profiles,
};
use fsz::{Bound, Codec, CompressOptions, Element, Profile};

/// A field of about 20 000 elements of `shape`, with bound `e`.
fn strained<T: Element>(random: &mut Random, shape: &[u64], e: f64) -> Vec<T> {
    let kind = random.below(4);
    let reach = 10f64.powf(random.unit() * 10.0);
    let mut level = (random.unit() - 0.5) * reach * e;
    let mut data = waves::<T>(shape);
    for d in &mut data {
        let value = match kind {
            // Halfway between two reconstructed values, or nearly so.
            0 => {
                level += (random.below(7) as f64 - 3.0) * e;
                (level / e).round() * e
            }
            1 => d.to_f64() * reach * e,
            2 => d.to_f64() * reach * e + (random.unit() - 0.5) * 6.0 * e,
            _ => (random.unit() - 0.5) * reach * e,
        };
        *d = T::from_f64(value);
        if d.to_f64() != 0.0 {
            // Up to two rounding errors off.
            *d = T::from_bits64(d.to_bits64() + random.below(5) as u64 - 2);
        }
    }
    data
}

/// So many values, in fields of both types, of one to three dimensions, with bounds of all sizes.
fn strain(values: usize) {
    let codec = Codec::cpu();
    let mut random = Random::new(77);
    let mut checked = 0;
    while checked < values {
        let shape: &[u64] = [&[20_000][..], &[130, 150], &[27, 25, 30]][random.below(3)];
        let e = 10f64.powf(random.unit() * 14.0 - 9.0);
        for (_, profile) in profiles() {
            checked += one::<f32>(&codec, &mut random, shape, e, profile);
            checked += one::<f64>(&codec, &mut random, shape, e, profile);
        }
    }
}

fn one<T: Element>(
    codec: &Codec,
    random: &mut Random,
    shape: &[u64],
    e: f64,
    profile: Profile,
) -> usize {
    let data = strained::<T>(random, shape, e);
    let options = CompressOptions::new(Bound::Absolute(e)).profile(profile);
    let bytes = compress(codec, &data, shape, &options);
    check_promise(&data, &decompress::<T>(codec, &bytes), &bytes, &[]);
    data.len()
}

#[test]
fn a_million_values() {
    strain(1_000_000);
}

/// `cargo test --release -p fsz-codec --test codec strict_bound:: -- --ignored`: half an hour.
#[test]
#[ignore = "a billion values take half an hour"]
fn a_billion_values() {
    strain(1_000_000_000);
}
