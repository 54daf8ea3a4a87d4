//! Profiles, tile orders and reference fields by their numbers in the header (FORMAT.md, *Header*).
//!
//! A profile is everything from gather to pack: it lives in a module of `profile/` and is registered by one
//! line of `profiles` there.

use crate::error::{Error, Result};

pub use crate::profile::Profile;

/// In which order tiles take the elements of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TileOrder {
    /// Consecutive elements in C order.
    Linear,
    /// Boxes of so many elements along the last three axes, in C order, each in C order.
    Boxes([u32; 3]),
}

/// What a field is predicted from beside itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reference {
    /// Nothing.
    #[default]
    None,
}

impl Reference {
    /// The number in the header.
    pub const fn code(self) -> u8 {
        match self {
            Reference::None => 0,
        }
    }

    pub(crate) fn from_code(code: u8) -> Result<Self> {
        match code {
            0 => Ok(Reference::None),
            _ => Err(unsupported("reference field", code, RESERVED_REFERENCES)),
        }
    }
}

/// A number that FORMAT.md has given away, with its name and the release that reads it.
pub type Reserved = (u8, &'static str, &'static str);

/// Profiles beside those of this release.
pub const RESERVED_PROFILES: &[Reserved] = &[];
/// Layouts.
pub const RESERVED_LAYOUTS: &[Reserved] = &[];
/// Kinds of bound.
pub const RESERVED_BOUNDS: &[Reserved] = &[];
/// Reference fields.
pub const RESERVED_REFERENCES: &[Reserved] = &[];

/// The error for a number that this release does not know.
pub(crate) fn unsupported(what: &str, code: u8, reserved: &[Reserved]) -> Error {
    match reserved.iter().find(|r| r.0 == code) {
        Some((_, name, release)) => Error::unsupported(format!(
            "{what} `{name}`: FSZ {release} or newer reads it, this is {}",
            env!("CARGO_PKG_VERSION")
        )),
        None => Error::unsupported(format!("{what} {code}: a newer release of FSZ reads it")),
    }
}
