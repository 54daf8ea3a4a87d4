//! A box decodes from the bytes that `ranges_of_box` names, and from fewer not.

use crate::common::{
    compress,
    inputs::{Random, field},
    profiles,
};
use fsz::{Bound, Codec, CompressOptions, Error, Stream};

/// The stream with zeros for all payload bytes outside of the ranges.
fn fetched(bytes: &[u8], ranges: &[std::ops::Range<u64>]) -> Vec<u8> {
    let payload = Stream::open(bytes).expect("opens").sections().payload as usize;
    let mut part = vec![0; bytes.len()];
    part[..payload].copy_from_slice(&bytes[..payload]);
    for range in ranges {
        let range = range.start as usize..range.end as usize;
        part[range.clone()].copy_from_slice(&bytes[range]);
    }
    part
}

#[test]
fn a_box_needs_these_bytes_and_no_others() {
    let mut random = Random::new(9);
    let codec = Codec::cpu();
    for shape in [vec![200_000], vec![40, 70, 90], vec![3, 9, 80, 100]] {
        let n = shape.iter().product::<u64>() as usize;
        let data = field::<f32>("ragged land", n, 5);
        for (name, profile) in profiles() {
            let options = CompressOptions::new(Bound::ValueRange(1e-4)).profile(profile);
            let bytes = compress(&codec, &data, &shape, &options);
            let stream = Stream::open(&bytes).expect("opens");
            for _ in 0..20 {
                let start: Vec<u64> =
                    shape.iter().map(|&n| random.below(n as usize) as u64).collect();
                let most =
                    |(&n, &s): (&u64, &u64)| 1 + random.below((n - s).min(20) as usize) as u64;
                let count: Vec<u64> = shape.iter().zip(&start).map(most).collect();
                let ranges = stream.ranges_of_box(&start, &count).expect("inside");
                assert!(ranges.is_sorted_by(|a, b| a.end < b.start), "{name}: {ranges:?}");

                let whole = codec.decompress_box::<f32>(&stream, &start, &count).expect("decodes");
                let decode = |ranges: &[_]| {
                    let part = fetched(&bytes, ranges);
                    let part = Stream::open(&part).expect("opens");
                    codec.decompress_box::<f32>(&part, &start, &count)
                };
                let same = decode(&ranges).expect("all that is needed is there");
                assert!(same.iter().zip(&whole).all(|(a, b)| a.to_bits() == b.to_bits()), "{name}");
                // One range less, and a checksum fails.
                let needed = ranges.iter().any(|r| {
                    bytes[r.start as usize..r.end as usize]
                        != vec![0; (r.end - r.start) as usize][..]
                });
                assert!(!needed || matches!(decode(&[]), Err(Error::Corrupt(_))), "{name}");
            }
        }
    }
}

#[test]
fn all_of_a_field_needs_the_whole_payload() {
    let shape = [40, 70, 90];
    for (name, profile) in profiles() {
        let options = CompressOptions::new(Bound::ValueRange(1e-3)).profile(profile);
        let data = field::<f64>("smooth, noise", 40 * 70 * 90, 1);
        let bytes = compress(&Codec::cpu(), &data, &shape, &options);
        let stream = Stream::open(&bytes).expect("opens");
        let ranges = stream.ranges_of_box(&[0, 0, 0], &shape).expect("inside");
        let payload = stream.sections().payload..bytes.len() as u64;
        assert_eq!(ranges, std::slice::from_ref(&payload), "{name}");
        assert_eq!(stream.ranges_of_box(&[1, 2, 3], &[4, 0, 5]).expect("inside"), [], "{name}");
        for outside in [([0, 0, 0], [41, 1, 1]), ([40, 0, 0], [1, 1, 1])] {
            let refused = stream.ranges_of_box(&outside.0, &outside.1);
            assert!(matches!(refused, Err(Error::InvalidArgument(_))), "{name}");
        }
        assert!(stream.ranges_of_box(&[0], &[1]).is_err(), "{name}");
    }
}
