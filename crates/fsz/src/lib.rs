//! FSZ: error-bounded lossy compression of scientific floating-point fields.
//!
//! A [`Codec`] turns fields of `f32` or `f64` into [`Stream`]s that keep every value within a [`Bound`],
//! and back, wholly or in part. What a stream holds can be inspected without decoding ([`Stream::info`]).
//! The stream is described byte by byte in `FORMAT.md` beside this crate's manifest; each of its sections
//! is a module here:
//!
//! ```text
//! Field → bound → quantize → predict → choose → pack → place → stream
//! stream → index → unpack → integrate → dequantize → Field
//! ```
//!
//! The predictors are the FSZ paper's: LZ1 and LZ2 are the first- and second-order Lorenzo predictors.
#![deny(missing_docs)]

mod bound;
mod certificate;
mod checksum;
mod choose;
mod codec;
#[cfg(feature = "cuda")]
pub mod cuda;
mod decode;
mod dequantize;
mod element;
mod encode;
mod error;
mod escape;
mod geometry;
mod header;
mod index;
mod info;
mod integrate;
mod layout;
mod options;
mod pack;
mod place;
mod predict;
mod progress;
mod quantize;
mod region;
mod simd;
mod stream;
mod survey;
mod unpack;

pub use certificate::Certificate;
pub use codec::{Backend, Codec};
#[cfg(feature = "cuda")]
pub use cuda::{DeviceInfo, devices};
pub use element::{Dtype, Element};
pub use error::{Error, Result};
pub use header::Header;
pub use info::{Info, TileCounts, TileKind, TileRecord};
pub use layout::max_compressed_len;
pub use options::{Bound, Centering, Options, Research};
pub use progress::Progress;
pub use stream::{Chunk, Stream};
