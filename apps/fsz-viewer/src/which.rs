//! The panes that there are.

use serde::{Deserialize, Serialize};

/// What a pane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Which {
    /// The field before compression.
    Original,
    /// The reconstruction.
    Reconstruction,
    /// Its error.
    Error,
    /// Another reconstruction.
    Other,
    /// Its error.
    OtherError,
}

impl Which {
    /// All of them, in the order in which they stand at first.
    pub const ALL: [Which; 5] =
        [Which::Original, Which::Reconstruction, Which::Error, Which::Other, Which::OtherError];

    /// As part of a file's name.
    pub fn name(self) -> &'static str {
        match self {
            Which::Original => "original",
            Which::Reconstruction => "reconstruction",
            Which::Error => "error",
            Which::Other => "other",
            Which::OtherError => "other-error",
        }
    }

    /// Whether it shows an error.
    pub fn is_error(self) -> bool {
        matches!(self, Which::Error | Which::OtherError)
    }
}
