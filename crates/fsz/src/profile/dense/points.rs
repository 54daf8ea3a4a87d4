//! Elements as points: of a lattice between the codes of an absolute bound, of a curve between those of a
//! pointwise-relative one, or as codes (FORMAT.md, *Dense: quantize*).

use super::{
    lorenzo::NONE,
    targets::{self, ANY, put_far},
};
use crate::{
    element::Element,
    format::dense::{MOST_VALUE, PART_BITS},
    missing::is_missing,
    quantize,
    quantizer::{BLOCK, Errors, Finer, Largest, Linear, Logarithmic, Quantizer, Relative},
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

    /// The code of the first element that has one, within the bound or not where points are finer.
    pub fn first_code(&self, elements: &[T], missing: &[T]) -> Option<i32> {
        match self {
            Points::Lattice { linear, .. } => {
                let mut there = elements.iter().filter(|&&d| !is_missing(d, missing));
                there.find_map(|&d| quantize::nearest(d, linear))
            }
            Points::Curve(Finer { codes: z, .. }) | Points::Codes(z) => {
                elements.chunks(BLOCK).find_map(|own| {
                    let block = z.block(own, missing);
                    let first = block.coded[..own.len()].iter().position(|&coded| coded == 1)?;
                    Some(block.codes[first])
                })
            }
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

    /// The largest errors of elements that have come out as these values, counted from the point `zero`; and
    /// whether any that is not masked is not as near as it must be: then `far` has a 1 for each of these, which take no
    /// part in the errors.
    pub fn errors(
        &self,
        level: Level,
        elements: &[T],
        (values, zero): (&[i32], i32),
        (aimed, targets, masks): (&Aimed<T>, &[i32], Option<&[u8]>),
        far: &mut Vec<u8>,
    ) -> (Errors<T>, bool) {
        far.resize(elements.len(), 0);
        match self {
            &Points::Lattice { linear: Linear { limit, .. }, lattice, .. } => {
                if !aimed.any {
                    let absolute = targets::worst(level, elements, values, zero, lattice);
                    if absolute < limit {
                        return (Errors { absolute, ..Errors::NONE }, false);
                    }
                }
                let numbers = (zero, lattice, limit);
                let (absolute, any) =
                    targets::others(level, elements, values, (targets, masks), numbers, far);
                (Errors { absolute, ..Errors::NONE }, any)
            }
            Points::Curve(z) => {
                curve_errors(level, z, elements, (values, zero), (targets, masks), far)
            }
            Points::Codes(_) => {
                // Codes come out as they are.
                let mut any = 0;
                for (i, (far, target)) in far.iter_mut().zip(targets).enumerate() {
                    let masked = masks.map_or(0, |masks| masks[i]);
                    *far = (*target == ANY) as u8 & (1 - masked);
                    any |= *far;
                }
                (aimed.errors.unwrap_or(Errors::NONE), any != 0)
            }
        }
    }
}

/// What is put for a code.
trait Put {
    /// And whether that can be: if not, it is as if the element had no code.
    fn put(&self, code: i32) -> (i32, bool);
    /// What stands for no code.
    const NOTHING: i32;
}

/// The code.
struct Every;

impl Put for Every {
    const NOTHING: i32 = NONE;
    #[inline(always)]
    fn put(&self, code: i32) -> (i32, bool) {
        (code, true)
    }
}

/// The target, counted from a code.
struct From(i32);

impl Put for From {
    const NOTHING: i32 = ANY;
    #[inline(always)]
    fn put(&self, code: i32) -> (i32, bool) {
        // Both have 30 bits, unless there is no code.
        let away = code.wrapping_sub(self.0);
        (away << PART_BITS, away.unsigned_abs() <= MOST_VALUE.unsigned_abs())
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
    let (mut all, mut largest) = (true, Largest::NONE);
    for (own, out) in elements.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        let mut block = z.block(own, missing);
        let mut numbers = [P::NOTHING; BLOCK];
        let codes = block.codes.iter().zip(&mut block.coded);
        for (place, (&code, coded)) in numbers.iter_mut().zip(codes) {
            let (number, can_be) = put.put(code);
            *coded &= can_be as u8;
            *place = if *coded == 1 { number } else { P::NOTHING };
        }
        // Behind the last elements are zeros, which come out as they are.
        largest.take(&block);
        out[..own.len()].copy_from_slice(&numbers[..own.len()]);
        all &= numbers[..own.len()].iter().fold(true, |all, number| all & (*number != P::NOTHING));
    }
    (all, largest.errors())
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
    values: (&[i32], i32),
    aimed: (&[i32], Option<&[u8]>),
    far: &mut [u8],
) -> (Errors<T>, bool) {
    match level {
        Level::Portable => curve_errors_by(z, elements, values, aimed, far),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: as above.
            unsafe { curve_errors_avx2(z, elements, values, aimed, far) }
        }
    }
}

#[inline(always)]
fn curve_errors_by<T: Logarithmic>(
    z: &Finer<T>,
    elements: &[T],
    (values, zero): (&[i32], i32),
    (targets, masks): (&[i32], Option<&[u8]>),
    far: &mut [u8],
) -> (Errors<T>, bool) {
    let (mut largest, mut any) = (Largest::NONE, 0);
    for (k, elements) in elements.chunks(BLOCK).enumerate() {
        let own = k * BLOCK..k * BLOCK + elements.len();
        let mut block = z.outcome(elements, &values[own.clone()], zero);
        for (coded, target) in block.coded.iter_mut().zip(&targets[own.clone()]) {
            *coded &= (*target != ANY) as u8;
        }
        // Behind the last elements are zeros, which come out as they are.
        largest.take(&block);
        any |= put_far(&block.coded, masks.map(|masks| &masks[own.clone()]), &mut far[own]);
    }
    (largest.errors(), any != 0)
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
    values: (&[i32], i32),
    aimed: (&[i32], Option<&[u8]>),
    far: &mut [u8],
) -> (Errors<T>, bool) {
    curve_errors_by(z, elements, values, aimed, far)
}
