//! What a program waits for its first calls on a device: in a program of its own, and with an environment that
//! says whether the driver may keep what it compiles (`CUDA_CACHE_PATH`, `CUDA_CACHE_DISABLE`).

use std::time::Instant;

use fsz::{Bound, Codec, CompressOptions, Dense, Profile, Stream};

/// Milliseconds.
fn time<R>(call: impl FnOnce() -> R) -> (f64, R) {
    let began = Instant::now();
    let answer = call();
    (began.elapsed().as_secs_f64() * 1e3, answer)
}

#[test]
#[ignore = "prints times; run it with --ignored --nocapture"]
fn first_calls() {
    let (opening, codec) = time(|| Codec::cuda(0));
    let codec = match codec {
        Ok(codec) => codec,
        Err(why) => return eprintln!("SKIPPED: first calls: {why}"),
    };
    println!("milliseconds: the device {opening:.0}");
    let data: Vec<f32> = (0..1 << 20).map(|i| (i as f32 * 0.013).sin()).collect();
    let shape = [16, 256, 256];
    let mut room = vec![0; fsz::max_compressed_len(&shape, fsz::DType::F32).unwrap() as usize];
    let mut back = vec![0f32; data.len()];
    let cases = [
        (Profile::default(), Bound::ValueRange(1e-3)),
        (Profile::default(), Bound::Absolute(1e-3)),
        (Profile::Dense(Dense::new()), Bound::ValueRange(1e-3)),
    ];
    for (profile, bound) in cases {
        let options = CompressOptions::new(bound).profile(profile);
        let mut compress =
            || time(|| codec.compress_into(&data, &shape, &options, &mut room).expect("writes"));
        let ((first, len), (second, _)) = (compress(), compress());
        let stream = Stream::open(&room[..len]).expect("opens");
        let mut decompress =
            || time(|| codec.decompress_into(&stream, &mut back).expect("decodes")).0;
        println!(
            "{} {bound:?}: compress {first:.0}, again {second:.1}; decompress {:.0}, again {:.1}",
            profile.name(),
            decompress(),
            decompress()
        );
    }
}
