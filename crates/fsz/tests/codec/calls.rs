//! Every call of the codec: parts of fields, buffers of the caller's, refusals, progress, size bounds.

use std::{process::Command, sync::Arc};

use crate::common::{
    check_promise, codecs, compress, decompress,
    inputs::{KINDS, Random, field},
    profiles,
};
use fsz::{
    Backend, Bound, Codec, CompressOptions, DecompressOptions, Dense, Error, Layout, Profile,
    Progress, Research, Stream, max_compressed_len,
};
use ndarray::{Array3, ArrayD, Axis, IxDyn, s};

#[test]
fn boxes_and_slices_are_parts_of_the_whole() {
    let mut random = Random::new(3);
    let shapes = [vec![40_000], vec![301, 207], vec![19, 53, 71], vec![5, 6, 7, 8, 9]];
    let shapes = shapes.iter().flat_map(|shape| profiles().map(|(_, profile)| (shape, profile)));
    for (shape, profile) in shapes {
        for kind in ["smooth, noise", "ragged land"] {
            let n = shape.iter().product::<u64>() as usize;
            let data = field::<f32>(kind, n, 4);
            let options = CompressOptions::new(Bound::ValueRange(1e-3)).profile(profile);
            for (_, codec) in codecs() {
                let bytes = compress(&codec, &data, shape, &options);
                let stream = Stream::open(&bytes).expect("opens");
                let whole = codec.decompress::<f32>(&stream).expect("decodes");
                let same = |a: &ArrayD<f32>, b: ndarray::ArrayViewD<'_, f32>| {
                    a.shape() == b.shape()
                        && a.iter().zip(b.iter()).all(|(x, y)| x.to_bits() == y.to_bits())
                };
                for (axis, &len) in shape.iter().enumerate() {
                    for index in [0, len / 2, len - 1] {
                        let slice = codec
                            .decompress_slice::<f32>(&stream, Axis(axis), index)
                            .expect("decodes");
                        assert!(same(&slice, whole.index_axis(Axis(axis), index as usize)));
                    }
                }
                for _ in 0..20 {
                    let start: Vec<u64> =
                        shape.iter().map(|&n| random.below(n as usize + 1) as u64).collect();
                    let count: Vec<u64> = shape
                        .iter()
                        .zip(&start)
                        .map(|(&n, &s)| random.below((n - s) as usize + 1) as u64)
                        .collect();
                    let part =
                        codec.decompress_box::<f32>(&stream, &start, &count).expect("decodes");
                    let expected = whole.slice_each_axis(|a| {
                        let (s, c) = (start[a.axis.index()], count[a.axis.index()]);
                        ndarray::Slice::from(s as usize..(s + c) as usize)
                    });
                    assert!(same(&part, expected), "{shape:?} {start:?} {count:?}");
                }
            }
        }
    }
}

#[test]
fn any_range_of_tiles_decodes() {
    let n = 11 * 16384 + 1000;
    let data = field::<f64>("land", n, 4);
    let mut random = Random::new(8);
    for ((_, codec), (_, profile)) in
        codecs().into_iter().flat_map(|codec| profiles().map(|profile| (codec.clone(), profile)))
    {
        let options = CompressOptions::new(Bound::Absolute(0.01)).missing(1e20).profile(profile);
        let bytes = compress(&codec, &data, &[n as u64], &options);
        let whole = decompress::<f64>(&codec, &bytes);
        let stream = Stream::open(&bytes).expect("opens");
        let grid = stream.grid();
        let (tiles, len) = (grid.tiles() as usize, grid.full_tile_len());
        assert_eq!(tiles, n.div_ceil(len));
        for _ in 0..60 {
            let begin = random.below(tiles + 1);
            let end = begin + random.below(tiles - begin + 1);
            let expected = &whole[(len * begin).min(n)..(len * end).min(n)];
            let mut part = vec![-1.0; expected.len()];
            codec
                .decompress_tiles_into(&stream, begin as u64..end as u64, &mut part)
                .expect("decodes");
            assert!(part == expected, "{begin}..{end}");
        }
    }
}

#[test]
fn a_stream_never_exceeds_its_stated_bound() {
    for kind in KINDS {
        for n in [0, 1, 2, 31, 255, 256, 257, 4097, 33_000] {
            for bound in [Bound::Absolute(1e-30), Bound::Absolute(1e-3), Bound::ValueRange(1e-9)] {
                for (block_len, blocks_per_tile) in [(32, 8), (32, 4), (32, 16), (64, 4), (64, 16)]
                {
                    let research = Research { block_len, blocks_per_tile, ..Research::default() };
                    let options =
                        CompressOptions::new(bound).research(research).name(&"n".repeat(1024));
                    let data = field::<f32>(kind, n, 6);
                    let bytes = compress(&Codec::cpu(), &data, &[n as u64], &options);
                    let back = decompress::<f32>(&Codec::cpu(), &bytes);
                    check_promise(&data, &back, &bytes, &[]);
                    // The statement of FORMAT.md, beside the buffer that was enough.
                    let tiles = (n as u64).div_ceil((block_len * blocks_per_tile) as u64);
                    let chunks = (n as u64).div_ceil(16384);
                    let stated = 1344
                        + tiles * blocks_per_tile as u64
                        + 6 * chunks
                        + 8 * chunks.div_ceil(64)
                        + 64
                        + 4 * n as u64;
                    assert!(bytes.len() as u64 <= stated, "{kind} {n}");
                }
            }
        }
    }
}

#[test]
fn a_stream_of_dense_never_exceeds_its_stated_bound() {
    for kind in KINDS {
        for n in [0, 1, 2, 31, 255, 4095, 4096, 4097, 8 * 4096 + 1, 70_000] {
            for bound in [Bound::Absolute(1e-30), Bound::Absolute(1e-3), Bound::ValueRange(1e-9)] {
                for (_, profile) in &profiles()[1..] {
                    let name = "n".repeat(1024);
                    let options = CompressOptions::new(bound).profile(*profile).name(&name);
                    let data = field::<f32>(kind, n, 6);
                    let bytes = compress(&Codec::cpu(), &data, &[n as u64], &options);
                    let back = decompress::<f32>(&Codec::cpu(), &bytes);
                    check_promise(&data, &back, &bytes, &[]);
                    // The statement of FORMAT.md, beside the buffer that was enough.
                    let chunks = n / 4096 + 2;
                    let index = 168 * chunks + 8 * (chunks.div_ceil(64) + 1);
                    let stated = 1344 + index + 64 + 4096 + 4 * n;
                    assert!(bytes.len() <= stated, "{kind} {n}: {} of {stated}", bytes.len());
                }
            }
        }
    }
}

#[test]
fn a_buffer_that_is_too_small_is_refused() {
    let data = field::<f32>("noise", 70_000, 1);
    for ((_, codec), (_, profile)) in
        codecs().into_iter().flat_map(|codec| profiles().map(|profile| (codec.clone(), profile)))
    {
        let options = CompressOptions::new(Bound::Absolute(1e-5)).profile(profile);
        let full = compress(&codec, &data, &[70_000], &options);
        for len in [0, 100, 5000, full.len() / 2, full.len() - 1] {
            let outcome = codec.compress_into(&data, &[70_000], &options, &mut vec![0; len]);
            assert!(matches!(outcome, Err(Error::InvalidArgument(_))), "{len} of {}", full.len());
        }
        let mut exact = vec![0; full.len()];
        assert_eq!(
            codec.compress_into(&data, &[70_000], &options, &mut exact).expect("fits"),
            full.len()
        );
        assert!(exact == full);
    }
}

#[test]
fn misuse_is_refused_with_a_reason() {
    let codec = Codec::cpu();
    let data = [1f32, 2.0, 3.0, 4.0];
    let refused = |shape: &[u64], options: CompressOptions| {
        let mut out = vec![0; 4096];
        match codec.compress_into(&data, shape, &options, &mut out) {
            Err(Error::InvalidArgument(why)) => assert!(!why.is_empty()),
            other => panic!("{shape:?} {options:?}: {other:?}"),
        }
    };
    for e in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(&[4], CompressOptions::new(Bound::Absolute(e)));
        refused(&[4], CompressOptions::new(Bound::ValueRange(e)));
    }
    refused(&[4], CompressOptions::new(Bound::ValueRangeOf { ratio: 0.1, min: 2.0, max: 1.0 }));
    refused(
        &[4],
        CompressOptions::new(Bound::ValueRangeOf { ratio: 0.1, min: f64::NAN, max: 1.0 }),
    );
    refused(&[5], CompressOptions::new(Bound::Absolute(1.0)));
    refused(&[u64::MAX, 2], CompressOptions::new(Bound::Absolute(1.0)));
    refused(&[1; 9], CompressOptions::new(Bound::Absolute(1.0)));
    refused(&[4], CompressOptions::new(Bound::Absolute(1.0)).name(&"n".repeat(1025)));
    refused(&[4], CompressOptions::new(Bound::Absolute(1.0)).start(&[1, 2]));
    let five = (0..5).fold(CompressOptions::new(Bound::Absolute(1.0)), |o, i| o.missing(i as f64));
    refused(&[4], five);
    refused(
        &[4],
        CompressOptions::new(Bound::Absolute(1.0))
            .research(Research { block_len: 16, ..Research::default() }),
    );
    assert!(matches!(Codec::cpu().threads(0), Err(Error::InvalidArgument(_))));
    assert!(max_compressed_len(&[u64::MAX, 3], fsz::DType::F32).is_err());
    assert!(max_compressed_len(&[u64::MAX / 8], fsz::DType::F64).is_err());
    let nine = max_compressed_len(&[1; 9], fsz::DType::F32).unwrap_err();
    assert_eq!(nine.to_string(), "9 dimensions: at most 8");

    let bytes = compress(&codec, &data, &[2, 2], &CompressOptions::new(Bound::Absolute(0.1)));
    let stream = Stream::open(&bytes).expect("opens");
    let invalid = |outcome: fsz::Result<()>| {
        assert!(matches!(outcome, Err(Error::InvalidArgument(_))), "{outcome:?}");
    };
    invalid(codec.decompress::<f64>(&stream).map(drop));
    invalid(codec.decompress_into(&stream, &mut [0f32; 3]));
    invalid(codec.decompress_slice::<f32>(&stream, Axis(2), 0).map(drop));
    invalid(codec.decompress_slice::<f32>(&stream, Axis(1), 2).map(drop));
    invalid(codec.decompress_box::<f32>(&stream, &[1, 1], &[1, 2]).map(drop));
    invalid(codec.decompress_box::<f32>(&stream, &[u64::MAX, 0], &[2, 1]).map(drop));
    invalid(codec.decompress_box::<f32>(&stream, &[0], &[1]).map(drop));
    invalid(codec.decompress_tiles_into(&stream, 0..2, &mut [0f32; 4]));
}

#[test]
fn views_of_any_order_compress_as_they_read() {
    let field = Array3::from_shape_fn((7, 30, 41), |(z, y, x)| (z * 3 + y) as f32 + x as f32 * 0.3);
    let codec = Codec::auto();
    let bound = Bound::Absolute(0.01);
    for view in [field.view(), field.t(), field.slice(s![..;2, 3.., ..;-1])] {
        let stream = codec.compress(view, bound).expect("compresses");
        let standard = view.as_standard_layout();
        let expected = codec.compress(standard.view(), bound).expect("compresses");
        assert_eq!(stream.as_bytes(), expected.as_bytes());
        let back = codec.decompress::<f32>(&stream).expect("decompresses");
        assert_eq!(back.shape(), view.shape());
        assert!(back.iter().zip(view.iter()).all(|(a, b)| (a - b).abs() <= 0.01));
    }
    let scalar = ArrayD::from_elem(IxDyn(&[]), 2.5f64);
    let stream = codec.compress(scalar.view(), Bound::ValueRange(0.1)).expect("compresses");
    assert_eq!(codec.decompress::<f64>(&stream).expect("decompresses"), scalar);
    assert_eq!(codec.backend().name(), codec.backend().name());
    assert_eq!(Codec::cpu().backend(), Backend::Cpu);
}

#[test]
fn a_field_of_one_value_is_exact() {
    for (name, profile) in profiles() {
        for value in [0.0f32, -0.0, 1e-42, 273.15, f32::MAX] {
            for n in [1, 256, 1000] {
                let data = vec![value; n];
                let options = CompressOptions::new(Bound::ValueRange(1e-3)).profile(profile);
                let bytes = compress(&Codec::cpu(), &data, &[n as u64], &options);
                let back = decompress::<f32>(&Codec::cpu(), &bytes);
                let exact = back.iter().all(|b| b.to_bits() == value.to_bits());
                assert!(exact, "{name} {value} {n}");
                assert!(bytes.len() < 260 + n / 16, "{name}: {} bytes", bytes.len());
            }
        }
    }
}

#[test]
fn progress_counts_and_cancels() {
    let n = 1_000_000;
    let data = field::<f32>("smooth", n, 1);
    for ((_, codec), (_, profile)) in
        codecs().into_iter().flat_map(|codec| profiles().map(|profile| (codec.clone(), profile)))
    {
        let progress = Progress::new();
        let options = CompressOptions::new(Bound::ValueRange(1e-3))
            .profile(profile)
            .progress(Arc::clone(&progress));
        let bytes = compress(&codec, &data, &[n as u64], &options);
        assert_eq!((progress.done(), progress.total()), (4 * n as u64, 4 * n as u64));
        let stream = Stream::open(&bytes).expect("opens");
        let mut out = vec![0f32; n];
        let decoding = Progress::new();
        codec
            .decompress_with(
                &stream,
                &mut out,
                &DecompressOptions::new().progress(decoding.clone()),
            )
            .expect("decodes");
        assert_eq!((decoding.done(), decoding.total()), (4 * n as u64, 4 * n as u64));

        progress.cancel();
        let mut room = vec![0; bytes.len() + 1_000_000];
        let outcome = codec.compress_into(&data, &[n as u64], &options, &mut room);
        assert!(matches!(outcome, Err(Error::Cancelled)));
        decoding.cancel();
        let outcome = codec.decompress_with(
            &stream,
            &mut out,
            &DecompressOptions::new().progress(decoding.clone()),
        );
        assert!(matches!(outcome, Err(Error::Cancelled)));
    }
}

#[test]
fn parts_report_and_are_cancelled_too() {
    let shape = [30, 100, 100];
    let data = field::<f32>("smooth", 300_000, 1);
    let (start, count) = ([2, 3, 0], [20, 90, 100]);
    for ((name, codec), (profile_name, profile)) in
        codecs().into_iter().flat_map(|codec| profiles().map(|profile| (codec.clone(), profile)))
    {
        let name = format!("{profile_name}, {name}");
        let options = CompressOptions::new(Bound::ValueRange(1e-3)).profile(profile);
        let bytes = compress(&codec, &data, &shape, &options);
        let stream = Stream::open(&bytes).expect("opens");
        let tiles = 1..stream.grid().tiles() - 1;
        let progress = Progress::new();
        let options = DecompressOptions::new().progress(progress.clone());
        let (mut a, mut b) = (vec![0f32; 180_000], vec![0f32; 180_000]);
        let elements = stream.grid().len_of(tiles.clone()) as usize;
        let (mut c, mut d) = (vec![0f32; elements], vec![0f32; elements]);
        let counted = |elements: usize| {
            assert_eq!(
                (progress.done(), progress.total()),
                (4 * elements as u64, 4 * elements as u64)
            );
        };
        codec.decompress_box_with(&stream, &start, &count, &mut a, &options).expect("decodes");
        counted(180_000);
        codec.decompress_tiles_with(&stream, tiles.clone(), &mut c, &options).expect("decodes");
        counted(elements);
        codec.decompress_box_into(&stream, &start, &count, &mut b).expect("decodes");
        codec.decompress_tiles_into(&stream, tiles.clone(), &mut d).expect("decodes");
        assert!(a == b && c == d, "{name}");

        progress.cancel();
        let ended = |outcome| {
            assert!(matches!(outcome, Err(Error::Cancelled)), "{name}: {outcome:?}");
            // The others have no more chunks here than a codec has threads, each of which ends its own.
            if profile == Profile::default() {
                assert!(progress.done() < progress.total(), "{name}: all was decoded first");
            }
        };
        ended(codec.decompress_box_with(&stream, &start, &count, &mut a, &options));
        ended(codec.decompress_tiles_with(&stream, tiles, &mut c, &options));
    }
}

#[test]
fn a_search_of_the_bound_is_cancelled() {
    let data = field::<f32>("smooth", 1000, 1);
    let bounds =
        [Bound::ValueRange(1e-3), Bound::Relative { eps: 1e-3, floor: 0.0 }, Bound::Psnr(60.0)];
    for bound in bounds {
        let progress = Progress::new();
        let options = CompressOptions::new(bound).progress(Arc::clone(&progress));
        Codec::cpu().find_bound(&data, &[1000], &options).expect("nobody cancels");
        progress.cancel();
        let outcome = Codec::cpu().find_bound(&data, &[1000], &options);
        assert!(matches!(outcome, Err(Error::Cancelled)), "{bound:?}: {outcome:?}");
    }
}

#[test]
fn one_codec_serves_many_threads() {
    let codec = Codec::cpu();
    let data = field::<f32>("smooth, noise", 200_000, 2);
    for (_, profile) in profiles() {
        let options = CompressOptions::new(Bound::ValueRange(1e-4)).profile(profile);
        let expected = compress(&codec, &data, &[200_000], &options);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        assert!(compress(&codec, &data, &[200_000], &options) == expected);
                    }
                });
            }
        });
    }
}

/// An automatic codec asks what a call costs before it knows that there is nothing to do.
#[test]
fn a_box_without_elements_is_no_work_for_any_codec() {
    let shape = [40, 50, 60];
    let data = field::<f32>("smooth, noise", shape.iter().product::<u64>() as usize, 4);
    for (name, profile) in profiles() {
        let options = CompressOptions::new(Bound::Absolute(1e-3)).profile(profile);
        let bytes = compress(&Codec::cpu(), &data, &shape, &options);
        let stream = Stream::open(&bytes).expect("opens");
        let boxes = [([0, 0, 0], [40, 50, 0]), ([0, 0, 0], [0, 0, 0]), ([3, 0, 60], [5, 9, 0])];
        for codec in [Codec::cpu(), Codec::auto(), Codec::auto().unhurried()] {
            for (start, count) in boxes {
                let decoded = codec.decompress_box_into::<f32>(&stream, &start, &count, &mut []);
                decoded.unwrap_or_else(|error| panic!("{name}, {codec}: {error}"));
            }
        }
        for (start, count) in boxes {
            assert!(stream.chunks_of_box(&start, &count).expect("it is inside").is_empty());
        }
    }
}

/// The product of such axes is 0, but that of some of them is more than 64 bits hold.
#[test]
fn a_field_without_elements_may_have_axes_of_any_length() {
    let long = 1u64 << 40;
    let shapes = [vec![long, long, 0, 5, 6], vec![0, long, long, long], vec![long; 7]];
    let with_zero = |mut shape: Vec<u64>| {
        shape.push(0);
        shape
    };
    for shape in shapes.into_iter().chain([vec![long, long, long]]).map(with_zero) {
        for layout in Layout::ALL {
            let profile = Profile::Dense(Dense::new().with_layout(layout));
            let options = CompressOptions::new(Bound::ValueRange(1e-3)).profile(profile);
            let bytes = compress::<f64>(&Codec::cpu(), &[], &shape, &options);
            let stream = Stream::open(&bytes).expect("opens");
            assert_eq!((stream.header().elements(), stream.grid().tiles()), (0, 0));
            Codec::cpu().decompress_into::<f64>(&stream, &mut []).expect("decodes");
            let first = vec![0; shape.len()];
            stream.regions_of_box(&first, &shape, &mut []).expect("there are none");
        }
    }
}

#[test]
fn records_end_at_damage_and_those_behind_it_can_be_asked_for() {
    let shape = [96, 64, 64];
    let data = field::<f32>("smooth, noise", shape.iter().product::<u64>() as usize, 4);
    let options = CompressOptions::new(Bound::Absolute(1e-3)).profile(Profile::Dense(Dense::new()));
    let mut bytes = compress(&Codec::cpu(), &data, &shape, &options);
    let stream = Stream::open(&bytes).expect("opens");
    let tiles = stream.tiles().map(|record| record.expect("it is sound").index);
    assert!(tiles.eq(0..stream.grid().tiles()));
    let before = stream.chunk_payload(0).expect("it is there").len();
    let (payload, sound) = (stream.sections().payload as usize, stream.grid().chunk_tiles(1).start);
    bytes[payload + before + 8] ^= 1;
    let stream = Stream::open(&bytes).expect("payloads are not read");
    assert!(stream.chunks() > 2);
    let records: Vec<_> = stream.tiles().collect();
    let (last, others) = records.split_last().expect("there are some");
    assert!(matches!(last, Err(Error::Corrupt(_))), "{last:?}");
    let numbers = others.iter().map(|record| record.as_ref().expect("it is sound").index);
    assert!(numbers.eq(0..sound), "{} records", others.len());
    let behind = stream.tile_records().chunk(2).expect("it is sound");
    assert_eq!(behind[0].index, stream.grid().chunk_tiles(2).start);
}

/// Runs one test in a process of its own: of a name that is none's, no test would run and none fail.
fn passes_alone(test: &mut Command) {
    let ended = test.output().expect("it starts");
    let told = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && told.contains(" 1 passed; "), "{ended:?}");
}

#[test]
fn calls_work_where_the_system_starts_no_threads() {
    const CHILD: &str = "FSZ_TEST_WITHOUT_THREADS";
    if std::env::var_os(CHILD).is_none() {
        // In a process that has started none: no system has memory for stacks of that size.
        let mut child = Command::new(std::env::current_exe().expect("this program"));
        child.args(["--exact", "calls::calls_work_where_the_system_starts_no_threads"]);
        child.env(CHILD, "1").env("RUST_MIN_STACK", (1u64 << 50).to_string());
        return passes_alone(&mut child);
    }
    assert!(std::thread::Builder::new().spawn(|| ()).is_err(), "a thread has started");
    let shape = [40, 100, 100];
    let data = field::<f32>("smooth, noise", 400_000, 4);
    let alone = Codec::cpu().threads(1).expect("the calling thread");
    for bound in [Bound::ValueRange(1e-3), Bound::Psnr(60.0)] {
        let options = CompressOptions::new(bound);
        let bytes = compress(&alone, &data, &shape, &options);
        for codec in [Codec::cpu(), Codec::cpu().threads(7).expect("fewer threads")] {
            assert!(compress(&codec, &data, &shape, &options) == bytes, "{bound:?}");
            let stream = Stream::open(&bytes).expect("opens");
            codec.decompress::<f32>(&stream).expect("decodes");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_forked_process_goes_on_without_the_threads_of_its_parent() {
    unsafe extern "C" {
        fn fork() -> i32;
        fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
        fn alarm(seconds: u32) -> u32;
        fn _exit(status: i32) -> !;
    }
    const CHILD: &str = "FSZ_TEST_FORK";
    if std::env::var_os(CHILD).is_none() {
        // Apart from the threads of other tests.
        let mut child = Command::new(std::env::current_exe().expect("this program"));
        child
            .args(["--exact", "calls::a_forked_process_goes_on_without_the_threads_of_its_parent"]);
        return passes_alone(child.env(CHILD, "1"));
    }
    let shape = [40, 100, 100];
    let data = field::<f32>("smooth, noise", 400_000, 4);
    let options = CompressOptions::new(Bound::ValueRange(1e-3));
    let codecs = [Codec::cpu(), Codec::cpu().threads(2).expect("two threads")];
    let before = codecs.each_ref().map(|codec| compress(codec, &data, &shape, &options));
    // SAFETY: the child runs what needs no other thread, and ends without a destructor.
    let forked = unsafe { fork() };
    if forked == 0 {
        // SAFETY: they take numbers. One that waits for threads that it does not have is ended.
        unsafe { alarm(60) };
        let new = Codec::cpu().threads(2).expect("two threads");
        let same = codecs
            .iter()
            .chain([&new])
            .all(|codec| compress(codec, &data, &shape, &options) == before[0]);
        // SAFETY: as above.
        unsafe { _exit(i32::from(!same)) };
    }
    let mut status = -1;
    // SAFETY: the child is this process's, and the status writable.
    let ended = unsafe { waitpid(forked, &mut status, 0) };
    assert_eq!((ended, status), (forked, 0));
}
