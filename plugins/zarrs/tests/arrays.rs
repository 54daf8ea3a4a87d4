//! Arrays through zarrs: bytes, bounds, parts, and stores of the Python package's kind.

use std::sync::Arc;

use fsz::{Bound, Codec, CompressOptions, Dense};
use fsz_zarrs::{Configuration, FszCodec, Profile};
use zarrs::array::{Array, ArrayBuilder, ArraySubset, data_type};
use zarrs::storage::store::MemoryStore;

const SHAPE: [u64; 3] = [24, 64, 100];

fn field() -> Vec<f32> {
    let value = |i: u64| (i as f32 * 0.01).sin() * 30.0 + (i % 97) as f32 * 0.1;
    (0..SHAPE.iter().product()).map(value).collect()
}

fn array(configuration: Configuration, chunk: [u64; 3], fill: f32) -> Array<MemoryStore> {
    let codec = FszCodec::new(configuration).expect("a configuration");
    let array = ArrayBuilder::new(SHAPE.to_vec(), chunk.to_vec(), data_type::float32(), fill)
        .array_to_bytes_codec(Arc::new(codec))
        .build(Arc::new(MemoryStore::new()), "/a")
        .expect("an array");
    array.store_metadata().expect("stored");
    array
}

fn configurations() -> [Configuration; 4] {
    let dense = Configuration { profile: Profile::Dense, ..Configuration::absolute(0.01) };
    // A floor of 0.01, and 0.03 at most.
    [
        Configuration::absolute(0.01),
        Configuration::range(1e-3),
        dense,
        Configuration::relative(1e-3, 0.01),
    ]
}

#[test]
fn chunks_are_streams() {
    for configuration in configurations() {
        let bound = match (configuration.range, configuration.relative) {
            (Some(ratio), _) => Bound::ValueRange(ratio),
            (None, Some(eps)) => Bound::Relative { eps, floor: configuration.floor.unwrap_or(0.0) },
            (None, None) => Bound::Absolute(0.01),
        };
        let profile = match configuration.profile {
            Profile::Paper => fsz::Profile::default(),
            Profile::Dense => fsz::Profile::Dense(Dense::new()),
        };
        let options = CompressOptions::new(bound).profile(profile);
        let array = array(configuration, SHAPE, f32::NAN);
        array.store_chunk(&[0, 0, 0], field()).expect("stored");
        let stored = array.retrieve_encoded_chunk(&[0, 0, 0]).expect("read").expect("there");
        let mut bytes =
            vec![0; fsz::max_compressed_len(&SHAPE, fsz::DType::F32).expect("small") as usize];
        let len =
            Codec::cpu().compress_into(&field(), &SHAPE, &options, &mut bytes).expect("compresses");
        assert!(stored == bytes[..len]);
    }
}

/// The fill value of an `f32` array is named by a number that rounds to it, and −0 is another value than 0.
#[test]
fn a_fill_value_counts_once() {
    for (fill, missing) in [(1e20, vec![1e20, 1.0, 2.0, 3.0]), (-0.0, vec![0.0, 1.0, 2.0])] {
        let array =
            array(Configuration { missing, ..Configuration::range(1e-3) }, [24, 64, 64], fill);
        array.store_array_subset(&array.subset_all(), field()).expect("stored");
        let stored = array.retrieve_encoded_chunk(&[0, 0, 1]).expect("read").expect("there");
        // The padding of a chunk at the edge does not widen its range.
        let stream = fsz::Stream::open(&stored).expect("a stream");
        assert!(stream.certificate().missing > 0);
        assert_eq!(stream.header().missing.len(), 4);
    }
}

#[test]
fn parts_are_those_of_the_whole() {
    for configuration in configurations() {
        for chunk in [SHAPE, [5, 64, 30]] {
            let array = array(configuration.clone(), chunk, -999.0);
            let mut written = field();
            written[5..900].fill(-999.0);
            array.store_array_subset(&array.subset_all(), &written[..]).expect("stored");
            let whole: Vec<f32> = array.retrieve_array_subset(&array.subset_all()).expect("read");
            // A share of a range of 69 at most.
            for (a, b) in written.iter().zip(&whole) {
                assert!((a - b).abs() <= 0.07 && (*a != -999.0 || a == b));
            }
            for ranges in [[3..4, 0..64, 0..100], [2..21, 5..6, 7..90], [0..24, 63..64, 99..100]] {
                let part: Vec<f32> = array
                    .retrieve_array_subset(&ArraySubset::new_with_ranges(&ranges))
                    .expect("read");
                let [z, y, x] = ranges;
                let mut expected = Vec::new();
                for z in z {
                    for y in y.clone() {
                        let row = ((z * 64 + y) * 100) as usize;
                        expected.extend_from_slice(
                            &whole[row + x.start as usize..row + x.end as usize],
                        );
                    }
                }
                assert!(part == expected);
            }
        }
    }
}

#[test]
fn metadata_is_that_of_the_registry() {
    let configuration = Configuration {
        missing: vec![1e20],
        profile: Profile::Dense,
        ..Configuration::range(1e-3)
    };
    let metadata = array(configuration, SHAPE, 0.0).metadata().to_string();
    let expected = r#""codecs":[{"name":"fsz_codec","configuration":{"range":0.001,"missing":[1e+20],"profile":"dense"}}]"#;
    assert!(metadata.replace([' ', '\n'], "").contains(expected), "{metadata}");
}

#[test]
fn a_share_of_each_element_is_kept() {
    for floor in [0.0, 0.01] {
        let array = array(Configuration::relative(1e-3, floor), [5, 64, 30], 0.0);
        array.store_array_subset(&array.subset_all(), &field()[..]).expect("stored");
        let whole: Vec<f32> = array.retrieve_array_subset(&array.subset_all()).expect("read");
        for (a, b) in field().into_iter().zip(whole) {
            assert!(f64::from(a - b).abs() <= (1e-3 * f64::from(a.abs())).max(floor));
        }
        let metadata = array.metadata().to_string().replace([' ', '\n'], "");
        let expected = if floor == 0.0 { "" } else { r#","floor":0.01"# };
        let expected = format!(r#""configuration":{{"relative":0.001{expected}}}"#);
        assert!(metadata.contains(&expected), "{metadata}");
    }
}

#[test]
fn arrays_are_opened_by_the_codecs_name() {
    let array = array(Configuration::absolute(0.01), [8, 64, 100], 0.0);
    array.store_chunk(&[1, 0, 0], &field()[..8 * 6400]).expect("stored");
    let again = Array::open(array.storage(), "/a").expect("opens");
    let ours: Vec<f32> = array.retrieve_chunk(&[1, 0, 0]).expect("read");
    assert!(again.retrieve_chunk::<Vec<f32>>(&[1, 0, 0]).expect("read") == ours);
    assert!(again.retrieve_chunk::<Vec<f32>>(&[2, 0, 0]).expect("read").iter().all(|&a| a == 0.0));
}

/// Damaged chunks that the test makes, with both profiles together.
const DAMAGED: usize = 10_000;

#[test]
fn damaged_chunks_are_errors() {
    let chunk = [4, 32, 40];
    let values = &field()[..4 * 32 * 40];
    let plane = ArraySubset::new_with_ranges(&[3..4, 0..32, 0..40]);
    let [paper, _, dense, _] = configurations();
    for configuration in [paper, dense] {
        let array = array(configuration, chunk, 0.0);
        array.store_chunk(&[0, 0, 0], values).expect("stored");
        let plain = array.retrieve_encoded_chunk(&[0, 0, 0]).expect("read").expect("there");
        let (whole, part): (Vec<f32>, Vec<f32>) = (
            array.retrieve_chunk(&[0, 0, 0]).expect("read"),
            array.retrieve_array_subset(&plane).expect("read"),
        );
        let mut refused = 0;
        for turn in 0..DAMAGED / 2 {
            let mut damaged = plain.clone();
            // The header has most to be misread, so half of the damage is there.
            let at = turn * 7919 % if turn % 2 == 0 { 200 } else { plain.len() };
            match turn % 5 {
                0 => damaged.truncate(at),
                _ => damaged[at] ^= 1 << (turn / 5 % 8),
            }
            // SAFETY: these are bytes for the codec to judge.
            unsafe { array.store_encoded_chunk(&[0, 0, 0], damaged.into()) }.expect("stored");
            let read: Result<Vec<f32>, _> = array.retrieve_chunk(&[0, 0, 0]);
            refused += usize::from(read.is_err());
            assert!(read.is_err() || read.is_ok_and(|a| a == whole));
            let read: Result<Vec<f32>, _> = array.retrieve_array_subset(&plane);
            assert!(read.is_err() || read.is_ok_and(|a| a == part));
        }
        assert!(refused > DAMAGED / 2 - 50, "{refused}");
    }
}

#[test]
fn wrong_configurations_are_refused() {
    for wrong in [
        Configuration::absolute(0.0),
        Configuration::range(f64::NAN),
        Configuration { absolute: Some(1.0), ..Configuration::range(1.0) },
        Configuration { range: None, ..Configuration::range(1.0) },
        Configuration { missing: vec![1.0; 5], ..Configuration::range(1.0) },
        Configuration { floor: Some(1.0), ..Configuration::range(1.0) },
        Configuration { absolute: Some(1.0), ..Configuration::relative(0.1, 0.0) },
        Configuration::relative(0.6, 0.0),
        Configuration::relative(0.1, -1.0),
        Configuration::relative(0.1, f64::INFINITY),
    ] {
        assert!(FszCodec::new(wrong).is_err());
    }
}
