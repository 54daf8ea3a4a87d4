//! Steps of the coder by AVX2, eight lanes at once: the same states and half words as lane by lane.

use std::arch::x86_64::*;

use super::{
    items::{ItemStep, Lanes},
    rans::Slots,
    symbols::{difference, residual},
    tables::{Alphabet, SYMBOLS},
};
use crate::format::dense::{
    DIRECT, LANES, LORENZO_DIRECT, LOW, RAW_BITS, RESIDUAL_ESCAPE_BITS, SLOT_BITS, SLOTS,
};

/// Lanes of a vector.
const WIDTH: usize = 8;
const VECTORS: usize = LANES / WIDTH;

/// Half words that may be written at once.
pub(super) const WRITE_AHEAD: usize = 4 * LANES + WIDTH;

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

/// Symbols, raw bits and how many of these; something other than 0 where that is of another number, which has too
/// many bits.
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
            let z = zigzag(v);
            let coarse = _mm256_cmpgt_epi32(z, set(LORENZO_DIRECT as i32 - 1));
            (classes(z, lengths(z), coarse), _mm256_srli_epi32::<16>(z))
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn zigzag(v: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_slli_epi32::<1>(v), _mm256_srai_epi32::<31>(v))
}

/// Symbols, raw bits and how many of these of differences, of which those that are not `coarse` are symbols.
#[target_feature(enable = "avx2")]
#[inline]
fn classes(z: __m256i, bits: __m256i, coarse: __m256i) -> [__m256i; 3] {
    let class = set(LORENZO_DIRECT as i32 - difference::CLASS_BITS as i32);
    let symbol = _mm256_blendv_epi8(z, _mm256_add_epi32(bits, class), coarse);
    let behind = _mm256_sub_epi32(bits, set(1));
    let raw = _mm256_xor_si256(z, _mm256_sllv_epi32(set(1), behind));
    [symbol, raw, _mm256_and_si256(behind, coarse)]
}

/// [`symbols`] of differences of any width.
#[target_feature(enable = "avx2")]
#[inline]
fn wide_symbols(v: __m256i) -> [__m256i; 3] {
    let z = zigzag(v);
    // By halves: a float does not hold all numbers exactly.
    let high = _mm256_srli_epi32::<16>(z);
    let long = _mm256_cmpgt_epi32(high, set(0));
    let half = _mm256_blendv_epi8(z, high, long);
    let bits = _mm256_add_epi32(lengths(half), _mm256_and_si256(long, set(16)));
    let coarse = _mm256_cmpgt_epi32(half, set(LORENZO_DIRECT as i32 - 1));
    classes(z, bits, _mm256_or_si256(coarse, long))
}

/// The raw bits behind the symbol that every context has, which is the alphabet's last, and how many.
#[target_feature(enable = "avx2")]
#[inline]
fn escapes(alphabet: Alphabet, v: __m256i) -> [__m256i; 3] {
    match alphabet {
        Alphabet::Flag => [v, set(0), set(0)],
        Alphabet::Residual => {
            let twice = _mm256_slli_epi32::<1>(_mm256_abs_epi32(v));
            let raw = _mm256_or_si256(twice, _mm256_srli_epi32::<31>(v));
            [set(residual::ESCAPE as i32), raw, set(RESIDUAL_ESCAPE_BITS as i32)]
        }
        Alphabet::Difference => [set(difference::ESCAPE as i32), zigzag(v), set(u32::BITS as i32)],
    }
}

/// The reciprocals and fields of the slots of some lanes' symbols.
///
/// # Safety
/// The processor has AVX2; there are slots of these indices.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn gather(slots: &[Slots], index: __m256i) -> [__m256i; 2] {
    let index = _mm256_permute4x64_epi64::<0b11_01_10_00>(index);
    let base = slots.as_ptr().cast::<i64>();
    // SAFETY: as the caller's.
    let (first, last) = unsafe {
        (
            _mm256_i32gather_epi64::<8>(base, _mm256_castsi256_si128(index)),
            _mm256_i32gather_epi64::<8>(base, _mm256_extracti128_si256::<1>(index)),
        )
    };
    let (first, last) = (_mm256_castsi256_ps(first), _mm256_castsi256_ps(last));
    let reciprocal = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(first, last));
    [reciprocal, _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(first, last))]
}

/// The active lanes whose context lacks the symbol that has these fields.
#[target_feature(enable = "avx2")]
#[inline]
fn lacking(fields: __m256i, active: __m256i) -> __m256i {
    const FREQUENCY: i32 = ((1 << Slots::FREQUENCY_BITS) - 1) << Slots::ADD_BITS;
    let frequency = _mm256_and_si256(fields, set(FREQUENCY));
    _mm256_and_si256(_mm256_cmpeq_epi32(frequency, set(0)), active)
}

/// What a lane takes in: reciprocal and fields of its symbol's slots, raw bits, how many.
type Found = [__m256i; 4];

/// What lanes take in whose items may have any width, and no symbol of their own in their contexts. `first` is
/// where the slots of each lane's context begin.
///
/// # Safety
/// The processor has AVX2; `slots` has all symbols of the active lanes' contexts.
#[target_feature(enable = "avx2")]
unsafe fn find_any(
    alphabet: Alphabet,
    (v, first): (__m256i, __m256i),
    active: __m256i,
    slots: &[Slots],
) -> Found {
    let [symbol, raw, raw_bits] = match alphabet {
        Alphabet::Difference => wide_symbols(v),
        Alphabet::Residual | Alphabet::Flag => symbols(alphabet, v).0,
    };
    let index = _mm256_and_si256(_mm256_add_epi32(first, symbol), active);
    // SAFETY: as the caller's; of other lanes the index is 0.
    let [reciprocal, fields] = unsafe { gather(slots, index) };
    let lacks = lacking(fields, active);
    let [escape, all, all_bits] = escapes(alphabet, v);
    let index = _mm256_and_si256(_mm256_add_epi32(first, escape), active);
    // SAFETY: as above.
    let [other_reciprocal, other_fields] = unsafe { gather(slots, index) };
    [
        _mm256_blendv_epi8(reciprocal, other_reciprocal, lacks),
        _mm256_blendv_epi8(fields, other_fields, lacks),
        _mm256_blendv_epi8(raw, all, lacks),
        _mm256_and_si256(_mm256_blendv_epi8(raw_bits, all_bits, lacks), active),
    ]
}

/// The bits of raw ones that round number `round` takes.
#[target_feature(enable = "avx2")]
#[inline]
fn in_round(raw_bits: __m256i, round: u32) -> __m256i {
    let left = _mm256_sub_epi32(raw_bits, set((round * RAW_BITS) as i32));
    _mm256_min_epi32(_mm256_max_epi32(left, set(0)), set(RAW_BITS as i32))
}

/// How many rounds it takes where these are the most raw bits of some lanes each.
#[target_feature(enable = "avx2")]
#[inline]
fn rounds(most: __m256i) -> u32 {
    let beyond = |bits: u32| {
        let above = _mm256_cmpgt_epi32(most, set(bits as i32));
        (_mm256_testz_si256(above, above) == 0) as u32
    };
    match beyond(0) {
        0 => 0,
        _ => 1 + beyond(RAW_BITS) + beyond(2 * RAW_BITS),
    }
}

/// Codes the items of a step.
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
) {
    let zero = set(0);
    let mut found: [Found; VECTORS] = [[zero; 4]; VECTORS];
    let mut most_raw = zero;
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
            let first = _mm256_mullo_epi32(row, set(SYMBOLS as i32));
            let ([symbol, raw, raw_bits], long) = symbols(step.alphabet, v);
            // A long one has a symbol that may be none.
            let long = _mm256_and_si256(long, active);
            let known = _mm256_and_si256(_mm256_cmpeq_epi32(long, zero), active);
            let index = _mm256_and_si256(_mm256_add_epi32(first, symbol), known);
            let [reciprocal, fields] = gather(slots, index);
            let other = _mm256_or_si256(lacking(fields, active), long);
            let raw_bits = _mm256_and_si256(raw_bits, active);
            *found = [reciprocal, fields, raw, raw_bits];
            if _mm256_testz_si256(other, other) == 0 {
                *found = find_any(step.alphabet, (v, first), active, slots);
            }
            most_raw = _mm256_max_epi32(most_raw, found[3]);
        }
    }
    // SAFETY: the caller's room is for all half words of a step; states are 32.
    unsafe {
        for round in (0..rounds(most_raw)).rev() {
            for (vector, [_, _, raw, raw_bits]) in found.iter().enumerate().rev() {
                let bits = in_round(*raw_bits, round);
                let active = _mm256_cmpgt_epi32(bits, zero);
                let place = states.as_mut_ptr().add(vector * WIDTH).cast();
                let state = _mm256_loadu_si256(place);
                let most = _mm256_sllv_epi32(set(1), _mm256_sub_epi32(set(31), bits));
                let short = give(state, most, active, half_words);
                let from = _mm_cvtsi32_si128((round * RAW_BITS) as i32);
                let lowest = _mm256_sub_epi32(_mm256_sllv_epi32(set(1), bits), set(1));
                let raw = _mm256_and_si256(_mm256_srl_epi32(*raw, from), lowest);
                let new = _mm256_or_si256(_mm256_sllv_epi32(short, bits), raw);
                _mm256_storeu_si256(place, _mm256_blendv_epi8(state, new, active));
            }
        }
        for (vector, [reciprocal, fields, ..]) in found.iter().enumerate().rev() {
            if (step.lanes >> (vector * WIDTH)) & 0xFF == 0 {
                continue;
            }
            let (reciprocal, fields) = (*reciprocal, *fields);
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

/// Decodes the items of some lanes. Gives the half words taken.
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
) -> usize {
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
    // The last symbol without raw bits, and bits less symbol: the escape has as many bits as if it were a class.
    let (direct, bits) = match alphabet {
        Alphabet::Flag => (i32::MAX, 0),
        Alphabet::Residual => {
            (2 * DIRECT, residual::CLASS_BITS as i32 - residual::FIRST_CLASS as i32)
        }
        Alphabet::Difference => {
            (LORENZO_DIRECT as i32 - 1, difference::CLASS_BITS as i32 - 1 - LORENZO_DIRECT as i32)
        }
    };
    let raw_bits_of = |symbol| {
        let coarse = _mm256_cmpgt_epi32(symbol, set(direct));
        (_mm256_and_si256(_mm256_add_epi32(symbol, set(bits)), coarse), coarse)
    };
    let mut raws = [zero; VECTORS];
    for round in 0..rounds(raw_bits_of(most).0) {
        for vector in 0..VECTORS {
            let bits = in_round(raw_bits_of(symbols[vector]).0, round);
            let state = new[vector];
            let least = _mm256_sub_epi32(_mm256_sllv_epi32(set(1), bits), set(1));
            let own = _mm256_and_si256(state, least);
            let to = _mm_cvtsi32_si128((round * RAW_BITS) as i32);
            raws[vector] = _mm256_or_si256(raws[vector], _mm256_sll_epi32(own, to));
            let next = _mm256_srlv_epi32(state, bits);
            // SAFETY: as above: the next eight of a vector's lanes.
            let (next, count) = unsafe {
                take(next, _mm256_cmpgt_epi32(bits, zero), half_words.as_ptr().add(taken))
            };
            taken += count;
            new[vector] = next;
        }
    }
    for vector in 0..VECTORS {
        let (symbol, raw) = (symbols[vector], raws[vector]);
        let (raw_bits, coarse) = raw_bits_of(symbol);
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
    taken
}
