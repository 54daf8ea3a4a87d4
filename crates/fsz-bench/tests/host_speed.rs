//! Calls from host memory to host memory on the CPU, on a CUDA device, and by the automatic choice between them.

use std::{env, time::Instant};

use cudarc::driver::{result, sys};
use fsz::{Bound, Codec, CompressOptions, DType, Dense, Profile, Stream};
use fsz_bench::median;
use ndarray::ArrayView;

fn field(len: usize) -> Vec<f32> {
    use rayon::prelude::*;
    let wave: Vec<f32> = (0..512).map(|i| (i as f32 * 0.049).sin()).collect();
    let value = |i: usize| {
        let (x, y, z) = (i % 512, i / 512 % 512, i / 512 / 512 % 512);
        let noise = (i as u32).wrapping_mul(2_654_435_761) >> 8;
        wave[x] + wave[y] * wave[z] + 0.01 * (noise as f32 / (1 << 24) as f32 - 0.5)
    };
    (0..len).into_par_iter().map(value).collect()
}

fn cuda() -> Option<Codec> {
    let codec = Codec::cuda(0);
    codec.inspect_err(|why| eprintln!("SKIPPED: calls through the device: {why}")).ok()
}

/// Milliseconds of calls that follow one to warm up: of the median one.
fn time(mut call: impl FnMut()) -> f64 {
    let mut times = Vec::new();
    let began = Instant::now();
    while times.len() < 3 || (times.len() < 20 && began.elapsed().as_secs_f64() < 0.1) {
        let start = Instant::now();
        call();
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    median(times[1..].to_vec())
}

#[test]
#[ignore = "prints a table of speeds; run it with --ignored --nocapture"]
fn host_to_host() {
    let Some(cuda) = cuda() else { return };
    let codecs = [("cpu", Codec::cpu()), ("cuda", cuda), ("auto", Codec::auto())];
    fsz::Calibration::measure().expect("measures");
    let most: usize = env::var("FSZ_MOST_MIB").ok().and_then(|v| v.parse().ok()).unwrap_or(1024);
    let data = field((most << 20) / 4);
    let mut room =
        vec![0; fsz::max_compressed_len(&[data.len() as u64], DType::F32).unwrap() as usize];
    let mut back = vec![0f32; data.len()];
    println!(
        "milliseconds of compression and decompression, on the CPU, through CUDA, and automatic"
    );
    let (paper, dense) = (Profile::default(), Profile::Dense(Dense::new()));
    // An absolute bound of about the same size.
    let (range, absolute) = (Bound::ValueRange(1e-3), Bound::Absolute(3e-3));
    let cases = [(paper, range), (paper, absolute), (dense, range), (dense, absolute)];
    for (profile, bound) in cases {
        let options = CompressOptions::new(bound).profile(profile);
        for bytes in
            [1 << 10, 1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 30, 1 << 32usize]
        {
            if bytes > most << 20 {
                break;
            }
            let data = &data[..bytes / 4];
            let shape = match bytes / 4 / 512 / 512 {
                0 => vec![data.len() as u64],
                planes => vec![planes as u64, 512, 512],
            };
            let mut times = Vec::new();
            for (_, codec) in &codecs {
                let mut len = 0;
                let compress = time(|| {
                    len =
                        codec.compress_into(data, &shape, &options, &mut room).expect("compresses");
                });
                let stream = Stream::open(&room[..len]).expect("opens");
                let back = &mut back[..data.len()];
                times.push((
                    compress,
                    time(|| codec.decompress_into(&stream, back).expect("decodes")),
                ));
            }
            let figures = |f: fn(&(f64, f64)) -> f64| {
                let of = times.iter().map(|t| format!("{:10.3}", f(t)));
                let best = f(&times[0]).min(f(&times[1]));
                format!("{} ({:4.2} of the better)", of.collect::<String>(), f(&times[2]) / best)
            };
            println!(
                "{:5} {:11} {:9} KiB:{},{}",
                profile.name(),
                bound.kind(),
                bytes >> 10,
                figures(|t| t.0),
                figures(|t| t.1)
            );
        }
    }
}

/// What a call takes that makes the memory for its result: the others here use theirs again.
#[test]
#[ignore = "prints a table of speeds; run it with --ignored --nocapture"]
fn new_memory() {
    let codec = Codec::cpu();
    let data = field((1 << 30) / 4);
    println!(
        "milliseconds of compression and decompression on the CPU: in memory used again | new"
    );
    for profile in [Profile::default(), Profile::Dense(Dense::new())] {
        let options = CompressOptions::new(Bound::Absolute(3e-3)).profile(profile);
        for bytes in [1 << 24, 1 << 26, 1 << 28, 1 << 30usize] {
            let shape = [bytes as u64 / 4 / 512 / 512, 512, 512];
            let data = &data[..bytes / 4];
            let view = ArrayView::from_shape(shape.map(|n| n as usize), data).expect("its shape");
            let stream = codec.compress_with(view, &options).expect("compresses");
            let most = fsz::max_compressed_len(&shape, DType::F32).expect("small");
            let (mut room, mut back) = (vec![0; most as usize], vec![0f32; data.len()]);
            let into = |room: &mut [u8]| codec.compress_into(data, &shape, &options, room);
            let compress = [
                time(|| {
                    into(&mut room).expect("compresses");
                }),
                time(|| drop(codec.compress_with(view, &options).expect("compresses"))),
            ];
            let decompress = [
                time(|| codec.decompress_into(&stream, &mut back).expect("decodes")),
                time(|| drop(codec.decompress::<f32>(&stream).expect("decodes"))),
            ];
            let figures = |of: [f64; 2]| format!("{:7.1} |{:7.1}", of[0], of[1]);
            let [compress, decompress] = [compress, decompress].map(figures);
            println!("{:5} {:5} MiB: {compress},{decompress}", profile.name(), bytes >> 20);
        }
    }
}

/// A field and room in memory that is pinned, so that nothing is copied on the host.
#[test]
#[ignore = "prints a table of speeds; run it with --ignored --nocapture"]
fn pinned_to_host() {
    let Some(cuda) = cuda() else { return };
    let device = fsz::cuda::DeviceCodec::open(0).expect("opens");
    let _current = fsz::cuda::internal::enter(&device).expect("enters");
    let made = field((1 << 30) / 4);
    // SAFETY: the memory is kept to the end of the process, and filled before it is seen.
    let data: &mut [f32] = unsafe {
        let bytes = size_of_val(&made[..]);
        let at = result::malloc_host(bytes, sys::CU_MEMHOSTALLOC_PORTABLE).expect("pins");
        at.cast::<f32>().copy_from_nonoverlapping(made.as_ptr(), made.len());
        std::slice::from_raw_parts_mut(at.cast(), made.len())
    };
    let shape = [made.len() as u64 / 512 / 512, 512, 512];
    let mut room = vec![0; fsz::max_compressed_len(&shape, DType::F32).unwrap() as usize];
    println!("milliseconds of compression from and decompression to pinned memory of 1 GiB");
    for profile in [Profile::default(), Profile::Dense(Dense::new())] {
        let options = CompressOptions::new(Bound::Absolute(3e-3)).profile(profile);
        let mut len = 0;
        let compress = time(|| {
            len = cuda.compress_into(data, &shape, &options, &mut room).expect("compresses");
        });
        let stream = Stream::open(&room[..len]).expect("opens");
        let decompress = time(|| cuda.decompress_into(&stream, data).expect("decodes"));
        println!("{:5}: {compress:.1} {decompress:.1}", profile.name());
        data.copy_from_slice(&made);
    }
}
