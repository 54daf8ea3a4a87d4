//! The paper's own kernels on a CUDA device: where nothing is escaped they make the codec's rates and
//! payload, in both designs. Skipped without a device, unless FSZ_REQUIRE_CUDA is set.

use fsz::{Bound, Codec, CompressOptions, Stream};
use fsz_bench::{DeviceBench, PaperDesign};

/// Waves of two lengths with some roughness; none of the bounds below escapes any of it.
fn waves(n: usize, offset: f32) -> Vec<f32> {
    (0..n)
        .map(|i| {
            let x = i as f32;
            offset + (0.013 * x).sin() + 0.2 * (0.31 * x).cos() + 1e-3 * ((i * 7919) % 101) as f32
        })
        .collect()
}

fn compress(data: &[f32], options: &CompressOptions) -> Stream<'static> {
    let shape = [data.len() as u64];
    let most = fsz::max_compressed_len(&shape, fsz::DType::F32).expect("fits");
    let mut bytes = vec![0; most as usize];
    let len = Codec::cpu().compress_into(data, &shape, options, &mut bytes).expect("compresses");
    bytes.truncate(len);
    Stream::from_vec(bytes).expect("opens")
}

#[test]
fn rates_and_payload_are_those_of_the_codec() {
    let bench = match DeviceBench::open(0) {
        Ok(bench) => bench,
        Err(why) => {
            assert!(std::env::var_os("FSZ_REQUIRE_CUDA").is_none(), "{why}");
            return eprintln!("SKIPPED: the paper's kernels: {why}");
        }
    };
    // None, one tile and a broken one, a thread block more or less, many thread blocks.
    for n in [0, 255, 256, 300, 32_768, 33_024, 1_000_000, 5_000_003] {
        for (offset, bound) in [
            (0.0, Bound::ValueRange(1e-1)),
            (0.0, Bound::ValueRange(1e-4)),
            (1000.0, Bound::ValueRange(1e-3)),
            (0.0, Bound::Absolute(1e-3)),
            (100.0, Bound::Absolute(1e-2)),
        ] {
            let data = waves(n, offset);
            let options = CompressOptions::new(bound);
            let stream = compress(&data, &options);
            assert_eq!(stream.certificate().escaped, 0, "{n} {bound:?}: no such input");
            for design in [PaperDesign::TwoReads, PaperDesign::FiveReads] {
                let times = bench.paper(design, &data, &options, &stream, 1).expect("compresses");
                assert!(times.same, "{n} elements, offset {offset}, {bound:?}, {design:?}");
            }
        }
    }
}

#[test]
fn streams_of_other_fields_are_refused() {
    let Ok(bench) = DeviceBench::open(0) else { return };
    let options = CompressOptions::new(Bound::Absolute(0.1));
    let stream = compress(&waves(512, 0.0), &options);
    let other = waves(511, 0.0);
    assert!(bench.paper(PaperDesign::TwoReads, &other, &options, &stream, 1).is_err());
}
