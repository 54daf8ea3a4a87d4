//! What the tests of FSZ as a whole share: fields that are the same on every machine, and the
//! folder of real fields where there is one.

pub mod cases;
pub mod fields;
pub mod hash;
pub mod shared;

/// The Rust examples of the READMEs, compiled and run as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
#[doc = include_str!("../../crates/fsz/README.md")]
#[derive(Debug)]
pub struct Readme;
