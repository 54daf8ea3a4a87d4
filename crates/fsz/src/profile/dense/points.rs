//! Elements as points: of a lattice between the codes of an absolute bound, of a curve between those of a
//! pointwise-relative one, or as codes (FORMAT.md, *Dense: quantize*).

use super::{
    lorenzo::NONE,
    targets::{self, ANY},
};
use crate::{
    element::Element,
    format::dense::{MOST_VALUE, PART_BITS},
    quantize,
    quantizer::{BLOCK, Errors, Finer, Linear, Logarithmic, Quantizer, Relative},
    simd::Level,
};

/// What points are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Points<T> {
    /// Those of a lattice.
    Lattice {
        linear: Linear<T>,
        lattice: T,
        /// Parts of lattice points in a unit.
        parts: f64,
        /// log2 of the lattice points of a step.
        fine: u32,
    },
    /// Those of a curve.
    Curve(Finer<T>),
    /// The codes of a curve.
    Codes(Relative<T>),
}

/// What the elements of a box aim at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aimed<T> {
    /// Some may come out as anything.
    pub any: bool,
    /// Those of the others, where they are known before these are coded.
    errors: Option<Errors<T>>,
}

impl<T: Element> Points<T> {
    pub fn new(quantizer: &Quantizer<T>, fine: u32) -> Self {
        match quantizer {
            Quantizer::Linear(linear) => Points::Lattice {
                linear: *linear,
                lattice: linear.step.mul(T::from_f64(2f64.powi(-(fine as i32)))),
                parts: 2f64.powi((PART_BITS + fine) as i32) / linear.step.to_f64(),
                fine,
            },
            Quantizer::Relative(codes) => {
                Finer::new(*codes, fine).map_or(Points::Codes(*codes), Points::Curve)
            }
        }
    }

    /// The code of an element that is not missing, within the bound or not where points are finer.
    pub fn code(&self, d: T) -> Option<i32> {
        match self {
            Points::Lattice { linear, .. } => quantize::nearest(d, linear),
            Points::Curve(Finer { codes: z, .. }) | Points::Codes(z) => z.code(d).map(|(q, _)| q),
        }
    }

    /// Puts the code of each element, [`NONE`] where it has none; a `strict` one is within the bound. Gives
    /// whether all have codes and, of strict ones, the largest errors of those.
    pub fn codes(
        &self,
        level: Level,
        elements: &[T],
        missing: &[T],
        strict: bool,
        codes: &mut [i32],
    ) -> (bool, Errors<T>) {
        match self {
            Points::Lattice { linear, .. } => {
                let (all, absolute) =
                    targets::codes(level, elements, (linear, missing), strict, codes);
                (all, Errors { absolute, ..Errors::NONE })
            }
            Points::Curve(Finer { codes: z, .. }) | Points::Codes(z) => {
                each(level, z, elements, missing, &Every, codes)
            }
        }
    }

    /// Puts the target of each element: parts of a point, counted from the code `own`.
    pub fn targets(
        &self,
        level: Level,
        elements: &[T],
        missing: &[T],
        own: i32,
        targets: &mut [i32],
    ) -> Aimed<T> {
        match self {
            Points::Lattice { parts, fine, .. } => {
                let zero = own as f64 * 2f64.powi((PART_BITS + fine) as i32);
                let any = targets::each(level, elements, (*parts, zero, missing), targets);
                Aimed { any, errors: None }
            }
            Points::Curve(z) => {
                let all = curve_targets(level, z, elements, missing, own, targets);
                Aimed { any: !all, errors: None }
            }
            Points::Codes(z) => {
                let (all, errors) = each(level, z, elements, missing, &From(own), targets);
                Aimed { any: !all, errors: Some(errors) }
            }
        }
    }

    /// Puts 0 in the place of [`NONE`] where an element has a target nevertheless, counted from the code `own`.
    pub fn targeted(&self, elements: &[T], missing: &[T], own: i32, codes: &mut [i32]) {
        let Points::Curve(z) = self else { return };
        let mut targets = [ANY; BLOCK];
        for (elements, codes) in elements.chunks(BLOCK).zip(codes.chunks_mut(BLOCK)) {
            if codes.contains(&NONE) {
                z.targets(elements, missing, own, ANY, &mut targets);
                let both = codes.iter_mut().zip(targets);
                let found = both.filter(|(code, target)| **code == NONE && *target != ANY);
                found.for_each(|(code, _)| *code = 0);
            }
        }
    }

    /// The largest errors of elements that have come out as these values, counted from the point `zero`; and
    /// whether any that is not masked is not as near as it must be.
    pub fn errors(
        &self,
        level: Level,
        elements: &[T],
        values: &[i32],
        zero: i32,
        (aimed, targets, masks): (&Aimed<T>, &[i32], Option<&[u8]>),
    ) -> (Errors<T>, bool) {
        let absolute = |absolute: T| Errors { absolute, ..Errors::NONE };
        match self {
            &Points::Lattice { linear: Linear { limit, .. }, lattice, .. } if aimed.any => {
                let numbers = (zero, lattice, limit);
                let (worst, others) =
                    targets::others(level, elements, values, (targets, masks), numbers);
                (absolute(worst), others)
            }
            &Points::Lattice { linear: Linear { limit, .. }, lattice, .. } => {
                let worst = targets::worst(level, elements, values, zero, lattice);
                (absolute(worst), worst >= limit)
            }
            Points::Curve(z) => curve_errors(level, z, elements, values, zero, (targets, masks)),
            Points::Codes(_) => {
                // Codes come out as they are.
                let unmasked = |i: usize| masks.is_none_or(|masks| masks[i] == 0);
                let others = targets.iter().enumerate().any(|(i, &t)| t == ANY && unmasked(i));
                (aimed.errors.unwrap_or(Errors::NONE), aimed.any && others)
            }
        }
    }

    /// The largest errors of some elements that is known without these that are not near.
    pub fn near(&self, d: T, point: i32, target: i32) -> Option<Errors<T>> {
        if target == ANY {
            return None;
        }
        match self {
            Points::Lattice { linear, lattice, .. } => {
                let absolute = d.sub(T::from_code(point).mul(*lattice)).magnitude();
                (absolute < linear.limit).then_some(Errors { absolute, ..Errors::NONE })
            }
            Points::Curve(z) => {
                let block = z.outcome(&[d], &[point], 0);
                (block.coded[0] == 1).then(|| block.errors(0))
            }
            Points::Codes(z) => z.code(d).map(|(_, errors)| errors),
        }
    }
}

/// What is put for a code.
trait Put {
    /// `None` where that is as if the element had no code.
    fn put(&self, code: i32) -> Option<i32>;
    /// What stands for no code.
    const NOTHING: i32;
}

/// The code.
struct Every;

impl Put for Every {
    const NOTHING: i32 = NONE;
    #[inline(always)]
    fn put(&self, code: i32) -> Option<i32> {
        Some(code)
    }
}

/// The target, counted from a code.
struct From(i32);

impl Put for From {
    const NOTHING: i32 = ANY;
    #[inline(always)]
    fn put(&self, code: i32) -> Option<i32> {
        // Both have 30 bits.
        let away = code - self.0;
        (away.abs() <= MOST_VALUE).then_some(away << PART_BITS)
    }
}

/// Puts what stands for the code of each element; whether all have one, and the largest errors of those.
fn each<T: Logarithmic, P: Put>(
    level: Level,
    z: &Relative<T>,
    elements: &[T],
    missing: &[T],
    put: &P,
    out: &mut [i32],
) -> (bool, Errors<T>) {
    match level {
        Level::Portable => each_by(z, elements, missing, put, out),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: `Level::detect` gives this level only where the instructions exist.
            unsafe { each_avx2(z, elements, missing, put, out) }
        }
    }
}

#[inline(always)]
fn each_by<T: Logarithmic, P: Put>(
    z: &Relative<T>,
    elements: &[T],
    missing: &[T],
    put: &P,
    out: &mut [i32],
) -> (bool, Errors<T>) {
    let (mut all, mut errors) = (true, Errors::NONE);
    for (own, out) in elements.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        let block = z.block(own, missing);
        for (k, place) in out.iter_mut().enumerate().take(own.len()) {
            let put = if block.coded[k] == 1 { put.put(block.codes[k]) } else { None };
            *place = put.unwrap_or(P::NOTHING);
            all &= put.is_some();
            if put.is_some() {
                errors.merge(block.errors(k));
            }
        }
    }
    (all, errors)
}

/// [`each_by`] AVX2.
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn each_avx2<T: Logarithmic, P: Put>(
    z: &Relative<T>,
    elements: &[T],
    missing: &[T],
    put: &P,
    out: &mut [i32],
) -> (bool, Errors<T>) {
    each_by(z, elements, missing, put, out)
}

/// The targets of elements on a curve; whether all have one.
fn curve_targets<T: Logarithmic>(
    level: Level,
    z: &Finer<T>,
    elements: &[T],
    missing: &[T],
    own: i32,
    targets: &mut [i32],
) -> bool {
    match level {
        Level::Portable => curve_targets_by(z, elements, missing, own, targets),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: as above.
            unsafe { curve_targets_avx2(z, elements, missing, own, targets) }
        }
    }
}

#[inline(always)]
fn curve_targets_by<T: Logarithmic>(
    z: &Finer<T>,
    elements: &[T],
    missing: &[T],
    own: i32,
    targets: &mut [i32],
) -> bool {
    let mut all = true;
    for (elements, targets) in elements.chunks(BLOCK).zip(targets.chunks_mut(BLOCK)) {
        all &= z.targets(elements, missing, own, ANY, targets);
    }
    all
}

/// [`curve_targets_by`] AVX2.
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn curve_targets_avx2<T: Logarithmic>(
    z: &Finer<T>,
    elements: &[T],
    missing: &[T],
    own: i32,
    targets: &mut [i32],
) -> bool {
    curve_targets_by(z, elements, missing, own, targets)
}

/// As [`Points::errors`], on a curve.
fn curve_errors<T: Logarithmic>(
    level: Level,
    z: &Finer<T>,
    elements: &[T],
    values: &[i32],
    zero: i32,
    aimed: (&[i32], Option<&[u8]>),
) -> (Errors<T>, bool) {
    match level {
        Level::Portable => curve_errors_by(z, elements, values, zero, aimed),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: as above.
            unsafe { curve_errors_avx2(z, elements, values, zero, aimed) }
        }
    }
}

#[inline(always)]
fn curve_errors_by<T: Logarithmic>(
    z: &Finer<T>,
    elements: &[T],
    values: &[i32],
    zero: i32,
    (targets, masks): (&[i32], Option<&[u8]>),
) -> (Errors<T>, bool) {
    let (mut errors, mut others) = (Errors::NONE, false);
    for (k, elements) in elements.chunks(BLOCK).enumerate() {
        let own = k * BLOCK..k * BLOCK + elements.len();
        let block = z.outcome(elements, &values[own.clone()], zero);
        for (i, at) in own.enumerate() {
            let near = (targets[at] != ANY) & (block.coded[i] == 1);
            if near {
                errors.merge(block.errors(i));
            }
            others |= !near & masks.is_none_or(|masks| masks[at] == 0);
        }
    }
    (errors, others)
}

/// [`curve_errors_by`] AVX2.
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn curve_errors_avx2<T: Logarithmic>(
    z: &Finer<T>,
    elements: &[T],
    values: &[i32],
    zero: i32,
    aimed: (&[i32], Option<&[u8]>),
) -> (Errors<T>, bool) {
    curve_errors_by(z, elements, values, zero, aimed)
}
