//! A sound stream whose header is overwritten at arbitrary places, its checksum made right.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|damage: fsz_fuzz::Damage| damage.exercise());
