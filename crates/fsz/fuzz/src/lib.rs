//! What the fuzz targets do, and the inputs that they found once, tried again by `cargo test --lib`.

mod exercise;
mod header;
mod recipe;
mod roundtrip;
#[path = "../../tests/common/seal.rs"]
#[allow(dead_code)]
mod seal;

#[cfg(test)]
mod replay;

pub use exercise::{decode, exercise};
pub use header::Damage;
pub use recipe::{Recipe, Values};
pub use roundtrip::{Float, roundtrip};
pub use seal::{seal, seal_header, seal_metadata};
