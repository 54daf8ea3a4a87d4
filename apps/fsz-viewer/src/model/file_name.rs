//! What a file's name tells of the field in it, as `T_30x192x288.f32.rate8.zfp`.

use std::path::Path;

use fsz::DType;
use fsz_field::Shape;

/// What people write into names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// Sides with an `x` between them.
    pub shape: Option<Shape>,
    /// `f32`, `float`, `f64`, `d64` or `double`.
    pub dtype: Option<DType>,
    /// Bits per value: `rate8`, `r8.5` or `8bpv`.
    pub rate: Option<f64>,
}

/// Reads a file's name.
pub fn told(path: &Path) -> Told {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let mut told = Told::default();
    for part in name.split(['_', '-', '.', ' ', '@']) {
        match part {
            "f32" | "float" => told.dtype = Some(DType::F32),
            "f64" | "d64" | "double" => told.dtype = Some(DType::F64),
            _ if part.contains('x') && part.starts_with(|c: char| c.is_ascii_digit()) => {
                told.shape = part.parse().ok().or(told.shape);
            }
            _ => {}
        }
    }
    // A rate may hold a point, which stands between the other parts.
    for part in name.split(['_', '-', ' ', '@']) {
        for (at, _) in part.char_indices().filter(|(at, _)| begins(part, *at)) {
            told.rate = told.rate.or_else(|| rate(&part[at..]));
        }
    }
    told
}

/// Whether a word or number begins here.
fn begins(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|c: char| c.is_alphanumeric())
}

fn rate(text: &str) -> Option<f64> {
    let (digits, marked) = match text.strip_prefix("rate").or_else(|| text.strip_prefix('r')) {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let mut end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    end = digits[..end].trim_end_matches('.').len();
    let marked = marked || digits[end..].starts_with("bpv");
    let rate: f64 = digits[..end].parse().ok()?;
    (marked && rate > 0.0 && rate <= 64.0).then_some(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        for (name, shape, dtype, rate) in [
            ("T_30x192x288.f32.rate8.zfp", Some("30x192x288"), Some(DType::F32), Some(8.0)),
            ("d-8x9.double.r4.5.zfp", Some("8x9"), Some(DType::F64), Some(4.5)),
            ("vx_3.25bpv.zfp", None, None, Some(3.25)),
            ("r8-f64.zfp", None, Some(DType::F64), Some(8.0)),
            ("river12x.2x.zfp", None, None, None),
            ("rate0_rate99_ratex.zfp", None, None, None),
            ("", None, None, None),
        ] {
            let found = told(Path::new(name));
            assert_eq!(found.shape.map(|s| s.to_string()).as_deref(), shape, "{name}");
            assert_eq!((found.dtype, found.rate), (dtype, rate), "{name}");
        }
    }
}
