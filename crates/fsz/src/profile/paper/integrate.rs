//! Residuals back to codes (FORMAT.md, *Predict*, reversed). All sums wrap: a forged stream can do no harm.

use super::predict::Variant;
use crate::{
    format::{TILE, geometry::Geometry},
    simd::Simd,
};

/// Codes of a standard tile, in place.
#[inline(always)]
pub(crate) fn standard<S: Simd>(simd: S, values: &mut [i32; TILE], variant: Variant, mu: i32) {
    if variant.order == 2 {
        simd.prefix_sum(values, 0);
    }
    simd.prefix_sum(values, mu);
}

/// Codes of a tile of any geometry, in place.
pub(crate) fn any(
    values: &mut [i32],
    variant: Variant,
    mu: i32,
    geometry: Geometry,
    cross_block: bool,
) {
    let (mut a, mut b) = (0i32, 0i32);
    for (i, value) in values.iter_mut().enumerate() {
        if !cross_block && i % geometry.block_len == 0 {
            (a, b) = (0, 0);
        }
        let x = match variant.order {
            1 => value.wrapping_add(a),
            _ => value.wrapping_add(a.wrapping_mul(2)).wrapping_sub(b),
        };
        (a, b) = (x, a);
        *value = x.wrapping_add(mu);
    }
}
