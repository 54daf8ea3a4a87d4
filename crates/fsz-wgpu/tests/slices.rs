//! Slices decoded on the GPU are those of the CPU, bit for bit.

use std::path::{Path, PathBuf};

use fsz::{Bound, Codec, CompressOptions, DType, Research, Stream};
use fsz_wgpu::{Error, Gpu, GpuStream, Runs, memory};
use ndarray::ArrayViewD;

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

/// The values of a slice out of the whole field.
fn slice_of<T: Copy>(shape: &[usize], values: &[T], axis: usize, index: usize) -> Vec<T> {
    let inner: usize = shape[axis + 1..].iter().product();
    let period = inner * shape[axis];
    values.chunks(period).flat_map(|c| c[index * inner..][..inner].to_vec()).collect()
}

/// First, middle and last slice along every axis.
fn check(gpu: &Gpu, what: &str, shape: &[usize], stream: &Stream<'_>) {
    let whole: Vec<f32> = Codec::cpu().decompress(stream).unwrap().into_iter().collect();
    let on_gpu = GpuStream::upload(gpu, stream).unwrap();
    for (axis, &side) in shape.iter().enumerate() {
        for index in [0, side / 2, side - 1] {
            let got = on_gpu.decode_slice(axis, index as u64).unwrap().read_back().unwrap();
            let want = slice_of(shape, &whole, axis, index);
            assert_eq!(got.len(), want.len());
            for (k, (g, w)) in got.iter().zip(&want).enumerate() {
                let (g, w) = (g.to_bits(), w.to_bits());
                assert_eq!(g, w, "{what}: axis {axis}, slice {index}, value {k}: {g:x} for {w:x}");
            }
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
    let mut fields = 0;
    for path in files.map(|f| f.unwrap().path()) {
        if path.extension().is_none_or(|e| e != "f32") {
            continue;
        }
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let shape = shape_of(stem);
        let bytes = std::fs::read(&path).unwrap();
        let values: Vec<f32> =
            bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        for ratio in [1e-2, 1e-5] {
            check(&gpu, stem, &shape, &compressed(&shape, &values, &relative(ratio)));
        }
        fields += 1;
    }
    assert!(fields > 0, "no field in {}", shared().display());
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
    for shape in shapes {
        let values = mixture(shape.iter().product());
        let absolute = |e| CompressOptions::new(Bound::Absolute(e));
        for options in
            [absolute(0.01), absolute(1e-40), absolute(1e20), absolute(1e-4).missing(-999.0)]
        {
            let stream = compressed(shape, &values, &options);
            check(&gpu, &format!("{shape:?}"), shape, &stream);
        }
    }
}

#[test]
fn pages_make_no_difference() {
    let Some(gpu) = gpu("pages on the GPU") else { return };
    let gpu = gpu.with_page_limit(160 << 10);
    let shape = [40, 61, 83];
    let stream =
        compressed(&shape, &mixture(40 * 61 * 83), &CompressOptions::new(Bound::Absolute(1e-4)));
    let on_gpu = GpuStream::upload(&gpu, &stream).unwrap();
    assert!(on_gpu.pages() > 2);
    let payload = stream.payload().len() as u64;
    let predicted = memory(40 * 61 * 83, DType::F32, payload, gpu.page_limit(), 61 * 83);
    assert_eq!(on_gpu.bytes(), predicted.stream);
    assert!(on_gpu.pages() as u64 <= predicted.pages);
    let slice = on_gpu.decode_slice(0, 0).unwrap();
    assert_eq!(slice.values().size() + slice.tiles().unwrap().size(), predicted.slice);
    check(&gpu, "paged", &shape, &stream);
    let tiny = gpu.with_page_limit(1000);
    assert!(matches!(GpuStream::upload(&tiny, &stream), Err(Error::InvalidArgument(_))));
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
    for ratio in [1e-3, 1e-9] {
        let stream =
            compressed(&shape, &values, &CompressOptions::new(Bound::Absolute(ratio * 2e3)));
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
    let stream =
        compressed(&[64, 64], &mixture(4096), &CompressOptions::new(Bound::Absolute(0.01)));
    let mut bytes = stream.into_vec();
    let last = bytes.len() - 5;
    bytes[last] ^= 4;
    let damaged = Stream::from_vec(bytes).unwrap();
    assert!(matches!(GpuStream::upload(&gpu, &damaged), Err(Error::Stream(_))));
}

#[test]
fn what_is_not_there_is_a_typed_error() {
    let Some(gpu) = gpu("bad arguments on the GPU") else { return };
    let stream = compressed(&[8, 9], &mixture(72), &CompressOptions::new(Bound::Absolute(0.01)));
    let on_gpu = GpuStream::upload(&gpu, &stream).unwrap();
    for (axis, index) in [(2, 0), (0, 8), (1, 9)] {
        assert!(matches!(on_gpu.decode_slice(axis, index), Err(Error::InvalidArgument(_))));
    }
    for runs in [
        Runs { first: 70, stride: 0, count: 1, len: 3 },
        Runs { first: 0, stride: u64::MAX, count: 3, len: 1 },
    ] {
        assert!(matches!(on_gpu.decode_runs(runs), Err(Error::InvalidArgument(_))));
    }
    let empty = compressed(&[0, 4], &[0f32; 0], &CompressOptions::new(Bound::Absolute(0.01)));
    let empty = GpuStream::upload(&gpu, &empty).unwrap();
    assert!(empty.decode_slice(1, 2).unwrap().read_back().unwrap().is_empty());
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
    check(&gpu, "first order", &shape, &stream(first_order));
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
            compressed(&shape, &mixture(12 * 31 * 40), &options)
        })
        .collect();
    std::thread::scope(|scope| {
        for (k, stream) in streams.iter().enumerate() {
            scope.spawn(move || {
                let gpu = Gpu::headless().expect("as before");
                check(&gpu, &format!("thread {k}"), &shape, stream);
            });
        }
    });
}
