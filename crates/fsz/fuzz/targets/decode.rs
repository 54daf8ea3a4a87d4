//! Arbitrary bytes as a stream: as they are, and with all checksums made right.
#![no_main]

use fsz_fuzz::{exercise, seal};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    exercise(data);
    let mut sealed = data.to_vec();
    seal(&mut sealed);
    exercise(&sealed);
});
