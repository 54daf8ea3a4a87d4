//! Numbers as people read them.

use fsz_metrics::Comparison;

pub use fsz_figure::number::{by_range, bytes, short as number, within};

/// The PSNR of a comparison.
pub fn decibels(found: &Comparison) -> String {
    by_range(found.psnr(), found.compared, |psnr| format!("{psnr:.2} dB"))
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
    use fsz_metrics::Missing;

    use super::*;

    #[test]
    fn a_field_of_one_value_has_no_psnr() {
        let told = |original: &[f32], other: &[f32]| {
            decibels(&fsz_metrics::compare(original, other, &Missing::none(), None).unwrap())
        };
        assert_eq!(told(&[1.0, 1.0], &[1.0, 1.5]), "none: the range is 0");
        assert_eq!(told(&[1.0, 2.0], &[1.0, 2.0]), "inf dB");
        assert_eq!(told(&[0.0, 10.0], &[1.0, 9.0]), "20.00 dB");
    }

    #[test]
    fn short_and_readable() {
        assert_eq!(exact(0.1f32 as f64, true), "0.1");
        assert_eq!(shape(&[30, 192]), "30 × 192");
        assert_eq!(count(1234567), "1\u{2009}234\u{2009}567");
    }
}
