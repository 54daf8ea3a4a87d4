//! Values without any regularity.

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};

/// Positive normal numbers of every magnitude below 2.
pub fn noise(elements: usize) -> Vec<f32> {
    let mut random = SplitMix64::seed_from_u64(1);
    let value = || f32::from_bits((random.next_u32() >> 2) | 0x0080_0000);
    std::iter::repeat_with(value).take(elements).collect()
}
