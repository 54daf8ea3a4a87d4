//! Slices of FSZ streams, decoded on any GPU that wgpu reaches.
//!
//! A [`GpuStream`] keeps the *compressed* field on the GPU. [`GpuStream::decode_slice`] decodes the tiles
//! that a slice touches, and no others, into a [`GpuSlice`] that stays there; [`GpuSlice::paint`] makes
//! a picture of it.
//! Values of `f32` fields are those of the CPU codec, bit for bit; values of `f64` fields have
//! display precision (see [`GpuStream::decode_slice`]).
#![deny(missing_docs)]

mod colour;
mod dense;
mod error;
mod gpu;
mod memory;
mod page;
mod paper;
mod profile;
mod readback;
mod region;
mod slice;
mod step;
mod stream;
mod volume;

pub use colour::{Colours, Layout, Measure, Overlay, Picture, Subject};
pub use error::{Error, Result};
pub use gpu::Gpu;
pub use memory::{Memory, memory};
pub use slice::{GpuSlice, Runs, TILE_KINDS};
pub use stream::GpuStream;
pub use volume::{Cell, Hit, Look, Mode, Rays, Sampling, Section, Slab, Volume, VolumeColours};
