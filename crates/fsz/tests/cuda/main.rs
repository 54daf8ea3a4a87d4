//! On a CUDA device: the same bytes as the CPU, both ways, for every kind of input.
//!
//! This binary needs neither cargo nor a network: build it with `cargo test --release -p fsz-codec --test cuda
//! --no-run`, carry it to the machine with the device and run it there. Without a device its tests say
//! loudly that they skip; with FSZ_REQUIRE_CUDA=1 they fail instead.
#![cfg(feature = "cuda")]

mod arguments;
mod check;
#[path = "../common/mod.rs"]
mod common;
mod devices;
mod files;
mod hostile;
mod layouts;
mod like;
mod magnitudes;
mod masks;
mod parts;
mod residuals;
mod signs;
mod whole;
