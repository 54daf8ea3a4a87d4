//! Numbers for people.

/// A number with at most so many significant digits, small and large ones with an exponent.
pub fn short(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    let decimals = digits.saturating_sub(1);
    let scientific = format!("{value:.decimals$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    let text = if (-2..5).contains(&power) {
        let decimals = usize::try_from(decimals as i32 - power).unwrap_or(0);
        trimmed(&format!("{value:.decimals$}")).to_string()
    } else {
        format!("{}e{exponent}", trimmed(mantissa))
    };
    text.replace('-', "−")
}

/// Without zeros after the last digit that counts.
fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-0.5, "−0.5"),
            (1e-3, "1e−3"),
            (-9.994e-4, "−9.99e−4"),
            (0.123_456, "0.123"),
            (271.83, "272"),
            (10.0, "10"),
            (1.5e7, "1.5e7"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value, 3), text);
        }
        assert_eq!(short(9.997_487e-4, 5), "9.9975e−4");
    }
}
