//! Fields on disk, and the one [`Field`] type that every program of FSZ works with.
//!
//! [`open()`] reads a field from raw values, `.npy`, `.fsz`, files of the paper author's own release and,
//! with the features of those names, `.zfp` and ADIOS2 `.bp`. Values that lie in a file as the machine
//! holds them are memory-mapped, so that a field larger than memory opens at once. [`Output`] writes
//! files that appear whole or not at all.
#![deny(missing_docs)]

#[cfg(feature = "adios2")]
pub mod bp;
#[cfg_attr(not(target_os = "linux"), path = "cut_elsewhere.rs")]
mod cut;
mod error;
mod field;
mod fill_value;
mod fixed_rate;
mod folder;
mod foreign;
mod fsz1;
mod hints;
mod kind;
mod map;
mod mask;
mod memory;
mod npy;
mod open;
mod output;
mod piped;
mod raw;
mod series;
mod shape;
mod storage;
mod stream;
mod synthetic;
#[cfg(feature = "zfp")]
pub mod zfp;
#[cfg(feature = "zfp")]
mod zfp_file;
#[cfg(feature = "zfp")]
mod zfp_round_trip;

pub use cut::outlive_shortened_files;
pub use error::{Error, Result};
pub use field::Field;
pub use fill_value::{of_type, usual_fill_value};
pub use fixed_rate::FixedRate;
pub use folder::{Folder, create_folder};
pub use fsz1::{FSZ1_HEADER, FSZ1_MAGIC, Fsz1, Fsz1Field, Fsz1File, Fsz1Header, Fsz1Tile};
pub use hints::{Hints, Like};
pub use kind::{Kind, is_headerless_zfp};
pub use mask::MaskFile;
pub use memory::{zero_bytes, zeroed, zeros};
pub use npy::{npy_header, write_npy};
pub use open::{open, open_watched};
pub use output::{Output, remove_unfinished};
pub use piped::{input_len, waits_for_a_pipe};
pub use raw::write_raw;
pub use series::{field_name, streams_in, values_in};
pub use shape::{Shape, shape_in_name};
pub use storage::Values;
pub use stream::StreamFile;
pub use synthetic::Synthetic;
#[cfg(feature = "zfp")]
pub use zfp_round_trip::{RoundTrip, round_trip};
