//! What a file does not tell by itself.

use fsz::DType;

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
    /// What has this shape and type, where nobody gave them for the file itself: for people, if they do not fit.
    pub like: Option<String>,
}
