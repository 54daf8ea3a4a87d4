//! What can be wrong with a question.

/// Why a metric could not be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The two fields do not hold the same number of values.
    #[error("the original has {original} values and the reconstruction {reconstructed}")]
    Length {
        /// Values in the original.
        original: usize,
        /// Values in the reconstruction.
        reconstructed: usize,
    },
    /// The shape does not hold as many values as the field.
    #[error("shape {shape:?} does not match the {len} values of the field")]
    Shape {
        /// The shape that was given.
        shape: Vec<usize>,
        /// Values in the field.
        len: usize,
    },
    /// Another argument is out of its range; the message names it.
    #[error("{0}")]
    Argument(String),
    /// There is no memory for what is made of the values.
    #[error("no memory for figures of {values} values")]
    Memory {
        /// Values in the field.
        values: usize,
    },
    /// The one who watches the work ended it.
    #[error("ended before it was done")]
    Ended,
}

/// [`std::result::Result`] with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Errs unless both fields have the same length.
pub(crate) fn same_length<T>(original: &[T], reconstructed: &[T]) -> Result<()> {
    if original.len() == reconstructed.len() {
        return Ok(());
    }
    Err(Error::Length { original: original.len(), reconstructed: reconstructed.len() })
}

/// Errs unless `shape` holds `len` values.
pub(crate) fn holds(shape: &[usize], len: usize) -> Result<()> {
    let product = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    if product == Some(len) {
        return Ok(());
    }
    Err(Error::Shape { shape: shape.to_vec(), len })
}
