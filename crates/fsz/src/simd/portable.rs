//! Plain Rust for every processor.

use super::Simd;
use crate::{
    bound::Quantizer,
    choose::rate,
    quantize::{self, Plain},
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Simd for Portable {
    const FUSED: bool = false;

    #[inline(always)]
    fn quantize_f32<const KNOWN: bool>(
        self,
        tile: &[f32; 256],
        z: &Quantizer<f32>,
        codes: &mut [i32; 256],
    ) -> Plain<f32> {
        quantize::portable::<f32, KNOWN>(tile, z, codes)
    }

    #[inline(always)]
    fn quantize_f64<const KNOWN: bool>(
        self,
        tile: &[f64; 256],
        z: &Quantizer<f64>,
        codes: &mut [i32; 256],
    ) -> Plain<f64> {
        quantize::portable::<f64, KNOWN>(tile, z, codes)
    }

    #[inline(always)]
    fn magnitudes(self, chain: &[i32; 258]) -> [[u32; 8]; 2] {
        let mut or = [[0; 8]; 2];
        for i in 0..256 {
            let d = chain[i + 2].wrapping_sub(chain[i + 1]);
            let dd = d.wrapping_sub(chain[i + 1].wrapping_sub(chain[i]));
            or[0][i / 32] |= d.unsigned_abs();
            or[1][i / 32] |= dd.unsigned_abs();
        }
        or
    }

    #[inline(always)]
    fn rates(self, or: &[u32; 8]) -> u64 {
        or.iter().rev().fold(0, |rates, &or| rates << 8 | rate(or) as u64)
    }

    #[inline(always)]
    fn pack(self, chain: &[i32; 34], order: u8, rate: u8, out: &mut [u32]) {
        let mut residuals = [0; 32];
        for (i, l) in residuals.iter_mut().enumerate() {
            let d = chain[i + 2].wrapping_sub(chain[i + 1]);
            *l = match order {
                1 => d,
                _ => d.wrapping_sub(chain[i + 1].wrapping_sub(chain[i])),
            };
        }
        pack_residuals(&residuals, rate, out);
    }

    #[inline(always)]
    fn unpack(self, words: &[u32], rate: u8, residuals: &mut [i32; 32]) {
        let (&sign, planes) =
            words[..rate as usize + 1].split_first().expect("a block has a sign word");
        let mut magnitudes = [0u32; 32];
        for (b, &plane) in planes.iter().enumerate() {
            for (i, m) in magnitudes.iter_mut().enumerate() {
                *m |= ((plane >> (31 - i)) & 1) << b;
            }
        }
        for (i, (l, m)) in residuals.iter_mut().zip(magnitudes).enumerate() {
            let negative = ((sign >> (31 - i)) & 1).wrapping_neg();
            *l = (m ^ negative).wrapping_sub(negative) as i32;
        }
    }

    #[inline(always)]
    fn prefix_sum(self, values: &mut [i32; 256], mut carry: i32) {
        for v in values {
            carry = carry.wrapping_add(*v);
            *v = carry;
        }
    }
}

/// Packs 32 residuals: the sign word, then `rate` bit-planes.
#[inline(always)]
pub(crate) fn pack_residuals(residuals: &[i32; 32], rate: u8, out: &mut [u32]) {
    let out = &mut out[..rate as usize + 1];
    out.fill(0);
    let (sign, planes) = out.split_first_mut().expect("a block has a sign word");
    for (i, &l) in residuals.iter().enumerate() {
        let shift = 31 - i;
        *sign |= ((l < 0) as u32) << shift;
        let magnitude = l.unsigned_abs();
        for (b, plane) in planes.iter_mut().enumerate() {
            *plane |= ((magnitude >> b) & 1) << shift;
        }
    }
}
