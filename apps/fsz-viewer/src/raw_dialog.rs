//! What a raw file does not tell, asked of the user.

use std::path::{Path, PathBuf};

use fsz::Dtype;
use fsz_field::{Hints, Shape, shape_in_name};

use crate::service::Role;

/// The question for shape and type.
#[derive(Clone, Debug)]
pub struct RawDialog {
    /// The file.
    pub path: PathBuf,
    /// What it is opened as.
    pub role: Role,
    /// Sides with an `x` between them, slowest first.
    pub shape: String,
    /// The element type.
    pub dtype: Dtype,
    bytes: u64,
}

impl RawDialog {
    /// A question whose answer is guessed from the file's name and from what is open.
    pub fn new(path: &Path, role: Role, open: Option<&[u64]>) -> RawDialog {
        let double = path.extension().is_some_and(|e| e == "f64" || e == "d64");
        let dtype = if double { Dtype::F64 } else { Dtype::F32 };
        let bytes = std::fs::metadata(path).map_or(0, |m| m.len());
        let named = shape_in_name(path).map(|shape| shape.sides().to_vec());
        let sides = named
            .or_else(|| open.map(<[u64]>::to_vec))
            .unwrap_or_else(|| vec![bytes / dtype.size() as u64]);
        let shape = sides.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
        RawDialog { path: path.to_owned(), role, shape, dtype, bytes }
    }

    /// The answer.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn hints(&self) -> Result<Hints, String> {
        let sides: Vec<u64> = self
            .shape
            .split(['x', '×', ',', ' '])
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().map_err(|_| format!("“{part}” is no number")))
            .collect::<Result<_, _>>()?;
        let shape = Shape::new(&sides).map_err(|e| e.to_string())?;
        let wanted = shape.elements() as u128 * self.dtype.size() as u128;
        if wanted != u128::from(self.bytes) {
            return Err(format!(
                "{shape} of {} takes {wanted} bytes; the file has {}",
                self.dtype.name(),
                self.bytes
            ));
        }
        Ok(Hints { shape: Some(shape), dtype: Some(self.dtype) })
    }
}
