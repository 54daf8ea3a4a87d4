//! The kernels: which image of them a device gets, and launching them.

use std::ffi::{CString, c_void};

use cudarc::driver::{result, sys};

use super::{
    error::check,
    view::{
        BoundAsked, BoxPlace, CompressArgs, Control, HeaderImage, MissingF32, MissingF64, Run,
        StreamView,
    },
};
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
    SurveyF32,
    SurveyF64,
    CompressF32,
    CompressF64,
    CompressPersistentF32,
    CompressPersistentF64,
}

const ENTRIES: [(Kernel, &str); 12] = [
    (Kernel::DecompressF32, "fsz_decompress_f32"),
    (Kernel::DecompressF64, "fsz_decompress_f64"),
    (Kernel::DecompressBoxF32, "fsz_decompress_box_f32"),
    (Kernel::DecompressBoxF64, "fsz_decompress_box_f64"),
    (Kernel::Copy, "fsz_copy"),
    (Kernel::Read, "fsz_read"),
    (Kernel::SurveyF32, "fsz_survey_f32"),
    (Kernel::SurveyF64, "fsz_survey_f64"),
    (Kernel::CompressF32, "fsz_compress_f32"),
    (Kernel::CompressF64, "fsz_compress_f64"),
    // Last, because an image for capability 8.0 lacks them.
    (Kernel::CompressPersistentF32, "fsz_compress_persistent_f32"),
    (Kernel::CompressPersistentF64, "fsz_compress_persistent_f64"),
];

/// How kernels are to be launched: `fsz_shapes` in `cuda/compress_kernels.cuh`, which comes with them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shapes {
    /// Sizes of what kernels are told.
    sizes: [u32; 9],
    pub decompress_threads: u32,
    pub survey_threads: u32,
    pub simple_threads: u32,
    pub simple_shared: u32,
    /// 0 in an image without persistent kernels.
    pub persistent_grid: u32,
    /// Threads and shared memory, for `f32` and `f64`.
    pub persistent: [(u32, u32); 2],
}

/// The grid, threads and dynamic shared memory of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub grid: u64,
    pub threads: u32,
    pub shared: u32,
    /// All thread blocks at once, because they wait for each other.
    pub cooperative: bool,
}

impl Launch {
    pub fn new(grid: u64, threads: u32) -> Self {
        Launch { grid, threads, shared: 0, cooperative: false }
    }
}

/// The kernels as one device runs them. They live as long as the process: unloading a module while
/// another thread launches from it is not safe.
#[derive(Debug)]
pub(crate) struct Kernels {
    functions: Vec<sys::CUfunction>,
    pub shapes: Shapes,
}

// SAFETY: driver handles are valid on every thread of the process.
unsafe impl Send for Kernels {}
// SAFETY: launching a function does not change it.
unsafe impl Sync for Kernels {}

impl Kernels {
    /// Loads the image for a device of this compute capability (90 for 9.0) whose thread blocks may have
    /// `most_shared` bytes of shared memory. The context is current.
    pub fn load(capability: i32, most_shared: u32) -> Result<Self> {
        let text = match capability {
            ..80 => {
                return Err(Error::Device(format!(
                    "compute capability {}.{}: FSZ needs 8.0 (Ampere) or newer; use the CPU backend",
                    capability / 10,
                    capability % 10
                )));
            }
            80..90 => PTX_80,
            90.. => PTX_90,
        };
        // SAFETY: PTX as text that ends with a zero.
        let module = check("cuModuleLoadData", unsafe {
            result::module::load_data(text.as_ptr() as *const c_void)
        })?;
        let mut shapes = read_shapes(module)?;
        if shapes.sizes != SIZES {
            return Err(Error::Device(format!(
                "the kernels were built for another version of this library: {:?}, not {SIZES:?}",
                shapes.sizes
            )));
        }
        if shapes.persistent.iter().any(|(_, shared)| *shared > most_shared) {
            shapes.persistent_grid = 0;
        }
        let there = if shapes.persistent_grid > 0 { ENTRIES.len() } else { ENTRIES.len() - 2 };
        let mut functions = Vec::with_capacity(there);
        for (kernel, name) in &ENTRIES[..there] {
            debug_assert_eq!(functions.len(), *kernel as usize);
            let name = CString::new(*name).map_err(|e| Error::Device(e.to_string()))?;
            // SAFETY: the module was loaded above and is never unloaded.
            let function =
                check("cuModuleGetFunction", unsafe { result::module::get_function(module, name) })?;
            functions.push(function);
        }
        let kernels = Kernels { functions, shapes };
        for kernel in [Kernel::CompressF32, Kernel::CompressF64] {
            kernels.allow_shared(kernel, shapes.simple_shared)?;
        }
        if shapes.persistent_grid > 0 {
            kernels.allow_shared(Kernel::CompressPersistentF32, shapes.persistent[0].1)?;
            kernels.allow_shared(Kernel::CompressPersistentF64, shapes.persistent[1].1)?;
        }
        Ok(kernels)
    }

    fn allow_shared(&self, kernel: Kernel, bytes: u32) -> Result<()> {
        let attribute =
            sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let function = self.functions[kernel as usize];
        // SAFETY: the function is of a module that stays loaded.
        check("cuFuncSetAttribute", unsafe {
            result::function::set_function_attribute(function, attribute, bytes as i32)
        })
    }

    /// Launches `kernel` on `grid` thread blocks of `threads`.
    ///
    /// # Safety
    /// `arguments` point to values of the types that the kernel takes, in order; what they address
    /// stays valid until `stream` is past the launch. The context is current and `stream` is one of it.
    pub unsafe fn launch(
        &self,
        kernel: Kernel,
        launch: Launch,
        stream: sys::CUstream,
        arguments: &mut [*mut c_void],
    ) -> Result<()> {
        let grid = u32::try_from(launch.grid).map_err(|_| Error::invalid("the field is too large"))?;
        let function = self.functions[kernel as usize];
        let (grid, threads) = ((grid, 1, 1), (launch.threads, 1, 1));
        // SAFETY: the caller vouches for arguments and stream; the function is of this context.
        unsafe {
            if launch.cooperative {
                check(
                    "cuLaunchCooperativeKernel",
                    result::launch_cooperative_kernel(
                        function,
                        grid,
                        threads,
                        launch.shared,
                        stream,
                        arguments,
                    ),
                )
            } else {
                check(
                    "cuLaunchKernel",
                    result::launch_kernel(function, grid, threads, launch.shared, stream, arguments),
                )
            }
        }
    }
}

/// An argument as the driver takes it. The value outlives the launch that reads it.
pub(crate) fn pointer<T>(value: &mut T) -> *mut c_void {
    std::ptr::from_mut(value).cast()
}

/// What the kernels must think of the size of the structs in `view.rs`.
const SIZES: [u32; 9] = [
    size_of::<StreamView>() as u32,
    size_of::<Run>() as u32,
    size_of::<BoxPlace>() as u32,
    size_of::<CompressArgs<MissingF32>>() as u32,
    size_of::<CompressArgs<MissingF64>>() as u32,
    size_of::<HeaderImage>() as u32,
    size_of::<MissingF64>() as u32,
    size_of::<BoundAsked>() as u32,
    size_of::<Control>() as u32,
];

fn read_shapes(module: sys::CUmodule) -> Result<Shapes> {
    let mut shapes = [Shapes::default()];
    let name = CString::from(c"fsz_shapes");
    // SAFETY: the module is loaded.
    let (at, len) = check("cuModuleGetGlobal", unsafe { result::module::get_global(module, name) })?;
    if len != size_of::<Shapes>() {
        return Err(Error::Device("the kernels were built for another version of this library".into()));
    }
    // SAFETY: `at` holds as many bytes as a `Shapes`, which any bytes are one of.
    check("cuMemcpyDtoH", unsafe { result::memcpy_dtoh_sync(&mut shapes, at) })?;
    Ok(shapes[0])
}
