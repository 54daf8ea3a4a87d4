//! For any field, bound and missing value: the promise holds and all paths agree.

use crate::common::{check_promise, codecs, compress, decompress, profiles};
use fsz::{Bound, CompressOptions, Element, Profile};
use proptest::prelude::*;

/// Runs of like elements: what real fields are made of.
fn elements<T: Element + Arbitrary + 'static>(
    any: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Vec<T>> {
    let piece = prop_oneof![
        (any.boxed(), 1usize..300).prop_map(|(v, n)| vec![v; n]),
        (-1e6..1e6f64, -10.0..10.0f64, 0.0..1.0f64, 1usize..600).prop_map(|(a, b, noise, n)| {
            (0..n)
                .map(|i| T::from_f64(a + b * i as f64 + noise * ((i * 7919 % 101) as f64 - 50.0)))
                .collect()
        }),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn bound() -> impl Strategy<Value = Bound> {
    prop_oneof![
        (-40.0..8.0f64).prop_map(|e| Bound::Absolute(10f64.powf(e))),
        (-12.0..1.0f64).prop_map(|e| Bound::ValueRange(10f64.powf(e))),
        (-9.0..0.0f64, -1e5..0.0f64, 0.0..1e5f64).prop_map(|(e, min, max)| Bound::ValueRangeOf {
            ratio: 10f64.powf(e),
            min,
            max
        }),
    ]
}

/// A shape of these first sides, as far as there are so many elements; some elements may be left over.
fn shape_of(elements: usize, sides: &[usize]) -> Vec<u64> {
    let mut sides = sides;
    while sides.iter().product::<usize>() > elements.max(1) {
        sides = &sides[1..];
    }
    let rest = elements / sides.iter().product::<usize>();
    sides.iter().chain([&rest]).map(|&n| n as u64).collect()
}

fn holds<T: Element>(
    data: &[T],
    sides: &[usize],
    profile: Profile,
    bound: Bound,
    missing: Option<f64>,
) {
    let shape = shape_of(data.len(), sides);
    let data = &data[..shape.iter().product::<u64>() as usize];
    let mut options = CompressOptions::new(bound).profile(profile);
    if let Some(m) = missing {
        options = options.missing(m);
    }
    let mut first: Option<(Vec<u8>, Vec<u64>)> = None;
    for (name, codec) in codecs() {
        let bytes = compress(&codec, data, &shape, &options);
        let back = decompress::<T>(&codec, &bytes);
        let bits: Vec<u64> = back.iter().map(|d| d.to_bits64()).collect();
        match &first {
            None => {
                check_promise(data, &back, &bytes, &missing.into_iter().collect::<Vec<_>>());
                first = Some((bytes, bits));
            }
            Some(first) => assert!(*first == (bytes, bits), "{name} differs"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn f32_fields(
        data in elements::<f32>(any::<f32>()),
        bound in bound(),
        missing in prop::option::of(any::<f32>().prop_map(f64::from)),
        sides in prop::collection::vec(1usize..30, 0..4),
        profile in prop::sample::select(profiles().map(|(_, profile)| profile).to_vec()),
    ) {
        holds(&data, &sides, profile, bound, missing);
    }

    #[test]
    fn f64_fields(
        data in elements::<f64>(any::<f64>()),
        bound in bound(),
        missing in prop::option::of(any::<f64>()),
        sides in prop::collection::vec(1usize..30, 0..4),
        profile in prop::sample::select(profiles().map(|(_, profile)| profile).to_vec()),
    ) {
        holds(&data, &sides, profile, bound, missing);
    }
}
