//! Streams that stay in device memory: whole fields, tiles and boxes are those of the CPU. Runs as `cuda` does.
#![cfg(feature = "cuda")]

mod common;

use common::{
    compress,
    inputs::{KINDS, Random, field},
    or_skip, pairs, some,
};
use fsz::{
    Bound, Codec, CompressOptions, Dense, Element, Error, Profile, Scalar, Stream,
    cuda::{DeviceCodec, DeviceMemory, DeviceStream},
};

fn is_there(what: &str) -> bool {
    or_skip(what, DeviceCodec::open(0)).is_some()
}

fn codings() -> Vec<CompressOptions> {
    let bounds = [Bound::ValueRange(1e-3), Bound::Relative { eps: 1e-3, floor: 0.0 }];
    let profiles = [Profile::default(), Profile::Dense(Dense::new())];
    let of = |bound| profiles.map(|profile| CompressOptions::new(bound).profile(profile));
    bounds.into_iter().flat_map(of).collect()
}

fn same<T: Element + Scalar>(a: &[T], b: &[T]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits64() == b.to_bits64())
}

/// Many parts of one stream, from the device and from the CPU.
fn parts<T: Element + Scalar>(what: &str, kind: &str, shape: &[u64], options: &CompressOptions) {
    let n = shape.iter().product::<u64>() as usize;
    let zero = T::from_f64(0.0);
    let what = format!("{what} {shape:?} of {kind}");
    let bytes = compress(&Codec::cpu(), &field::<T>(kind, n, 7), shape, options);
    let stream = Stream::open(&bytes).expect("opens");
    let there = DeviceStream::upload(0, &stream).expect("uploads");
    assert_eq!(there.header().shape, shape);
    assert_eq!(there.place().1, bytes.len() as u64);
    let (mut found, mut expected) = (vec![zero; n], vec![zero; n]);
    there.decompress_into(&mut found).expect("decodes");
    Codec::cpu().decompress_into(&stream, &mut expected).expect("decodes");
    assert!(same(&found, &expected), "{what}: the whole field");

    let mut random = Random::new(n as u64);
    for _ in 0..12 {
        let tiles = stream.grid().tiles() as usize;
        let first = random.below(tiles);
        let tiles = first as u64..(first + random.below(tiles - first + 1)) as u64;
        let len = stream.grid().len_of(tiles.clone()) as usize;
        let (mut found, mut expected) = (vec![zero; len], vec![zero; len]);
        there.decompress_tiles_into(tiles.clone(), &mut found).expect("decodes");
        let codec = Codec::cpu();
        codec.decompress_tiles_into(&stream, tiles.clone(), &mut expected).expect("decodes");
        assert!(same(&found, &expected), "{what}: tiles {tiles:?}");

        let start: Vec<u64> = shape.iter().map(|&n| random.below(n as usize) as u64).collect();
        let count = shape.iter().zip(&start).map(|(&n, &s)| random.below((n - s) as usize + 1));
        let count: Vec<u64> = count.map(|n| n as u64).collect();
        let len = count.iter().product::<u64>() as usize;
        let (mut found, mut expected) = (vec![zero; len], vec![zero; len]);
        there.decompress_box_into(&start, &count, &mut found).expect("decodes");
        codec.decompress_box_into(&stream, &start, &count, &mut expected).expect("decodes");
        assert!(same(&found, &expected), "{what}: {count:?} from {start:?}");
        let lent = there.decompress_box_with(&start, &count, |lent: &[T]| same(lent, &expected));
        assert!(lent.expect("decodes"), "{what}: lent {count:?} from {start:?}");
    }
}

#[test]
fn any_part_is_that_of_the_cpu() {
    if !is_there("parts of streams in device memory") {
        return;
    }
    let shapes = [&[100_003][..], &[33, 50, 70], &[3, 9, 40, 60]];
    for ((kind, shape), options) in some(pairs(&pairs(&KINDS, &shapes), &codings())) {
        let what = format!("{options:?}");
        parts::<f32>(&what, kind, shape, &options);
        parts::<f64>(&what, kind, shape, &options);
    }
}

#[test]
fn it_is_decoded_in_device_memory_too() {
    if !is_there("streams in device memory, decoded there") {
        return;
    }
    let (shape, n) = ([20, 30, 40], 24_000);
    for options in codings() {
        let bytes = compress(&Codec::cpu(), &field::<f32>(KINDS[0], n, 3), &shape, &options);
        let stream = Stream::open(&bytes).expect("opens");
        let there = DeviceStream::upload(0, &stream).expect("uploads");
        let out = DeviceMemory::new(0, 4 * n, 0xA5).expect("allocates");
        let scratch = DeviceMemory::new(0, DeviceCodec::DECOMPRESS_SCRATCH, 0).expect("allocates");
        let (codec, queue) = (there.codec(), std::ptr::null_mut());
        // SAFETY: the memory was sized above, and the outcome is waited for.
        unsafe {
            let (to, scratch) = (out.address(), scratch.address());
            codec.decompress(there.kind(), there.place(), to, scratch, queue).expect("enqueues");
            codec.outcome(scratch, queue).expect("decodes");
        }
        let mut found = vec![0; 4 * n];
        out.read(0, &mut found).expect("reads");
        let mut expected = vec![0f32; n];
        Codec::cpu().decompress_into(&stream, &mut expected).expect("decodes");
        let expected: Vec<u8> = expected.iter().flat_map(|d| d.to_le_bytes()).collect();
        assert!(found == expected);
    }
}

#[test]
fn what_is_wrong_is_told() {
    if !is_there("errors of streams in device memory") {
        return;
    }
    let shape = [9, 20, 30];
    for options in codings() {
        let mut bytes = compress(&Codec::cpu(), &field::<f32>(KINDS[0], 5400, 1), &shape, &options);
        let stream = Stream::open(&bytes).expect("opens");
        let there = DeviceStream::upload(0, &stream).expect("uploads");
        let tiles = stream.grid().tiles();
        let mut out = [0f32; 600];
        let invalid = |answer| matches!(answer, Err(Error::InvalidArgument(_)));
        assert!(invalid(there.decompress_into(&mut out)), "too short");
        assert!(invalid(there.decompress_into(&mut [0f64; 5400])), "another type");
        assert!(invalid(there.decompress_tiles_into(0..tiles + 1, &mut out)));
        assert!(invalid(there.decompress_box_into(&[9, 0, 0], &[1, 20, 30], &mut out)));
        assert!(invalid(there.decompress_box_into(&[u64::MAX, 0, 0], &[1, 20, 30], &mut out)));
        assert!(invalid(there.decompress_box_into(&[0, 0], &[20, 30], &mut out)));
        there.decompress_box_into(&[8, 0, 0], &[1, 20, 30], &mut out).expect("inside");
        assert!(invalid(there.decompress_box_with(&[9, 0, 0], &[1, 20, 30], |_: &[f32]| ())));
        assert!(invalid(there.decompress_box_with(&[8, 0, 0], &[1, 20, 30], |_: &[f64]| ())));
        // A damaged payload; the stream still opens, and another is not touched by it.
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        let damaged = DeviceStream::upload(0, &Stream::open(&bytes).expect("opens"));
        let mut all = [0f32; 5400];
        let damaged = damaged.expect("uploads");
        let answer = damaged.decompress_into(&mut all);
        assert!(matches!(answer, Err(Error::Corrupt(_))), "{answer:?}");
        let read = |_: &[f32]| panic!("nothing of it is lent");
        let answer = damaged.decompress_box_with(&[0, 0, 0], &shape, read);
        assert!(matches!(answer, Err(Error::Corrupt(_))), "{answer:?}");
        there.decompress_into(&mut all).expect("decodes");
    }
}
