//! Parts of a field: boxes, slices and tiles.

use crate::check::{bits, device, poison, profiles, relative};
use crate::common::{
    compress,
    inputs::{Random, field},
    pairs, some,
};
use crate::layouts::layouts;
use fsz::{Bound, Codec, CompressOptions, Dense, Element, Profile, Stream};

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
