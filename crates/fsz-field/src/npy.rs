//! NumPy's `.npy` files.
//!
//! The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>. A magic,
//! two bytes of version, the header's length, a Python dictionary as text, the values.

use std::path::Path;
use std::sync::Arc;

use fsz::DType;

use crate::error::{Error, Result};
use crate::field::{Field, from_fortran};
use crate::map::{Mapped, Order, map_file, read};
use crate::output::Output;
use crate::raw::write_raw;
use crate::shape::Shape;

/// The first bytes of every `.npy` file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Values begin at a multiple of this in files that we write, as in NumPy's.
const ALIGNMENT: usize = 64;

/// Opens a `.npy` file: `float32` or `float64`, either byte order, C or Fortran order. Values in
/// native byte order and C order stay mapped; others are rearranged in memory.
pub(crate) fn open_npy(path: &Path) -> Result<Field> {
    let Npy { map, header, start } = Npy::map(path)?;
    let Some(Item::Float(dtype)) = header.item else {
        return Err(header.wrong_type(path, header.advice()));
    };
    let in_file = |error: Error| error.in_file(path);
    let field = if header.order == Order::NATIVE {
        let values = start..map.len();
        Field::mapped(header.shape, dtype, map, values).map_err(in_file)?
    } else {
        let values = read(&map[start..], dtype, header.order).map_err(in_file)?;
        Field::stored(header.shape, values)?
    };
    if !header.fortran {
        return Ok(field);
    }
    let rearranged = from_fortran(field.shape(), field.values()).map_err(in_file)?;
    Field::stored(field.shape().clone(), rearranged)
}

/// Writes a field as `.npy`, version 1.0, little-endian, C order.
pub fn write_npy(field: &Field, output: &mut Output) -> Result<()> {
    output.put(&npy_header(field.dtype(), field.shape().sides()))?;
    write_raw(field.values(), output)
}

/// What a `.npy` file of little-endian values in C order has before the values.
pub fn npy_header(dtype: DType, sides: &[u64]) -> Vec<u8> {
    let sides: Vec<String> = sides.iter().map(u64::to_string).collect();
    let tuple = match sides.as_slice() {
        [one] => format!("({one},)"),
        many => format!("({})", many.join(", ")),
    };
    let mut text =
        format!("{{'descr': '<f{}', 'fortran_order': False, 'shape': {tuple}, }}", dtype.size());
    // Magic, version, length and the newline at the end count too.
    let unpadded = MAGIC.len() + 4 + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    text.push('\n');
    let mut header = [MAGIC, &[1, 0]].concat();
    // 8 sides of 20 digits stay far below the 65535 bytes of version 1.0.
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}

/// A mapped file.
#[derive(Debug, Clone)]
pub(crate) struct Npy {
    pub(crate) map: Arc<Mapped>,
    pub(crate) header: Header,
    /// Where the values begin.
    pub(crate) start: usize,
}

impl Npy {
    pub(crate) fn map(path: &Path) -> Result<Npy> {
        let map = map_file(path)?;
        let refuse = |reason: String| Error::file(path, reason);
        let (header, start) = Header::parse(&map).map_err(refuse)?;
        let there = (map.len() - start) as u64;
        let fits = |item: Item| header.shape.elements().checked_mul(item.size()) == Some(there);
        if header.item.is_some_and(|item| !fits(item)) {
            return Err(refuse(format!(
                "shape {} of '{}' does not fit the {there} bytes after the header: the file is \
                 damaged or still being written",
                header.shape, header.descr
            )));
        }
        Ok(Npy { map, header, start })
    }
}

/// What a value is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Item {
    /// `bool` or `uint8`.
    Byte,
    Float(DType),
}

impl Item {
    fn of(kind: &str) -> Option<Item> {
        match kind {
            "b1" | "u1" => Some(Item::Byte),
            "f4" => Some(Item::Float(DType::F32)),
            "f8" => Some(Item::Float(DType::F64)),
            _ => None,
        }
    }

    fn size(self) -> u64 {
        match self {
            Item::Byte => 1,
            Item::Float(dtype) => dtype.size() as u64,
        }
    }
}

/// What a header says.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    /// The type as NumPy writes it.
    descr: String,
    /// None of a type that is not read.
    pub(crate) item: Option<Item>,
    pub(crate) order: Order,
    pub(crate) fortran: bool,
    pub(crate) shape: Shape,
}

impl Header {
    /// The error of a file whose values are of no type that the caller takes.
    pub(crate) fn wrong_type(&self, path: &Path, advice: &str) -> Error {
        Error::file(path, format!("values of type '{}': {advice}", self.descr))
    }

    /// What to do about values that are not floats of 4 or 8 bytes, so that none loses more than it must.
    fn advice(&self) -> &'static str {
        match self.descr.trim_start_matches(['<', '>', '|', '=']) {
            "f2" | "b1" | "i1" | "u1" | "i2" | "u2" => {
                "only float32 and float64 are supported; convert with .astype(numpy.float32)"
            }
            kind if kind.starts_with(['f', 'i', 'u']) => {
                "only float32 and float64 are supported; convert with .astype(numpy.float64)"
            }
            kind if kind.starts_with('c') => {
                "only float32 and float64 are supported; save .real and .imag, each for itself"
            }
            _ => "only float32 and float64 are supported",
        }
    }

    /// The header of a file and where its values begin, or what is wrong with it.
    fn parse(file: &[u8]) -> Result<(Header, usize), String> {
        let damaged = || "unreadable .npy header: the file is damaged".to_owned();
        let rest = file.strip_prefix(MAGIC).ok_or_else(damaged)?;
        let ([major, _minor], rest) = rest.split_first_chunk().ok_or_else(damaged)?;
        let (len, rest) = match major {
            1 => {
                let (len, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
                (usize::from(u16::from_le_bytes(*len)), rest)
            }
            2 | 3 => {
                let (len, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
                (u32::from_le_bytes(*len) as usize, rest)
            }
            other => return Err(format!("unknown .npy version {other}: save it as version 1.0")),
        };
        let text = rest.get(..len).ok_or_else(damaged)?;
        let text = std::str::from_utf8(text).map_err(|_| damaged())?;
        let start = file.len() - rest.len() + len;
        Ok((Header::of_dictionary(text).ok_or_else(damaged)??, start))
    }

    /// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`; `None` if it is not
    /// such a dictionary.
    fn of_dictionary(text: &str) -> Option<Result<Header, String>> {
        let mut rest = text.trim().strip_prefix('{')?.trim_start();
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        while !rest.starts_with('}') {
            let (key, after) = quoted(rest)?;
            let value = after.trim_start().strip_prefix(':')?.trim_start();
            rest = match key {
                "descr" if value.starts_with('[') => {
                    return Some(Err("a structured array: save one of its fields alone".into()));
                }
                "descr" => {
                    let (value, after) = quoted(value)?;
                    descr = Some(value);
                    after
                }
                "fortran_order" => {
                    fortran = Some(value.starts_with("True"));
                    value.strip_prefix("True").or_else(|| value.strip_prefix("False"))?
                }
                "shape" => {
                    let (inside, after) = value.strip_prefix('(')?.split_once(')')?;
                    shape = Some(sides(inside)?);
                    after
                }
                _ => return None,
            };
            rest = rest.trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        Some(Header::of_values(descr?, fortran?, &shape?))
    }

    fn of_values(descr: &str, fortran: bool, sides: &[u64]) -> Result<Header, String> {
        let (order, kind) = match descr.split_at_checked(1) {
            Some(("<", kind)) => (Order::Little, kind),
            Some((">", kind)) => (Order::Big, kind),
            Some(("=", kind)) => (Order::NATIVE, kind),
            Some(("|", kind)) => (Order::NATIVE, kind),
            _ => (Order::NATIVE, descr),
        };
        let shape = Shape::new(sides).map_err(|e| e.to_string())?;
        Ok(Header { descr: descr.to_owned(), item: Item::of(kind), order, fortran, shape })
    }
}

/// The string at the start of `text` and what comes after it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote)
}

/// The sides in the text between the brackets of a tuple.
fn sides(text: &str) -> Option<Vec<u64>> {
    let text = text.trim();
    let text = text.strip_suffix(',').unwrap_or(text);
    if text.is_empty() {
        return Some(Vec::new());
    }
    // Python 2 wrote long integers with an L.
    text.split(',').map(|side| side.trim().trim_end_matches('L').parse().ok()).collect()
}
