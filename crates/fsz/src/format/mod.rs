//! The law in code: every number of FORMAT.md stands here, once. The kernels' constants
//! (`cuda/format/format_constants.cuh`) and those of the shaders are generated from this module by
//! `cargo xtask generate`.

pub(crate) mod box_runs;
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

pub use box_runs::Run;
pub use constants::*;
pub use escape_field::{EscapeField, EscapeKind, Pattern};
pub use fields::{FIELDS, FIXED_HEADER, Field, FieldType, FixedHeader, at};
pub use geometry::{BLOCK, CHUNK, CHUNK_TILES, TILE, TILE_BLOCKS};
pub(crate) use profile::unsupported;
pub use profile::{Profile, Reference, Reserved, TileOrder};
pub use profile::{RESERVED_BOUNDS, RESERVED_LAYOUTS, RESERVED_PROFILES, RESERVED_REFERENCES};
pub use rate_byte::RateByte;
pub(crate) use relative::largest_error;
pub use relative::{RelativeFields, RelativePart};
pub(crate) use rules::share_of_span;
pub use rules::{RELATIVE_RULE_FIELDS, RELATIVE_RULES, RULE_FIELDS, RULES, Rule};
pub use sections::Sections;
pub use tile_grid::{Axes, TileGrid, Touched};
