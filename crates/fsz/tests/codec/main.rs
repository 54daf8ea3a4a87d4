//! The codec by its calls, on the CPU. One program: each one more would compile what these share, the codec for every type
//! of element first of all, and link it once more.

mod calls;
mod checksums;
#[path = "../common/mod.rs"]
mod common;
mod dense;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod float_mode;
mod format_document;
mod format_examples;
mod hostile;
mod hostile_dense;
mod like;
mod properties;
mod ranges;
mod reference;
mod regions;
mod relative;
mod strict_bound;
mod targets;
