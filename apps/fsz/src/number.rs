//! Numbers for people.

/// Six significant digits, without trailing zeros: 0.0912, 1.5e-9, inf, nan.
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}").to_lowercase();
    }
    let exponent = value.abs().log10().floor() as i32;
    if (-4..7).contains(&exponent) {
        let decimals = (5 - exponent).max(0) as usize;
        return trimmed(&format!("{value:.decimals$}")).to_owned();
    }
    let scientific = format!("{value:.5e}");
    match scientific.split_once('e') {
        Some((digits, exponent)) => format!("{}e{exponent}", trimmed(digits)),
        None => scientific,
    }
}

fn trimmed(digits: &str) -> &str {
    if !digits.contains('.') {
        return digits;
    }
    digits.trim_end_matches('0').trim_end_matches('.')
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
