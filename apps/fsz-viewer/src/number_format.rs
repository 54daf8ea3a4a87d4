//! Numbers as people read them.

/// Bytes with a unit of thousands.
pub fn bytes(n: u64) -> String {
    match n as f64 {
        0.0..1e3 => format!("{n} B"),
        v @ 1e3..1e6 => format!("{:.1} kB", v / 1e3),
        v @ 1e6..1e9 => format!("{:.1} MB", v / 1e6),
        v @ 1e9..1e12 => format!("{:.1} GB", v / 1e9),
        v => format!("{:.1} TB", v / 1e12),
    }
}

/// A number in few digits: plain where that is short, else with an exponent.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let size = value.abs();
    if !(1e-4..1e6).contains(&size) && value.is_finite() {
        return format!("{value:.3e}");
    }
    let digits = (4.0 - size.log10().floor()).clamp(0.0, 8.0) as usize;
    let text = format!("{value:.digits$}");
    match digits {
        0 => text,
        _ => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

/// All digits that tell the value from its neighbours.
pub fn exact(value: f64, single: bool) -> String {
    match single {
        true => format!("{:?}", value as f32),
        false => format!("{value:?}"),
    }
}

/// Sides with crosses between them.
pub fn shape(sides: &[u64]) -> String {
    match sides {
        [] => "one value".to_owned(),
        _ => sides.iter().map(u64::to_string).collect::<Vec<_>>().join(" × "),
    }
}

/// A count with thin spaces between the thousands.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{2009}');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_readable() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(3_317_760), "3.3 MB");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(287.514), "287.51");
        assert_eq!(number(0.001), "0.001");
        assert_eq!(number(-12000.0), "-12000");
        assert_eq!(number(1.5e-9), "1.500e-9");
        assert_eq!(exact(0.1f32 as f64, true), "0.1");
        assert_eq!(shape(&[30, 192]), "30 × 192");
        assert_eq!(count(1234567), "1\u{2009}234\u{2009}567");
    }
}
