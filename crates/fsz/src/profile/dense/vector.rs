//! Eight numbers at once: by AVX2, or as the compiler makes them.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Numbers of a vector.
pub(super) const WIDTH: usize = 8;

/// Eight `i32`. Arithmetic wraps; a mask has all bits of a number set or none.
pub(super) trait Vector: Copy {
    fn set(value: i32) -> Self;

    /// The first eight numbers.
    fn load(from: &[i32]) -> Self;

    /// The first eight bytes, as numbers from 0 to 255.
    fn load_bytes(from: &[u8]) -> Self;

    fn store(self, to: &mut [i32]);

    /// The same, in bytes: the numbers are 0 to 127.
    fn store_bytes(self, to: &mut [u8]);

    fn add(self, other: Self) -> Self;

    fn sub(self, other: Self) -> Self;

    fn mul(self, other: Self) -> Self;

    fn max(self, other: Self) -> Self;

    fn min(self, other: Self) -> Self;

    /// The smaller one of unsigned numbers.
    fn min_unsigned(self, other: Self) -> Self;

    fn abs(self) -> Self;

    fn and(self, other: Self) -> Self;

    fn xor(self, other: Self) -> Self;

    fn shift_left(self, bits: u32) -> Self;

    /// Rounds down.
    fn shift_right(self, bits: u32) -> Self;

    /// A mask.
    fn equals(self, other: Self) -> Self;

    /// A mask.
    fn exceeds(self, other: Self) -> Self;

    /// `other` where the mask is set.
    fn replaced(self, mask: Self, other: Self) -> Self;

    /// Whether any bit is set.
    fn any(self) -> bool;

    /// The bits of the number as an `f32`.
    fn float_bits(self) -> Self;

    /// Eight numbers from `at` on.
    ///
    /// # Safety
    /// They are there.
    #[inline(always)]
    unsafe fn at(from: &[i32], at: usize) -> Self {
        debug_assert!(at + WIDTH <= from.len());
        // SAFETY: as the caller's.
        Self::load(unsafe { from.get_unchecked(at..at + WIDTH) })
    }

    /// Stores eight numbers from `at` on.
    ///
    /// # Safety
    /// They have room.
    #[inline(always)]
    unsafe fn put(self, to: &mut [i32], at: usize) {
        debug_assert!(at + WIDTH <= to.len());
        // SAFETY: as the caller's.
        self.store(unsafe { to.get_unchecked_mut(at..at + WIDTH) });
    }

    /// Bit lengths of unsigned numbers.
    #[inline(always)]
    fn bit_lengths(self) -> Self {
        // By halves: a float does not hold all numbers exactly.
        let high = self.shift_right(16).and(Self::set(0xFFFF));
        let long = high.exceeds(Self::set(0));
        let half = self.and(Self::set(0xFFFF)).replaced(long, high);
        // Of 0 the exponent is smallest.
        let bits = half.float_bits().shift_right(23).sub(Self::set(126)).max(Self::set(0));
        bits.add(long.and(Self::set(16)))
    }

    /// The mask of eight lanes, given as bits.
    #[inline(always)]
    fn lanes(bits: u32) -> Self {
        let each = Self::load(&[1, 2, 4, 8, 16, 32, 64, 128]);
        Self::set(bits as i32).and(each).equals(each)
    }

    /// Eight numbers from 0 on.
    #[inline(always)]
    fn numbers() -> Self {
        Self::load(&[0, 1, 2, 3, 4, 5, 6, 7])
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Portable([i32; WIDTH]);

impl Portable {
    #[inline(always)]
    fn map(self, f: impl Fn(i32) -> i32) -> Self {
        Portable(self.0.map(f))
    }

    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(i32, i32) -> i32) -> Self {
        Portable(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }
}

impl Vector for Portable {
    #[inline(always)]
    fn set(value: i32) -> Self {
        Portable([value; WIDTH])
    }

    #[inline(always)]
    fn load(from: &[i32]) -> Self {
        Portable(*from.first_chunk().expect("eight numbers"))
    }

    #[inline(always)]
    fn load_bytes(from: &[u8]) -> Self {
        let from: &[u8; WIDTH] = from.first_chunk().expect("eight bytes");
        Portable(from.map(i32::from))
    }

    #[inline(always)]
    fn store(self, to: &mut [i32]) {
        to[..WIDTH].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn store_bytes(self, to: &mut [u8]) {
        to[..WIDTH].copy_from_slice(&self.0.map(|v| v as u8));
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, i32::wrapping_add)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, i32::wrapping_sub)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, i32::wrapping_mul)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.with(other, i32::max)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.with(other, i32::min)
    }

    #[inline(always)]
    fn min_unsigned(self, other: Self) -> Self {
        self.with(other, |a, b| (a as u32).min(b as u32) as i32)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(i32::wrapping_abs)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.with(other, |a, b| a & b)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.with(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn shift_left(self, bits: u32) -> Self {
        self.map(|v| v << bits)
    }

    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        self.map(|v| v >> bits)
    }

    #[inline(always)]
    fn equals(self, other: Self) -> Self {
        self.with(other, |a, b| -((a == b) as i32))
    }

    #[inline(always)]
    fn exceeds(self, other: Self) -> Self {
        self.with(other, |a, b| -((a > b) as i32))
    }

    #[inline(always)]
    fn replaced(self, mask: Self, other: Self) -> Self {
        Portable(std::array::from_fn(|k| self.0[k] & !mask.0[k] | other.0[k] & mask.0[k]))
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(0, |all, v| all | v) != 0
    }

    #[inline(always)]
    fn float_bits(self) -> Self {
        self.map(|v| (v as f32).to_bits() as i32)
    }
}

/// Made in functions with the target feature alone.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(__m256i);

#[cfg(target_arch = "x86_64")]
impl Vector for Avx2 {
    #[inline(always)]
    fn set(value: i32) -> Self {
        // SAFETY: an `Avx2` is made, here and in `load`, where the instructions exist alone.
        unsafe { Avx2(_mm256_set1_epi32(value)) }
    }

    #[inline(always)]
    fn load(from: &[i32]) -> Self {
        let from: &[i32; WIDTH] = from.first_chunk().expect("eight numbers");
        // SAFETY: as in `set`; eight numbers are there.
        unsafe { Avx2(_mm256_loadu_si256(from.as_ptr().cast())) }
    }

    #[inline(always)]
    fn load_bytes(from: &[u8]) -> Self {
        let from: &[u8; WIDTH] = from.first_chunk().expect("eight bytes");
        // SAFETY: as in `set`; eight bytes are there.
        unsafe { Avx2(_mm256_cvtepu8_epi32(_mm_loadl_epi64(from.as_ptr().cast()))) }
    }

    #[inline(always)]
    fn store(self, to: &mut [i32]) {
        let to: &mut [i32; WIDTH] = to.first_chunk_mut().expect("eight numbers");
        // SAFETY: an `Avx2` proves that the instructions exist; eight numbers have room.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn store_bytes(self, to: &mut [u8]) {
        let to: &mut [u8; WIDTH] = to.first_chunk_mut().expect("eight bytes");
        // SAFETY: as in `store`.
        unsafe {
            let pairs = _mm256_packs_epi32(self.0, self.0);
            let bytes = _mm256_packs_epi16(pairs, pairs);
            let halves = [_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes)];
            _mm_storel_epi64(to.as_mut_ptr().cast(), _mm_unpacklo_epi32(halves[0], halves[1]));
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: an `Avx2` proves that the instructions exist; so below.
        unsafe { Avx2(_mm256_add_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_sub_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_mullo_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_max_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_min_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn min_unsigned(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_min_epu32(self.0, other.0)) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_abs_epi32(self.0)) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_and_si256(self.0, other.0)) }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_xor_si256(self.0, other.0)) }
    }

    #[inline(always)]
    fn shift_left(self, bits: u32) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_sll_epi32(self.0, _mm_cvtsi32_si128(bits as i32))) }
    }

    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_sra_epi32(self.0, _mm_cvtsi32_si128(bits as i32))) }
    }

    #[inline(always)]
    fn equals(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_cmpeq_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn exceeds(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_cmpgt_epi32(self.0, other.0)) }
    }

    #[inline(always)]
    fn replaced(self, mask: Self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_blendv_epi8(self.0, other.0, mask.0)) }
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: as above.
        unsafe { _mm256_testz_si256(self.0, self.0) == 0 }
    }

    #[inline(always)]
    fn float_bits(self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_castps_si256(_mm256_cvtepi32_ps(self.0))) }
    }
}
