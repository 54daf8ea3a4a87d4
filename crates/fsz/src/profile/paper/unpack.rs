//! Payload words back to residuals (FORMAT.md, *Pack*, reversed).

use crate::{
    format::{BLOCK, RateByte, TILE, geometry::Geometry},
    simd::{Simd, portable::Portable},
};

/// The residuals of a standard tile, from its blocks' words.
#[inline(always)]
pub(crate) fn standard<S: Simd>(
    simd: S,
    mut words: &[u32],
    rates: &[u8],
    residuals: &mut [i32; TILE],
) {
    for (block, &rate) in residuals.as_chunks_mut::<BLOCK>().0.iter_mut().zip(rates) {
        let rate = RateByte(rate).rate();
        if rate == 0 {
            block.fill(0);
        } else {
            let (own, rest) = words.split_at(rate as usize + 1);
            simd.unpack(own, rate, block);
            words = rest;
        }
    }
}

/// The residuals of a tile of any geometry.
pub(crate) fn any(mut words: &[u32], rates: &[u8], geometry: Geometry, residuals: &mut [i32]) {
    let stride = geometry.plane_words();
    for (block, &rate) in residuals.chunks_mut(geometry.block_len).zip(rates) {
        let rate = RateByte(rate).rate();
        if rate == 0 {
            block.fill(0);
            continue;
        }
        let (own, rest) = words.split_at(stride * (rate as usize + 1));
        for (h, half) in block.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            let mut planes = [0; 32];
            for (k, plane) in planes[..rate as usize + 1].iter_mut().enumerate() {
                *plane = own[k * stride + h];
            }
            Portable.unpack(&planes, rate, half);
        }
        words = rest;
    }
}
