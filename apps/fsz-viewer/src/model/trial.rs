//! What the original is compressed to in memory.

use fsz::Bound;
use serde::{Deserialize, Serialize};

/// What is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// A bound relative to the range of the values.
    #[default]
    Range,
    /// A peak signal-to-noise ratio; a search finds the bound.
    Psnr,
    /// A compression ratio, likewise.
    Ratio,
}

impl Target {
    /// All of them, in the order of the menu.
    pub const ALL: [Target; 3] = [Target::Range, Target::Psnr, Target::Ratio];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Target::Range => "Value-range bound",
            Target::Psnr => "PSNR in dB",
            Target::Ratio => "Compression ratio",
        }
    }

    /// The least and the largest number that is asked for.
    pub fn ends(self) -> (f64, f64) {
        match self {
            Target::Range => (1e-6, 1e-1),
            Target::Psnr => (20.0, 160.0),
            Target::Ratio => (2.0, 500.0),
        }
    }

    /// A number of it as text.
    pub fn text(self, number: f64) -> String {
        match self {
            Target::Range => format!("{number:.1e}"),
            Target::Psnr => format!("{number:.0}"),
            Target::Ratio => format!("{number:.1}"),
        }
    }

    /// What the codec is asked for.
    pub fn bound(self, number: f64) -> Bound {
        match self {
            Target::Range => Bound::ValueRange(number),
            Target::Psnr => Bound::Psnr(number),
            Target::Ratio => Bound::Ratio(number),
        }
    }
}
