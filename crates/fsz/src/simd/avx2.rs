//! x86-64 with AVX2, FMA, BMI and LZCNT (Haswell, Zen and later).

use std::arch::x86_64::*;

use super::Simd;

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
    fn pack(self, residuals: &[i32; 32], rate: u8, out: &mut [u32]) {
        let out = &mut out[..rate as usize + 1];
        // SAFETY: an `Avx2` proves that the instructions exist.
        unsafe { pack(residuals, out) }
    }

    #[inline(always)]
    fn unpack(self, words: &[u32], rate: u8, residuals: &mut [i32; 32]) {
        let words = &words[..rate as usize + 1];
        // SAFETY: an `Avx2` proves that the instructions exist.
        unsafe { unpack(words, residuals) }
    }

    #[inline(always)]
    fn prefix_sum(self, values: &mut [i32; 256], carry: i32) {
        // SAFETY: an `Avx2` proves that the instructions exist.
        unsafe { prefix_sum(values, carry) }
    }
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
fn pack(residuals: &[i32; 32], out: &mut [u32]) {
    let load = |k: usize| {
        // SAFETY: 8 elements from 8·k on, k < 4, lie inside the 32.
        unsafe { _mm256_loadu_si256(residuals.as_ptr().add(8 * k).cast()) }
    };
    let l = [load(0), load(1), load(2), load(3)];
    out[0] = _mm256_movemask_epi8(reversed_bytes(l, true)) as u32;
    let mut m = l.map(|v| _mm256_abs_epi32(v));
    let low_byte = _mm256_set1_epi32(0xFF);
    for planes in out[1..].chunks_mut(8) {
        let mut bytes = reversed_bytes(m.map(|v| _mm256_and_si256(v, low_byte)), false);
        // Bring the highest plane of this byte to bit 7, then go down.
        bytes = _mm256_sll_epi16(bytes, _mm_cvtsi32_si128(8 - planes.len() as i32));
        for plane in planes.iter_mut().rev() {
            *plane = _mm256_movemask_epi8(bytes) as u32;
            bytes = _mm256_add_epi8(bytes, bytes);
        }
        m = m.map(|v| _mm256_srli_epi32::<8>(v));
    }
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
fn unpack(words: &[u32], residuals: &mut [i32; 32]) {
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
fn prefix_sum(values: &mut [i32; 256], carry: i32) {
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
