//! The law in code: every number of FORMAT.md stands here, once. The kernels' constants
//! (`cuda/format/format_constants.cuh`) and those of the shaders are generated from this module by
//! `cargo xtask generate`.

pub mod checksum;
mod constants;
pub mod dense;
mod escape_field;
mod fields;
pub mod geometry;
pub(crate) mod header;
mod profile;
mod rate_byte;
pub(crate) mod regions;
mod relative;
mod rules;
pub(crate) mod sections;
pub(crate) mod tile_grid;

pub use constants::*;
pub use escape_field::{EscapeField, EscapeKind, Pattern};
pub use fields::{FIELDS, FIXED_HEADER, Field, FieldType, FixedHeader, at};
pub use geometry::{BLOCK, CHUNK, CHUNK_TILES, TILE, TILE_BLOCKS};
pub(crate) use profile::unsupported;
pub use profile::{Profile, Reference, Reserved, TileOrder};
pub use profile::{RESERVED_BOUNDS, RESERVED_LAYOUTS, RESERVED_PROFILES, RESERVED_REFERENCES};
pub use rate_byte::RateByte;
pub use relative::RelativePart;
pub(crate) use relative::largest_error;
pub(crate) use rules::share_of_span;
pub use rules::{RULE_FIELDS, RULES, Rule};
pub use sections::Sections;
pub use tile_grid::{Axes, Run, TileGrid, Touched};
