//! FSZ as an ADIOS2 operator.
//!
//! ADIOS2 finds `libfsz_adios2.so`, calls `OperatorCreate` and talks to a C++ object; the
//! shim in `shim/` translates its calls to `bridge`, and everything else is here. What the
//! operator stores is an FSZ stream behind a small envelope (`envelope`); README.md is for its users.
#![deny(missing_docs)]

mod block;
mod bridge;
mod codecs;
mod device;
mod envelope;
mod export;
mod operator;
mod parameters;
mod read_to_device;
mod sink;
mod warning;
