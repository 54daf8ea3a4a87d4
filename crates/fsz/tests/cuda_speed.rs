//! The speed of the kernels on a CUDA device, as a table: `--ignored --nocapture` prints it. FSZ_BYTES
//! is the size of each field (1 GiB), FSZ_REPEATS how often each is timed (20).
#![cfg(feature = "cuda")]

mod common;

use common::{
    data_folder, fields,
    synthetic::{SYNTHETIC, mirrored, synthetic},
};
use fsz::{
    Bound, Codec, CompressOptions, Element, Stream,
    cuda::{DeviceBench, Roofline, median},
};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

/// One line of the table. Returns bytes per second and share of the copy roofline, both ways.
fn line<T: Element>(
    bench: &DeviceBench,
    roofline: &Roofline,
    name: &str,
    data: &[T],
    options: &CompressOptions,
) -> [f64; 4] {
    let shape = [data.len() as u64];
    let repeats = number("FSZ_REPEATS", 20) as usize;
    let mut bytes = vec![0; fsz::max_compressed_len(&shape, T::DTYPE).expect("fits") as usize];
    let len = Codec::cpu().compress_into(data, &shape, options, &mut bytes).expect("compresses");
    let stream = Stream::open(&bytes[..len]).expect("opens");
    let raw = size_of_val(data) as f64;
    let times = bench.compress(data, &shape, options, repeats).expect("compresses");
    assert_eq!(times.stream_len, len as u64, "{name}");
    let (encode, survey) = (median(times.encode), median(times.survey));
    let decode = median(bench.decompress(&stream, repeats).expect("decodes"));
    let share = |time: f64| (raw + len as f64) / roofline.copy / time;
    println!(
        "{name:34} ratio {:7.2} | {:7.1} GB/s {:5.1} % {:8.1} us (survey {:5.1} %) | \
         {:7.1} GB/s {:5.1} % {:8.1} us",
        raw / len as f64,
        raw / encode * 1e-9,
        100.0 * share(encode),
        encode * 1e6,
        100.0 * raw / roofline.read / survey,
        raw / decode * 1e-9,
        100.0 * share(decode),
        decode * 1e6
    );
    [raw / encode, share(encode), raw / decode, share(decode)]
}

fn geomean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count() as f64;
    (values.map(f64::ln).sum::<f64>() / n).exp()
}

fn table<T: Element>(bench: &DeviceBench) {
    let n = number("FSZ_BYTES", 1 << 30) as usize / T::DTYPE.size();
    let roofline = bench.roofline((n * T::DTYPE.size()) as u64, 20).expect("measures");
    println!(
        "{}: copy {:.1} GB/s, read {:.1} GB/s",
        T::DTYPE,
        roofline.copy * 1e-9,
        roofline.read * 1e-9
    );
    let mut inputs: Vec<(String, Vec<T>, Option<f64>)> = SYNTHETIC
        .iter()
        .map(|kind| {
            let part = synthetic::<T>(kind, n.min(1 << 26));
            (kind.to_string(), mirrored(&part, 64.min(part.len()), n), None)
        })
        .collect();
    if let Some(folder) = data_folder("real fields") {
        for (name, shape, data) in fields::<T>(&folder) {
            let missing = name.starts_with("pop_").then_some(9.96921e36);
            inputs.push((name, mirrored(&data, shape[0] as usize, n), missing));
        }
    }
    for ratio in [1e-2, 1e-3, 1e-4] {
        let results: Vec<[f64; 4]> = inputs
            .iter()
            .map(|(name, data, missing)| {
                let mut options = CompressOptions::new(Bound::ValueRange(ratio));
                if let Some(value) = missing {
                    options = options.missing(*value);
                }
                line(bench, &roofline, name, &data[..n.min(data.len())], &options)
            })
            .collect();
        let mean = |k: usize| geomean(results.iter().map(|r| r[k]));
        println!(
            "{} {ratio:e} geomean: compress {:.0} GB/s, {:.1} %; decompress {:.0} GB/s, {:.1} %",
            T::DTYPE,
            mean(0) * 1e-9,
            100.0 * mean(1),
            mean(2) * 1e-9,
            100.0 * mean(3)
        );
    }
}

/// Slices of a 512³ field, from its stream in device memory.
fn slices(bench: &DeviceBench) {
    let shape = [512u64; 3];
    let data = synthetic::<f32>("smooth + noise", 512 * 512 * 512);
    let mut bytes =
        vec![0; fsz::max_compressed_len(&shape, fsz::DType::F32).expect("fits") as usize];
    let options = CompressOptions::new(Bound::ValueRange(1e-3));
    let len = Codec::cpu().compress_into(&data, &shape, &options, &mut bytes).expect("compresses");
    let stream = Stream::open(&bytes[..len]).expect("opens");
    for axis in 0..3 {
        let (mut start, mut count) = ([0; 3], shape);
        start[axis] = 200;
        count[axis] = 1;
        let times = bench.decompress_box(&stream, &start, &count, 20).expect("decodes");
        println!("slice of 512³ across axis {axis}: {:.1} us", median(times) * 1e6);
    }
}

#[test]
#[ignore = "prints a table of speeds; run it with --ignored --nocapture"]
fn speed() {
    let bench = match DeviceBench::open(0) {
        Ok(bench) => bench,
        Err(why) => return eprintln!("SKIPPED: speeds: {why}"),
    };
    for mebibytes in [1, 16, 64, 256] {
        let n = (mebibytes << 20) / 4;
        let roofline = bench.roofline(1 << 30, 20).expect("measures");
        let data = synthetic::<f32>("smooth", n);
        let options = CompressOptions::new(Bound::ValueRange(1e-3));
        line(&bench, &roofline, &format!("smooth, {mebibytes} MiB"), &data, &options);
    }
    slices(&bench);
    table::<f32>(&bench);
    table::<f64>(&bench);
}
