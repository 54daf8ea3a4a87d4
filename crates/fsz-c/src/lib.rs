//! The C interface of FSZ, `libfsz_codec`.
//!
//! `include/fsz_codec.h` is made from the public items here by `cargo xtask c-header`, documentation
//! included, so that documentation speaks to C programmers; `cbindgen.toml` has the header's introduction
//! with the rules that hold for all calls. What a call does is in the crate `fsz`: here its arguments are
//! checked (`pointers`, `handle`) and its errors and panics become status codes (`status`).
#![deny(missing_docs)]
#![allow(non_camel_case_types, reason = "the names are those of the header")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the introduction of the header says what all calls ask of their pointers"
)]

mod codec;
mod compress;
mod compress_options;
mod cuda;
mod decompress;
mod dtype;
mod handle;
mod info;
mod pointers;
mod progress;
mod regions;
mod status;
mod stream;
mod tiles;
mod version;

pub use codec::*;
pub use compress::*;
pub use compress_options::*;
pub use cuda::*;
pub use decompress::*;
pub use dtype::*;
pub use info::*;
pub use progress::*;
pub use regions::*;
pub use status::*;
pub use stream::*;
pub use tiles::*;
pub use version::*;
