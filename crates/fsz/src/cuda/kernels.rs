//! The kernels: which image of them a device gets, and launching them.

use std::ffi::{CString, c_void};

use cudarc::driver::{result, sys};

use super::error::check;
use crate::error::{Error, Result};

/// For every device from Ampere on, compiled by its driver.
const PTX_80: &str = concat!(include_str!("../../../../cuda/ptx/fsz_compute_80.ptx"), "\0");
/// For Hopper and what follows.
const PTX_90: &str = concat!(include_str!("../../../../cuda/ptx/fsz_compute_90.ptx"), "\0");

/// The entry points of `cuda/kernels.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    DecompressF32,
    DecompressF64,
    DecompressBoxF32,
    DecompressBoxF64,
    Copy,
    Read,
}

const ENTRIES: [(Kernel, &str); 6] = [
    (Kernel::DecompressF32, "fsz_decompress_f32"),
    (Kernel::DecompressF64, "fsz_decompress_f64"),
    (Kernel::DecompressBoxF32, "fsz_decompress_box_f32"),
    (Kernel::DecompressBoxF64, "fsz_decompress_box_f64"),
    (Kernel::Copy, "fsz_copy"),
    (Kernel::Read, "fsz_read"),
];

/// The kernels as one device runs them. They live as long as the process: unloading a module while
/// another thread launches from it is not safe.
#[derive(Debug)]
pub(crate) struct Kernels {
    functions: Vec<sys::CUfunction>,
    /// Which image was loaded.
    pub image: &'static str,
}

// SAFETY: driver handles are valid on every thread of the process.
unsafe impl Send for Kernels {}
// SAFETY: launching a function does not change it.
unsafe impl Sync for Kernels {}

impl Kernels {
    /// Loads the image for a device of this compute capability (90 for 9.0). The context is current.
    pub fn load(capability: i32) -> Result<Self> {
        let (image, text) = match capability {
            ..80 => {
                return Err(Error::Device(format!(
                    "compute capability {}.{}: FSZ needs 8.0 (Ampere) or newer; use the CPU backend",
                    capability / 10,
                    capability % 10
                )));
            }
            80..90 => ("PTX for compute capability 8.0", PTX_80),
            90.. => ("PTX for compute capability 9.0", PTX_90),
        };
        // SAFETY: PTX as text that ends with a zero.
        let module = check("cuModuleLoadData", unsafe {
            result::module::load_data(text.as_ptr() as *const c_void)
        })?;
        let mut functions = Vec::with_capacity(ENTRIES.len());
        for (kernel, name) in ENTRIES {
            debug_assert_eq!(functions.len(), kernel as usize);
            let name = CString::new(name).map_err(|e| Error::Device(e.to_string()))?;
            // SAFETY: the module was loaded above and is never unloaded.
            let function =
                check("cuModuleGetFunction", unsafe { result::module::get_function(module, name) })?;
            functions.push(function);
        }
        Ok(Kernels { functions, image })
    }

    /// Launches `kernel` on `grid` thread blocks of `threads`.
    ///
    /// # Safety
    /// `arguments` point to values of the types that the kernel takes, in order; what they address
    /// stays valid until `stream` is past the launch. The context is current and `stream` is one of it.
    pub unsafe fn launch(
        &self,
        kernel: Kernel,
        grid: u64,
        threads: u32,
        stream: sys::CUstream,
        arguments: &mut [*mut c_void],
    ) -> Result<()> {
        let grid = u32::try_from(grid).map_err(|_| Error::invalid("the field is too large"))?;
        let function = self.functions[kernel as usize];
        // SAFETY: the caller vouches for arguments and stream; the function is of this context.
        check("cuLaunchKernel", unsafe {
            result::launch_kernel(function, (grid, 1, 1), (threads, 1, 1), 0, stream, arguments)
        })
    }
}
