//! Numbers as people read them.

pub use fsz_figure::number::{bytes, short as number, within};

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
        assert_eq!(exact(0.1f32 as f64, true), "0.1");
        assert_eq!(shape(&[30, 192]), "30 × 192");
        assert_eq!(count(1234567), "1\u{2009}234\u{2009}567");
    }
}
