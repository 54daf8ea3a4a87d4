//! Executing a program: grids of thread blocks of warps of 32 lanes.

mod access;
pub(crate) mod alu;
pub(crate) mod block;
pub(crate) mod code;
pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod grid;
pub(crate) mod lanes;
mod meet;
pub(crate) mod memory;
pub(crate) mod order;
pub(crate) mod tensor;
pub(crate) mod warp;
