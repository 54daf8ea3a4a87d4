//! Large fields in host memory through a device: they are encoded and decoded in parts, while others are on the bus.
#![cfg(feature = "cuda")]

mod common;

use common::{
    compress,
    inputs::{KINDS, Random, field},
    or_skip,
};
use cudarc::driver::{result, sys};
use fsz::{
    Bound, Codec, CompressOptions, DecompressOptions, Dense, Element, Error, Layout, Profile,
    Stream,
};

/// Elements of a field of many pieces, of which the last is not whole.
const MANY: usize = 5_000_321;
/// Bytes of a field that is encoded in sections, and a little more than whole ones.
const LARGE: usize = (140 << 20) + 5136;

/// The same where layout and tables are chosen.
const LARGE_TO_CHOOSE: usize = (516 << 20) + 5136;

/// A field of so many bytes, of [`MANY`] elements again and again.
fn of_len<T: Element>(kind: &str, bytes: usize) -> Vec<T> {
    field::<T>(kind, MANY, 8).into_iter().cycle().take(bytes / size_of::<T>()).collect()
}

fn large<T: Element>(kind: &str) -> Vec<T> {
    of_len(kind, LARGE)
}

fn device() -> Option<Codec> {
    or_skip("large fields", Codec::cuda(0))
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

/// Damages a stream's payload here and there, and then decodes it as it was.
fn damage_is_told(codec: &Codec, bytes: &[u8], random: &mut Random, back: &mut [f32]) {
    let whole = Stream::open(bytes).expect("opens");
    let payload = whole.sections().payload as usize;
    for round in 0..20 {
        let mut damaged = bytes.to_vec();
        let at = match round {
            0 => payload,
            1 => bytes.len() - 1,
            _ => payload + random.below(bytes.len() - payload),
        };
        damaged[at] ^= 1 << random.below(8);
        let stream = Stream::open(&damaged).expect("the payload is not looked at");
        let answer = codec.decompress_into(&stream, back);
        assert!(matches!(answer, Err(Error::Corrupt(_))), "byte {at}: {answer:?}");
    }
    // What was damaged before leaves no trace.
    same_field(codec, &whole, back);
}

#[test]
fn damage_in_any_piece_is_told() {
    let Some(codec) = device() else { return };
    let mut random = Random::new(6);
    let mut back = vec![0f32; MANY];
    for bytes in streams::<f32>() {
        damage_is_told(&codec, &bytes, &mut random, &mut back);
    }
}

/// So many numbers in memory that is pinned and kept to the end of the process.
fn pinned(len: usize) -> &'static mut [f32] {
    let device = fsz::cuda::DeviceCodec::open(0).expect("opens");
    let _current = fsz::cuda::internal::enter(&device).expect("enters");
    // SAFETY: allocated for so many numbers, which are set before they are seen.
    unsafe {
        let at = result::malloc_host(4 * len, sys::CU_MEMHOSTALLOC_PORTABLE).expect("allocates");
        at.cast::<u8>().write_bytes(0xA5, 4 * len);
        std::slice::from_raw_parts_mut(at.cast(), len)
    }
}

#[test]
fn pinned_memory_is_written_without_a_copy_between() {
    let Some(codec) = device() else { return };
    let bytes = streams::<f32>().swap_remove(0);
    let stream = Stream::open(&bytes).expect("opens");
    let found = pinned(MANY);
    let mut expected = vec![0f32; MANY];
    codec.decompress_into(&stream, found).expect("decodes");
    Codec::cpu().decompress_into(&stream, &mut expected).expect("decodes");
    assert!(expected.iter().zip(&*found).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn pinned_fields_make_the_stream_of_the_cpu() {
    let Some(codec) = device() else { return };
    let codec = codec.threads(4).expect("threads");
    let data = pinned(LARGE_TO_CHOOSE / 4);
    data.copy_from_slice(&of_len::<f32>("smooth, noise", LARGE_TO_CHOOSE));
    for profile in [Profile::default(), dense()] {
        let options = CompressOptions::new(Bound::Absolute(1e-3)).profile(profile);
        same_stream(&codec, "pinned", data, &options);
    }
}

/// Compresses on the CPU and on the device, and compares.
fn same_stream<T: Element>(codec: &Codec, what: &str, data: &[T], options: &CompressOptions) {
    same_stream_of_shape(codec, what, (data, &[data.len() as u64]), options);
}

fn same_stream_of_shape<T: Element>(
    codec: &Codec,
    what: &str,
    (data, shape): (&[T], &[u64]),
    options: &CompressOptions,
) {
    let expected = compress(&Codec::cpu(), data, shape, options);
    let found = compress(codec, data, shape, options);
    let at = expected.iter().zip(&found).position(|(a, b)| a != b);
    let what = format!("{what}, {} {shape:?} {options:?}", T::DTYPE);
    assert_eq!((at, expected.len()), (None, found.len()), "{what}");
}

fn sections<T: Element>(codec: &Codec) {
    let range = Bound::ValueRangeOf { ratio: 1e-3, min: -13.0, max: 13.0 };
    let bounds = [Bound::Absolute(1e-2), Bound::Absolute(1e-6), Bound::Absolute(1e-30), range];
    let alone = codec.clone().threads(1).expect("one thread");
    for kind in ["smooth, noise", "ragged land", "nan in places", "outliers", "constant"] {
        let data = large::<T>(kind);
        for bound in bounds {
            let options = CompressOptions::new(bound).missing(1e20).missing(-999.0);
            same_stream(codec, kind, &data, &options);
        }
        let options = CompressOptions::new(bounds[0]);
        same_stream(&alone, kind, &data, &options);
        // Of a size that is encoded at once.
        same_stream(codec, kind, &data[..MANY / 2], &options);
    }
}

#[test]
fn sections_make_the_stream_of_the_cpu() {
    let Some(codec) = device() else { return };
    sections::<f32>(&codec);
    sections::<f64>(&codec);
}

fn dense() -> Profile {
    Profile::Dense(Dense::new())
}

fn sections_of_boxes<T: Element>(codec: &Codec) {
    let n = (LARGE_TO_CHOOSE / size_of::<T>()) as u64;
    let shapes = [
        ("smooth, noise", vec![n]),
        ("ragged land", vec![n / 6050, 6050]),
        ("nan in places", vec![n / (250 * 351), 250, 351]),
        // Bricks that are cut along all axes, in cells that are as thick as many sections.
        ("smooth, noise", vec![2, 3, n / (6 * 17 * 1301), 17, 1301]),
        ("outliers", vec![3, n / (3 * 97 * 101), 97, 101]),
        ("constant", vec![n / 1000, 1000]),
    ];
    for (kind, shape) in shapes {
        let data = &of_len::<T>(kind, LARGE_TO_CHOOSE)[..shape.iter().product::<u64>() as usize];
        let range = Bound::ValueRangeOf { ratio: 1e-3, min: -13.0, max: 13.0 };
        for bound in [Bound::Absolute(1e-2), Bound::Absolute(1e-6), range] {
            let options = CompressOptions::new(bound).missing(1e20).profile(dense());
            same_stream_of_shape(codec, kind, (data, &shape), &options);
        }
    }
}

#[test]
fn sections_of_boxes_make_the_stream_of_the_cpu() {
    let Some(codec) = device() else { return };
    let several = codec.threads(4).expect("threads");
    sections_of_boxes::<f32>(&several);
    sections_of_boxes::<f64>(&several);
}

#[test]
fn sections_of_boxes_that_are_coded_like_others_or_in_a_layout() {
    let Some(codec) = device() else { return };
    let several = codec.clone().threads(4).expect("threads");
    let data = of_len::<f32>("smooth, noise", LARGE_TO_CHOOSE);
    let shape = [data.len() as u64 / (70 * 900), 70, 900];
    let data = &data[..shape.iter().product::<u64>() as usize];
    for layout in Layout::ALL {
        let profile = Profile::Dense(Dense::new().with_layout(layout));
        let options = CompressOptions::new(Bound::Absolute(1e-3)).profile(profile);
        same_stream_of_shape(&several, "a layout", (data, &shape), &options);
        let first =
            compress(&Codec::cpu(), &data[..shape[2] as usize * 700], &[10, 70, 900], &options);
        let like = options.like(&Stream::open(&first).expect("opens")).expect("a model");
        for codec in [&codec, &several] {
            same_stream_of_shape(codec, "like", (data, &shape), &like);
        }
    }
}

/// Bytes of a field that is decoded in slabs.
const SLABS: usize = (100 << 20) + 5136;

/// Fields that are decoded in slabs, and their shapes.
fn fields_of_slabs<T: Element>() -> [(&'static str, Vec<u64>); 6] {
    let n = (SLABS / size_of::<T>()) as u64;
    [
        ("smooth, noise", vec![n]),
        ("ragged land", vec![n / 6050, 6050]),
        ("nan in places", vec![n / (250 * 351), 250, 351]),
        ("smooth, noise", vec![2, 3, n / (6 * 47 * 501), 47, 501]),
        ("outliers", vec![3, 1, n / (3 * 97 * 101), 97, 101]),
        ("constant", vec![n / 1000, 1000]),
    ]
}

/// The layouts whose boxes a field of this shape fills, that of the most axes last.
fn layouts(shape: &[u64]) -> &'static [Layout] {
    let axes = shape.iter().filter(|&&n| n > 1).count();
    &[Layout::Line, Layout::Plane, Layout::Brick][..axes.min(3)]
}

/// Of a field, what the CPU makes of it.
fn stream_of<T: Element>(kind: &str, shape: &[u64], layout: Layout, bound: Bound) -> Vec<u8> {
    let data = &of_len::<T>(kind, SLABS)[..shape.iter().product::<u64>() as usize];
    let profile = Profile::Dense(Dense::new().with_layout(layout));
    let options = CompressOptions::new(bound).missing(1e20).profile(profile);
    compress(&Codec::cpu(), data, shape, &options)
}

fn same_field<T: Element>(codec: &Codec, stream: &Stream<'_>, found: &mut [T]) {
    let mut expected = vec![T::ZERO; found.len()];
    found.fill(T::from_f64(-12345.678));
    Codec::cpu().decompress_into(stream, &mut expected).expect("decodes");
    codec.decompress_into(stream, found).expect("decodes");
    let differs = |i: &usize| expected[*i].to_bits64() != found[*i].to_bits64();
    let what = &stream.header().shape;
    assert_eq!((0..found.len()).find(differs), None, "{what:?} {}", T::DTYPE);
}

fn slabs<T: Element>(codec: &Codec) {
    let alone = codec.clone().threads(1).expect("one thread");
    let relative = Bound::Relative { eps: 1e-3, floor: 1e-3 };
    for (i, (kind, shape)) in fields_of_slabs::<T>().into_iter().enumerate() {
        for (k, &layout) in layouts(&shape).iter().enumerate() {
            let bound = [Bound::Absolute(1e-3), relative][(i + k) % 2];
            let bytes = stream_of::<T>(kind, &shape, layout, bound);
            let stream = Stream::open(&bytes).expect("opens");
            let mut found = vec![T::ZERO; shape.iter().product::<u64>() as usize];
            same_field(if k == 0 { &alone } else { codec }, &stream, &mut found);
        }
    }
}

#[test]
fn slabs_are_what_the_cpu_decodes() {
    let Some(codec) = device() else { return };
    slabs::<f32>(&codec);
    slabs::<f64>(&codec);
}

#[test]
fn slabs_to_pinned_memory_several_calls_at_once() {
    let Some(codec) = device() else { return };
    std::thread::scope(|scope| {
        for (kind, shape) in fields_of_slabs::<f32>() {
            let codec = &codec;
            scope.spawn(move || {
                let layout = layouts(&shape)[layouts(&shape).len() - 1];
                let bytes = stream_of::<f32>(kind, &shape, layout, Bound::Absolute(1e-3));
                let stream = Stream::open(&bytes).expect("opens");
                let found = pinned(shape.iter().product::<u64>() as usize);
                (0..2).for_each(|_| same_field(codec, &stream, found));
            });
        }
    });
}

#[test]
fn damage_in_any_slab_is_told() {
    let Some(codec) = device() else { return };
    let codec = codec.threads(4).expect("threads");
    let (kind, shape) = fields_of_slabs::<f32>()[3].clone();
    let bytes = stream_of::<f32>(kind, &shape, Layout::Brick, Bound::Absolute(1e-3));
    let mut back = vec![0f32; shape.iter().product::<u64>() as usize];
    damage_is_told(&codec, &bytes, &mut Random::new(7), &mut back);
}

/// The range of elements that is found on the way, of all kinds of them.
fn found_ranges<T: Element>(codec: &Codec) {
    let relative = Bound::Relative { eps: 1e-3, floor: 0.0 };
    let of_range = Bound::ValueRangeOf { ratio: 1e-3, min: -13.0, max: 13.0 };
    for (i, kind) in KINDS.into_iter().enumerate() {
        for n in [1, 257, 40_000, 300_001] {
            let data = field::<T>(kind, n, i as u64);
            for bound in [Bound::Absolute(1e-2), Bound::Absolute(1e-9), of_range, relative] {
                same_stream(codec, kind, &data, &CompressOptions::new(bound));
                same_stream(codec, kind, &data, &CompressOptions::new(bound).missing(1e20));
            }
        }
    }
}

#[test]
fn ranges_are_those_of_the_cpu() {
    let Some(codec) = device() else { return };
    found_ranges::<f32>(&codec);
    found_ranges::<f64>(&codec);
}

#[test]
fn the_largest_sample_may_look_like_a_missing_value() {
    let Some(codec) = device() else { return };
    let value = |i| if i % 7 == 3 { 500.0 } else { -500.0 };
    let data: Vec<f32> = (0..LARGE / 4).map(value).collect();
    let options = CompressOptions::new(Bound::Absolute(1e-5)).missing(500.0);
    same_stream(&codec, "a missing value", &data, &options);
}

#[test]
fn an_output_that_ends_too_soon_is_refused() {
    let Some(codec) = device() else { return };
    let codec = codec.threads(4).expect("threads");
    let paper = Profile::default();
    for (kind, profile) in [("smooth, noise", paper), ("noise", paper), ("smooth, noise", dense())]
    {
        let data = of_len::<f32>(kind, LARGE_TO_CHOOSE);
        let options = CompressOptions::new(Bound::Absolute(1e-4)).profile(profile);
        let shape = [data.len() as u64];
        let len = compress(&Codec::cpu(), &data, &shape, &options).len();
        let mut out = vec![0; len];
        for len in [len - 1, len / 2, len / 10] {
            let answer = codec.compress_into(&data, &shape, &options, &mut out[..len]);
            assert!(matches!(answer, Err(Error::InvalidArgument(_))), "{len}: {answer:?}");
        }
        assert_eq!(codec.compress_into(&data, &shape, &options, &mut out).expect("fits"), len);
    }
}

#[test]
fn a_cancelled_call_leaves_the_device_ready() {
    let Some(codec) = device() else { return };
    let codec = codec.threads(4).expect("threads");
    let data = of_len::<f32>("smooth, noise", LARGE_TO_CHOOSE);
    for profile in [Profile::default(), dense()] {
        let progress = std::sync::Arc::new(fsz::Progress::default());
        let options = CompressOptions::new(Bound::Absolute(1e-4)).profile(profile);
        let shape = [data.len() as u64];
        let cancelled = options.clone().progress(progress.clone());
        let mut out = vec![0; LARGE_TO_CHOOSE + LARGE_TO_CHOOSE / 100];
        progress.cancel();
        let answer = codec.compress_into(&data, &shape, &cancelled, &mut out);
        assert!(matches!(answer, Err(Error::Cancelled)), "{answer:?}");
        same_stream(&codec, "after that", &data, &options);
        let bytes = compress(&codec, &data, &shape, &options);
        let stream = Stream::open(&bytes).expect("opens");
        let mut back = vec![0f32; data.len()];
        let cancelled = DecompressOptions::new().progress(progress);
        let answer = codec.decompress_with(&stream, &mut back, &cancelled);
        assert!(matches!(answer, Err(Error::Cancelled)), "{answer:?}");
        same_field(&codec, &stream, &mut back);
    }
}

#[test]
fn several_calls_at_once_share_the_device() {
    let Some(codec) = device() else { return };
    let streams = streams::<f32>();
    let data = large::<f32>("ragged land");
    std::thread::scope(|scope| {
        for bytes in &streams {
            scope.spawn(|| {
                let stream = Stream::open(bytes).expect("opens");
                for _ in 0..3 {
                    same_tiles::<f32>(&codec, &stream, 0..stream.grid().tiles());
                    let options = CompressOptions::new(Bound::Absolute(1e-3));
                    same_stream(&codec, "at once", &data, &options);
                    same_stream(&codec, "at once", &data, &options.profile(dense()));
                }
            });
        }
    });
}
