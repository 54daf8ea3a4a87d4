//! Whole fields of every kind and size.

use crate::check::{check, device, relative, relative_bounds};
use crate::common::{
    BOUNDS,
    inputs::{KINDS, field},
    pairs, some,
};
use fsz::{Bound, Codec, CompressOptions, Element};

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
