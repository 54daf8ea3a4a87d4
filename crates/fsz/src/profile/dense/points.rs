//! Elements as points: of a lattice between the codes of an absolute bound, of a curve between those of a
//! pointwise-relative one, or as codes (FORMAT.md, *Dense: quantize*).

use super::{
    alike::put_without,
    curve::{self, Known},
    targets::{self, ANY},
};
use crate::{
    element::Element,
    format::{MAX_CODE, dense::PART_BITS},
    missing::is_missing,
    quantize,
    quantizer::{Errors, Finer, Linear, NONE, Quantizer, Relative},
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
    /// What is known of codes where points are these.
    pub known: Option<Known<T>>,
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
    pub fn first_code(&self, level: Level, elements: &[T], missing: &[T]) -> Option<i32> {
        match self {
            Points::Lattice { linear, .. } => {
                let mut there = elements.iter().filter(|&&d| !is_missing(d, missing));
                there.find_map(|&d| quantize::nearest(d, linear))
            }
            Points::Curve(Finer { codes: z, .. }) | Points::Codes(z) => {
                curve::first_code(level, z, elements, missing)
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
                curve::codes(level, z, elements, missing, codes)
            }
        }
    }

    /// Puts the target of each element: parts of a point, counted from the code `own`. Where points are codes,
    /// these are put, too.
    pub fn targets(
        &self,
        level: Level,
        elements: &[T],
        missing: &[T],
        own: i32,
        (targets, codes): (&mut [i32], &mut Vec<i32>),
    ) -> Aimed<T> {
        match self {
            Points::Lattice { parts, fine, .. } => {
                let zero = own as f64 * 2f64.powi((PART_BITS + fine) as i32);
                let any = targets::each(level, elements, (*parts, zero, missing), targets);
                Aimed { any, known: None }
            }
            Points::Curve(z) => {
                let all = curve::targets(level, z, elements, missing, own, targets);
                Aimed { any: !all, known: None }
            }
            Points::Codes(z) => {
                codes.resize(elements.len(), 0);
                curve::code_targets(level, z, elements, missing, own, targets, codes)
            }
        }
    }

    /// Puts a 1 for each element that has neither a code nor, where it may have one without, a target. `codes`
    /// are those that were put with the targets, which are counted from `own`.
    pub fn without(
        &self,
        level: Level,
        elements: &[T],
        missing: &[T],
        (targets, own): (&[i32], i32),
        (codes, without): (&mut Vec<i32>, &mut Vec<u8>),
    ) {
        without.resize(elements.len(), 0);
        match self {
            Points::Lattice { linear, .. } => {
                // What has a target is near the code that it is counted from, and has one itself.
                let near = own.unsigned_abs() <= MAX_CODE as u32 / 2;
                if near && !put_without(level, elements, missing, targets, without) {
                    return;
                }
                codes.resize(elements.len(), 0);
                targets::codes(level, elements, (linear, missing), false, codes);
            }
            Points::Curve(Finer { codes: z, .. }) => {
                return curve::without(level, z, elements, missing, targets, without);
            }
            Points::Codes(_) => {}
        }
        without.iter_mut().zip(codes).for_each(|(own, code)| *own = (*code == NONE) as u8);
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
                if !aimed.any
                    && let Some(errors) = curve::near(level, z, elements, values, zero)
                {
                    return (errors, false);
                }
                curve::errors(level, z, elements, (values, zero), (targets, masks), far)
            }
            Points::Codes(_) => {
                // Codes come out as they are.
                let mut any = 0;
                for (i, (far, target)) in far.iter_mut().zip(targets).enumerate() {
                    let masked = masks.map_or(0, |masks| masks[i]);
                    *far = (*target == ANY) as u8 & (1 - masked);
                    any |= *far;
                }
                (aimed.known.map_or(Errors::NONE, |known| known.aimed), any != 0)
            }
        }
    }
}
