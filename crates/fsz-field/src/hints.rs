//! What a file does not tell by itself.

use std::path::Path;

use fsz::DType;

use crate::error::{Error, Result};
use crate::shape::Shape;

/// What the caller knows about a file that has no header.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// Shape of a raw file, or of a `.zfp` file without a header.
    pub shape: Option<Shape>,
    /// Element type of such a file.
    pub dtype: Option<DType>,
    /// Bits per value of a `.zfp` file without a header.
    pub zfp_rate: Option<f64>,
    /// The field whose counterpart a raw file is: it has that shape where no other is told above.
    pub like: Option<Like>,
}

/// Another field, with which a file is to be compared.
#[derive(Debug, Clone)]
pub struct Like {
    /// What people call it.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Its type.
    pub dtype: DType,
}

impl Hints {
    /// Errs when they contradict what a file tells of itself.
    ///
    /// # Errors
    /// Those.
    pub fn agree(&self, path: &Path, shape: &Shape, dtype: DType) -> Result<()> {
        if let Some(told) = self.shape.as_ref().filter(|told| *told != shape) {
            let reason = format!("the file's shape is {shape}, not {told}: omit --shape");
            return Err(Error::file(path, reason));
        }
        if let Some(told) = self.dtype.filter(|told| *told != dtype) {
            let reason = format!("the file's values are {dtype}, not {told}: omit --dtype");
            return Err(Error::file(path, reason));
        }
        Ok(())
    }
}
