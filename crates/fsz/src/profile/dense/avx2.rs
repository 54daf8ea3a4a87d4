//! Steps of 32 lanes by AVX2: the same numbers as the portable loops.

use std::arch::x86_64::*;

use super::{
    boxes,
    order::{Pass, Step},
    predict::{Lanes, Sizes, Weights},
};
use crate::element::Element;
use crate::format::dense::{DIRECT, FINE_CONTEXTS, LANES, LOW, SLOT_BITS, SLOTS};

/// Lanes of a vector.
const WIDTH: usize = 8;

#[inline(always)]
unsafe fn load(lanes: *const i32) -> __m256i {
    // SAFETY: the caller's pointer has eight numbers behind it.
    unsafe { _mm256_loadu_si256(lanes.cast()) }
}

#[inline(always)]
unsafe fn store(lanes: *mut i32, v: __m256i) {
    // SAFETY: as above.
    unsafe { _mm256_storeu_si256(lanes.cast(), v) }
}

/// As `Interpolation::predict_portable`.
///
/// # Safety
/// The processor has AVX2, and `values` are those of a box of the step's order: all neighbours of its points
/// are inside.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn predict(
    weights: Option<Weights>,
    fine: u32,
    pass: &Pass,
    step: &Step,
    values: &[i32],
    sizes: &Sizes,
) -> (Lanes, Lanes) {
    // SAFETY: as the caller's.
    unsafe {
        match (pass.axes, weights) {
            (1, None) => predict_axes::<1, false>(None, fine, pass, step, values, sizes),
            (2, None) => predict_axes::<2, false>(None, fine, pass, step, values, sizes),
            (1, _) => predict_axes::<1, true>(weights, fine, pass, step, values, sizes),
            (2, _) => predict_axes::<2, true>(weights, fine, pass, step, values, sizes),
            _ => predict_axes::<3, false>(None, fine, pass, step, values, sizes),
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
unsafe fn predict_axes<const AXES: usize, const OUTER: bool>(
    weights: Option<Weights>,
    fine: u32,
    pass: &Pass,
    step: &Step,
    values: &[i32],
    sizes: &Sizes,
) -> (Lanes, Lanes) {
    let (mut predictions, mut contexts) = ([0; LANES], [0; LANES]);
    let weights = weights.unwrap_or(Weights { near: 0, far: 0 });
    let set = |v: i32| _mm256_set1_epi32(v);
    let base = values.as_ptr();
    // SAFETY: the order's points have their neighbours inside of the box, and lanes without a point repeat
    // the first; loads and stores stay inside of arrays of 32 lanes.
    let gather = |at: __m256i| unsafe { _mm256_i32gather_epi32::<4>(base, at) };
    let mul = |v: __m256i, by: i32| _mm256_mullo_epi32(v, set(by));
    let (add, sub) =
        (|a, b| _mm256_add_epi32(a, b), |a: __m256i, b: __m256i| _mm256_sub_epi32(a, b));
    let bit = |edge: __m256i, bit: i32| {
        _mm256_cmpeq_epi32(_mm256_and_si256(edge, set(1 << bit)), set(1 << bit))
    };
    for first in (0..step.lanes).step_by(WIDTH) {
        // SAFETY: eight of a step's 32 lanes.
        let (at, edge) = unsafe {
            (
                _mm256_cvtepu16_epi32(_mm_loadu_si128(step.at.as_ptr().add(first).cast())),
                _mm256_cvtepu8_epi32(_mm_loadl_epi64(step.edge.as_ptr().add(first).cast())),
            )
        };
        let (mut sum, mut spread) = (set(0), set(0));
        for i in 0..AXES {
            let distance = pass.distance[i] as i32;
            let a = gather(sub(at, set(distance)));
            let right = if pass.fine {
                set(distance)
            } else {
                _mm256_blendv_epi8(set(distance), set(pass.last[i] as i32), bit(edge, i as i32))
            };
            let c = gather(add(at, right));
            let (both, apart) = (add(a, c), sub(a, c));
            spread = _mm256_max_epi32(spread, _mm256_abs_epi32(apart));
            if !OUTER {
                sum = add(sum, both);
                continue;
            }
            let (no_left, no_right) = (bit(edge, 2 * i as i32), bit(edge, 2 * i as i32 + 1));
            let neither = _mm256_and_si256(no_left, no_right);
            let (near, far) = (set(distance), set(3 * distance));
            let minus = |v: __m256i| sub(set(0), v);
            // A missing one is the other one; where both are, the nearest stand in.
            let e = _mm256_blendv_epi8(minus(far), far, no_left);
            let e = _mm256_blendv_epi8(e, minus(near), neither);
            let g = _mm256_blendv_epi8(far, minus(far), no_right);
            let g = _mm256_blendv_epi8(g, near, neither);
            let outer = add(gather(add(at, e)), gather(add(at, g)));
            let any = _mm256_or_si256(no_left, no_right);
            let inside = add(mul(both, weights.near), mul(outer, weights.far));
            // 3 (a − c), taken away without a left one, added without a right one.
            let slope = mul(apart, 3);
            let bent = sub(
                _mm256_andnot_si256(no_left, _mm256_and_si256(no_right, slope)),
                _mm256_andnot_si256(no_right, _mm256_and_si256(no_left, slope)),
            );
            let at_edge = add(sub(mul(both, 9), outer), bent);
            sum = add(sum, _mm256_blendv_epi8(inside, at_edge, any));
        }
        let prediction = match (AXES, OUTER) {
            (1, false) => _mm256_srai_epi32::<1>(add(sum, set(1))),
            (2, false) => _mm256_srai_epi32::<2>(add(sum, set(2))),
            (1, true) => _mm256_srai_epi32::<4>(add(sum, set(8))),
            (2, true) => _mm256_srai_epi32::<5>(add(sum, set(16))),
            _ => _mm256_srai_epi32::<15>(add(mul(sum, 5461), set(16384))),
        };
        let count = _mm_cvtsi32_si128(fine as i32);
        let mut size = add(_mm256_sra_epi32(_mm256_slli_epi32::<5>(spread), count), set(16));
        if pass.around {
            // SAFETY: `sizes` has two more than the lanes.
            let (left, own, right) = unsafe {
                let sizes = sizes.as_ptr().add(first);
                (load(sizes), load(sizes.add(1)), load(sizes.add(2)))
            };
            let around = add(add(left, right), add(own, own));
            size = add(size, _mm256_slli_epi32::<4>(around));
        }
        let size = _mm256_min_epi32(_mm256_max_epi32(size, set(16)), set(4095));
        // The exponent and the first bit behind it, of numbers that a float holds exactly.
        let bits = _mm256_castps_si256(_mm256_cvtepi32_ps(size));
        let context = if pass.fine {
            sub(_mm256_srli_epi32::<22>(bits), set(2 * (127 + 4)))
        } else {
            sub(_mm256_srli_epi32::<23>(bits), set(127 + 4 - FINE_CONTEXTS as i32))
        };
        // SAFETY: eight of 32 lanes.
        unsafe {
            store(predictions.as_mut_ptr().add(first), prediction);
            store(contexts.as_mut_ptr().add(first), context);
        }
    }
    (predictions, contexts)
}

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

/// Half words that may be read at once.
pub(super) const READ_AHEAD: usize = LANES + WIDTH;

/// Residuals of the first `lanes` lanes, as long as none has raw bits: `None` then, and nothing has changed.
/// Gives the half words taken.
///
/// # Safety
/// The processor has AVX2; contexts of these lanes are those of residuals, `slots` has [`SLOTS`] for each;
/// `half_words` has [`READ_AHEAD`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn residuals(
    slots: &[u32],
    lanes: usize,
    contexts: &Lanes,
    states: &mut [u32; LANES],
    half_words: &[[u8; 2]],
    residuals: &mut Lanes,
) -> Option<usize> {
    let set = |v: i32| _mm256_set1_epi32(v);
    let number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let mut new = *states;
    let mut taken = 0;
    let mut most = set(0);
    for first in (0..lanes).step_by(WIDTH) {
        // SAFETY: all arrays have 32 lanes; a slot's index is below the contexts times the slots; at most
        // eight half words are taken a vector, and `READ_AHEAD` are there.
        unsafe {
            let active = _mm256_cmpgt_epi32(set((lanes - first) as i32), number);
            let state = load(states.as_ptr().add(first).cast());
            let context = load(contexts.as_ptr().add(first));
            let slot = _mm256_and_si256(state, set(SLOTS as i32 - 1));
            let index = _mm256_or_si256(_mm256_slli_epi32::<{ SLOT_BITS as i32 }>(context), slot);
            let index = _mm256_and_si256(index, active);
            let entry = _mm256_i32gather_epi32::<4>(slots.as_ptr().cast(), index);
            let frequency = _mm256_and_si256(entry, set(0xFFF));
            let symbol = _mm256_and_si256(_mm256_srli_epi32::<12>(entry), set(0xFF));
            let place = _mm256_srli_epi32::<20>(entry);
            let next = _mm256_add_epi32(
                _mm256_mullo_epi32(frequency, _mm256_srli_epi32::<{ SLOT_BITS as i32 }>(state)),
                place,
            );
            let low = _mm256_and_si256(_mm256_cmpgt_epi32(set(LOW as i32), next), active);
            let needs = _mm256_movemask_ps(_mm256_castsi256_ps(low)) as usize;
            let words = _mm_loadu_si128(half_words.as_ptr().add(taken).cast());
            let takes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(TAKES[needs].as_ptr().cast()));
            let word = _mm256_permutevar8x32_epi32(_mm256_cvtepu16_epi32(words), takes);
            let refilled = _mm256_or_si256(_mm256_slli_epi32::<16>(next), word);
            let next = _mm256_blendv_epi8(next, refilled, low);
            taken += needs.count_ones() as usize;
            let symbol = _mm256_and_si256(symbol, active);
            most = _mm256_max_epi32(most, symbol);
            store(new.as_mut_ptr().add(first).cast(), _mm256_blendv_epi8(state, next, active));
            store(residuals.as_mut_ptr().add(first), _mm256_sub_epi32(symbol, set(DIRECT)));
        }
    }
    let raw = _mm256_cmpgt_epi32(most, set(2 * DIRECT));
    if _mm256_movemask_epi8(raw) != 0 {
        return None;
    }
    *states = new;
    Some(taken)
}

/// What the residuals of a step came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// A residual or a value is beyond what a box can hold.
    pub unfit: bool,
    /// A residual is not 0.
    pub any: bool,
}

/// Residuals to targets: `half` is half a step in their parts, `shift` log2 of a step; `any` is the target of
/// what may come out as anything.
///
/// # Safety
/// The processor has AVX2, and the step's points are inside of `targets`.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn to_targets(
    step: &Step,
    targets: &[i32],
    predictions: &Lanes,
    [part_bits, fine, any, most_residual, most_value]: [i32; 5],
    residuals: &mut Lanes,
) -> Found {
    let set = |v: i32| _mm256_set1_epi32(v);
    let count = |v: i32| _mm_cvtsi32_si128(v);
    let number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let (mut unfit, mut found) = (set(0), set(0));
    for first in (0..step.lanes).step_by(WIDTH) {
        // SAFETY: arrays of 32 lanes; points without a lane repeat the first.
        unsafe {
            let active = _mm256_cmpgt_epi32(set((step.lanes - first) as i32), number);
            let at = _mm256_cvtepu16_epi32(_mm_loadu_si128(step.at.as_ptr().add(first).cast()));
            let target = _mm256_i32gather_epi32::<4>(targets.as_ptr(), at);
            let prediction = load(predictions.as_ptr().add(first));
            let away = _mm256_sub_epi32(target, _mm256_sll_epi32(prediction, count(part_bits)));
            let away = _mm256_add_epi32(away, set(1 << (part_bits + fine - 1)));
            let r = _mm256_sra_epi32(away, count(part_bits + fine));
            let r = _mm256_andnot_si256(_mm256_cmpeq_epi32(target, set(any)), r);
            let r = _mm256_and_si256(r, active);
            let value = _mm256_add_epi32(prediction, _mm256_sll_epi32(r, count(fine)));
            let far = _mm256_or_si256(
                _mm256_cmpgt_epi32(_mm256_abs_epi32(r), set(most_residual)),
                _mm256_cmpgt_epi32(_mm256_abs_epi32(value), set(most_value)),
            );
            unfit = _mm256_or_si256(unfit, _mm256_and_si256(far, active));
            found = _mm256_or_si256(found, r);
            store(residuals.as_mut_ptr().add(first), r);
        }
    }
    Found {
        unfit: _mm256_testz_si256(unfit, unfit) == 0,
        any: _mm256_testz_si256(found, found) == 0,
    }
}

/// As [`boxes::each_target`].
///
/// # Safety
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn each_target<T: Element>(
    elements: &[T],
    parts: f64,
    zero: f64,
    targets: &mut [i32],
) {
    boxes::each_target(elements, parts, zero, targets);
}

/// As [`boxes::worst`].
///
/// # Safety
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn worst<T: Element>(elements: &[T], values: &[i32], zero: i32, lattice: T) -> T {
    boxes::worst(elements, values, zero, lattice)
}
