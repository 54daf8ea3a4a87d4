//! Arbitrary fields and options: what is compressed comes back within the bound, exactly.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|recipe: fsz_fuzz::Recipe| recipe.roundtrip());
