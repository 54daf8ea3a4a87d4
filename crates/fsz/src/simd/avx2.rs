//! x86-64 with AVX2, FMA, BMI and LZCNT (Haswell, Zen and later).

use std::arch::x86_64::*;

use super::{ROUND_F64, ROWS_BYTES, Simd};
use crate::{
    format::{
        BLOCK, CHECKSUM_KEY, CHECKSUM_MULTIPLIERS, MIX, MU_WORD, RateByte, TILE, TILE_BLOCKS,
    },
    quantizer::{Errors, Linear, Plain},
};

/// 1.5 · 2²³: what [`ROUND_F64`] is, for `f32`.
const ROUND_F32: f32 = 12582912.0;

/// A proof that the processor has the instructions: only [`Avx2::new`] makes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

/// Whether this processor has what [`Avx2`] uses.
pub(crate) fn available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
}

impl Avx2 {
    /// # Safety
    /// [`available`] has returned true.
    pub unsafe fn new() -> Self {
        Avx2(())
    }
}

impl Simd for Avx2 {
    const FUSED: bool = true;

    #[inline(always)]
    fn quantize_f32<const KNOWN: bool>(
        self,
        tile: &[f32; TILE],
        z: &Linear<f32>,
        codes: &mut [i32; TILE],
    ) -> Plain<f32> {
        // SAFETY: an `Avx2` proves that the instructions exist.
        unsafe { quantize_f32::<KNOWN>(tile, z, codes) }
    }

    #[inline(always)]
    fn quantize_f64<const KNOWN: bool>(
        self,
        tile: &[f64; TILE],
        z: &Linear<f64>,
        codes: &mut [i32; TILE],
    ) -> Plain<f64> {
        // SAFETY: an `Avx2` proves that the instructions exist.
        unsafe { quantize_f64::<KNOWN>(tile, z, codes) }
    }

    #[inline(always)]
    fn magnitudes(self, chain: &[i32; TILE + 2]) -> [[u32; TILE_BLOCKS]; 2] {
        // SAFETY: an `Avx2` proves that the instructions exist.
        unsafe { magnitudes(chain) }
    }

    #[inline(always)]
    fn rates(self, or: &[u32; TILE_BLOCKS]) -> u64 {
        // SAFETY: an `Avx2` proves that the instructions exist.
        unsafe { rates(or) }
    }

    #[inline(always)]
    fn pack(self, chain: &[i32; BLOCK + 2], order: u8, rate: u8, out: &mut [u32]) -> u64 {
        let out = &mut out[..rate as usize + 1];
        // SAFETY: an `Avx2` proves that the instructions exist.
        unsafe { pack(chain, order, out) }
    }

    #[inline(always)]
    fn unpack(self, words: &[u32], rate: u8, residuals: &mut [i32; BLOCK]) {
        let words = &words[..rate as usize + 1];
        // SAFETY: an `Avx2` proves that the instructions exist.
        unsafe { unpack(words, residuals) }
    }

    #[inline(always)]
    fn hash_blocks(self, rates: &[u8; TILE_BLOCKS], words: &[u32], mu: u64, id: u32) -> u32 {
        // SAFETY: an `Avx2` proves that the instructions exist.
        unsafe { hash_blocks(rates, words, mu, id) }
    }

    #[inline(always)]
    fn hash_rows(self, products: &[[u64; TILE_BLOCKS]], id: u32) -> u32 {
        // SAFETY: an `Avx2` proves that the instructions exist.
        unsafe { hash_rows(products, id) }
    }

    #[inline(always)]
    fn prefix_sum(self, values: &mut [i32; TILE], carry: i32) {
        // SAFETY: an `Avx2` proves that the instructions exist.
        unsafe { prefix_sum(values, carry) }
    }
}

/// Elements that the loops below take in one step, in four independent vectors.
const STEP_F32: usize = 32;
const STEP_F64: usize = 16;

#[inline]
#[target_feature(enable = "avx2,fma")]
fn quantize_f32<const KNOWN: bool>(
    tile: &[f32; TILE],
    z: &Linear<f32>,
    codes: &mut [i32; TILE],
) -> Plain<f32> {
    let inverse = _mm256_set1_ps(z.inverse);
    let step = _mm256_set1_ps(z.step);
    let round = _mm256_set1_ps(ROUND_F32);
    let magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(i32::MAX));
    let mut worst = [_mm256_setzero_si256(); 4];
    let mut min = [_mm256_set1_ps(tile[0]); 4];
    let mut max = min;
    for (row, out) in tile.chunks_exact(STEP_F32).zip(codes.chunks_exact_mut(STEP_F32)) {
        for k in 0..4 {
            // SAFETY: 8 elements from 8·k on, k < 4, lie inside a row of 32.
            let d = unsafe { _mm256_loadu_ps(row.as_ptr().add(8 * k)) };
            let p = _mm256_fmadd_ps(d, inverse, round);
            let q = _mm256_sub_epi32(_mm256_castps_si256(p), _mm256_castps_si256(round));
            // SAFETY: as above.
            unsafe { _mm256_storeu_si256(out.as_mut_ptr().add(8 * k).cast(), q) };
            let rebuilt = _mm256_mul_ps(_mm256_sub_ps(p, round), step);
            let error = _mm256_and_ps(_mm256_sub_ps(d, rebuilt), magnitude);
            // Errors are not negative, so their bits order as they do, with NaN above all.
            worst[k] = _mm256_max_epi32(worst[k], _mm256_castps_si256(error));
            if !KNOWN {
                min[k] = _mm256_min_ps(d, min[k]);
                max[k] = _mm256_max_ps(d, max[k]);
            }
        }
    }
    let worst = _mm256_max_epi32(
        _mm256_max_epi32(worst[0], worst[1]),
        _mm256_max_epi32(worst[2], worst[3]),
    );
    let min = _mm256_min_ps(_mm256_min_ps(min[0], min[1]), _mm256_min_ps(min[2], min[3]));
    let max = _mm256_max_ps(_mm256_max_ps(max[0], max[1]), _mm256_max_ps(max[2], max[3]));
    // SAFETY: a vector of 8 elements has the size and every bit pattern of an array of 8.
    let worst = unsafe { std::mem::transmute::<__m256i, [u32; 8]>(worst) };
    // SAFETY: as above.
    let min = unsafe { std::mem::transmute::<__m256, [f32; 8]>(min) };
    // SAFETY: as above.
    let max = unsafe { std::mem::transmute::<__m256, [f32; 8]>(max) };
    Plain {
        errors: Errors {
            absolute: f32::from_bits(worst.into_iter().fold(0, u32::max)),
            relative: 0.0,
        },
        min: min.into_iter().fold(min[0], f32::min),
        max: max.into_iter().fold(max[0], f32::max),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn quantize_f64<const KNOWN: bool>(
    tile: &[f64; TILE],
    z: &Linear<f64>,
    codes: &mut [i32; TILE],
) -> Plain<f64> {
    let inverse = _mm256_set1_pd(z.inverse);
    let step = _mm256_set1_pd(z.step);
    let round = _mm256_set1_pd(ROUND_F64);
    let magnitude = _mm256_castsi256_pd(_mm256_set1_epi64x(i64::MAX));
    let low_words = _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0);
    let mut worst = [_mm256_setzero_pd(); 4];
    let mut spoiled = [_mm256_setzero_pd(); 4];
    let mut min = [_mm256_set1_pd(tile[0]); 4];
    let mut max = min;
    for (row, out) in tile.chunks_exact(STEP_F64).zip(codes.chunks_exact_mut(STEP_F64)) {
        for k in 0..4 {
            // SAFETY: 4 elements from 4·k on, k < 4, lie inside a row of 16.
            let d = unsafe { _mm256_loadu_pd(row.as_ptr().add(4 * k)) };
            let p = _mm256_add_pd(_mm256_mul_pd(d, inverse), round);
            let q = _mm256_permutevar8x32_epi32(_mm256_castpd_si256(p), low_words);
            // SAFETY: as above.
            unsafe {
                _mm_storeu_si128(out.as_mut_ptr().add(4 * k).cast(), _mm256_castsi256_si128(q))
            };
            let rebuilt = _mm256_mul_pd(_mm256_sub_pd(p, round), step);
            let error = _mm256_and_pd(_mm256_sub_pd(d, rebuilt), magnitude);
            worst[k] = _mm256_max_pd(error, worst[k]);
            // The maximum drops NaN; a sum keeps it.
            spoiled[k] = _mm256_add_pd(spoiled[k], error);
            if !KNOWN {
                min[k] = _mm256_min_pd(d, min[k]);
                max[k] = _mm256_max_pd(d, max[k]);
            }
        }
    }
    let fold = |v: [__m256d; 4], with: fn(f64, f64) -> f64| {
        // SAFETY: four vectors of 4 elements are 16 elements.
        let lanes = unsafe { std::mem::transmute::<[__m256d; 4], [f64; 16]>(v) };
        lanes.into_iter().fold(lanes[0], with)
    };
    let sum = fold(spoiled, |a, b| a + b);
    Plain {
        errors: Errors {
            absolute: if sum.is_nan() { f64::NAN } else { fold(worst, f64::max) },
            relative: 0.0,
        },
        min: fold(min, f64::min),
        max: fold(max, f64::max),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn magnitudes(chain: &[i32; TILE + 2]) -> [[u32; TILE_BLOCKS]; 2] {
    // For both orders, eight parts of a block each.
    let block = |block: usize| {
        let mut ors = [_mm256_setzero_si256(); 2];
        for at in (32 * block..32 * block + 32).step_by(8) {
            // SAFETY: 8 elements from at + 2 on, with at ≤ 248, lie inside the 258.
            let load = |offset: usize| unsafe {
                _mm256_loadu_si256(chain.as_ptr().add(at + offset).cast())
            };
            let (b, a, q) = (load(0), load(1), load(2));
            let d = _mm256_sub_epi32(q, a);
            let dd = _mm256_sub_epi32(d, _mm256_sub_epi32(a, b));
            ors[0] = _mm256_or_si256(ors[0], _mm256_abs_epi32(d));
            ors[1] = _mm256_or_si256(ors[1], _mm256_abs_epi32(dd));
        }
        ors
    };
    // A transposition brings the parts of a block together, those of all blocks at once.
    let two = |first: usize| {
        let (a, b) = (block(first), block(first + 1));
        [0, 1].map(|order| {
            let (a, b) = (a[order], b[order]);
            _mm256_or_si256(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b))
        })
    };
    let four = |first: usize| {
        let (a, b) = (two(first), two(first + 2));
        [0, 1].map(|order| {
            let (a, b) = (a[order], b[order]);
            _mm256_or_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
        })
    };
    let (a, b) = (four(0), four(4));
    [0, 1].map(|order| {
        let (a, b) = (a[order], b[order]);
        let or = _mm256_or_si256(
            _mm256_permute2x128_si256::<0x20>(a, b),
            _mm256_permute2x128_si256::<0x31>(a, b),
        );
        // SAFETY: a vector of 8 elements has the size and every bit pattern of an array of 8.
        unsafe { std::mem::transmute::<__m256i, [u32; 8]>(or) }
    })
}

#[inline]
#[target_feature(enable = "avx2")]
fn rates(or: &[u32; TILE_BLOCKS]) -> u64 {
    // SAFETY: the array has 8 elements.
    let x = unsafe { _mm256_loadu_si256(or.as_ptr().cast()) };
    // With the bit below the highest cleared, the conversion cannot round up to the next power of two, so
    // the exponent is that of the highest bit.
    let x = _mm256_andnot_si256(_mm256_srli_epi32::<1>(x), x);
    let exponent = _mm256_srli_epi32::<23>(_mm256_castps_si256(_mm256_cvtepi32_ps(x)));
    let length = _mm256_subs_epu16(exponent, _mm256_set1_epi32(126));
    let words =
        _mm_packus_epi32(_mm256_castsi256_si128(length), _mm256_extracti128_si256::<1>(length));
    _mm_cvtsi128_si64(_mm_packus_epi16(words, words)) as u64
}

/// Four vectors of bytes-in-`i32` (0 to 255, or sign-extended) to 32 bytes, the last element first, so that
/// `movemask` puts element i at bit 31 − i.
#[inline]
#[target_feature(enable = "avx2")]
fn reversed_bytes(v: [__m256i; 4], signed: bool) -> __m256i {
    let packed = if signed {
        _mm256_packs_epi16(_mm256_packs_epi32(v[0], v[1]), _mm256_packs_epi32(v[2], v[3]))
    } else {
        _mm256_packus_epi16(_mm256_packus_epi32(v[0], v[1]), _mm256_packus_epi32(v[2], v[3]))
    };
    // Groups of four elements now lie 0 2 4 6 1 3 5 7.
    let order = _mm256_setr_epi32(7, 3, 6, 2, 5, 1, 4, 0);
    let reverse = _mm256_setr_epi8(
        3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8,
        15, 14, 13, 12,
    );
    _mm256_shuffle_epi8(_mm256_permutevar8x32_epi32(packed, order), reverse)
}

#[inline]
#[target_feature(enable = "avx2")]
fn pack(chain: &[i32; BLOCK + 2], order: u8, out: &mut [u32]) -> u64 {
    let difference = |k: usize| {
        // SAFETY: 8 elements from 8·k + 2 on, k < 4, lie inside the 34.
        let load = |offset: usize| unsafe {
            _mm256_loadu_si256(chain.as_ptr().add(8 * k + offset).cast())
        };
        let d = _mm256_sub_epi32(load(2), load(1));
        match order {
            1 => d,
            _ => _mm256_sub_epi32(d, _mm256_sub_epi32(load(1), load(0))),
        }
    };
    let [l0, l1, l2, l3] = [difference(0), difference(1), difference(2), difference(3)];
    let sign = _mm256_movemask_epi8(reversed_bytes([l0, l1, l2, l3], true)) as u32;
    out[0] = sign;
    let mut m =
        [_mm256_abs_epi32(l0), _mm256_abs_epi32(l1), _mm256_abs_epi32(l2), _mm256_abs_epi32(l3)];
    let mut products = sign as u64 * CHECKSUM_MULTIPLIERS[0] as u64;
    let planes = &mut out[1..];
    if planes.len() <= 8 {
        return products
            + byte_planes::<false>(reversed_bytes(m, false), planes, &PLANE_MULTIPLIERS[0]);
    }
    let low_byte = _mm256_set1_epi32(0xFF);
    for (planes, multipliers) in planes.chunks_mut(8).zip(&PLANE_MULTIPLIERS) {
        let mut low = m;
        for k in 0..4 {
            low[k] = _mm256_and_si256(m[k], low_byte);
            m[k] = _mm256_srli_epi32::<8>(m[k]);
        }
        products += byte_planes::<true>(reversed_bytes(low, false), planes, multipliers);
    }
    products
}

/// The multipliers of each eight bit-planes of a block; there are 31 of these.
const PLANE_MULTIPLIERS: [[u64; 8]; 4] = {
    let mut table = [[0; 8]; 4];
    let mut plane = 0;
    while plane < MU_WORD - 1 {
        table[plane / 8][plane % 8] = CHECKSUM_MULTIPLIERS[1 + plane] as u64;
        plane += 1;
    }
    table
};

/// The bit-planes of 32 bytes, the lowest first: 1 to 8 of them. Returns their products. Blocks of more
/// planes are `WIDE`, so that the others know their multipliers when this is compiled.
#[inline]
#[target_feature(enable = "avx2")]
fn byte_planes<const WIDE: bool>(
    bytes: __m256i,
    planes: &mut [u32],
    multipliers: &[u64; 8],
) -> u64 {
    match planes.len() {
        1 => unrolled_planes::<WIDE, 1>(bytes, planes, multipliers),
        2 => unrolled_planes::<WIDE, 2>(bytes, planes, multipliers),
        3 => unrolled_planes::<WIDE, 3>(bytes, planes, multipliers),
        4 => unrolled_planes::<WIDE, 4>(bytes, planes, multipliers),
        5 => unrolled_planes::<WIDE, 5>(bytes, planes, multipliers),
        6 => unrolled_planes::<WIDE, 6>(bytes, planes, multipliers),
        7 => unrolled_planes::<WIDE, 7>(bytes, planes, multipliers),
        _ => unrolled_planes::<WIDE, 8>(bytes, planes, multipliers),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn unrolled_planes<const WIDE: bool, const N: usize>(
    bytes: __m256i,
    planes: &mut [u32],
    multipliers: &[u64; 8],
) -> u64 {
    // Bring the highest plane to bit 7, then go down.
    let mut bytes = _mm256_sll_epi16(bytes, _mm_cvtsi32_si128(8 - N as i32));
    let mut words = [0; N];
    for word in words.iter_mut().rev() {
        *word = _mm256_movemask_epi8(bytes) as u32;
        bytes = _mm256_add_epi8(bytes, bytes);
    }
    planes.copy_from_slice(&words);
    // While the words are in registers.
    words.into_iter().zip(multipliers).map(|(word, m)| word as u64 * m).sum()
}

/// 32 bytes, all ones where the element's bit in `word` (element i at bit 31 − i) is set.
#[inline]
#[target_feature(enable = "avx2")]
fn spread(word: u32) -> __m256i {
    let source = _mm256_setr_epi8(
        3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0,
        0, 0,
    );
    let bit = _mm256_set1_epi64x(0x0102_0408_1020_4080);
    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(word as i32), source);
    _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit)
}

#[inline]
#[target_feature(enable = "avx2")]
fn unpack(words: &[u32], residuals: &mut [i32; BLOCK]) {
    let sign = spread(words[0]);
    let mut store = |k: usize, v: __m256i| {
        // SAFETY: 8 elements from 8·k on, k < 4, lie inside the 32.
        unsafe { _mm256_storeu_si256(residuals.as_mut_ptr().add(8 * k).cast(), v) }
    };
    let gather = |planes: &[u32]| {
        let mut bytes = _mm256_setzero_si256();
        for &plane in planes.iter().rev() {
            bytes = _mm256_sub_epi8(_mm256_add_epi8(bytes, bytes), spread(plane));
        }
        bytes
    };
    let quarter = |bytes: __m256i, k: usize| match k {
        0 => _mm256_castsi256_si128(bytes),
        1 => _mm_srli_si128::<8>(_mm256_castsi256_si128(bytes)),
        2 => _mm256_extracti128_si256::<1>(bytes),
        _ => _mm_srli_si128::<8>(_mm256_extracti128_si256::<1>(bytes)),
    };
    let planes = &words[1..];
    if planes.len() <= 7 {
        let bytes = gather(planes);
        let signed = _mm256_sub_epi8(_mm256_xor_si256(bytes, sign), sign);
        for k in 0..4 {
            store(k, _mm256_cvtepi8_epi32(quarter(signed, k)));
        }
        return;
    }
    let mut m = [_mm256_setzero_si256(); 4];
    for (byte, planes) in planes.chunks(8).enumerate() {
        let bytes = gather(planes);
        let shift = _mm_cvtsi32_si128(8 * byte as i32);
        for (k, v) in m.iter_mut().enumerate() {
            let wide = _mm256_cvtepu8_epi32(quarter(bytes, k));
            *v = _mm256_or_si256(*v, _mm256_sll_epi32(wide, shift));
        }
    }
    for (k, v) in m.into_iter().enumerate() {
        let negative = _mm256_cvtepi8_epi32(quarter(sign, k));
        store(k, _mm256_sub_epi32(_mm256_xor_si256(v, negative), negative));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn prefix_sum(values: &mut [i32; TILE], carry: i32) {
    let mut carry = _mm256_set1_epi32(carry);
    let last = _mm256_set1_epi32(7);
    let third = _mm256_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3);
    let upper = _mm256_setr_epi32(0, 0, 0, 0, -1, -1, -1, -1);
    for row in values.as_chunks_mut::<8>().0 {
        // SAFETY: a row is 8 elements.
        let mut v = unsafe { _mm256_loadu_si256(row.as_ptr().cast()) };
        v = _mm256_add_epi32(v, _mm256_slli_si256::<4>(v));
        v = _mm256_add_epi32(v, _mm256_slli_si256::<8>(v));
        let low = _mm256_and_si256(_mm256_permutevar8x32_epi32(v, third), upper);
        v = _mm256_add_epi32(v, low);
        // The sum of the row, off the path that the carry waits on.
        let total = _mm256_permutevar8x32_epi32(v, last);
        v = _mm256_add_epi32(v, carry);
        carry = _mm256_add_epi32(carry, total);
        // SAFETY: a row is 8 elements.
        unsafe { _mm256_storeu_si256(row.as_mut_ptr().cast(), v) };
    }
}

/// For each eight words of a block the multipliers of those at even places, and those of the others.
const MULTIPLIERS: [[[u64; 4]; 2]; MU_WORD / 8] = {
    let mut table = [[[0; 4]; 2]; MU_WORD / 8];
    let mut word = 0;
    while word < MU_WORD {
        table[word / 8][word % 2][word % 8 / 2] = CHECKSUM_MULTIPLIERS[word] as u64;
        word += 1;
    }
    table
};

/// Eight words of ones, then of zeros: from the word 8 − n on, the mask of n words.
static MASKS: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// The products of a block's words, in four parts.
#[inline]
#[target_feature(enable = "avx2")]
fn block_products(words: &[u32]) -> __m256i {
    let mut sum = _mm256_setzero_si256();
    for (words, [even, odd]) in words.chunks(8).zip(&MULTIPLIERS) {
        // SAFETY: there are 1 to 8 words, so 8 of the 16 masks; only words that are there are read.
        let w = unsafe {
            let mask = _mm256_loadu_si256(MASKS.as_ptr().add(8 - words.len()).cast());
            _mm256_maskload_epi32(words.as_ptr().cast(), mask)
        };
        // SAFETY: four numbers each.
        let (even, odd) = unsafe {
            (_mm256_loadu_si256(even.as_ptr().cast()), _mm256_loadu_si256(odd.as_ptr().cast()))
        };
        sum = _mm256_add_epi64(sum, _mm256_mul_epu32(w, even));
        sum = _mm256_add_epi64(sum, _mm256_mul_epu32(_mm256_srli_epi64::<32>(w), odd));
    }
    sum
}

/// The sums of each of four vectors.
#[inline]
#[target_feature(enable = "avx2")]
fn sums_of(v: [__m256i; 4]) -> __m256i {
    let pair = |a, b| _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let (low, high) = (pair(v[0], v[1]), pair(v[2], v[3]));
    _mm256_add_epi64(
        _mm256_permute2x128_si256::<0x20>(low, high),
        _mm256_permute2x128_si256::<0x31>(low, high),
    )
}

#[inline]
#[target_feature(enable = "avx2")]
fn hash_blocks(rates: &[u8; TILE_BLOCKS], mut words: &[u32], mu: u64, id: u32) -> u32 {
    let mut v = [_mm256_setzero_si256(); TILE_BLOCKS];
    for (v, &rate) in v.iter_mut().zip(rates) {
        let (own, rest) = words.split_at(RateByte(rate).words());
        words = rest;
        *v = block_products(own);
    }
    v[0] = _mm256_add_epi64(v[0], _mm256_set_epi64x(0, 0, 0, mu as i64));
    let low = sums_of([v[0], v[1], v[2], v[3]]);
    let high = sums_of([v[4], v[5], v[6], v[7]]);
    sum_of_lanes(mix_rows(low, high, id))
}

#[inline]
#[target_feature(enable = "avx2")]
fn hash_rows(products: &[[u64; TILE_BLOCKS]], id: u32) -> u32 {
    let mut sum = _mm256_setzero_si256();
    for (products, id) in products.iter().zip((id..).step_by(TILE_BLOCKS)) {
        // SAFETY: four of the eight numbers each.
        let (low, high) = unsafe {
            (
                _mm256_loadu_si256(products.as_ptr().cast()),
                _mm256_loadu_si256(products.as_ptr().add(4).cast()),
            )
        };
        sum = _mm256_add_epi32(sum, mix_rows(low, high, id));
    }
    sum_of_lanes(sum)
}

/// What rows of four words add to a checksum, eight at a time; the first has number `id`.
#[target_feature(enable = "avx2")]
pub(super) fn hash_bytes(rows: &[[u8; ROWS_BYTES]], id: u32) -> u32 {
    // Words 0 and 2 of a row are in the low halves of 64 bits, 1 and 3 in the high ones.
    let [a, b, c, d] = std::array::from_fn(|k| i64::from(CHECKSUM_MULTIPLIERS[k]));
    let (even, odd) = (_mm256_setr_epi64x(a, c, a, c), _mm256_setr_epi64x(b, d, b, d));
    let mut sum = _mm256_setzero_si256();
    for (rows, id) in rows.iter().zip((id..).step_by(TILE_BLOCKS)) {
        let products = |k: usize| {
            // SAFETY: two of the eight rows, k < 4.
            let w = unsafe { _mm256_loadu_si256(rows.as_ptr().add(32 * k).cast()) };
            let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(w), odd);
            _mm256_add_epi64(_mm256_mul_epu32(w, even), odd)
        };
        // Rows 0, 2, 1, 3.
        let four = |k: usize| {
            let (v, w) = (products(k), products(k + 1));
            let sums = _mm256_add_epi64(_mm256_unpacklo_epi64(v, w), _mm256_unpackhi_epi64(v, w));
            _mm256_permute4x64_epi64::<0xD8>(sums)
        };
        sum = _mm256_add_epi32(sum, mix_rows(four(0), four(2), id));
    }
    sum_of_lanes(sum)
}

#[inline]
#[target_feature(enable = "avx2")]
fn sum_of_lanes(x: __m256i) -> u32 {
    let x = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
    let x = _mm_add_epi32(x, _mm_srli_si128::<8>(x));
    let x = _mm_add_epi32(x, _mm_srli_si128::<4>(x));
    _mm_cvtsi128_si32(x) as u32
}

/// Eight rows from `id` on, of these sums of products, mixed.
#[inline]
#[target_feature(enable = "avx2")]
fn mix_rows(low: __m256i, high: __m256i, id: u32) -> __m256i {
    // The halves of all sums, of the blocks 0, 1, 4, 5, 2, 3, 6, 7.
    let (low, high) = (_mm256_castsi256_ps(low), _mm256_castsi256_ps(high));
    let lows = _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(low, high));
    let highs = _mm256_castps_si256(_mm256_shuffle_ps::<0xDD>(low, high));
    // −1 where nothing is borrowed: the 1 for that is in `keys`.
    let exact = _mm256_cmpeq_epi32(_mm256_max_epu32(lows, highs), lows);
    let residues = _mm256_add_epi32(_mm256_sub_epi32(lows, highs), exact);
    let key = |block: u32| (block + 1).wrapping_mul(CHECKSUM_KEY).wrapping_add(1) as i32;
    let keys = _mm256_setr_epi32(key(0), key(1), key(4), key(5), key(2), key(3), key(6), key(7));
    let keys = _mm256_add_epi32(keys, _mm256_set1_epi32(id.wrapping_mul(CHECKSUM_KEY) as i32));
    let mut x = _mm256_add_epi32(residues, keys);
    x = _mm256_xor_si256(x, _mm256_srli_epi32::<16>(x));
    x = _mm256_mullo_epi32(x, _mm256_set1_epi32(MIX[0] as i32));
    x = _mm256_xor_si256(x, _mm256_srli_epi32::<15>(x));
    x = _mm256_mullo_epi32(x, _mm256_set1_epi32(MIX[1] as i32));
    _mm256_xor_si256(x, _mm256_srli_epi32::<16>(x))
}
