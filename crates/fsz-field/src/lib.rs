//! Fields on disk, and the one [`Field`] type that every program of FSZ works with.
//!
//! [`open`] reads a field from raw values, `.npy`, `.fsz` and, with the features of those names,
//! `.zfp` and ADIOS2 `.bp`. Values that lie in a file as the machine holds them are memory-mapped,
//! so that a field larger than memory opens at once. [`Output`] writes files that appear whole or
//! not at all.
#![deny(missing_docs)]

#[cfg(feature = "adios2")]
pub mod bp;
mod error;
mod field;
mod fixed_rate;
mod map;
mod npy;
mod open;
mod output;
mod raw;
mod scalar;
mod shape;
mod stream;
#[cfg(feature = "zfp")]
pub mod zfp;
#[cfg(feature = "zfp")]
mod zfp_file;
#[cfg(feature = "zfp")]
mod zfp_round_trip;

pub use error::{Error, Result};
pub use field::{Field, Values};
pub use fixed_rate::FixedRate;
pub use npy::{npy_header, write_npy};
pub use open::{Hints, Kind, is_headerless_zfp, open};
pub use output::{Output, remove_unfinished};
pub use raw::write_raw;
pub use scalar::Scalar;
pub use shape::{Shape, shape_in_name};
pub use stream::StreamFile;
#[cfg(feature = "zfp")]
pub use zfp_round_trip::{RoundTrip, round_trip};
