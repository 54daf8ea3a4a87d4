//! The calls that `speed.py` measures, in Rust: `speed FILE PROFILE RUNS` prints the least seconds of a
//! compression and of a decompression of a file of `f32`, with value-range bound 1e-3 and two threads.

use std::{
    env, fs,
    time::{Duration, Instant},
};

use fsz::{Bound, Codec, CompressOptions, DType, Dense, Profile, Stream};

/// Elements of the fast axis.
const COLUMNS: u64 = 8192;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = env::args().collect();
    let [_, file, profile, runs] = words.as_slice() else {
        return Err("use: speed FILE PROFILE RUNS".into());
    };
    let element = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let field: Vec<f32> = fs::read(file)?.chunks_exact(4).map(element).collect();
    let shape = [field.len() as u64 / COLUMNS, COLUMNS];
    let codec = Codec::cpu().threads(2)?;
    let profile = match profile.as_str() {
        "dense" => Profile::Dense(Dense::new()),
        _ => Profile::default(),
    };
    let options = CompressOptions::new(Bound::ValueRange(1e-3)).profile(profile);
    let most = fsz::max_compressed_len(&shape, DType::F32)? as usize;
    let mut out = vec![0f32; field.len()];
    let (mut compressing, mut decompressing) = (Duration::MAX, Duration::MAX);
    for _ in 0..runs.parse::<u32>()? {
        let start = Instant::now();
        let mut bytes = vec![0; most];
        let len = codec.compress_into(&field, &shape, &options, &mut bytes)?;
        bytes.truncate(len);
        let stream = Stream::from_vec(bytes)?;
        compressing = compressing.min(start.elapsed());
        let start = Instant::now();
        codec.decompress_into(&stream, &mut out)?;
        decompressing = decompressing.min(start.elapsed());
    }
    println!("{} {}", compressing.as_secs_f64(), decompressing.as_secs_f64());
    Ok(())
}
