//! FSZ as a codec of [zarrs](https://zarrs.dev): the one that the Python package registers as `fsz_codec`. A program
//! that links this crate and mentions [`FszCodec`] reads and writes such arrays:
//!
//! ```
//! use fsz_zarrs::{Configuration, FszCodec};
//! let codec = FszCodec::new(Configuration::absolute(0.01)).expect("a positive bound");
//! ```
#![deny(missing_docs)]

mod chunk;
mod codec;
mod configuration;
mod partial;

pub use codec::FszCodec;
pub use configuration::{Configuration, Profile};
