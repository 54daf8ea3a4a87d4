//! Driver errors as the crate's.

use cudarc::driver::{DriverError, sys::CUresult};

use crate::error::{Error, Result};

/// Names the driver call that failed, and the remedy where there is one.
pub fn check<T>(call: &str, result: Result<T, DriverError>) -> Result<T> {
    result.map_err(|e| {
        let name = e.error_name().ok().and_then(|s| s.to_str().ok()).unwrap_or("unknown error");
        let remedy = match e.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY if call == "cuMemHostAlloc" => {
                ": the system has not enough memory to pin; use a smaller field or the CPU backend"
            }
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                ": not enough device memory; use a smaller field or the CPU backend"
            }
            CUresult::CUDA_ERROR_NO_DEVICE => ": no CUDA device; use the CPU backend",
            CUresult::CUDA_ERROR_INVALID_DEVICE => ": no such CUDA device; see `fsz devices`",
            CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
                ": the driver is too old; update it to R550 or newer"
            }
            _ => "",
        };
        Error::Device(format!("{call} failed with {name}{remedy}"))
    })
}

/// The same for a bare status.
pub(crate) fn ok(call: &str, result: CUresult) -> Result<()> {
    check(call, result.result())
}
