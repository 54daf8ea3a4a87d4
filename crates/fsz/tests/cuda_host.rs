//! Large fields in host memory through a device: they are decoded in pieces, while others are on the bus.
#![cfg(feature = "cuda")]

mod common;

use common::{
    compress,
    inputs::{Random, field},
};
use cudarc::driver::{result, sys};
use fsz::{Bound, Codec, CompressOptions, Element, Stream};

/// Elements of a field of many pieces, of which the last is not whole.
const MANY: usize = 5_000_321;

fn device() -> Option<Codec> {
    let codec = Codec::cuda(0);
    if let Err(why) = &codec {
        assert!(std::env::var_os("FSZ_REQUIRE_CUDA").is_none(), "large fields: {why}");
        eprintln!("SKIPPED: large fields: {why}");
    }
    codec.ok()
}

/// Streams of all kinds of tiles; the last of no tile that is shorter than its elements.
fn streams<T: Element>() -> Vec<Vec<u8>> {
    let cases = [
        ("smooth, noise", Bound::ValueRange(1e-3)),
        ("ragged land", Bound::Absolute(1e-3)),
        ("outliers", Bound::Relative { eps: 1e-3, floor: 1e-3 }),
        ("noise", Bound::Absolute(1e-30)),
    ];
    let stream = |(kind, bound)| {
        let options = CompressOptions::new(bound);
        compress(&Codec::cpu(), &field::<T>(kind, MANY, 3), &[MANY as u64], &options)
    };
    cases.map(stream).into()
}

fn same_tiles<T: Element>(codec: &Codec, stream: &Stream<'_>, tiles: std::ops::Range<u64>) {
    let len = stream.grid().len_of(tiles.clone()) as usize;
    let [mut expected, mut found] = [0, 1].map(|_| vec![T::from_f64(-12345.678); len]);
    Codec::cpu().decompress_tiles_into(stream, tiles.clone(), &mut expected).expect("decodes");
    codec.decompress_tiles_into(stream, tiles.clone(), &mut found).expect("decodes");
    let differs = |i: &usize| expected[*i].to_bits64() != found[*i].to_bits64();
    assert_eq!((0..len).find(differs), None, "tiles {tiles:?} of {}", T::DTYPE);
}

fn tiles_and_fields<T: Element>(codec: &Codec) {
    let mut random = Random::new(5);
    for bytes in streams::<T>() {
        let stream = Stream::open(&bytes).expect("opens");
        let tiles = stream.grid().tiles();
        same_tiles::<T>(codec, &stream, 0..tiles);
        let alone = codec.clone().threads(1).expect("one thread");
        same_tiles::<T>(&alone, &stream, 1..tiles);
        for _ in 0..5 {
            let first = random.below(tiles as usize / 2) as u64;
            let count = (tiles / 4 + random.below(tiles as usize / 2) as u64).min(tiles - first);
            same_tiles::<T>(codec, &stream, first..first + count);
        }
    }
}

#[test]
fn pieces_are_what_the_cpu_decodes() {
    let Some(codec) = device() else { return };
    tiles_and_fields::<f32>(&codec);
    tiles_and_fields::<f64>(&codec);
}

#[test]
fn damage_in_any_piece_is_told() {
    let Some(codec) = device() else { return };
    let mut random = Random::new(6);
    for bytes in streams::<f32>() {
        let payload = Stream::open(&bytes).expect("opens").sections().payload as usize;
        let mut back = vec![0f32; MANY];
        for round in 0..20 {
            let mut damaged = bytes.clone();
            let at = match round {
                0 => payload,
                1 => bytes.len() - 1,
                _ => payload + random.below(bytes.len() - payload),
            };
            damaged[at] ^= 1 << random.below(8);
            let stream = Stream::open(&damaged).expect("the payload is not looked at");
            let answer = codec.decompress_into(&stream, &mut back);
            assert!(matches!(answer, Err(fsz::Error::Corrupt(_))), "byte {at}: {answer:?}");
        }
        // What was damaged before leaves no trace.
        same_tiles::<f32>(&codec, &Stream::open(&bytes).expect("opens"), 0..MANY as u64 / 256);
    }
}

#[test]
fn pinned_memory_is_written_without_a_copy_between() {
    let Some(codec) = device() else { return };
    let bytes = streams::<f32>().swap_remove(0);
    let stream = Stream::open(&bytes).expect("opens");
    let device = fsz::cuda::DeviceCodec::open(0).expect("opens");
    let _current = fsz::cuda::internal::enter(&device).expect("enters");
    // SAFETY: the memory is kept to the end of the process.
    let pinned = unsafe { result::malloc_host(4 * MANY, sys::CU_MEMHOSTALLOC_PORTABLE) };
    let pinned = pinned.expect("allocates").cast::<f32>();
    // SAFETY: allocated above for so many numbers, which are set before they are seen.
    let found = unsafe {
        pinned.write_bytes(0xA5, MANY);
        std::slice::from_raw_parts_mut(pinned, MANY)
    };
    let mut expected = vec![0f32; MANY];
    codec.decompress_into(&stream, found).expect("decodes");
    Codec::cpu().decompress_into(&stream, &mut expected).expect("decodes");
    assert!(expected.iter().zip(&*found).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn several_calls_at_once_share_the_device() {
    let Some(codec) = device() else { return };
    let streams = streams::<f32>();
    std::thread::scope(|scope| {
        for bytes in &streams {
            scope.spawn(|| {
                let stream = Stream::open(bytes).expect("opens");
                for _ in 0..3 {
                    same_tiles::<f32>(&codec, &stream, 0..stream.grid().tiles());
                }
            });
        }
    });
}
