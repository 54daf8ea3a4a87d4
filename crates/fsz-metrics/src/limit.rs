//! How far a value may be from its original.

/// A bound: |d − d'| ≤ max(absolute, relative · |d|).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// What any value may be off, in its unit.
    pub absolute: f64,
    /// What share of itself a value may be off, at most ½; 0 for an absolute bound.
    pub relative: f64,
}

impl From<f64> for Limit {
    fn from(absolute: f64) -> Self {
        Limit { absolute, relative: 0.0 }
    }
}

impl Limit {
    /// What a value may be off, to within a rounding error.
    pub fn of(&self, value: f64) -> f64 {
        let share = if value.is_finite() { self.relative * value.abs() } else { 0.0 };
        self.absolute.max(share)
    }

    /// Whether it is a bound at all.
    pub(crate) fn is_sound(&self) -> bool {
        self.absolute >= 0.0 && (0.0..=0.5).contains(&self.relative)
    }

    /// Whether a pair is beyond it, without rounding.
    pub(crate) fn is_exceeded(&self, d: f64, back: f64) -> bool {
        exceeds(d, back, self.absolute)
            && (self.relative == 0.0 || exceeds_share(d, back, self.relative))
    }
}

/// Whether |a − b| > bound, without rounding.
///
/// Rounding is monotone, so a rounded difference on either side of the bound decides; only one
/// that rounds onto the bound needs its rounding error, which Knuth's two-sum gives exactly
/// (The Art of Computer Programming, volume 2, 4.2.2, theorem B).
fn exceeds(a: f64, b: f64, bound: f64) -> bool {
    let difference = a - b;
    if difference.abs() != bound || bound.is_infinite() {
        return difference.abs() > bound;
    }
    let minus_b = difference - a;
    let a_again = difference - minus_b;
    let rounding = (a - a_again) + (-b - minus_b);
    rounding * difference.signum() > 0.0
}

/// Whether |a − b| > share · |a|, without rounding, for a share of at most ½.
///
/// Numbers within a factor of two have an exact difference; any other pair is beyond, whatever its difference is
/// rounded to. A fused product keeps the sign of the exact one, unless it is too small for a number.
fn exceeds_share(a: f64, b: f64, share: f64) -> bool {
    let up = if a.abs() < 1e-150 { 2f64.powi(600) } else { 1.0 };
    share.mul_add(a.abs() * up, -((a - b) * up).abs()) < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_that_rounds_to_the_bound_is_told_from_one_that_equals_it() {
        assert!(!exceeds(1.0, 0.5, 0.5));
        let hair = f64::EPSILON / 4.0;
        // 1 − (−hair) rounds to 1 and is larger; 1 − hair / 4 rounds to 1 and is smaller.
        assert_eq!(1.0 + hair, 1.0);
        assert!(exceeds(1.0, -hair, 1.0));
        assert!(exceeds(-1.0, hair, 1.0));
        assert_eq!(1.0 - hair / 4.0, 1.0);
        assert!(!exceeds(1.0, hair / 4.0, 1.0));
        assert!(!exceeds(f64::MAX, -f64::MAX, f64::INFINITY));
        assert!(exceeds(f64::MAX, -f64::MAX, f64::MAX));
    }

    #[test]
    fn a_share_is_exact_too() {
        // The product 0.1 · 3 rounds to more than what it is.
        let third = 0.1f64.mul_add(3.0, 0.0);
        assert!(exceeds_share(3.0, 3.0 - third.next_up(), 0.1));
        assert!(!exceeds_share(3.0, 3.0 - third.next_down().next_down(), 0.1));
        assert!(!exceeds_share(-8.0, -6.0, 0.25) && exceeds_share(-8.0, (-6.0f64).next_up(), 0.25));
        // Among the smallest numbers, where a product would be rounded.
        let tiny = f64::from_bits(4);
        assert!(!exceeds_share(tiny, f64::from_bits(3), 0.25));
        assert!(exceeds_share(tiny, f64::from_bits(3), 0.25f64.next_down()));
        assert!(exceeds_share(1.0, -1.0, 0.5) && exceeds_share(1.0, 2.0, 0.5));
        let limit = Limit { absolute: 0.5, relative: 0.1 };
        assert!(!limit.is_exceeded(1.0, 1.5) && limit.is_exceeded(1.0, 1.6));
        assert!(!limit.is_exceeded(10.0, 11.0) && limit.is_exceeded(10.0, 11.1));
    }
}
