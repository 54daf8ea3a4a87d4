//! Plain Rust for every processor.

use super::{ROUND_F64, Simd, rate};
use crate::{
    format::{
        BLOCK, CHECKSUM_MULTIPLIERS, MU_WORD, RateByte, TILE, TILE_BLOCKS,
        checksum::{products, row},
    },
    quantizer::{Errors, Linear, Plain},
    scalar::Scalar,
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Simd for Portable {
    const FUSED: bool = false;

    #[inline(always)]
    fn quantize_f32<const KNOWN: bool>(
        self,
        tile: &[f32; TILE],
        z: &Linear<f32>,
        codes: &mut [i32; TILE],
    ) -> Plain<f32> {
        quantize::<f32, KNOWN>(tile, z, codes)
    }

    #[inline(always)]
    fn quantize_f64<const KNOWN: bool>(
        self,
        tile: &[f64; TILE],
        z: &Linear<f64>,
        codes: &mut [i32; TILE],
    ) -> Plain<f64> {
        quantize::<f64, KNOWN>(tile, z, codes)
    }

    #[inline(always)]
    fn magnitudes(self, chain: &[i32; TILE + 2]) -> [[u32; TILE_BLOCKS]; 2] {
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
    fn rates(self, or: &[u32; TILE_BLOCKS]) -> u64 {
        or.iter().rev().fold(0, |rates, &or| rates << 8 | rate(or) as u64)
    }

    #[inline(always)]
    fn pack(self, chain: &[i32; BLOCK + 2], order: u8, rate: u8, out: &mut [u32]) -> u64 {
        let mut residuals = [0; 32];
        for (i, l) in residuals.iter_mut().enumerate() {
            let d = chain[i + 2].wrapping_sub(chain[i + 1]);
            *l = match order {
                1 => d,
                _ => d.wrapping_sub(chain[i + 1].wrapping_sub(chain[i])),
            };
        }
        pack_residuals(&residuals, rate, out);
        products(out.iter().copied())
    }

    #[inline(always)]
    fn unpack(self, words: &[u32], rate: u8, residuals: &mut [i32; BLOCK]) {
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
    fn hash_blocks(self, rates: &[u8; TILE_BLOCKS], words: &[u32], mu: u64, id: u32) -> u32 {
        hash_blocks(rates, words, mu, id)
    }

    #[inline(always)]
    fn hash_rows(self, products: &[[u64; TILE_BLOCKS]], id: u32) -> u32 {
        hash_rows(products, id)
    }

    #[inline(always)]
    fn prefix_sum(self, values: &mut [i32; TILE], mut carry: i32) {
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

/// Quantizes 256 elements in plain Rust, through `f64`: for every processor, and for `f64`.
#[inline(always)]
fn quantize<T: Scalar, const KNOWN: bool>(
    tile: &[T; TILE],
    z: &Linear<T>,
    codes: &mut [i32; TILE],
) -> Plain<T> {
    let mut plain = Plain { errors: Errors::NONE, min: tile[0], max: tile[0] };
    let inverse = z.inverse.to_f64();
    let mut worst = 0u64;
    for (&d, code) in tile.iter().zip(codes) {
        let q = (d.to_f64() * inverse + ROUND_F64).to_bits() as i32;
        *code = q;
        // Errors are not negative, so their bits order as they do, with NaN above all.
        worst = worst.max(d.sub(T::from_code(q).mul(z.step)).magnitude().to_bits64());
        if !KNOWN {
            plain.min = if d < plain.min { d } else { plain.min };
            plain.max = if d > plain.max { d } else { plain.max };
        }
    }
    plain.errors.absolute = T::from_bits64(worst);
    plain
}

/// Words that are multiplied together.
const LANES: usize = 8;

/// For each eight words of a block the multipliers of the first 0 to 8 of them, and zeros.
const MULTIPLIERS: [[[u32; LANES]; LANES + 1]; MU_WORD / LANES] = {
    let mut table = [[[0; LANES]; LANES + 1]; MU_WORD / LANES];
    let mut at = 0;
    while at < MU_WORD * (LANES + 1) {
        let (n, word) = (at / MU_WORD, at % MU_WORD);
        if word % LANES < n {
            table[word / LANES][n][word % LANES] = CHECKSUM_MULTIPLIERS[word];
        }
        at += 1;
    }
    table
};

/// As [`Simd::hash_blocks`]: without a branch on how many words blocks have, but for the last ones of a chunk.
#[inline(always)]
fn hash_blocks(rates: &[u8; TILE_BLOCKS], mut words: &[u32], mu: u64, id: u32) -> u32 {
    let mut sums = [0; TILE_BLOCKS];
    sums[0] = mu;
    for (sum, &rate) in sums.iter_mut().zip(rates) {
        let mut left = RateByte(rate).words();
        for multipliers in &MULTIPLIERS {
            let n = left.min(LANES);
            *sum += match words.first_chunk::<LANES>() {
                Some(words) => {
                    (0..LANES).map(|j| words[j] as u64 * multipliers[n][j] as u64).sum::<u64>()
                }
                None => words.iter().zip(&multipliers[n]).map(|(&w, &m)| w as u64 * m as u64).sum(),
            };
            words = &words[n..];
            left -= n;
            if left == 0 {
                break;
            }
        }
    }
    hash_rows(&[sums], id)
}

#[inline(always)]
fn hash_rows(products: &[[u64; TILE_BLOCKS]], id: u32) -> u32 {
    products
        .as_flattened()
        .iter()
        .zip(id..)
        .fold(0, |share: u32, (&sum, id)| share.wrapping_add(row(id, sum)))
}
