//! The quantizer that keeps an absolute bound (FORMAT.md, *Quantization step*).

use crate::{dtype::DType, format::STEP_CANDIDATES, scalar::Scalar};

/// The numbers that turn elements into codes and back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear<T> {
    /// Distance between neighbouring reconstructed values; 0 when nothing can be coded.
    pub step: T,
    /// 1 / step.
    pub inverse: T,
    /// The absolute bound rounded toward zero: `E` of FORMAT.md.
    pub limit: T,
}

/// The largest `T` that is not above `value` (≥ 0).
pub(super) fn round_down<T: Scalar>(value: f64) -> T {
    let rounded = T::from_f64(value);
    if !rounded.is_finite() {
        T::MAX
    } else if rounded.to_f64() > value {
        rounded.next_down()
    } else {
        rounded
    }
}

impl<T: Scalar> Linear<T> {
    /// The quantizer of a bound `eb` for a field that is expected to reach `magnitude`, with a step of which a part of
    /// 2^`fine` is a normal number.
    pub fn new(eb: f64, magnitude: f64, fine: u32) -> Self {
        let limit: T = round_down(eb);
        let e = limit.to_f64();
        let (rounding, largest) = match T::DTYPE {
            DType::F32 => (1.04 * magnitude * 2f64.powi(-24), 2f64.powi(126)),
            DType::F64 => (0.0, 2f64.powi(1022)),
        };
        let slack = e * 2f64.powi(-13) + rounding;
        let target = (2.0 * (e - slack)).max(e).min(largest);
        let least = T::from_f64(T::MIN_POSITIVE.to_f64() * 2f64.powi(fine as i32));
        if target < least.to_f64() {
            return Linear { step: T::ZERO, inverse: T::ZERO, limit };
        }
        let step = match T::DTYPE {
            DType::F32 => best_reciprocal(round_down(target), least),
            DType::F64 => round_down(target),
        };
        Linear { step, inverse: step.reciprocal(), limit }
    }

    /// The quantizer of a stream of this step and bound.
    pub fn of_header(step: T, eb: f64) -> Self {
        let inverse = if step > T::ZERO { step.reciprocal() } else { T::ZERO };
        Linear { step, inverse, limit: round_down(eb) }
    }
}

/// The first number at or closely below `top`, not below `least`, whose rounded reciprocal is nearly exact.
fn best_reciprocal<T: Scalar>(top: T, least: T) -> T {
    let mut best = (top, f64::INFINITY);
    let mut step = top;
    for _ in 0..STEP_CANDIDATES {
        let miss = (step.reciprocal().to_f64() * step.to_f64() - 1.0).abs();
        if miss <= 2f64.powi(-32) {
            return step;
        }
        if miss < best.1 {
            best = (step, miss);
        }
        step = step.next_down();
        if step < least {
            break;
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_is_a_hair_under_twice_the_bound() {
        for eb in [1e-30, 1e-3, 0.25, 1.0, 3e7, 1e30] {
            let q = Linear::<f32>::new(eb, eb * 100.0, 0);
            assert!(q.limit.to_f64() <= eb);
            assert!(q.step.to_f64() < 2.0 * eb && q.step.to_f64() > 1.999 * eb, "{eb}: {q:?}");
            assert!((q.inverse.to_f64() * q.step.to_f64() - 1.0).abs() < 1e-9);
            let q = Linear::<f64>::new(eb, 1e300, 0);
            assert!(q.step < 2.0 * eb && q.step > 1.999 * eb);
        }
    }

    #[test]
    fn extreme_bounds_stay_finite() {
        for eb in [0.0, 1e-320, 1e-45, 1e-40, 3e38, 1e300, f64::MAX] {
            let q = Linear::<f32>::new(eb, 1.0, 0);
            assert!(q.step.is_finite() && q.inverse.is_finite() && q.limit.is_finite());
            let q = Linear::<f64>::new(eb, 1.0, 0);
            assert!(q.step.is_finite() && q.inverse.is_finite() && q.limit.is_finite());
        }
        assert_eq!(Linear::<f32>::new(1e-45, 1.0, 0).step, 0.0);
        assert_eq!(Linear::<f32>::new(0.0, 0.0, 0).step, 0.0);
        for top in [1e-38, 1.5e-37, 1.9e-37, 3e-37] {
            let step = Linear::<f32>::new(top, 0.0, 4).step;
            assert!(step == 0.0 || step / 16.0 >= f32::MIN_POSITIVE, "{top}: {step}");
        }
        assert!(Linear::<f32>::new(3e-37, 0.0, 4).step > 0.0);
    }
}
