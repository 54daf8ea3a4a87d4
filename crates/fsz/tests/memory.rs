//! Compression and decompression take little memory beside their input and output.
#![cfg(target_os = "linux")]

use fsz::{Bound, Codec, CompressOptions, Dense, Profile};
use ndarray::Array1;

/// The most memory that this process has had resident, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).expect("a peak");
    1024 * line.split_whitespace().nth(1).expect("a number").parse::<u64>().expect("a number")
}

/// The profile that a process of the test measures.
const OWN: &str = "FSZ_TEST_MEMORY_OF";

/// The peak never falls: each profile has a process of its own.
#[test]
fn peak_memory_is_input_and_output_and_a_tenth() {
    let profiles = [Profile::default(), Profile::Dense(Dense::new())];
    if let Ok(own) = std::env::var(OWN) {
        let profile = profiles.into_iter().find(|profile| profile.name() == own);
        return is_input_and_output_and_a_tenth(profile.expect("one of them"));
    }
    for profile in profiles {
        let test = std::env::current_exe().expect("this program");
        let name = "peak_memory_is_input_and_output_and_a_tenth";
        let args = ["--exact", name, "--nocapture"];
        let ended = std::process::Command::new(test).args(args).env(OWN, profile.name()).status();
        assert!(ended.expect("it starts").success(), "{}", profile.name());
    }
}

fn is_input_and_output_and_a_tenth(profile: Profile) {
    let n = 48 << 20;
    let field: Array1<f32> =
        Array1::from_shape_fn(n, |i| ((i % 4096) as f32 * 0.01).sin() + (i * 7919 % 31) as f32);
    let input = 4 * n as u64;
    let codec = Codec::cpu();
    let before = peak();
    assert!(before >= input);

    let options = CompressOptions::new(Bound::ValueRange(1e-3)).profile(profile);
    let stream = codec.compress_with(field.view(), &options).expect("compresses");
    let output = stream.as_bytes().len() as u64;
    assert!(output > input / 10, "the output is to be worth counting: {output}");
    let extra = peak() - before;
    assert!(extra <= output + (input + output) / 10, "{extra} for an output of {output}");

    drop(field);
    // The peak stays what it was; only what goes beyond it shows.
    let back = codec.decompress::<f32>(&stream).expect("decompresses");
    assert_eq!(back.len(), n);
    let most = before + output + (input + output) / 10;
    assert!(peak() <= most, "{} of {most}", peak());
}
