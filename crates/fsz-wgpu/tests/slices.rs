//! Slices decoded on the GPU are those of the CPU, bit for bit.

use std::path::{Path, PathBuf};

use fsz::format::dense::MOST_TABLES;
use fsz::{Bound, Codec, CompressOptions, Dense, Layout, Profile, Region, Research, Stream};
use fsz_wgpu::{Error, Gpu, GpuStream, Runs, memory};
use ndarray::ArrayViewD;

#[path = "../../fsz/tests/common/seal.rs"]
#[allow(dead_code)]
mod seal;

/// The GPU, or none with a loud word.
fn gpu(what: &str) -> Option<Gpu> {
    match Gpu::headless() {
        Ok(gpu) => Some(gpu),
        Err(reason) => {
            eprintln!("SKIPPED: {what}: {reason}");
            None
        }
    }
}

/// The profiles, `dense` in every layout.
fn profiles() -> Vec<Profile> {
    let dense = Layout::ALL.map(|layout| Profile::Dense(Dense::new().with_layout(layout)));
    [Profile::default()].into_iter().chain(dense).collect()
}

/// The streams of a field in the profiles that take it: some layouts are not for every shape.
fn streams<T: fsz::Element>(
    shape: &[usize],
    values: &[T],
    options: &CompressOptions,
) -> Vec<Stream<'static>> {
    let view = ArrayViewD::from_shape(shape, values).unwrap();
    let stream =
        |profile| Codec::cpu().compress_with(view.view(), &options.clone().profile(profile));
    let streams: Vec<_> = profiles().into_iter().map(stream).collect();
    assert!(streams[..2].iter().all(|stream| stream.is_ok()), "paper and lines take any shape");
    streams.into_iter().flatten().collect()
}

/// `dense` as the encoder chooses, and the first profile.
fn both() -> [Profile; 2] {
    [Profile::default(), Profile::Dense(Dense::new())]
}

fn compressed<T: fsz::Element>(
    shape: &[usize],
    values: &[T],
    options: &CompressOptions,
) -> Stream<'static> {
    let view = ArrayViewD::from_shape(shape, values).unwrap();
    Codec::cpu().compress_with(view, options).unwrap()
}

fn relative(ratio: f64) -> CompressOptions {
    CompressOptions::new(Bound::ValueRange(ratio))
}

/// Elements of what is a large field here.
const LARGE: usize = 20_000;

/// The values of a slice out of the whole field.
fn slice_of<T: Copy>(shape: &[usize], values: &[T], axis: usize, index: usize) -> Vec<T> {
    let inner: usize = shape[axis + 1..].iter().product();
    let period = inner * shape[axis];
    values.chunks(period).flat_map(|c| c[index * inner..][..inner].to_vec()).collect()
}

/// First, middle and last slice along every axis, a range of elements, all of them, and runs that no axis has. Of large
/// fields, where a processor stands in for a GPU, one of the slices and one of the others, by `turn`.
fn check(gpu: &Gpu, what: &str, shape: &[usize], stream: &Stream<'_>, turn: usize) {
    let whole: Vec<f32> = Codec::cpu().decompress(stream).unwrap().into_iter().collect();
    let on_gpu = GpuStream::upload(gpu, stream).unwrap();
    let profile = stream.header().profile;
    let same = |part: &str, got: Vec<f32>, want: &[f32]| {
        assert_eq!(got.len(), want.len(), "{what}, {profile:?}: {part}");
        for (k, (g, w)) in got.iter().zip(want).enumerate() {
            let (g, w) = (g.to_bits(), w.to_bits());
            assert_eq!(g, w, "{what}, {profile:?}: {part}, value {k}: {g:x} for {w:x}");
        }
    };
    let is_large = whole.len() > LARGE;
    for (axis, &side) in shape.iter().enumerate() {
        let all = [side / 2, 0, side - 1];
        let some = if is_large { &all[(axis + turn) % 3..][..1] } else { &all };
        for &index in some {
            let got = on_gpu.decode_slice(axis, index as u64).unwrap().read_back().unwrap();
            let part = format!("axis {axis}, slice {index}");
            same(&part, got, &slice_of(shape, &whole, axis, index));
        }
    }
    let n = whole.len();
    let (stride, len) = (n / 7 + 1, n / 11 + 1);
    let all = [
        (n / 3, 0, 1, n.div_ceil(4)),
        (0, 0, 1, n),
        // Runs that no axis has.
        (0, stride, (n - len) / stride + 1, len),
    ];
    let some = if is_large { &all[turn % 3..][..1] } else { &all[..] };
    for &(first, stride, count, len) in some {
        let [first64, stride64, count64, len64] = [first, stride, count, len].map(|n| n as u64);
        let runs = Runs { first: first64, stride: stride64, count: count64, len: len64 };
        let got = on_gpu.decode_runs(runs).unwrap().read_back().unwrap();
        let want = (0..count).flat_map(|k| whole[first + k * stride..][..len].to_vec());
        same(&format!("{runs:?}"), got, &want.collect::<Vec<_>>());
    }
}

/// What a slice takes is brought to the GPU alone: it is the same slice, and there is no other.
#[test]
fn a_part_of_a_stream_decodes_what_it_was_brought_for() {
    let Some(gpu) = gpu("parts of streams on the GPU") else { return };
    for shape in [&[320, 320, 16][..], &[9, 64, 80, 32]] {
        let n = shape.iter().product();
        let values: Vec<f32> = (0..n).map(|i| (i as f32 * 0.013).sin() + (i % 7) as f32).collect();
        for profile in both() {
            let stream = compressed(shape, &values, &relative(1e-3).profile(profile));
            let whole = GpuStream::upload(&gpu, &stream).unwrap();
            let sides: Vec<u64> = shape.iter().map(|&n| n as u64).collect();
            let (mut parts, lead) = (0, shape.len() - 3);
            for index in (0..sides[lead]).rev().step_by(45) {
                // Planes of the last leading axis.
                let runs = Runs::slice(&sides[lead..], 0, index).unwrap();
                let Some(part) = GpuStream::upload_part(&gpu, &stream, runs).unwrap() else {
                    continue;
                };
                parts += 1;
                assert!(part.bytes() < whole.bytes(), "{profile:?}");
                let [got, want] =
                    [&part, &whole].map(|s| s.decode_runs(runs).unwrap().read_back().unwrap());
                assert!(got.iter().zip(&want).all(|(a, b)| a.to_bits() == b.to_bits()));
                let other = Runs::slice(&sides, 0, sides[0] - 1).unwrap();
                let answer = part.decode_runs(other);
                let is_other = index + 1 < sides[lead] || lead > 0;
                assert_eq!(matches!(answer, Err(Error::InvalidArgument(_))), is_other);
            }
            assert!(parts > 0, "{profile:?} of {shape:?}");
            // All of it, nothing of it, and what is outside.
            let all = Runs { first: 0, stride: 0, count: 1, len: n as u64 };
            assert!(GpuStream::upload_part(&gpu, &stream, all).unwrap().is_none());
            let none = Runs { first: 0, stride: 0, count: 0, len: 0 };
            assert!(GpuStream::upload_part(&gpu, &stream, none).unwrap().is_none());
            let outside = Runs { first: n as u64, stride: 0, count: 1, len: 1 };
            let answer = GpuStream::upload_part(&gpu, &stream, outside);
            assert!(matches!(answer, Err(Error::InvalidArgument(_))));
        }
    }
}

fn shared() -> PathBuf {
    if let Some(folder) = std::env::var_os("FSZ_TEST_DATA") {
        return folder.into();
    }
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data")
}

/// Shape out of a name such as `cesm_T_15x192x288`.
fn shape_of(stem: &str) -> Vec<usize> {
    let sides = stem.rsplit('_').next().unwrap();
    sides.split('x').map(|n| n.parse().unwrap()).collect()
}

#[test]
fn every_field_of_the_shared_data() {
    let Some(gpu) = gpu("the shared data on the GPU") else { return };
    let Ok(files) = std::fs::read_dir(shared()) else {
        eprintln!("SKIPPED: the shared data on the GPU: no folder {}", shared().display());
        return;
    };
    let files = files.map(|file| file.unwrap().path());
    let mut files: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "f32")).collect();
    files.sort();
    assert!(!files.is_empty(), "no field in {}", shared().display());
    for (number, path) in files.iter().enumerate() {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let shape = shape_of(stem);
        let bytes = std::fs::read(path).unwrap();
        let values: Vec<f32> =
            bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        // The profiles and a coarse and a fine bound in turn: a processor that stands in for a GPU takes its time.
        let (profile, ratio) = (both()[number % 2], [1e-2, 1e-5][number / 2 % 2]);
        let options = relative(ratio).profile(profile);
        check(&gpu, stem, &shape, &compressed(&shape, &values, &options), number);
    }
}

/// A smooth field with everything in it that a tile can hold.
fn mixture(n: usize) -> Vec<f32> {
    (0..n)
        .map(|i| {
            let smooth = (i as f32 * 0.01).sin() * 40.0;
            match i / 700 % 10 {
                1 if i % 3 == 0 => f32::NAN,
                2 if i % 50 == 0 => f32::INFINITY,
                3 if i % 90 < 40 => -999.0,
                4 => f32::from_bits(0x7FC0_1234 + (i % 5) as u32),
                5 => 7.25,
                6 => f32::from_bits(i as u32 % 1000 + 1),
                7 => f32::from_bits((i as u32).wrapping_mul(0x9E37_79B9)),
                8 if i % 40 == 7 => 1e30 * smooth,
                9 => -0.0,
                _ => smooth,
            }
        })
        .collect()
}

#[test]
fn every_kind_of_tile_and_odd_shapes() {
    let Some(gpu) = gpu("synthetic fields on the GPU") else { return };
    let shapes: [&[usize]; 7] =
        [&[1], &[30011], &[97, 311], &[31, 33, 29], &[3, 17, 19, 23], &[2, 3, 4, 5, 6], &[9000, 3]];
    for (number, shape) in shapes.into_iter().enumerate() {
        let values = mixture(shape.iter().product());
        let absolute = |e| CompressOptions::new(Bound::Absolute(e));
        let share = |eps, floor| CompressOptions::new(Bound::Relative { eps, floor });
        let options =
            [absolute(0.01), absolute(1e-40), absolute(1e20), absolute(1e-4).missing(-999.0)];
        let shares = [
            share(0.1, 0.0),
            share(1e-3, 1e-2).missing(-999.0),
            share(0.5, 1.0),
            share(3e-7, 1e-6),
        ];
        // Every other one with a shape, and the rest with the next.
        let turns = options.into_iter().chain(shares).enumerate().skip(number % 2).step_by(2);
        for (turn, options) in turns {
            for stream in streams(shape, &values, &options) {
                check(&gpu, &format!("{shape:?}"), shape, &stream, turn);
            }
        }
    }
}

#[test]
fn pages_make_no_difference() {
    let Some(gpu) = gpu("pages on the GPU") else { return };
    let shape = [40, 61, 83];
    for profile in both() {
        let options = CompressOptions::new(Bound::Absolute(1e-4)).profile(profile);
        let stream = compressed(&shape, &mixture(40 * 61 * 83), &options);
        let gpu = gpu.clone().with_page_limit(stream.payload().len() as u64 / 3);
        let on_gpu = GpuStream::upload(&gpu, &stream).unwrap();
        assert!(on_gpu.pages() > 2, "{} pages", on_gpu.pages());
        let predicted = memory(&stream, gpu.page_limit(), 61 * 83).unwrap();
        // Tables are in a payload, and in no page.
        let tables = if profile == Profile::default() { 0 } else { MOST_TABLES };
        assert!((0..=tables).contains(&(predicted.stream - on_gpu.bytes())));
        assert!(on_gpu.pages() as u64 <= predicted.pages);
        let slice = on_gpu.decode_slice(0, 0).unwrap();
        assert_eq!(slice.values().size() + slice.tiles().unwrap().size(), predicted.slice);
        check(&gpu, "paged", &shape, &stream, 1);
        let tiny = gpu.with_page_limit(1000);
        assert!(matches!(GpuStream::upload(&tiny, &stream), Err(Error::InvalidArgument(_))));
    }
}

/// A tighter and a looser box, one of them over the other, a mask of a part of the rows, and one of scattered elements.
fn with_regions(
    options: CompressOptions,
    shape: [u64; 3],
    bound: impl Fn(f64) -> Bound,
) -> CompressOptions {
    let [z, y, x] = shape;
    let elements = z * y * x;
    let rows = (0..elements).map(|i| i / x % 3 == 0 && i % x > x / 3 && i > elements / 3).collect();
    let scattered = (0..elements).map(|i| i * 7919 % 1009 < 20).collect();
    options
        .region(Region::in_box(&[1, 2, 3], &[z - 2, y / 2, x - 5], bound(1e-4)))
        .region(Region::in_box(&[z / 2, 0, 1], &[z - z / 2, y / 3, x / 2], bound(0.5)))
        .region(Region::where_set(rows, bound(1e-3)))
        .region(Region::where_set(scattered, bound(1e-5)))
}

#[test]
fn regions_are_put_over_the_field() {
    let Some(gpu) = gpu("regions on the GPU") else { return };
    let shape = [11, 21, 60];
    let values = mixture(11 * 21 * 60);
    let relative = |eps| Bound::Relative { eps: eps / 2.0, floor: 1e-6 };
    let options = [
        with_regions(CompressOptions::new(Bound::Absolute(0.01)), [11, 21, 60], Bound::Absolute),
        with_regions(CompressOptions::new(relative(0.01)), [11, 21, 60], relative),
    ];
    for options in &options {
        for (turn, stream) in streams(&shape, &values, options).iter().enumerate() {
            check(&gpu, "regions", &shape, stream, turn);
            let needed = memory(stream, gpu.page_limit(), 0).unwrap();
            assert!(GpuStream::upload(&gpu, stream).unwrap().bytes() <= needed.stream);
        }
    }
    // Of an f64 field the values of display precision are put.
    let wide: Vec<f64> = values.iter().map(|&v| f64::from(v) * 1.0000001).collect();
    let stream = compressed(&shape, &wide, &options[0]);
    let whole = Codec::cpu().decompress::<f64>(&stream).unwrap();
    let slice = GpuStream::upload(&gpu, &stream).unwrap().decode_slice(1, 4).unwrap();
    let expected = whole.index_axis(ndarray::Axis(1), 4);
    for (got, &want) in slice.read_back().unwrap().iter().zip(expected.iter()) {
        let near = f64::from(f32::MIN_POSITIVE) + 2.0 * f64::from(f32::EPSILON) * want.abs();
        let off = (f64::from(*got) - want).abs();
        assert!(off <= near || !want.is_finite(), "{got} for {want}");
    }
}

/// Where lanes of `dense` are a subgroup, and where they are not.
#[test]
fn subgroups_make_no_difference() {
    let Some(gpu) = gpu("both ways of lanes on the GPU") else { return };
    eprintln!("subgroup operations: {}", gpu.has_subgroups());
    let shape = [33, 40, 47];
    let options = CompressOptions::new(Bound::Absolute(1e-3));
    for stream in streams(&shape, &mixture(33 * 40 * 47), &options) {
        for gpu in [gpu.clone(), gpu.clone().without_subgroups()] {
            check(&gpu, "lanes", &shape, &stream, 1);
        }
    }
}

#[test]
fn double_precision_is_shown_to_two_units_of_the_last_place() {
    let Some(gpu) = gpu("f64 on the GPU") else { return };
    let shape = [20, 30, 40];
    let mut values: Vec<f64> = (0..24000).map(|i| (i as f64 * 0.003).sin() * 1e3).collect();
    values[500] = f64::NAN;
    values[501] = f64::NEG_INFINITY;
    values[7000] = 1e300;
    values[9000] = 1e-300;
    // Below the smallest step all elements are exact.
    let absolute = [2.0, 2e-6, 1e-320].map(Bound::Absolute);
    let shares = [(0.1, 0.0), (1e-3, 0.5), (1e-7, 1e-6), (0.3, 0.0)]
        .map(|(eps, floor)| Bound::Relative { eps, floor });
    let options: Vec<_> = absolute.into_iter().chain(shares).map(CompressOptions::new).collect();
    for stream in options.iter().flat_map(|options| streams(&shape, &values, options)) {
        let whole: Vec<f64> = Codec::cpu().decompress(&stream).unwrap().into_iter().collect();
        let on_gpu = GpuStream::upload(&gpu, &stream).unwrap();
        for (axis, index) in [(0, 0), (0, 5), (1, 17), (2, 39), (2, 0)] {
            let got = on_gpu.decode_slice(axis, index as u64).unwrap().read_back().unwrap();
            for (g, w) in got.iter().zip(slice_of(&shape, &whole, axis, index)) {
                let nearest = w as f32;
                let same = g.is_nan() && w.is_nan() || *g == nearest;
                let close = (g - nearest).abs() <= 2.0 * f32::EPSILON * nearest.abs();
                assert!(same || close, "{g} for {w}");
            }
        }
    }
}

#[test]
fn a_damaged_payload_is_refused_at_the_upload() {
    let Some(gpu) = gpu("damaged streams on the GPU") else { return };
    let options = CompressOptions::new(Bound::Absolute(0.01));
    for stream in streams(&[64, 64], &mixture(4096), &options) {
        let mut bytes = stream.into_vec();
        let last = bytes.len() - 5;
        bytes[last] ^= 4;
        let damaged = Stream::from_vec(bytes).unwrap();
        assert!(matches!(GpuStream::upload(&gpu, &damaged), Err(Error::Stream(_))));
    }
}

/// Forges each of some streams so often, each on a thread of its own. Gives how many were refused, and decoded.
fn forge_payloads(gpu: &Gpu, rounds: usize) -> [usize; 2] {
    let shape = [17, 20, 18];
    let bounds =
        [Bound::Absolute(0.05), Bound::Absolute(1e-6), Bound::Relative { eps: 1e-2, floor: 1e-3 }];
    let values = mixture(17 * 20 * 18);
    let of = |bound| streams(&shape, &values, &CompressOptions::new(bound));
    std::thread::scope(|scope| {
        let forge = |stream| scope.spawn(move || forge_payload(gpu, stream, rounds));
        let forging: Vec<_> = bounds.into_iter().flat_map(of).map(forge).collect();
        let counts = forging.into_iter().map(|thread| thread.join().expect("no difference"));
        counts.fold([0, 0], |all, own| [all[0] + own[0], all[1] + own[1]])
    })
}

/// Anything anywhere in the payload, with checksums that are right: refused, or decoded as the CPU decodes it.
fn forge_payload(gpu: &Gpu, stream: Stream<'_>, rounds: usize) -> [usize; 2] {
    let n = stream.header().elements();
    let all = Runs { first: 0, stride: 0, count: 1, len: n };
    let (mut refused, mut decoded) = (0, 0);
    let (profile, payload) = (stream.header().profile, stream.sections().payload as usize);
    let bytes = stream.into_vec();
    for k in 0..rounds {
        let mut forged = bytes.clone();
        // The front of a payload tells most of what follows.
        let room = if k % 2 == 0 { 160 } else { bytes.len() - payload };
        let mixed = k.wrapping_mul(0x9E37_79B9) >> 7;
        forged[payload + mixed % room.min(bytes.len() - payload)] ^= 1 << (k % 8);
        seal::seal(&mut forged);
        let Ok(stream) = Stream::from_vec(forged) else { continue };
        let whole = Codec::cpu().decompress::<f32>(&stream);
        match GpuStream::upload(gpu, &stream) {
            Ok(on_gpu) => {
                let whole = whole.expect("the CPU decodes it, too");
                let got = on_gpu.decode_runs(all).unwrap().read_back().unwrap();
                let same = got.iter().zip(&whole).all(|(g, w)| g.to_bits() == w.to_bits());
                assert!(same && got.len() as u64 == n, "{profile:?} {k}");
                decoded += 1;
            }
            Err(Error::Stream(fsz::Error::Corrupt(_))) => {
                assert!(whole.is_err(), "{profile:?} {k}");
                refused += 1;
            }
            Err(other) => panic!("{profile:?} {k}: {other}"),
        }
    }
    [refused, decoded]
}

#[test]
fn forged_payloads_are_refused_or_decoded_as_on_the_cpu() {
    let Some(gpu) = gpu("forged streams on the GPU") else { return };
    let [refused, decoded] = forge_payloads(&gpu, 27);
    assert!(refused > 20 && decoded > 20, "{refused} refused, {decoded} decoded");
}

/// `cargo test --release -p fsz-wgpu --test slices -- --ignored --nocapture`
#[test]
#[ignore = "a hundred thousand streams take minutes"]
fn a_hundred_thousand_forged_payloads() {
    let Some(gpu) = gpu("a hundred thousand forged streams on the GPU") else { return };
    let [refused, decoded] = forge_payloads(&gpu, 9_000);
    println!("{refused} refused, {decoded} decoded");
    assert!(refused + decoded >= 100_000);
}

#[test]
fn what_is_not_there_is_a_typed_error() {
    let Some(gpu) = gpu("bad arguments on the GPU") else { return };
    for profile in both() {
        let options = CompressOptions::new(Bound::Absolute(0.01)).profile(profile);
        let stream = compressed(&[8, 9], &mixture(72), &options);
        let on_gpu = GpuStream::upload(&gpu, &stream).unwrap();
        for (axis, index) in [(2, 0), (0, 8), (1, 9)] {
            assert!(matches!(on_gpu.decode_slice(axis, index), Err(Error::InvalidArgument(_))));
        }
        for runs in [
            Runs { first: 70, stride: 0, count: 1, len: 3 },
            Runs { first: 0, stride: u64::MAX, count: 3, len: 1 },
            Runs { first: 0, stride: 2, count: 3, len: 3 },
        ] {
            assert!(matches!(on_gpu.decode_runs(runs), Err(Error::InvalidArgument(_))));
        }
        let empty = compressed(&[0, 4], &[0f32; 0], &options);
        let empty = GpuStream::upload(&gpu, &empty).unwrap();
        assert!(empty.decode_slice(1, 2).unwrap().read_back().unwrap().is_empty());
    }
}

#[test]
fn switched_predictors_decode_and_research_geometries_are_refused() {
    let Some(gpu) = gpu("research streams on the GPU") else { return };
    let shape = [30, 700];
    let values = mixture(21000);
    let stream = |research| {
        compressed(&shape, &values, &CompressOptions::new(Bound::Absolute(1e-3)).research(research))
    };
    let first_order = Research { order2: false, ..Research::default() };
    check(&gpu, "first order", &shape, &stream(first_order), 0);
    for research in [
        Research { block_len: 64, ..Research::default() },
        Research { blocks_per_tile: 16, ..Research::default() },
        Research { block_len: 64, blocks_per_tile: 4, ..Research::default() },
        Research { cross_block: false, ..Research::default() },
    ] {
        let refused = GpuStream::upload(&gpu, &stream(research));
        assert!(matches!(refused, Err(Error::Unsupported(_))));
    }
}

/// All threads have the one GPU of the process.
#[test]
fn many_threads_decode_at_once() {
    if gpu("threads on the GPU").is_none() {
        return;
    }
    let shape = [12, 31, 40];
    let streams: Vec<Stream<'_>> = (0..8)
        .map(|k| {
            let options = CompressOptions::new(Bound::Absolute(1e-3 * f64::from(k + 1)));
            let options = options.profile(both()[k as usize % 2]);
            compressed(&shape, &mixture(12 * 31 * 40), &options)
        })
        .collect();
    std::thread::scope(|scope| {
        for (k, stream) in streams.iter().enumerate() {
            scope.spawn(move || {
                let gpu = Gpu::headless().expect("as before");
                check(&gpu, &format!("thread {k}"), &shape, stream, k);
            });
        }
    });
}
