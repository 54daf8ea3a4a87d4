//! Fields and streams in device memory. The CUDA driver is loaded by the first call that needs it.

mod codec;
mod compression;
mod devices;
mod host;
mod memory;
mod stream_kind;

pub use codec::*;
pub use compression::*;
pub use devices::*;
pub use host::*;
pub use memory::*;
pub use stream_kind::*;

use std::ffi::c_void;

use crate::status::{Failure, Result};

/// A cudaStream_t or CUstream; NULL is the default stream.
pub type fszc_cuda_stream = *mut c_void;

/// The device address in a pointer, null only where there is nothing.
fn device_address(pointer: *const c_void, bytes: u64, what: &str) -> Result<u64> {
    if pointer.is_null() && bytes > 0 {
        return Err(Failure::invalid(format!("{what} is null")));
    }
    Ok(pointer.addr() as u64)
}
