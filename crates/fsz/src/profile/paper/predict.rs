//! Codes to residuals (FORMAT.md, *Predict*).

use crate::format::{BLOCK, TILE, geometry::Geometry};

/// Order and centering of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// 1 or 2.
    pub order: u8,
    pub centered: bool,
}

/// The variants in the order that ties go to.
pub(crate) const VARIANTS: [Variant; 4] = [
    Variant { order: 1, centered: false },
    Variant { order: 2, centered: false },
    Variant { order: 1, centered: true },
    Variant { order: 2, centered: true },
];

/// Puts two places before a chain (which begins at place 2) that continue the line through its first two
/// codes, so that neither difference has a boundary: what is left are the residuals that all variants share.
#[inline(always)]
pub(crate) fn extend_left(chain: &mut [i32; TILE + 2]) {
    let (q0, q1) = (chain[2], chain[3]);
    chain[1] = q0.wrapping_mul(2).wrapping_sub(q1);
    chain[0] = q0.wrapping_mul(3).wrapping_sub(q1.wrapping_mul(2));
}

/// Continues a chain of `len` ≥ 1 codes (which begins at place 2) such that its residuals of this order
/// are 0: of order 1 up to a whole tile, of order 2 up to the end of the last code's block.
#[inline(always)]
pub(crate) fn extend_right(chain: &mut [i32; TILE + 2], len: usize, order: u8) {
    let end = len + 2;
    if order == 1 {
        let last = chain[end - 1];
        chain[end..].fill(last);
        return;
    }
    for i in end..len.next_multiple_of(BLOCK) + 2 {
        chain[i] = chain[i - 1].wrapping_mul(2).wrapping_sub(chain[i - 2]);
    }
}

/// The residuals of the first two elements, which depend on the variant; wrapping never happens for codes
/// within ±(2²⁹ − 1).
#[inline(always)]
pub(crate) fn boundary(order: u8, q0: i32, q1: i32, mu: i32) -> [i32; 2] {
    let x0 = q0.wrapping_sub(mu);
    let x1 = q1.wrapping_sub(mu);
    match order {
        1 => [x0, x1.wrapping_sub(x0)],
        _ => [x0, x1.wrapping_sub(x0.wrapping_mul(2))],
    }
}

/// The residuals of one variant, element by element: the plain statement of the format, for every geometry
/// and switch. `out` is as long as the tile.
pub(crate) fn residuals(
    codes: &[i32],
    order: u8,
    mu: i32,
    geometry: Geometry,
    cross_block: bool,
    out: &mut [i32],
) {
    let (mut a, mut b) = (0i32, 0i32);
    for (i, &q) in codes.iter().enumerate() {
        if !cross_block && i % geometry.block_len == 0 {
            (a, b) = (0, 0);
        }
        let x = q.wrapping_sub(mu);
        out[i] = match order {
            1 => x.wrapping_sub(a),
            _ => x.wrapping_sub(a.wrapping_mul(2)).wrapping_add(b),
        };
        (a, b) = (x, a);
    }
    out[codes.len()..].fill(0);
}
