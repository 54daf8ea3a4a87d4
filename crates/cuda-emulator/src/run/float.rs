//! Floating-point operations that round otherwise than to nearest, and those that treat NaN in their own way.

/// `a + b`, rounded down.
pub(crate) fn add_down_f32(a: f32, b: f32) -> f32 {
    let (sum, rest) = sum_and_rest(f64::from(a), f64::from(b));
    if sum == 0.0 {
        return if a.is_sign_negative() || b.is_sign_negative() { -0.0 } else { 0.0 };
    }
    let nearest = sum as f32;
    let above = f64::from(nearest) - sum;
    let down = above > 0.0 || above == 0.0 && rest < 0.0;
    if nearest.is_finite() && down { nearest.next_down() } else { nearest }
}

/// `a · b`, rounded down.
pub(crate) fn multiply_down_f32(a: f32, b: f32) -> f32 {
    // 24 bits times 24 bits: exact.
    let exact = f64::from(a) * f64::from(b);
    let nearest = exact as f32;
    if f64::from(nearest) > exact { nearest.next_down() } else { nearest }
}

/// `a · b`, rounded down.
pub(crate) fn multiply_down_f64(a: f64, b: f64) -> f64 {
    let nearest = a * b;
    // Exact but near the smallest numbers, where a sign is what is needed.
    let residual = a.mul_add(b, -nearest);
    if nearest.is_finite() && residual < 0.0 { nearest.next_down() } else { nearest }
}

/// The nearest single towards zero.
pub(crate) fn single_towards_zero(value: f64) -> f32 {
    let nearest = value as f32;
    if f64::from(nearest).abs() <= value.abs() || value.is_nan() {
        return nearest;
    }
    // Towards zero no finite number becomes infinite.
    f32::from_bits(nearest.to_bits() - 1)
}

/// `a · b + c`, rounded towards zero.
pub(crate) fn fused_towards_zero_f32(a: f32, b: f32, c: f32) -> f32 {
    let nearest = a.mul_add(b, c);
    // 24 bits times 24 bits: exact.
    let (sum, rest) = sum_and_rest(f64::from(a) * f64::from(b), f64::from(c));
    let above = sum - f64::from(nearest);
    let beyond = if above == 0.0 { rest } else { above };
    match is_further(beyond, f64::from(nearest)) {
        true => f32::from_bits(nearest.to_bits() - 1),
        false => nearest,
    }
}

/// `a · b + c`, rounded towards zero.
pub(crate) fn fused_towards_zero_f64(a: f64, b: f64, c: f64) -> f64 {
    let nearest = a.mul_add(b, c);
    let product = a * b;
    let low = a.mul_add(b, -product);
    let (sum, rest) = sum_and_rest(product, c);
    // Both are close to each other, so that the difference is exact.
    let (small, smaller) = sum_and_rest(low, rest);
    let (beyond, last) = sum_and_rest(sum - nearest, small);
    let beyond = beyond + (last + smaller);
    match is_further(beyond, nearest) {
        true => f64::from_bits(nearest.to_bits() - 1),
        false => nearest,
    }
}

/// Whether a rounded number is further from zero than the exact one, which lies by `beyond` above it.
fn is_further(beyond: f64, rounded: f64) -> bool {
    rounded.is_finite() && (beyond < 0.0 && rounded > 0.0 || beyond > 0.0 && rounded < 0.0)
}

/// A sum, and what was lost when it was rounded.
fn sum_and_rest(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let from_b = sum - a;
    (sum, (a - (sum - from_b)) + (b - from_b))
}

macro_rules! extremes {
    ($least:ident, $most:ident, $type:ty) => {
        /// The lesser one, or the one that is a number; −0 is less than 0.
        pub(crate) fn $least(a: $type, b: $type) -> $type {
            match (a.is_nan(), b.is_nan()) {
                (true, _) => b,
                (_, true) => a,
                _ if a == b => {
                    if a.is_sign_negative() {
                        a
                    } else {
                        b
                    }
                }
                _ => {
                    if a < b {
                        a
                    } else {
                        b
                    }
                }
            }
        }
        /// The larger one, or the one that is a number; −0 is less than 0.
        pub(crate) fn $most(a: $type, b: $type) -> $type {
            -$least(-a, -b)
        }
    };
}
extremes!(least_f32, most_f32, f32);
extremes!(least_f64, most_f64, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_rounded_down() {
        assert_eq!(multiply_down_f32(3.0, 5.0), 15.0);
        let third = 1.0f32 / 3.0;
        for (a, b) in
            [(third, third), (-third, third), (1e38, 3.0), (1.0 + f32::EPSILON, 1.0 + f32::EPSILON)]
        {
            let found = f64::from(multiply_down_f32(a, b));
            let exact = f64::from(a) * f64::from(b);
            assert!(
                found <= exact && f64::from(multiply_down_f32(a, b).next_up()) > exact,
                "{a} {b}"
            );
        }
        let third = 1.0f64 / 3.0;
        let (down, up) = (multiply_down_f64(third, third), -multiply_down_f64(-third, third));
        assert!(down < up && down.next_up() == up);
    }

    #[test]
    fn sums_are_rounded_down() {
        let small = f32::EPSILON / 4.0;
        assert_eq!(add_down_f32(1.0, -small), 1.0f32.next_down());
        assert_eq!(add_down_f32(1.0, small), 1.0);
        assert_eq!(add_down_f32(-1.0, -1e-30), -(1.0f32.next_up()));
        assert_eq!(add_down_f32(-1.0, 1e-30), -1.0);
        assert_eq!(add_down_f32(1_065_353_216.0, 8_388_735.0), 1_073_741_824.0);
        assert_eq!(add_down_f32(2.5, -2.5).to_bits(), (-0.0f32).to_bits());
    }

    #[test]
    fn sums_are_rounded_towards_zero() {
        let small = f32::EPSILON / 4.0;
        assert_eq!(fused_towards_zero_f32(1.0, 1.0, -small), 1.0f32.next_down());
        assert_eq!(fused_towards_zero_f32(1.0, 1.0, small), 1.0);
        assert_eq!(fused_towards_zero_f32(-1.0, 1.0, small), -1.0f32.next_down());
        assert_eq!(fused_towards_zero_f32(3.0, 5.0, 1.0), 16.0);
        let smallest = f32::from_bits(1);
        assert_eq!(fused_towards_zero_f32(smallest, 0.25, 0.0), 0.0);
        let tiny = 1e-300;
        assert_eq!(fused_towards_zero_f64(1.0, 1.0, -tiny), 1.0f64.next_down());
        assert_eq!(fused_towards_zero_f64(1.0, 1.0, tiny), 1.0);
        let third = 1.0f64 / 3.0;
        let product = fused_towards_zero_f64(third, third, 0.0);
        assert!(third.mul_add(third, -product) >= 0.0);
    }

    #[test]
    fn singles_towards_zero() {
        for value in [0.1, -0.1, 1e39, -1e39, 1.5, f64::from(f32::MAX) * 1.000_000_01] {
            let single = f64::from(single_towards_zero(value));
            assert!(single.abs() <= value.abs() && single.is_finite(), "{value}");
        }
        assert_eq!(single_towards_zero(f64::INFINITY), f32::INFINITY);
    }

    #[test]
    fn numbers_win_over_nan() {
        assert_eq!(least_f32(f32::NAN, 1.0), 1.0);
        assert_eq!(most_f64(1.0, f64::NAN), 1.0);
        assert!(most_f32(-0.0, 0.0).is_sign_positive() && least_f32(0.0, -0.0).is_sign_negative());
    }
}
