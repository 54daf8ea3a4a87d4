//! Numbers for people.

use std::ops::Range;

/// Six significant digits, without trailing zeros: 0.0912, 1.5e-9, inf, nan.
pub fn short(value: f64) -> String {
    rounded(value, 6, -4..7)
}

/// A figure that is measured by the range of a field, of which so many values were compared: a PSNR and an NRMSE are NaN where
/// there is no range, as of a field of one value.
pub fn by_range(figure: f64, compared: u64, text: impl Fn(f64) -> String) -> String {
    match (figure.is_nan(), compared) {
        (false, _) => text(figure),
        (true, 0) => "none: there is no finite value".to_owned(),
        (true, _) => "none: the range is 0".to_owned(),
    }
}

/// A number of a range, with as many more digits as tell its parts apart: of 101325.1 to 101325.4 six would make one number.
pub fn within(value: f64, low: f64, high: f64) -> String {
    rounded(value, digits(6, low, high), -4..7)
}

/// Significant digits that tell a thousandth of a range, so many at least; no number of double precision needs more than 17.
pub fn digits(least: usize, low: f64, high: f64) -> usize {
    let power = |of: f64| of.log10().floor();
    let told = power(low.abs().max(high.abs())) - power((high - low).abs()) + 3.0;
    // Of a range without extent or end there is no thousandth.
    if told.is_finite() { least.max(told.clamp(0.0, 17.0) as usize) } else { least }
}

/// So many significant digits, without trailing zeros, with a minus sign as books have it: for text
/// in pictures.
pub fn typeset(value: f64, digits: usize) -> String {
    rounded(value, digits, -2..5).replace('-', "−")
}

/// `plain`: powers of ten that are written without an exponent.
fn rounded(value: f64, digits: usize, plain: Range<i32>) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}").to_lowercase();
    }
    let decimals = digits.saturating_sub(1);
    let scientific = format!("{value:.decimals$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    if plain.contains(&power) {
        let decimals = usize::try_from(decimals as i32 - power).unwrap_or(0);
        return trimmed(&format!("{value:.decimals$}")).to_owned();
    }
    format!("{}e{exponent}", trimmed(mantissa))
}

/// Without zeros after the last digit that counts.
fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// Bytes with a decimal unit: 6.64 MB.
pub fn bytes(count: u64) -> String {
    let units = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1000.0;
    let mut unit = units[0];
    for next in &units[1..] {
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1000.0, next);
    }
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$} {unit}")
}

/// A share in percent: 12.3 %.
pub fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_exact_enough() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-0.0912, "-0.0912"),
            (0.001, "0.001"),
            (1e-9, "1e-9"),
            (123456.789, "123457"),
            (1234567.0, "1234567"),
            (9.96921e36, "9.96921e36"),
            (1.0 / 3.0, "0.333333"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "nan"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn what_has_no_range_has_no_figure() {
        let decibels = |psnr, compared| by_range(psnr, compared, |psnr| format!("{psnr:.2} dB"));
        assert_eq!(decibels(63.219, 5), "63.22 dB");
        assert_eq!(decibels(f64::INFINITY, 5), "inf dB");
        assert_eq!(decibels(f64::NAN, 5), "none: the range is 0");
        assert_eq!(decibels(f64::NAN, 0), "none: there is no finite value");
    }

    #[test]
    fn the_ends_of_a_range_are_told_apart() {
        let ends = |low, high| [low, high].map(|end| within(end, low, high));
        assert_eq!(ends(101325.1, 101325.4), ["101325.1", "101325.4"]);
        assert_eq!(
            ends(101325.00000024, 101325.000000366),
            ["101325.00000024", "101325.000000366"]
        );
        assert_eq!(ends(-1.00000001e9, -1e9), ["-1.00000001e9", "-1e9"]);
        assert_eq!(ends(1.0, 1.0 + f64::EPSILON), ["1", "1.0000000000000002"]);
        // Where six digits do, they stay.
        for (low, high) in [(239.9591, 365.98412), (1.0 / 3.0, 1.0 / 3.0), (0.0, 1e-9), (-0.1, 0.1)]
        {
            assert_eq!(ends(low, high), [low, high].map(short));
        }
        for (low, high) in [(f64::NAN, f64::NAN), (0.0, f64::INFINITY), (f64::MIN, f64::MAX)] {
            assert_eq!(ends(low, high), [low, high].map(short));
        }
        assert_eq!(digits(5, 101325.1, 101325.4), 9);
    }

    #[test]
    fn numbers_in_pictures_have_a_minus_sign() {
        let cases = [
            (0.0, "0"),
            (-0.5, "−0.5"),
            (1e-3, "1e−3"),
            (-9.994e-4, "−9.99e−4"),
            (0.123_456, "0.123"),
            (271.83, "272"),
            (10.0, "10"),
            (1.5e7, "1.5e7"),
        ];
        for (value, text) in cases {
            assert_eq!(typeset(value, 3), text);
        }
        assert_eq!(typeset(9.997_487e-4, 5), "9.9975e−4");
    }

    #[test]
    fn bytes_have_units() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (6_635_520, "6.64 MB"),
            (999_900, "1.00 MB"),
            (25_000_000_000, "25.0 GB"),
            (u64::MAX, "18.4 EB"),
        ];
        for (count, text) in cases {
            assert_eq!(bytes(count), text);
        }
        assert_eq!(percent(1, 8), "12.5 %");
        assert_eq!(percent(0, 0), "0.0 %");
    }
}
