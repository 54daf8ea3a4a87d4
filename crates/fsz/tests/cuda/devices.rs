//! Devices: several threads on one, several in a machine, and none.

use crate::check::{check, device, same_field};
use crate::common::{
    compress,
    inputs::{KINDS, field},
    some,
};
use fsz::{Bound, Codec, CompressOptions};

#[test]
fn one_codec_serves_many_threads() {
    let Some(codec) = device("many threads") else { return };
    std::thread::scope(|scope| {
        for t in 0..8usize {
            let codec = codec.clone();
            scope.spawn(move || {
                for round in some(0..20) {
                    let n = 1000 + 7919 * t + 131 * round;
                    let kind = KINDS[(t + round) % KINDS.len()];
                    let options = CompressOptions::new(Bound::ValueRange(1e-3));
                    check(kind, &codec, &field::<f32>(kind, n, 9), &[n as u64], &options);
                }
            });
        }
    });
}

#[test]
fn a_device_that_is_not_there_is_refused() {
    assert!(matches!(Codec::cuda(1 << 20), Err(fsz::Error::Device(_))));
    Codec::auto();
}

/// Each device of the machine at once, from a thread of its own, gives the CPU's bytes.
#[test]
fn every_device_gives_the_same_stream() {
    let count = fsz::devices().map_or(0, |devices| devices.len());
    if count < 2 {
        eprintln!("SKIPPED: several devices: this machine has {count}");
        return;
    }
    let data = field::<f32>(KINDS[0], 1_000_000, 11);
    let (shape, options) = ([data.len() as u64], CompressOptions::new(Bound::ValueRange(1e-3)));
    let expected = compress(&Codec::cpu(), &data, &shape, &options);
    std::thread::scope(|scope| {
        for device in 0..count {
            let (data, options, expected) = (&data, &options, &expected);
            scope.spawn(move || {
                let codec = Codec::cuda(device).expect("opens");
                for run in 0..20 {
                    let stream = compress(&codec, data, &shape, options);
                    assert!(stream == *expected, "device {device}, run {run}");
                    same_field::<f32>(&format!("device {device}"), &codec, &stream);
                }
            });
        }
    });
}
