//! Arbitrary fields and options: what is compressed comes back within the bound, exactly.
#![no_main]

use fsz_fuzz::{Recipe, roundtrip};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|recipe: Recipe| {
    let elements = recipe.values.elements();
    roundtrip::<f32>(&elements, recipe.shape_hint, &recipe.options);
    roundtrip::<f64>(&elements, recipe.shape_hint, &recipe.options);
});
