//! The speed of the kernels on a CUDA device, as a table: `--ignored --nocapture` prints it. FSZ_BYTES
//! is the size of each field (1 GiB), FSZ_REPEATS how often each is timed (20).
#![cfg(feature = "cuda")]

mod common;

use common::{
    data_folder, fields,
    synthetic::{SYNTHETIC, mirrored, synthetic},
};
use fsz::{
    Bound, Codec, Element, Options, Stream,
    cuda::{DeviceBench, median},
};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

/// One line of the table; returns decompression's bytes per second and share of the roofline.
fn line<T: Element>(bench: &DeviceBench, copy: f64, name: &str, data: &[T], options: &Options) -> [f64; 2] {
    let shape = [data.len() as u64];
    let mut bytes = vec![0; fsz::max_compressed_len(&shape, T::DTYPE).expect("fits") as usize];
    let len = Codec::cpu().compress_into(data, &shape, options, &mut bytes).expect("compresses");
    let stream = Stream::open(&bytes[..len]).expect("opens");
    let raw = size_of_val(data) as f64;
    let time = median(bench.decompress(&stream, number("FSZ_REPEATS", 20) as usize).expect("decodes"));
    let share = (raw + len as f64) / copy / time;
    println!(
        "{name:34} ratio {:7.2}  decompress {:7.1} GB/s {:5.1} % {:9.1} us",
        raw / len as f64,
        raw / time * 1e-9,
        100.0 * share,
        time * 1e6
    );
    [raw / time, share]
}

fn geomean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count() as f64;
    (values.map(f64::ln).sum::<f64>() / n).exp()
}

fn table<T: Element>(bench: &DeviceBench) {
    let n = number("FSZ_BYTES", 1 << 30) as usize / T::DTYPE.size();
    let roofline = bench.roofline((n * T::DTYPE.size()) as u64, 20).expect("measures");
    println!("{}: copy {:.1} GB/s, read {:.1} GB/s", T::DTYPE, roofline.copy * 1e-9, roofline.read * 1e-9);
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
        let results: Vec<[f64; 2]> = inputs
            .iter()
            .map(|(name, data, missing)| {
                let mut options = Options::new(Bound::ValueRange(ratio));
                if let Some(value) = missing {
                    options = options.missing(*value);
                }
                line(bench, roofline.copy, name, &data[..n.min(data.len())], &options)
            })
            .collect();
        println!(
            "{} {ratio:e}: decompress geomean {:.1} GB/s, {:.1} % of the copy roofline",
            T::DTYPE,
            geomean(results.iter().map(|r| r[0])) * 1e-9,
            100.0 * geomean(results.iter().map(|r| r[1]))
        );
    }
}

#[test]
#[ignore = "prints a table of speeds; run it with --ignored --nocapture"]
fn speed() {
    let bench = match DeviceBench::open(0) {
        Ok(bench) => bench,
        Err(why) => return eprintln!("SKIPPED: speeds: {why}"),
    };
    table::<f32>(&bench);
    table::<f64>(&bench);
}
