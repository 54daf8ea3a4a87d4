//! The filter without HDF5.

use std::{ffi::c_void, ptr};

use fsz::{Bound, Codec, CompressOptions, DType, Dense, Element, Profile, Stream, with_element};
use proptest::prelude::*;

use crate::{
    cd_values::{CdValues, MAX_WORDS},
    chunk::{ByteOrder, Chunk},
    filter::filter,
    options::Options,
    plugin::FILTER_ID,
};

fn bounds() -> impl Strategy<Value = Bound> {
    let ratio = 1e-6..0.5;
    prop_oneof![
        (1e-6..10.0).prop_map(Bound::Absolute),
        ratio.clone().prop_map(Bound::ValueRange),
        (ratio.clone(), prop_oneof![Just(0.0), 1e-6..10.0])
            .prop_map(|(eps, floor)| Bound::Relative { eps, floor }),
        (ratio, -10.0..0.0, 0.0..10.0).prop_map(|(ratio, min, max)| Bound::ValueRangeOf {
            ratio,
            min,
            max
        }),
    ]
}

fn options() -> impl Strategy<Value = Options> {
    let profiles = prop_oneof![Just(Profile::default()), Just(Profile::Dense(Dense::new()))];
    let missing = prop::collection::vec(prop_oneof![Just(-999.0), Just(1e20)], 0..=2);
    (bounds(), profiles, missing).prop_map(|(bound, profile, missing)| Options {
        bound,
        profile,
        missing,
    })
}

fn chunks() -> impl Strategy<Value = Chunk> {
    let dtypes = prop_oneof![Just(DType::F32), Just(DType::F64)];
    let orders = prop_oneof![Just(ByteOrder::Little), Just(ByteOrder::Big)];
    let fill = prop_oneof![Just(vec![]), Just(vec![0.0]), Just(vec![-1.5, 0.0])];
    let shape = prop_oneof![
        prop::collection::vec(1u32..12, 1..=4),
        prop::collection::vec(1u32..3, 9..=11),
        (1u32..3000).prop_map(|n| vec![n]),
    ];
    (dtypes, orders, fill, shape).prop_map(|(dtype, order, fill, shape)| Chunk {
        dtype,
        order,
        fill,
        shape,
    })
}

/// A wave with the missing and fill values among it, and the bytes of a dataset with these values.
fn wave<T: Element>(chunk: &Chunk, options: &Options) -> (Vec<T>, Vec<u8>) {
    let marks: Vec<f64> = options.missing.iter().chain(&chunk.fill).copied().collect();
    let value = |i: usize| match marks.get(i % 19) {
        Some(&mark) => mark,
        None => 3.0 + (i as f64 * 0.1).sin(),
    };
    let len = chunk.bytes().unwrap() / size_of::<T>();
    let values: Vec<T> = (0..len).map(|i| T::from_f64(value(i))).collect();
    let bytes = values.iter().flat_map(|value| {
        let mut bytes = value.to_bits64().to_le_bytes()[..size_of::<T>()].to_vec();
        if chunk.order == ByteOrder::Big {
            bytes.reverse();
        }
        bytes
    });
    (values.clone(), bytes.collect())
}

fn check<T: Element>(chunk: &Chunk, options: &Options) {
    let (values, bytes) = wave::<T>(chunk, options);
    let mut out = vec![0; chunk.max_len().unwrap()];
    let len = chunk.compress(options, &bytes, &mut out).unwrap();

    let mut compression = CompressOptions::new(options.bound).profile(options.profile);
    for &value in options.missing.iter().chain(&chunk.fill) {
        compression = compression.missing(value);
    }
    let mut alone = vec![0; out.len()];
    let shape = chunk.stream_shape();
    let codec = Codec::cpu();
    let len_alone = codec.compress_into(&values, &shape, &compression, &mut alone).unwrap();
    assert_eq!(out[..len], alone[..len_alone]);

    // From a place that is aligned and from one that is not.
    for shift in [0, 1] {
        let mut moved = vec![0u8; shift];
        moved.extend(&bytes);
        let mut again = vec![0; out.len()];
        assert_eq!(chunk.compress(options, &moved[shift..], &mut again).unwrap(), len);
        assert_eq!(again[..len], out[..len]);
        let mut restored = vec![0u8; shift + bytes.len()];
        let stream = chunk.open(&out[..len]).unwrap();
        chunk.decompress(&stream, &mut restored[shift..]).unwrap();
        let mut expected = vec![T::default(); values.len()];
        codec.decompress_into(&Stream::open(&alone[..len_alone]).unwrap(), &mut expected).unwrap();
        let size = size_of::<T>();
        for (element, value) in restored[shift..].chunks_exact(size).zip(expected) {
            let mut element = element.to_vec();
            if chunk.order == ByteOrder::Big {
                element.reverse();
            }
            assert_eq!(element, value.to_bits64().to_le_bytes()[..size]);
        }
    }
}

proptest! {
    #[test]
    fn parameters_are_read_as_they_were_written(options in options(), chunk in chunks(), is_complete: bool) {
        let written = CdValues { options, chunk: is_complete.then_some(chunk) };
        let words = written.write();
        prop_assert!(words.len() <= MAX_WORDS);
        prop_assert_eq!(CdValues::read(&words).unwrap(), written);
    }

    #[test]
    fn lists_of_any_words_are_refused_in_words(
        options in options(),
        chunk in chunks(),
        at in 0usize..60,
        word: u32,
        len in 0usize..60,
    ) {
        let mut words = CdValues { options, chunk: Some(chunk) }.write();
        let end = words.len();
        words[at % end] = word;
        words.resize(len, word);
        if let Ok(CdValues { options, chunk: Some(chunk) }) = CdValues::read(&words) {
            // Sizes of any kind are refused before there is memory for them.
            let _ = chunk.check(&options);
            let _ = chunk.open(&[0; 200]).unwrap_err();
        }
    }

    #[test]
    fn the_bytes_are_the_codecs_in_any_byte_order_and_place(options in options(), chunk in chunks()) {
        with_element!(chunk.dtype, T => check::<T>(&chunk, &options));
    }

    #[test]
    fn a_damaged_chunk_is_an_error(options in options(), chunk in chunks(), at: usize, bit in 0u8..8) {
        let (_, bytes) = match chunk.dtype {
            DType::F32 => (0, wave::<f32>(&chunk, &options).1),
            DType::F64 => (0, wave::<f64>(&chunk, &options).1),
        };
        let mut out = vec![0; chunk.max_len().unwrap()];
        let len = chunk.compress(&options, &bytes, &mut out).unwrap();
        out.truncate(len);
        out[at % len] ^= 1 << bit;
        let mut restored = vec![0; bytes.len()];
        let read = chunk.open(&out).and_then(|stream| chunk.decompress(&stream, &mut restored));
        prop_assert!(read.is_err());
    }
}

#[test]
fn the_stream_of_another_chunk_is_refused() {
    let chunk = |shape: &[u32]| Chunk {
        dtype: DType::F32,
        order: ByteOrder::Little,
        fill: vec![],
        shape: shape.to_vec(),
    };
    let options = Options::parse("absolute=0.1").unwrap();
    let (small, large) = (chunk(&[10, 10]), chunk(&[10, 100]));
    let mut out = vec![0; small.max_len().unwrap()];
    let len = small.compress(&options, &[0; 400], &mut out).unwrap();
    assert!(small.open(&out[..len]).is_ok());
    let message = large.open(&out[..len]).unwrap_err();
    assert!(message.contains("[10, 10] f32 in a dataset of [10, 100] f32"), "{message}");
    assert!(small.compress(&options, &[0; 396], &mut out).is_err());
}

#[test]
fn more_than_four_named_values_are_refused() {
    let options = Options::parse("range=0.1 missing=1,2,3").unwrap();
    let mut chunk =
        Chunk { dtype: DType::F32, order: ByteOrder::Big, fill: vec![4.0], shape: vec![5] };
    chunk.check(&options).unwrap();
    chunk.fill.push(0.0);
    assert!(chunk.check(&options).unwrap_err().contains("at most 4 together"));
    chunk.fill.clear();
    chunk.shape[0] = 0;
    assert!(chunk.check(&options).is_err());
}

#[test]
fn without_hdf5_the_filter_refuses() {
    let words = CdValues { options: Options::parse("range=0.1").unwrap(), chunk: None }.write();
    let (mut size, mut chunk): (usize, *mut c_void) = (0, ptr::null_mut());
    // SAFETY: the words are as long as said; there is no chunk.
    let len = unsafe { filter(0, words.len(), words.as_ptr(), 0, &mut size, &mut chunk) };
    assert_eq!((len, size, chunk), (0, 0, ptr::null_mut()));
}

#[test]
fn the_number_is_one_for_tests_and_the_manual_has_it() {
    assert!((256..512).contains(&FILTER_ID), "an assigned number: say so where it said testing");
    let manual = include_str!("../../../docs/hdf5.md");
    assert!(manual.contains(&format!("UD={FILTER_ID},")));
    let header = include_str!("../include/fsz_hdf5.h");
    let room = header.split_once("FSZ_HDF5_MAX_CD_VALUES ").expect("the header has it").1;
    let room: usize = room.lines().next().unwrap().parse().unwrap();
    assert!(room >= MAX_WORDS);
}
