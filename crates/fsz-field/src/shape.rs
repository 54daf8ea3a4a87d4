//! Shapes as people write them: `30x192x288`, slowest axis first.

use std::fmt;
use std::num::{IntErrorKind, ParseIntError};
use std::path::Path;
use std::str::FromStr;

use fsz::format::MAX_DIMS;

use crate::error::{Error, Result};

/// The sides of a field, slowest axis first; written `30x192x288`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape(Vec<u64>);

impl Shape {
    /// A shape of at most 8 sides whose number of values fits 64 bits.
    pub fn new(sides: &[u64]) -> Result<Shape> {
        if sides.len() > MAX_DIMS {
            return Err(Error::Argument(format!(
                "{} dimensions: at most {MAX_DIMS} are supported",
                sides.len()
            )));
        }
        let bytes = sides.iter().try_fold(8u64, |n, &side| n.checked_mul(side));
        // A zero side makes the field empty, however large the others.
        if bytes.is_none() && !sides.contains(&0) {
            return Err(Error::Argument(too_large(&written(sides))));
        }
        Ok(Shape(sides.to_vec()))
    }

    /// The sides, slowest axis first.
    pub fn sides(&self) -> &[u64] {
        &self.0
    }

    /// Number of values: the product of the sides, 1 for no side.
    pub fn elements(&self) -> u64 {
        if self.0.contains(&0) { 0 } else { self.0.iter().product() }
    }

    /// The sides for indexing memory.
    ///
    /// # Errors
    /// When a side is more than this machine can address.
    pub fn indices(&self) -> Result<Vec<usize>> {
        let narrow = |&side: &u64| {
            usize::try_from(side).map_err(|_| {
                Error::Argument(format!("a side of {side} is too long for this machine"))
            })
        };
        self.0.iter().map(narrow).collect()
    }
}

impl FromStr for Shape {
    type Err = Error;

    fn from_str(text: &str) -> Result<Shape> {
        let side = |s: &str| s.trim().parse::<u64>();
        let sides = |list: &str| list.split(['x', 'X', ',']).map(side).collect::<Result<_, _>>();
        // As NumPy and others write it, one side with a comma.
        let inner = |ends: (char, char)| text.trim().strip_prefix(ends.0)?.strip_suffix(ends.1);
        let sides: Result<Vec<u64>, ParseIntError> =
            match inner(('(', ')')).or_else(|| inner(('[', ']'))) {
                Some(list) => sides(list.trim_end().strip_suffix(',').unwrap_or(list)),
                None => sides(text),
            };
        let sides = sides.map_err(|error| {
            Error::Argument(match error.kind() {
                IntErrorKind::PosOverflow => too_large(text),
                _ => format!(
                    "'{text}' is not a shape: separate the sides by x, slowest first, for example \
                     30x192x288"
                ),
            })
        });
        Shape::new(&sides?)
    }
}

fn too_large(shape: &str) -> String {
    format!("the size of shape {shape} does not fit in 64 bits")
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(&self.0))
    }
}

fn written(sides: &[u64]) -> String {
    if sides.is_empty() {
        return "scalar".to_owned();
    }
    sides.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

/// The shape that ends a file's name: 30x192x288 for `T_30x192x288.f32`, 32768 for `x_32768.f32`.
pub fn shape_in_name(path: &Path) -> Option<Shape> {
    // What is no UTF-8 may stand before it.
    let stem = path.file_stem()?.to_string_lossy();
    let last = stem.rsplit(['_', '-', '.', ' ']).next()?;
    let digits = last.bytes().all(|b| b.is_ascii_digit() || b == b'x');
    digits.then(|| last.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_and_written() {
        let shape: Shape = "30x192x288".parse().unwrap();
        assert_eq!(shape.sides(), [30, 192, 288]);
        assert_eq!(shape.elements(), 30 * 192 * 288);
        assert_eq!(shape.to_string(), "30x192x288");
        assert_eq!("7".parse::<Shape>().unwrap().sides(), [7]);
        for text in ["3,4", "(3, 4)", "[3, 4]", " (3,4,) "] {
            assert_eq!(text.parse::<Shape>().unwrap().sides(), [3, 4], "{text}");
        }
        assert_eq!("(7,)".parse::<Shape>().unwrap().sides(), [7]);
        assert_eq!(Shape::new(&[]).unwrap().elements(), 1);
        assert_eq!(Shape::new(&[u64::MAX, 0, u64::MAX]).unwrap().elements(), 0);
    }

    #[test]
    fn what_is_not_a_shape_is_refused() {
        for text in [
            "",
            "x",
            "3x",
            "-1",
            "3x-4",
            "1.5",
            "abc",
            "(3, 4",
            "3, 4)",
            "()",
            "(,)",
            "3,",
            "1x1x1x1x1x1x1x1x1",
        ] {
            assert!(text.parse::<Shape>().is_err(), "{text}");
        }
        for text in ["4294967296x4294967296", "18446744073709551616x1", "0x18446744073709551616"] {
            let told = text.parse::<Shape>().unwrap_err().to_string();
            assert_eq!(told, format!("the size of shape {text} does not fit in 64 bits"));
        }
    }

    #[test]
    fn the_shape_is_found_at_the_end_of_a_name() {
        let found = |name: &str| shape_in_name(Path::new(name)).map(|s| s.to_string());
        assert_eq!(found("/a/T_30x192x288.f32").as_deref(), Some("30x192x288"));
        assert_eq!(found("wspd30_25x125x125.f32").as_deref(), Some("25x125x125"));
        assert_eq!(found("hacc_x_32768.f32").as_deref(), Some("32768"));
        assert_eq!(found("density.128x128.raw").as_deref(), Some("128x128"));
        assert_eq!(found("T.f32"), None);
        assert_eq!(found("x.f32"), None);
    }

    #[cfg(unix)]
    #[test]
    fn the_rest_of_the_name_may_be_any_bytes() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let name = Path::new(OsStr::from_bytes(b"T\xfc_3x4.f32"));
        assert_eq!(shape_in_name(name).unwrap().sides(), [3, 4]);
    }
}
