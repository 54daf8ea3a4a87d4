//! What the fuzz targets share: forging checksums, and using a stream in every way there is.

mod exercise;
mod recipe;
mod roundtrip;
#[path = "../../tests/common/seal.rs"]
mod seal;

pub use exercise::exercise;
pub use recipe::{Recipe, Values};
pub use roundtrip::{Float, roundtrip};
pub use seal::{seal, seal_header, seal_metadata};
