//! The panes that there are.

use serde::{Deserialize, Serialize};

/// What a pane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PaneKind {
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
    /// The field in three dimensions.
    Volume,
}

impl PaneKind {
    /// All of them, in the order in which they stand at first.
    pub const ALL: [PaneKind; 6] = [
        PaneKind::Original,
        PaneKind::Reconstruction,
        PaneKind::Error,
        PaneKind::Other,
        PaneKind::OtherError,
        PaneKind::Volume,
    ];

    /// As part of a file's name.
    pub fn name(self) -> &'static str {
        match self {
            PaneKind::Original => "original",
            PaneKind::Reconstruction => "reconstruction",
            PaneKind::Error => "error",
            PaneKind::Other => "comparison",
            PaneKind::OtherError => "comparison-error",
            PaneKind::Volume => "volume",
        }
    }

    /// Whether it shows an error.
    pub fn is_error(self) -> bool {
        matches!(self, PaneKind::Error | PaneKind::OtherError)
    }
}
