//! FSZ: error-bounded lossy compression of scientific floating-point fields.
//!
//! A [`Codec`] turns fields of `f32` or `f64` into [`Stream`]s that keep every value within a [`Bound`],
//! and back, wholly or in part. What a stream holds can be inspected without decoding
//! ([`Stream::header`], [`Stream::certificate`], [`Stream::tiles`]). The stream is described byte by byte in
//! `FORMAT.md` beside this crate's manifest; each of its sections is a module here:
//!
//! ```text
//! Field → bound → gather → quantize → predict → choose → pack → place → stream
//! stream → index → unpack → integrate → dequantize → scatter → Field
//! ```
//!
//! The predictors are the FSZ paper's: LZ1 and LZ2 are the first- and second-order Lorenzo predictors.
#![deny(missing_docs)]

#[cfg(feature = "ndarray")]
mod arrays;
mod bound;
mod calls;
#[cfg(feature = "cuda")]
mod choice;
mod codec;
mod compress;
#[cfg(feature = "cuda")]
pub mod cuda;
mod dtype;
mod element;
mod error;
mod exec;
mod float_mode;
pub mod format;
mod index;
mod missing;
mod model;
mod options;
mod pages;
mod partial;
mod profile;
mod progress;
mod quantize;
mod quantizer;
mod region;
mod research;
mod room;
mod scalar;
mod schedule;
mod selection;
mod simd;
mod statistics;
mod stream;
mod target;
mod threads;
mod tile_cost;
mod tile_record;
mod tile_records;
mod value_range;

#[cfg(feature = "ndarray")]
pub use arrays::AnyArray;
pub use bound::Bound;
#[cfg(feature = "cuda")]
pub use choice::{Calibration, CallCost};
pub use codec::{Backend, Codec};
#[cfg(feature = "cuda")]
pub use cuda::{DeviceInfo, devices};
pub use dtype::DType;
pub use element::Element;
pub use error::{Error, Result};
pub use float_mode::FloatMode;
pub use format::dense::Layout;
pub use format::header::Header;
pub use format::sections::max_compressed_len;
pub use options::{CompressOptions, DecompressOptions};
pub use pages::ask_for_huge_pages;
pub use partial::slice_box;
pub use profile::{
    Profile,
    dense::{BoxDecoding, Dense},
};
pub use progress::Progress;
pub use region::{BoxRanges, Mask, Place, Region, StoredRegion};
pub use research::{Centering, Research};
pub use scalar::Scalar;
pub use statistics::Certificate;
pub use stream::{Chunk, Stream};
pub use tile_cost::{TileCoding, TileCost};
pub use tile_record::{Predictor, Storage, TileCounts, TileKind, TileRecord};
pub use tile_records::TileRecords;
