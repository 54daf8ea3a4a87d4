//! FSZ as an ADIOS2 operator.
//!
//! ADIOS2 loads `libfsz_adios2.so`, calls `OperatorCreate` and gets a C++ object. The shim in `shim/`
//! forwards the calls of that object to `bridge`; everything else is Rust. The operator stores an FSZ
//! stream behind a small header (`envelope`). README.md is the user's manual.
#![deny(missing_docs)]

mod block;
mod bridge;
mod cache;
mod codecs;
mod device;
mod envelope;
mod export;
mod operator;
mod parameters;
mod read_to_device;
mod sink;
mod summary;
mod warning;
