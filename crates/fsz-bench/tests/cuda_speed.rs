//! Speeds that `fsz bench` has no words for, as a table: fields of 1 to 256 MiB, and slices of a large
//! one; what a program waits for small calls, and for fields with bounds by region. `--ignored --nocapture` prints
//! it; FSZ_REPEATS is how often each is timed (20).

#[path = "../../fsz/tests/common/graph.rs"]
mod graph;

use std::{ptr::null_mut, time::Instant};

use cudarc::driver::result;
use fsz::{
    Bound, Codec, CompressOptions, DType, Dense, Mask, Profile, Region, Stream,
    cuda::{Compression, CudaStream, DeviceCodec, DeviceMemory, StreamKind, internal},
};
use fsz_bench::{DeviceBench, Roofline, median};
use graph::Graph;
use rayon::prelude::*;

/// Waves with the spectrum of turbulence, in a cube of 512³ elements from its first one on.
fn smooth(n: usize) -> Vec<f32> {
    let value = |i: usize| {
        let (x, y, z) = ((i % 512) as f32, (i / 512 % 512) as f32, (i >> 18) as f32);
        (0..8).fold(0.0, |sum, octave| {
            let (k, phase) = ((1 << octave) as f32, octave as f32);
            let (a, u) = (k.powf(-5.0 / 3.0), std::f32::consts::TAU * k / 512.0);
            sum + a * (u * (x + 0.31 * y) + phase * 1.3).sin() * (u * (y - 0.2 * z) + phase).cos()
        })
    };
    (0..n).into_par_iter().map(value).collect()
}

fn repeats() -> usize {
    std::env::var("FSZ_REPEATS").ok().and_then(|v| v.parse().ok()).unwrap_or(20)
}

fn compress(data: &[f32], shape: &[u64], options: &CompressOptions) -> Stream<'static> {
    let most = fsz::max_compressed_len(shape, fsz::DType::F32).expect("fits") as usize;
    let mut bytes = vec![0; most];
    let len = Codec::cpu().compress_into(data, shape, options, &mut bytes).expect("compresses");
    bytes.truncate(len);
    Stream::from_vec(bytes).expect("opens")
}

/// Compressing and decompressing one field, and the share of what a copy of as many bytes takes.
fn line(bench: &DeviceBench, roofline: &Roofline, data: &[f32]) {
    let options = CompressOptions::new(Bound::ValueRange(1e-3));
    let shape = [data.len() as u64];
    let stream = compress(data, &shape, &options);
    let len = stream.as_bytes().len();
    let raw = size_of_val(data);
    let times = bench.compress(data, &shape, &options, repeats()).expect("compresses");
    assert_eq!(times.stream_len, len as u64);
    let decode = bench.decompress(&stream, repeats()).expect("decodes");
    let speed = |name: &str, time: f64| {
        format!(
            "{name} {:7.1} GB/s {:5.1} % of copy {:8.1} us",
            raw as f64 * 1e-9 / time,
            100.0 * (raw + len) as f64 / roofline.copy / time,
            time * 1e6
        )
    };
    println!(
        "{:4} MiB, ratio {:6.2}: {}, {}, survey {:.1} us, calls {:.1} and {:.1} us",
        raw >> 20,
        raw as f64 / len as f64,
        speed("compress", median(times.encode)),
        speed("decompress", median(decode.decode)),
        median(times.survey) * 1e6,
        median(times.call) * 1e6,
        median(decode.call) * 1e6
    );
}

#[test]
#[ignore = "prints a table of speeds; run it with --ignored --nocapture"]
fn speed() {
    let bench = match DeviceBench::open(0) {
        Ok(bench) => bench,
        Err(why) => return eprintln!("SKIPPED: speeds: {why}"),
    };
    let data = smooth(512 * 512 * 512);
    for mebibytes in [1, 16, 64, 256] {
        let roofline = bench.roofline(1 << 30, repeats()).expect("measures");
        line(&bench, &roofline, &data[..(mebibytes << 20) / 4]);
    }
    let shape = [512; 3];
    let stream = compress(&data, &shape, &CompressOptions::new(Bound::ValueRange(1e-3)));
    for axis in 0..3 {
        let (mut start, mut count) = ([0; 3], shape);
        start[axis] = 200;
        count[axis] = 1;
        let times = bench.decompress_box(&stream, &start, &count, repeats()).expect("decodes");
        println!("slice of 512³ across axis {axis}: {:.1} us", median(times.decode) * 1e6);
    }
}

fn device(what: &str) -> Option<DeviceCodec> {
    DeviceCodec::open(0).inspect_err(|why| eprintln!("SKIPPED: {what}: {why}")).ok()
}

fn memory(len: u64) -> DeviceMemory {
    DeviceMemory::new(0, len as usize, 0xFF).expect("allocates")
}

/// Waits for the default stream.
fn wait() {
    // SAFETY: it always exists.
    unsafe { result::stream::synchronize(null_mut()).expect("waits") }
}

/// Microseconds of a call, of the median one.
fn waited(call: impl FnMut()) -> f64 {
    waited_times(10 * repeats(), call)
}

/// The same, of so many calls.
fn waited_times(calls: usize, mut call: impl FnMut()) -> f64 {
    let mut times = Vec::new();
    for _ in 0..calls {
        let began = Instant::now();
        call();
        times.push(began.elapsed().as_secs_f64() * 1e6);
    }
    median(times)
}

#[test]
#[ignore = "prints a table of times; run it with --ignored --nocapture"]
fn small_calls() {
    let Some(codec) = device("small calls") else { return };
    let _current = internal::enter(&codec).expect("enters");
    println!(
        "microseconds of calls on device memory that are waited for, and of replayed graphs of them"
    );
    for (mebibytes, bound) in
        [1, 4].into_iter().flat_map(|m| [(m, Bound::ValueRange(1e-3)), (m, Bound::Absolute(1e-3))])
    {
        let data = smooth((mebibytes << 20) / 4);
        let shape = [data.len() as u64];
        let compression =
            Compression::new(&shape, DType::F32, &CompressOptions::new(bound)).expect("valid");
        let most = compression.max_len();
        let [mut field, stream] = [4 * shape[0], most].map(memory);
        let [scratch, report] =
            [compression.scratch_len(), DeviceCodec::DECOMPRESS_SCRATCH as u64].map(memory);
        field.write(0, &data).expect("writes");
        let place = (stream.address(), most);
        // SAFETY: the memory was sized above, and outlives all calls.
        let compress = |queue: CudaStream| unsafe {
            let (from, scratch) = (field.address(), scratch.address());
            codec.compress(&compression, from, place, scratch, queue).expect("enqueues");
        };
        // SAFETY: as above.
        let decompress = |queue: CudaStream| unsafe {
            let (to, report) = (field.address(), report.address());
            codec.decompress(compression.kind(), place, to, report, queue).expect("enqueues");
        };
        let calls: [(&str, &dyn Fn(CudaStream)); 2] =
            [("compress", &compress), ("decompress", &decompress)];
        for (name, call) in calls {
            call(null_mut());
            wait();
            let one = waited(|| {
                call(null_mut());
                wait();
            });
            let graph = Graph::capture(call);
            println!(
                "{mebibytes} MiB {bound:?} {name}: {one:.1}, {:.1}",
                waited(|| graph.replay())
            );
        }
        // SAFETY: the scratch memory is that of the last calls.
        unsafe { codec.outcome(report.address(), null_mut()).expect("decompresses") };
    }
    println!("waiting for nothing: {:.1}", waited(wait));
}

#[test]
#[ignore = "prints a table of times; run it with --ignored --nocapture"]
fn dense_calls() {
    let Some(codec) = device("dense calls") else { return };
    let _current = internal::enter(&codec).expect("enters");
    println!(
        "microseconds of compressing by dense: with a choice, like another stream, a graph of that"
    );
    for planes in [1, 16, 64, 256, 1024] {
        let shape = [planes, 512, 512];
        let data = smooth(shape.iter().product::<u64>() as usize);
        let dense =
            CompressOptions::new(Bound::ValueRange(1e-3)).profile(Profile::Dense(Dense::new()));
        let [mut field, out] = [4 * data.len() as u64; 2].map(memory);
        field.write(0, &data).expect("writes");
        let call = |compression: &Compression, scratch: &DeviceMemory, queue: CudaStream| {
            let place = (out.address(), out.len() as u64);
            // SAFETY: the memory was sized for it, and outlives the call.
            unsafe {
                let (from, scratch) = (field.address(), scratch.address());
                codec.compress(compression, from, place, scratch, queue).expect("enqueues");
            }
        };
        let ready = |options: &CompressOptions| {
            let compression = Compression::new(&shape, DType::F32, options).expect("valid");
            let scratch = memory(compression.scratch_len());
            call(&compression, &scratch, null_mut());
            wait();
            (compression, scratch)
        };
        let (choosing, scratch) = ready(&dense);
        let chosen = waited(|| {
            call(&choosing, &scratch, null_mut());
            wait();
        });
        // SAFETY: the scratch memory is that of the last call.
        let len = unsafe { codec.compressed_len(scratch.address(), out.len() as u64, null_mut()) };
        let mut bytes = vec![0; len.expect("compresses") as usize];
        out.read(0, &mut bytes).expect("reads");
        let model = Stream::from_vec(bytes).expect("opens");
        let (like, scratch) = ready(&dense.clone().like(&model).expect("its tables are sound"));
        let alike = waited(|| {
            call(&like, &scratch, null_mut());
            wait();
        });
        let graph = Graph::capture(|queue| call(&like, &scratch, queue));
        let replayed = waited(|| graph.replay());
        println!("{planes:4} MiB: {chosen:7.0}, {alike:7.0}, {replayed:7.0}");
    }
}

/// A field of 512³ elements with other bounds in boxes and where masks are set, in device memory.
#[test]
#[ignore = "prints a table of times; run it with --ignored --nocapture"]
fn bounds_by_region() {
    let Some(codec) = device("bounds by region") else { return };
    const SIDE: u64 = 512;
    let data = smooth(SIDE.pow(3) as usize);
    let shape = [SIDE; 3];
    let fine = Bound::Absolute(1e-5);
    let in_box = |count: u64| Region::in_box(&[100; 3], &[count; 3], fine);
    let from_middle = |at: u64| (at % SIDE).abs_diff(SIDE / 2).pow(2);
    let in_ball = |i: u64| {
        from_middle(i) + from_middle(i / SIDE) + from_middle(i / SIDE / SIDE) < (SIDE / 4).pow(2)
    };
    let ball: Mask = (0..SIDE.pow(3)).map(in_ball).collect();
    let cases = [
        ("none", vec![]),
        ("a box of 128³", vec![in_box(128)]),
        ("a box of 400³", vec![in_box(400)]),
        ("a ball", vec![Region::where_set(ball, fine)]),
    ];
    println!("milliseconds of calls on device memory that are waited for, 512 MiB");
    for (name, regions) in cases {
        let elements: u64 = regions.iter().map(|region| region.place.elements()).sum();
        let options = regions
            .into_iter()
            .fold(CompressOptions::new(Bound::Absolute(1e-3)), CompressOptions::region);
        let compression = Compression::new(&shape, DType::F32, &options).expect("valid");
        let most = compression.max_len();
        let [mut field, stream] = [4 * SIDE.pow(3), most].map(memory);
        let [scratch, report] =
            [compression.scratch_len(), DeviceCodec::DECOMPRESS_SCRATCH as u64].map(memory);
        field.write(0, &data).expect("writes");
        let mut len = 0;
        let compress = waited_times(repeats(), || {
            let place = (stream.address(), most);
            // SAFETY: the memory was sized above, and outlives the call.
            len = unsafe {
                let done = codec.compress(
                    &compression,
                    field.address(),
                    place,
                    scratch.address(),
                    null_mut(),
                );
                done.and_then(|()| codec.compressed_len(scratch.address(), most, null_mut()))
            }
            .expect("compresses");
        });
        let mut bytes = vec![0; len as usize];
        stream.read(0, &mut bytes).expect("reads");
        let kind = StreamKind::of(&Stream::from_vec(bytes).expect("opens")).expect("decodes");
        let decompress = waited_times(repeats(), || {
            let (to, report) = (field.address(), report.address());
            // SAFETY: as above.
            unsafe {
                let done = codec.decompress(&kind, (stream.address(), len), to, report, null_mut());
                done.and_then(|()| codec.outcome(report, null_mut()))
            }
            .expect("decompresses");
        });
        println!(
            "{name}: {:.2} % of the elements, ratio {:.2}, compress {:.2}, decompress {:.2}",
            100.0 * elements as f64 / SIDE.pow(3) as f64,
            4.0 * SIDE.pow(3) as f64 / len as f64,
            compress * 1e-3,
            decompress * 1e-3
        );
    }
}
