//! What the values of a volume are counted in: they are drawn in single precision, which has not those of all doubles.

use fsz::DType;

/// Units are powers of two with exponents so far apart: one suits all ranges that are looked at in turns.
const APART: f64 = 64.0;

/// The exponents of numbers that single precision has enough of both above and below them.
const SINGLE: std::ops::Range<f64> = -96.0..96.0;

/// The unit for values of which these are the lowest and the highest: 1 where single precision has them.
pub fn unit(dtype: DType, low: f64, high: f64) -> f64 {
    let exponent = low.abs().max(high.abs()).log2();
    if dtype == DType::F32 || !exponent.is_finite() || SINGLE.contains(&exponent) {
        return 1.0;
    }
    // The least that a double has.
    let exponent = ((exponent / APART).floor() * APART).max(-1024.0);
    exponent.exp2()
}

/// A number in a unit, in single precision; of a larger one than that has the largest.
pub fn in_unit(value: f64, unit: f64) -> f32 {
    let most = f64::from(f32::MAX);
    match value.is_finite() {
        true => (value / unit).clamp(-most, most) as f32,
        false => value as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_any_range_are_told_apart() {
        for exponent in -307..=307 {
            let most = 10f64.powi(exponent);
            let unit = unit(DType::F64, -0.5 * most, most);
            let [half, whole] = [0.5, 1.0].map(|part| in_unit(part * most, unit));
            let is_told = half.is_normal() && whole.is_finite() && whole / half == 2.0;
            assert!(is_told, "1e{exponent}: {half} and {whole}");
        }
        assert_eq!([unit(DType::F32, -1e38, 1e38), unit(DType::F64, -5.0, 1e20)], [1.0; 2]);
        assert_eq!(unit(DType::F64, 0.0, 0.0), 1.0);
        assert!(unit(DType::F64, 0.0, f64::from_bits(1)) > 0.0);
    }

    #[test]
    fn what_is_beyond_a_range_is_a_number_too() {
        assert_eq!([1e300, -1e300].map(|v| in_unit(v, 1.0)), [f32::MAX, f32::MIN]);
        assert_eq!(in_unit(f64::NEG_INFINITY, 1.0), f32::NEG_INFINITY);
        assert!(in_unit(f64::NAN, 2.0).is_nan());
    }
}
