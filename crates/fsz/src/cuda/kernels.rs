//! The kernels: which image of them a device gets, and launching them.

use std::{
    ffi::{CStr, CString, c_void},
    sync::{Mutex, OnceLock, PoisonError},
};

use cudarc::driver::{result, sys};

use super::{
    error::check,
    fatbin,
    on_the_spot::{Source, compile},
    view::{
        BoundAsked, BoxPlace, CompressArgs, Control, HeaderImage, MissingF32, MissingF64, Run,
        StreamView,
    },
};
use crate::error::{Error, Result};

/// PTX of a module for one architecture and all newer ones. The device's driver compiles it, and keeps
/// what it made.
macro_rules! ptx {
    ($file:literal) => {
        concat!(include_str!(concat!("../../cuda/ptx/", $file, ".ptx")), "\0")
    };
}

const DECOMPRESS_PTX: &str = ptx!("decompress_compute_80");
/// For Ampere, and for Hopper and what follows, which have the tensor copy engine.
const COMPRESS_PTX: [&str; 2] = [ptx!("compress_compute_80"), ptx!("compress_compute_90")];

/// The entry points of `cuda/decompress.cu` and `cuda/compress.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    DecompressF32,
    DecompressF64,
    DecompressBoxF32,
    DecompressBoxF64,
    SurveyF32,
    SurveyF64,
    CompressF32,
    CompressF64,
    CompressPersistentF32,
    CompressPersistentF64,
}

impl Kernel {
    const fn name(self) -> &'static CStr {
        match self {
            Kernel::DecompressF32 => c"fsz_decompress_paper_f32",
            Kernel::DecompressF64 => c"fsz_decompress_paper_f64",
            Kernel::DecompressBoxF32 => c"fsz_decompress_box_paper_f32",
            Kernel::DecompressBoxF64 => c"fsz_decompress_box_paper_f64",
            Kernel::SurveyF32 => c"fsz_bound_f32",
            Kernel::SurveyF64 => c"fsz_bound_f64",
            Kernel::CompressF32 => c"fsz_compress_paper_f32",
            Kernel::CompressF64 => c"fsz_compress_paper_f64",
            Kernel::CompressPersistentF32 => c"fsz_compress_persistent_paper_f32",
            Kernel::CompressPersistentF64 => c"fsz_compress_persistent_paper_f64",
        }
    }
}

/// Kernels of `cuda/decompress.cu`.
const DECOMPRESSION: [Kernel; 4] = [
    Kernel::DecompressF32,
    Kernel::DecompressF64,
    Kernel::DecompressBoxF32,
    Kernel::DecompressBoxF64,
];

/// Kernels of `cuda/compress.cu`; an image for capability 8.0 lacks the last two.
const COMPRESSION: [Kernel; 6] = [
    Kernel::SurveyF32,
    Kernel::SurveyF64,
    Kernel::CompressF32,
    Kernel::CompressF64,
    Kernel::CompressPersistentF32,
    Kernel::CompressPersistentF64,
];

/// How decompression is launched: `fsz_decompress_shapes` of its module.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DecompressShapes {
    sizes: [u32; 3],
    /// Most warps of a thread block.
    most_warps: u32,
    /// Shared memory of a warp.
    stage: u32,
}

impl DecompressShapes {
    /// The launch for `chunks` chunks on a device of so many multiprocessors.
    pub fn launch(&self, chunks: u64, multiprocessors: u32) -> Launch {
        // More warps finish a chunk sooner, but wait for each other: worth it as long as the device has
        // room for them.
        let room = WARPS_AT_WORK * multiprocessors as u64;
        let enough = (room / chunks.max(1)).clamp(FEWEST_WARPS as u64, self.most_warps as u64);
        // Groups of tiles are dealt out evenly by powers of two.
        let warps = 1 << enough.ilog2();
        Launch { grid: chunks, threads: 32 * warps, shared: self.stage * warps, cooperative: false }
    }
}

/// Warps of a thread block that decompresses a large field, and how many of them a multiprocessor takes.
const FEWEST_WARPS: u32 = 4;
const WARPS_AT_WORK: u64 = 20;

/// How compression is launched: `fsz_compress_shapes` of its module.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CompressShapes {
    sizes: [u32; 6],
    pub survey_threads: u32,
    pub simple_threads: u32,
    pub simple_shared: u32,
    /// Most thread blocks of a persistent kernel; 0 where there is none.
    pub persistent_grid: u32,
    /// Threads and shared memory of the persistent kernels, for `f32` and `f64`.
    pub persistent: [(u32, u32); 2],
}

/// What the kernels must think of the size of the structs in `view.rs`.
const DECOMPRESS_SIZES: [u32; 3] = [size::<StreamView>(), size::<Run>(), size::<BoxPlace>()];
const COMPRESS_SIZES: [u32; 6] = [
    size::<CompressArgs<MissingF32>>(),
    size::<CompressArgs<MissingF64>>(),
    size::<HeaderImage>(),
    size::<MissingF64>(),
    size::<BoundAsked>(),
    size::<Control>(),
];

const fn size<T>() -> u32 {
    size_of::<T>() as u32
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

/// One module as a device runs it, with what it says of its launches. Modules live as long as the
/// process: unloading one while another thread launches from it is not safe.
#[derive(Debug)]
pub(crate) struct Module<S> {
    functions: Vec<(Kernel, sys::CUfunction)>,
    pub shapes: S,
}

// SAFETY: driver handles are valid on every thread of the process.
unsafe impl<S: Send> Send for Module<S> {}
// SAFETY: launching a function does not change it.
unsafe impl<S: Sync> Sync for Module<S> {}

/// The kernels of one device, each module loaded when it is first needed: a driver that has not seen it
/// before takes seconds to compile it.
#[derive(Debug)]
pub(crate) struct Kernels {
    /// Ten times the major compute capability, and the minor.
    pub capability: i32,
    most_shared: u32,
    decompress: OnceLock<Module<DecompressShapes>>,
    compress: OnceLock<Module<CompressShapes>>,
    loading: Mutex<()>,
}

impl Kernels {
    /// For a device of this compute capability (90 for 9.0) whose thread blocks may have `most_shared`
    /// bytes of shared memory.
    pub fn new(capability: i32, most_shared: u32) -> Result<Self> {
        if capability < 80 {
            return Err(Error::Device(format!(
                "compute capability {}.{}: FSZ needs 8.0 (Ampere) or newer; use the CPU backend",
                capability / 10,
                capability % 10
            )));
        }
        Ok(Kernels {
            capability,
            most_shared,
            decompress: OnceLock::new(),
            compress: OnceLock::new(),
            loading: Mutex::new(()),
        })
    }

    /// The module of decompression. The context is current.
    pub fn decompress(&self) -> Result<&Module<DecompressShapes>> {
        self.once(&self.decompress, || {
            let module = load(DECOMPRESS_PTX, Source::Decompress, self.capability)?;
            let mut shapes: DecompressShapes = read_shapes(module, c"fsz_decompress_shapes")?;
            same_sizes(&shapes.sizes, &DECOMPRESS_SIZES)?;
            let fit = self.most_shared / shapes.stage.max(1);
            shapes.most_warps = shapes.most_warps.min(fit).max(FEWEST_WARPS);
            let module = Module::new(module, &DECOMPRESSION, shapes)?;
            for kernel in &DECOMPRESSION {
                module.allow_shared(*kernel, shapes.most_warps * shapes.stage)?;
            }
            Ok(module)
        })
    }

    /// The module of compression. The context is current.
    pub fn compress(&self) -> Result<&Module<CompressShapes>> {
        self.once(&self.compress, || {
            let ptx = COMPRESS_PTX[usize::from(self.capability >= 90)];
            let module = load(ptx, Source::Compress, self.capability)?;
            let mut shapes: CompressShapes = read_shapes(module, c"fsz_compress_shapes")?;
            same_sizes(&shapes.sizes, &COMPRESS_SIZES)?;
            if shapes.persistent.iter().any(|(_, shared)| *shared > self.most_shared) {
                shapes.persistent_grid = 0;
            }
            let there = if shapes.persistent_grid > 0 { 6 } else { 4 };
            let module = Module::new(module, &COMPRESSION[..there], shapes)?;
            for kernel in [Kernel::CompressF32, Kernel::CompressF64] {
                module.allow_shared(kernel, shapes.simple_shared)?;
            }
            if shapes.persistent_grid > 0 {
                module.allow_shared(Kernel::CompressPersistentF32, shapes.persistent[0].1)?;
                module.allow_shared(Kernel::CompressPersistentF64, shapes.persistent[1].1)?;
            }
            Ok(module)
        })
    }

    /// What is in `cell`, loaded by one thread if it is not there yet. A failure is tried again.
    fn once<'a, M>(
        &self,
        cell: &'a OnceLock<M>,
        load: impl FnOnce() -> Result<M>,
    ) -> Result<&'a M> {
        if let Some(module) = cell.get() {
            return Ok(module);
        }
        let _one = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = cell.get() {
            return Ok(module);
        }
        let module = load()?;
        Ok(cell.get_or_init(|| module))
    }
}

impl<S> Module<S> {
    fn new(module: sys::CUmodule, kernels: &[Kernel], shapes: S) -> Result<Self> {
        let function = |&kernel: &Kernel| {
            let name = CString::from(kernel.name());
            // SAFETY: the module is loaded and never unloaded.
            check("cuModuleGetFunction", unsafe { result::module::get_function(module, name) })
                .map(|function| (kernel, function))
        };
        Ok(Module { functions: kernels.iter().map(function).collect::<Result<_>>()?, shapes })
    }

    fn function(&self, kernel: Kernel) -> Result<sys::CUfunction> {
        let found = self.functions.iter().find(|(k, _)| *k == kernel);
        found.map(|(_, function)| *function).ok_or_else(|| {
            Error::Device(format!("the kernel {:?} is not in its module", kernel.name()))
        })
    }

    fn allow_shared(&self, kernel: Kernel, bytes: u32) -> Result<()> {
        let attribute =
            sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let function = self.function(kernel)?;
        // SAFETY: the function is of a module that stays loaded.
        check("cuFuncSetAttribute", unsafe {
            result::function::set_function_attribute(function, attribute, bytes as i32)
        })
    }

    /// Launches `kernel`.
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
        let grid =
            u32::try_from(launch.grid).map_err(|_| Error::invalid("the field is too large"))?;
        let function = self.function(kernel)?;
        let (grid, threads, shared) = ((grid, 1, 1), (launch.threads, 1, 1), launch.shared);
        // SAFETY: the caller vouches for arguments and stream; the function is of this context.
        unsafe {
            if launch.cooperative {
                let launched = result::launch_cooperative_kernel(
                    function, grid, threads, shared, stream, arguments,
                );
                check("cuLaunchCooperativeKernel", launched)
            } else {
                let launched =
                    result::launch_kernel(function, grid, threads, shared, stream, arguments);
                check("cuLaunchKernel", launched)
            }
        }
    }
}

/// Loads a module: its image for this device where the build carries one, else its PTX, else, for a
/// driver that does not take that, its source compiled here. `FSZ_CUDA_COMPILE=1` goes the last way at
/// once.
pub(crate) fn load(ptx: &str, source: Source<'_>, capability: i32) -> Result<sys::CUmodule> {
    let image = |at: *const c_void| {
        // SAFETY: PTX as text that ends with a zero, or a whole image.
        check("cuModuleLoadData", unsafe { result::module::load_data(at) })
    };
    let refused = match std::env::var_os("FSZ_CUDA_COMPILE") {
        Some(word) if word == "1" => "FSZ_CUDA_COMPILE is set".to_owned(),
        _ => {
            // Without an image for this device the PTX does it.
            if let Some(Ok(module)) = fatbin::of(source).map(|bytes| image(bytes.as_ptr().cast())) {
                return Ok(module);
            }
            match image(ptx.as_ptr().cast()) {
                Ok(module) => return Ok(module),
                Err(reason) => reason.to_string(),
            }
        }
    };
    compile(source, capability)
        .and_then(|compiled| image(compiled.as_ptr().cast()))
        .map_err(|second| Error::Device(format!("{refused}; {second}")))
}

/// Reads the variable `name` of a module, a struct of `u32`s.
fn read_shapes<S: Copy + Default>(module: sys::CUmodule, name: &CStr) -> Result<S> {
    let mut shapes = [S::default()];
    // SAFETY: the module is loaded.
    let found = unsafe { result::module::get_global(module, CString::from(name)) };
    let (at, len) = check("cuModuleGetGlobal", found)?;
    if len != size_of::<S>() {
        return Err(other_version());
    }
    // SAFETY: `at` holds as many bytes as an `S`, which any bytes are one of.
    check("cuMemcpyDtoH", unsafe { result::memcpy_dtoh_sync(&mut shapes, at) })?;
    Ok(shapes[0])
}

fn same_sizes(found: &[u32], expected: &[u32]) -> Result<()> {
    if found == expected { Ok(()) } else { Err(other_version()) }
}

fn other_version() -> Error {
    Error::Device("the PTX in cuda/ptx is not of this version: run `cargo xtask ptx`".into())
}

/// An argument as the driver takes it. The value outlives the launch that reads it.
pub(crate) fn pointer<T>(value: &mut T) -> *mut c_void {
    std::ptr::from_mut(value).cast()
}
