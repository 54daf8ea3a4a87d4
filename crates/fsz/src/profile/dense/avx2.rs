//! Steps of the coder by AVX2, eight lanes at once: the same states and half words as lane by lane.

use std::arch::x86_64::*;

use super::{
    items::{ItemStep, Lanes},
    rans::Slots,
    symbols::{difference, residual},
    tables::{Alphabet, SYMBOLS},
};
use crate::format::dense::{DIRECT, LANES, LORENZO_DIRECT, LOW, RAW_BITS, SLOT_BITS, SLOTS};

/// Lanes of a vector.
const WIDTH: usize = 8;
const VECTORS: usize = LANES / WIDTH;

/// Half words that may be written at once.
pub(super) const WRITE_AHEAD: usize = 2 * LANES + WIDTH;

/// For each set of lanes of eight that need a half word: which of the next ones each of them takes.
static TAKES: [[u8; WIDTH]; 256] = {
    let mut takes = [[0; WIDTH]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut next) = (0, 0);
        while lane < WIDTH {
            takes[set][lane] = next;
            next += (set >> lane & 1) as u8;
            lane += 1;
        }
        set += 1;
    }
    takes
};

/// For each set of lanes of eight: these, from the last to the first.
static GIVES: [[u8; WIDTH]; 256] = {
    let mut gives = [[0; WIDTH]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut next) = (WIDTH, 0);
        while lane > 0 {
            lane -= 1;
            if set >> lane & 1 == 1 {
                gives[set][next] = lane as u8;
                next += 1;
            }
        }
        set += 1;
    }
    gives
};

#[inline(always)]
fn set(value: i32) -> __m256i {
    // SAFETY: called where the instructions exist alone.
    unsafe { _mm256_set1_epi32(value) }
}

/// The mask of the lanes of a vector among those of a step.
#[target_feature(enable = "avx2")]
#[inline]
fn active(lanes: u32, vector: usize) -> __m256i {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let own = set((lanes >> (vector * WIDTH)) as i32);
    _mm256_cmpeq_epi32(_mm256_and_si256(own, bits), bits)
}

#[target_feature(enable = "avx2")]
#[inline]
fn bits_of(mask: __m256i) -> usize {
    _mm256_movemask_ps(_mm256_castsi256_ps(mask)) as usize
}

/// The bit lengths of numbers from 1 to 2²³; of 0 something below 0.
#[target_feature(enable = "avx2")]
#[inline]
fn lengths(v: __m256i) -> __m256i {
    let exponent = _mm256_srli_epi32::<23>(_mm256_castps_si256(_mm256_cvtepi32_ps(v)));
    _mm256_sub_epi32(exponent, set(126))
}

/// Symbols, raw bits and how many of these; whether one has more raw bits than a round takes.
#[target_feature(enable = "avx2")]
#[inline]
fn symbols(alphabet: Alphabet, v: __m256i) -> ([__m256i; 3], __m256i) {
    let zero = set(0);
    match alphabet {
        Alphabet::Flag => ([v, zero, zero], zero),
        Alphabet::Residual => {
            let size = _mm256_abs_epi32(v);
            let coarse = _mm256_cmpgt_epi32(size, set(DIRECT));
            let bits = lengths(size);
            let class = set(residual::FIRST_CLASS as i32 - residual::CLASS_BITS as i32);
            let class = _mm256_add_epi32(bits, class);
            let direct = _mm256_add_epi32(v, set(DIRECT));
            let symbol = _mm256_blendv_epi8(direct, class, coarse);
            let top = _mm256_sllv_epi32(set(1), _mm256_sub_epi32(bits, set(1)));
            let raw = _mm256_slli_epi32::<1>(_mm256_sub_epi32(size, top));
            let raw = _mm256_or_si256(raw, _mm256_srli_epi32::<31>(v));
            ([symbol, raw, _mm256_and_si256(bits, coarse)], zero)
        }
        Alphabet::Difference => {
            let z = _mm256_xor_si256(_mm256_slli_epi32::<1>(v), _mm256_srai_epi32::<31>(v));
            let long = _mm256_srli_epi32::<16>(z);
            let coarse = _mm256_cmpgt_epi32(z, set(LORENZO_DIRECT as i32 - 1));
            let bits = lengths(z);
            let class = set(LORENZO_DIRECT as i32 - difference::CLASS_BITS as i32);
            let symbol = _mm256_blendv_epi8(z, _mm256_add_epi32(bits, class), coarse);
            let behind = _mm256_sub_epi32(bits, set(1));
            let raw = _mm256_xor_si256(z, _mm256_sllv_epi32(set(1), behind));
            ([symbol, raw, _mm256_and_si256(behind, coarse)], long)
        }
    }
}

/// Codes the items of a step, unless one takes the escape or more raw bits than one round has: false then,
/// and nothing has changed.
///
/// # Safety
/// The processor has AVX2; of each of the step's lanes the row is that of a context, of which `slots` has all
/// symbols; `half_words` has room for [`WRITE_AHEAD`] more.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn encode(
    step: ItemStep,
    values: Lanes<'_, i32>,
    rows: Lanes<'_, u8>,
    slots: &[Slots],
    states: &mut [u32; LANES],
    half_words: &mut Vec<u16>,
) -> bool {
    let zero = set(0);
    let mut found = [[zero; 4]; VECTORS];
    let (mut refused, mut any_raw) = (zero, zero);
    for (vector, found) in found.iter_mut().enumerate() {
        if step.lanes >> (vector * WIDTH) == 0 {
            break;
        }
        // SAFETY: vectors of 32 lanes; symbols are those of the alphabet where a lane is active, and 0 else.
        unsafe {
            let active = active(step.lanes, vector);
            let v = _mm256_loadu_si256(values.as_ptr().add(vector * WIDTH).cast());
            let row = _mm_loadl_epi64(rows.as_ptr().add(vector * WIDTH).cast());
            let row = _mm256_cvtepu8_epi32(row);
            let ([symbol, raw, raw_bits], long) = symbols(step.alphabet, v);
            let index = _mm256_add_epi32(_mm256_mullo_epi32(row, set(SYMBOLS as i32)), symbol);
            let index = _mm256_and_si256(index, active);
            // A long one has a symbol that may be none.
            let long = _mm256_and_si256(long, active);
            let index = _mm256_and_si256(index, _mm256_cmpeq_epi32(long, zero));
            let index = _mm256_permute4x64_epi64::<0b11_01_10_00>(index);
            let base = slots.as_ptr().cast::<i64>();
            let first = _mm256_i32gather_epi64::<8>(base, _mm256_castsi256_si128(index));
            let last = _mm256_i32gather_epi64::<8>(base, _mm256_extracti128_si256::<1>(index));
            let (first, last) = (_mm256_castsi256_ps(first), _mm256_castsi256_ps(last));
            let reciprocal = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(first, last));
            let fields = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(first, last));
            let frequency = _mm256_and_si256(
                fields,
                set(((1 << Slots::FREQUENCY_BITS) - 1) << Slots::ADD_BITS),
            );
            let lacks = _mm256_and_si256(_mm256_cmpeq_epi32(frequency, zero), active);
            refused = _mm256_or_si256(refused, _mm256_or_si256(lacks, long));
            let raw_bits = _mm256_and_si256(raw_bits, active);
            any_raw = _mm256_or_si256(any_raw, raw_bits);
            *found = [reciprocal, fields, raw, raw_bits];
        }
    }
    if _mm256_testz_si256(refused, refused) == 0 {
        return false;
    }
    // SAFETY: the caller's room is for all half words of a step; states are 32.
    unsafe {
        if _mm256_testz_si256(any_raw, any_raw) == 0 {
            for (vector, [_, _, raw, raw_bits]) in found.into_iter().enumerate().rev() {
                let active = _mm256_cmpgt_epi32(raw_bits, zero);
                let place = states.as_mut_ptr().add(vector * WIDTH).cast();
                let state = _mm256_loadu_si256(place);
                let most = _mm256_sllv_epi32(set(1), _mm256_sub_epi32(set(31), raw_bits));
                let short = give(state, most, active, half_words);
                let new = _mm256_or_si256(_mm256_sllv_epi32(short, raw_bits), raw);
                _mm256_storeu_si256(place, _mm256_blendv_epi8(state, new, active));
            }
        }
        for (vector, [reciprocal, fields, ..]) in found.into_iter().enumerate().rev() {
            if (step.lanes >> (vector * WIDTH)) & 0xFF == 0 {
                continue;
            }
            let active = active(step.lanes, vector);
            let place = states.as_mut_ptr().add(vector * WIDTH).cast();
            let state = _mm256_loadu_si256(place);
            const FREQUENCY: i32 = Slots::ADD_BITS as i32;
            const SHIFT: i32 = FREQUENCY + Slots::FREQUENCY_BITS as i32;
            let frequency = _mm256_srli_epi32::<FREQUENCY>(fields);
            let frequency = _mm256_and_si256(frequency, set((1 << Slots::FREQUENCY_BITS) - 1));
            let most = _mm256_slli_epi32::<{ 31 - SLOT_BITS as i32 }>(frequency);
            let short = give(state, most, active, half_words);
            // The high halves of the products: of even lanes, and of odd ones.
            let even = _mm256_srli_epi64::<32>(_mm256_mul_epu32(short, reciprocal));
            let odd = _mm256_mul_epu32(
                _mm256_srli_epi64::<32>(short),
                _mm256_srli_epi64::<32>(reciprocal),
            );
            let quotient = _mm256_blend_epi32::<0b1010_1010>(even, odd);
            let quotient = _mm256_srlv_epi32(quotient, _mm256_srli_epi32::<SHIFT>(fields));
            let add = _mm256_and_si256(fields, set((1 << Slots::ADD_BITS) - 1));
            let others = _mm256_sub_epi32(set(SLOTS as i32), frequency);
            let new = _mm256_add_epi32(short, add);
            let new = _mm256_add_epi32(new, _mm256_mullo_epi32(quotient, others));
            _mm256_storeu_si256(place, _mm256_blendv_epi8(state, new, active));
        }
    }
    true
}

/// States of some lanes, of which half a word is written unless they are below `most`, the last lane's first.
///
/// # Safety
/// The processor has AVX2; `half_words` has room for eight more.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn give(
    state: __m256i,
    most: __m256i,
    active: __m256i,
    half_words: &mut Vec<u16>,
) -> __m256i {
    // States are below 2³¹, and `most` is at most that.
    let below = _mm256_cmpgt_epi32(state, _mm256_sub_epi32(most, set(1)));
    let full = _mm256_and_si256(below, active);
    let lanes = bits_of(full);
    // SAFETY: as the caller's: eight are written, and those that count are kept.
    unsafe {
        let order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(GIVES[lanes].as_ptr().cast()));
        let own = _mm256_and_si256(_mm256_permutevar8x32_epi32(state, order), set(0xFFFF));
        let halves = _mm256_permute4x64_epi64::<0b10_00>(_mm256_packus_epi32(own, own));
        let len = half_words.len();
        let end = half_words.as_mut_ptr().add(len);
        _mm_storeu_si128(end.cast(), _mm256_castsi256_si128(halves));
        half_words.set_len(len + lanes.count_ones() as usize);
    }
    _mm256_blendv_epi8(state, _mm256_srli_epi32::<16>(state), full)
}

/// States that take a half word in the place of what they lack, and how many they take.
///
/// # Safety
/// The processor has AVX2; there are eight half words.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn take(state: __m256i, active: __m256i, half_words: *const [u8; 2]) -> (__m256i, usize) {
    let least = _mm256_min_epu32(state, set(LOW as i32 - 1));
    let low = _mm256_and_si256(_mm256_cmpeq_epi32(least, state), active);
    let lanes = bits_of(low);
    // SAFETY: as the caller's.
    let word = unsafe {
        let words = _mm256_cvtepu16_epi32(_mm_loadu_si128(half_words.cast()));
        let order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(TAKES[lanes].as_ptr().cast()));
        _mm256_permutevar8x32_epi32(words, order)
    };
    let full = _mm256_or_si256(_mm256_slli_epi32::<16>(state), word);
    (_mm256_blendv_epi8(state, full, low), lanes.count_ones() as usize)
}

/// Decodes the items of some lanes, unless one has more raw bits than one round takes: `None` then, and
/// nothing has changed but `items`. Gives the half words taken.
///
/// # Safety
/// The processor has AVX2; of each of these lanes the row is that of a context, of which `slots` has all
/// slots; `half_words` has [`READ_AHEAD`](super::rans::READ_AHEAD).
#[target_feature(enable = "avx2")]
pub(super) unsafe fn decode(
    alphabet: Alphabet,
    lanes: u32,
    rows: Lanes<'_, u8>,
    slots: &[u32],
    states: &mut [u32; LANES],
    half_words: &[[u8; 2]],
    items: &mut [i32; LANES],
) -> Option<usize> {
    let zero = set(0);
    let mut new = [zero; VECTORS];
    let mut symbols = [zero; VECTORS];
    let mut taken = 0;
    let mut most = zero;
    for vector in 0..VECTORS {
        // SAFETY: all arrays have 32 lanes; a slot's index is below the contexts times the slots; each vector
        // takes at most eight half words, and `READ_AHEAD` are there.
        unsafe {
            let state = _mm256_loadu_si256(states.as_ptr().add(vector * WIDTH).cast());
            new[vector] = state;
            if (lanes >> (vector * WIDTH)) & 0xFF == 0 {
                continue;
            }
            let active = active(lanes, vector);
            let row = _mm_loadl_epi64(rows.as_ptr().add(vector * WIDTH).cast());
            let row = _mm256_cvtepu8_epi32(row);
            let slot = _mm256_and_si256(state, set(SLOTS as i32 - 1));
            let index = _mm256_or_si256(_mm256_slli_epi32::<{ SLOT_BITS as i32 }>(row), slot);
            let index = _mm256_and_si256(index, active);
            let entry = _mm256_i32gather_epi32::<4>(slots.as_ptr().cast(), index);
            let frequency = _mm256_and_si256(entry, set(0xFFF));
            let symbol = _mm256_and_si256(_mm256_srli_epi32::<12>(entry), set(0xFF));
            let next = _mm256_add_epi32(
                _mm256_mullo_epi32(frequency, _mm256_srli_epi32::<{ SLOT_BITS as i32 }>(state)),
                _mm256_srli_epi32::<20>(entry),
            );
            let (next, count) = take(next, active, half_words.as_ptr().add(taken));
            taken += count;
            new[vector] = _mm256_blendv_epi8(state, next, active);
            symbols[vector] = _mm256_and_si256(symbol, active);
            most = _mm256_max_epi32(most, symbols[vector]);
        }
    }
    // The last symbol without raw bits, the last whose raw bits one round takes, and bits less symbol.
    let (direct, short, bits) = match alphabet {
        Alphabet::Flag => (i32::MAX, i32::MAX, 0),
        Alphabet::Residual => (
            2 * DIRECT,
            residual::ESCAPE as i32,
            residual::CLASS_BITS as i32 - residual::FIRST_CLASS as i32,
        ),
        Alphabet::Difference => {
            let bits = difference::CLASS_BITS as i32 - 1 - LORENZO_DIRECT as i32;
            (LORENZO_DIRECT as i32 - 1, RAW_BITS as i32 - bits, bits)
        }
    };
    let coarse = _mm256_cmpgt_epi32(most, set(direct));
    let any_raw = _mm256_testz_si256(coarse, coarse) == 0;
    let long = _mm256_cmpgt_epi32(most, set(short));
    if any_raw && _mm256_testz_si256(long, long) == 0 {
        return None;
    }
    for vector in 0..VECTORS {
        let symbol = symbols[vector];
        let mut raw = zero;
        let coarse = _mm256_cmpgt_epi32(symbol, set(direct));
        let raw_bits = _mm256_and_si256(_mm256_add_epi32(symbol, set(bits)), coarse);
        if any_raw {
            // SAFETY: as above: the second eight of a vector's lanes.
            unsafe {
                let state = new[vector];
                let least = _mm256_sub_epi32(_mm256_sllv_epi32(set(1), raw_bits), set(1));
                raw = _mm256_and_si256(state, least);
                let next = _mm256_srlv_epi32(state, raw_bits);
                let (next, count) = take(next, coarse, half_words.as_ptr().add(taken));
                taken += count;
                new[vector] = next;
            }
        }
        let one = set(1);
        let item = match alphabet {
            Alphabet::Flag => symbol,
            Alphabet::Residual => {
                let item = _mm256_sub_epi32(symbol, set(DIRECT));
                let top = _mm256_sllv_epi32(one, _mm256_sub_epi32(raw_bits, one));
                let escape = _mm256_cmpeq_epi32(symbol, set(residual::ESCAPE as i32));
                let top = _mm256_andnot_si256(escape, top);
                let size = _mm256_add_epi32(top, _mm256_srli_epi32::<1>(raw));
                let minus = _mm256_cmpeq_epi32(_mm256_and_si256(raw, one), one);
                let own = _mm256_sub_epi32(_mm256_xor_si256(size, minus), minus);
                _mm256_blendv_epi8(item, own, coarse)
            }
            Alphabet::Difference => {
                let own = _mm256_or_si256(_mm256_sllv_epi32(one, raw_bits), raw);
                let z = _mm256_blendv_epi8(symbol, own, coarse);
                let minus = _mm256_sub_epi32(zero, _mm256_and_si256(z, one));
                _mm256_xor_si256(_mm256_srli_epi32::<1>(z), minus)
            }
        };
        // SAFETY: states and items are 32.
        unsafe {
            _mm256_storeu_si256(items.as_mut_ptr().add(vector * WIDTH).cast(), item);
            _mm256_storeu_si256(states.as_mut_ptr().add(vector * WIDTH).cast(), new[vector]);
        }
    }
    Some(taken)
}
