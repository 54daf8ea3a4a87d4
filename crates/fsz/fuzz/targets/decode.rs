//! Arbitrary bytes as a stream: as they are, and with all checksums made right.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| fsz_fuzz::decode(data));
