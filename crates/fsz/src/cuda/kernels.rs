//! The kernels: which image of them a device gets, and launching them.

use std::{
    ffi::{CStr, CString, c_void},
    sync::{Mutex, OnceLock, PoisonError},
};

use cudarc::driver::{result, sys};

use super::{
    abi::{
        BoundAsked, BoxCounts, BoxGrid, BoxTask, BoxTasks, BoxesToTiles, CompressArgs, Control,
        DenseWork, HeaderImage, MissingF32, MissingF64, OutputBox, OutputRange, Sections, Shared,
        StreamView, SymbolRow,
    },
    compress_boxes::{PROGRAM_BYTES, RECORD_BYTES, SLOT_FIXED},
    decompress::DECOMPRESS_SCRATCH,
    error::check,
    fatbin,
    kernel::{Coder, Kernel, Operation},
    nvrtc::{Source, compile},
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

/// Operations of `cuda/decompress.cu`.
const DECOMPRESSION: [Operation; 6] = [
    Operation::Decompress(Coder::Paper),
    Operation::DecompressBox(Coder::Paper),
    Operation::PrepareDecompress(Coder::Dense),
    Operation::Decompress(Coder::Dense),
    Operation::DecompressTiles(Coder::Dense),
    Operation::DecompressBox(Coder::Dense),
];

/// Operations of `cuda/compress.cu` that every image has.
const COMPRESSION: [Operation; 6] = [
    Operation::Bound,
    Operation::Compress(Coder::Paper),
    Operation::Gather(Coder::Dense),
    Operation::Count(Coder::Dense),
    Operation::PrepareCompress(Coder::Dense),
    Operation::Compress(Coder::Dense),
];

/// Those that an image for capability 9.0 has as well.
const PERSISTENT: [Operation; 2] =
    [Operation::CompressPersistent(Coder::Paper), Operation::CompressRanging(Coder::Paper)];

/// How decompression is launched: `fsz_decompress_shapes` of its module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecompressShapes {
    /// Most warps of a thread block.
    most_warps: u32,
    /// Shared memory of a warp.
    stage: u32,
    pub boxes: BoxShapes,
}

/// How decompression of boxes is launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxShapes {
    /// The launch that makes ready: its threads, and its thread blocks beside those that read the index.
    prepare_threads: u32,
    prepare_blocks: u32,
    most_warps: u32,
    /// Shared memory that a thread block may have; of that, a thread block's tables in a stream that
    /// interpolates and in one by Lorenzo prediction alone, and what a warp has.
    most_shared: u32,
    tables: [u32; 2],
    stage: u32,
}

impl BoxShapes {
    /// The launch that makes ready what chunks share.
    pub fn prepare(&self, chunks: u64) -> Launch {
        let readers = chunks.div_ceil(INDEX_SHARE).clamp(1, MOST_INDEX_READERS);
        Launch::new(u64::from(self.prepare_blocks) + readers, self.prepare_threads)
    }

    /// The launch for `chunks` chunks on a device of so many multiprocessors: thread blocks that stay, of as
    /// many warps as have something to do. `lorenzo`: no box is interpolated.
    pub fn launch(&self, chunks: u64, multiprocessors: u32, lorenzo: bool) -> Launch {
        let tables = self.tables[usize::from(lorenzo)];
        let fit = self.most_shared.saturating_sub(tables) / self.stage.max(1);
        let grid = chunks.clamp(1, multiprocessors.into());
        let most = self.most_warps.min(fit).max(1);
        let warps = chunks.div_ceil(grid).clamp(1, most.into()) as u32;
        Launch {
            grid,
            threads: 32 * warps,
            shared: tables + self.stage * warps,
            cooperative: false,
        }
    }
}

/// Chunks whose index a thread block reads, and most thread blocks that do.
const INDEX_SHARE: u64 = 2048;
const MOST_INDEX_READERS: u64 = 64;

impl DecompressShapes {
    fn read(words: &[u32]) -> Result<Self> {
        let &[
            most_warps,
            stage,
            prepare_threads,
            prepare_blocks,
            warps,
            tables,
            lorenzo_tables,
            box_stage,
            scratch,
        ] = words
        else {
            return Err(other_version());
        };
        if scratch as usize > DECOMPRESS_SCRATCH {
            return Err(other_version());
        }
        let boxes = BoxShapes {
            prepare_threads,
            prepare_blocks,
            most_warps: warps,
            most_shared: 0,
            tables: [tables, lorenzo_tables],
            stage: box_stage,
        };
        Ok(DecompressShapes { most_warps, stage, boxes })
    }

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
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompressShapes {
    pub survey_threads: u32,
    pub boxes: BoxCompressShapes,
    pub simple_threads: u32,
    pub simple_shared: u32,
    /// Most thread blocks of a persistent kernel; 0 where there is none.
    pub persistent_grid: u32,
    /// Threads and shared memory of the persistent kernels, for `f32` and `f64`.
    pub persistent: [(u32, u32); 2],
}

/// Shared memory that the compress kernel has beside those of its warps, at most.
const HEADER_SHARED: u32 = 2048;

/// How compression of boxes is launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxCompressShapes {
    pub gather_threads: u32,
    pub program_threads: u32,
    /// Thread blocks that make programs.
    pub programs: u32,
    pub most_warps: u32,
    pub count_warps: u32,
    /// Shared memory of a thread block that encodes, of one that counts, and of a warp.
    pub rows: u32,
    pub counts: u32,
    pub stage: u32,
}

impl CompressShapes {
    fn read(words: &[u32]) -> Result<Self> {
        let &[
            survey_threads,
            gather_threads,
            program_threads,
            programs,
            program_bytes,
            rows,
            warps,
            counts,
            stage,
            fixed,
            record_f32,
            record_f64,
            simple_threads,
            simple_shared,
            persistent_grid,
            threads_f32,
            shared_f32,
            threads_f64,
            shared_f64,
        ] = words
        else {
            return Err(other_version());
        };
        let persistent = [(threads_f32, shared_f32), (threads_f64, shared_f64)];
        let boxes = BoxCompressShapes {
            gather_threads,
            program_threads,
            programs,
            most_warps: warps,
            count_warps: warps,
            rows,
            counts,
            stage,
        };
        let expected = [PROGRAM_BYTES, SLOT_FIXED, RECORD_BYTES[0], RECORD_BYTES[1]];
        if [program_bytes, fixed, record_f32, record_f64].map(u64::from) != expected {
            return Err(other_version());
        }
        Ok(CompressShapes {
            survey_threads,
            boxes,
            simple_threads,
            simple_shared,
            persistent_grid,
            persistent,
        })
    }
}

/// How the structs that kernels share lie in memory.
const DECOMPRESS_LAYOUTS: [&[u32]; 6] = [
    Sections::LAYOUT,
    StreamView::LAYOUT,
    OutputRange::LAYOUT,
    OutputBox::LAYOUT,
    BoxGrid::LAYOUT,
    BoxesToTiles::LAYOUT,
];
const COMPRESS_LAYOUTS: [&[u32]; 14] = [
    Sections::LAYOUT,
    MissingF32::LAYOUT,
    MissingF64::LAYOUT,
    CompressArgs::<MissingF32>::LAYOUT,
    CompressArgs::<MissingF64>::LAYOUT,
    HeaderImage::LAYOUT,
    BoundAsked::LAYOUT,
    Control::LAYOUT,
    BoxGrid::LAYOUT,
    DenseWork::LAYOUT,
    BoxCounts::LAYOUT,
    BoxTask::LAYOUT,
    BoxTasks::LAYOUT,
    SymbolRow::LAYOUT,
];

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
            let mut shapes =
                DecompressShapes::read(&read_words(module, c"fsz_decompress_shapes")?)?;
            same_layouts(module, c"fsz_decompress_layouts", &DECOMPRESS_LAYOUTS)?;
            let fit = self.most_shared / shapes.stage.max(1);
            shapes.most_warps = shapes.most_warps.min(fit).max(FEWEST_WARPS);
            shapes.boxes.most_shared = self.most_shared;
            let module = Module::new(module, &DECOMPRESSION, shapes)?;
            for operation in DECOMPRESSION {
                let shared = match operation {
                    Operation::PrepareDecompress(_) => continue,
                    Operation::Decompress(Coder::Paper)
                    | Operation::DecompressBox(Coder::Paper) => shapes.most_warps * shapes.stage,
                    _ => self.most_shared,
                };
                for kernel in Kernel::both(operation) {
                    module.allow_shared(kernel, shared)?;
                }
            }
            Ok(module)
        })
    }

    /// The module of compression. The context is current.
    pub fn compress(&self) -> Result<&Module<CompressShapes>> {
        self.once(&self.compress, || {
            let ptx = COMPRESS_PTX[usize::from(self.capability >= 90)];
            let module = load(ptx, Source::Compress, self.capability)?;
            let mut shapes = CompressShapes::read(&read_words(module, c"fsz_compress_shapes")?)?;
            same_layouts(module, c"fsz_compress_layouts", &COMPRESS_LAYOUTS)?;
            if shapes.persistent.iter().any(|(_, shared)| *shared > self.most_shared) {
                shapes.persistent_grid = 0;
            }
            let boxes = &mut shapes.boxes;
            let fit = |beside: u32, stage: u32| self.most_shared.saturating_sub(beside) / stage;
            let beside = boxes.rows + HEADER_SHARED;
            boxes.most_warps = boxes.most_warps.min(fit(beside, boxes.stage));
            boxes.count_warps = boxes.count_warps.min(fit(boxes.counts, boxes.stage));
            let boxes = *boxes;
            let persistent = if shapes.persistent_grid > 0 { &PERSISTENT[..] } else { &[] };
            let operations = [&COMPRESSION, persistent].concat();
            let module = Module::new(module, &operations, shapes)?;
            for kernel in Kernel::both(Operation::Compress(Coder::Dense)) {
                module.allow_shared(kernel, boxes.rows + boxes.most_warps * boxes.stage)?;
            }
            for kernel in Kernel::both(Operation::Count(Coder::Dense)) {
                module.allow_shared(kernel, boxes.counts + boxes.count_warps * boxes.stage)?;
            }
            for kernel in Kernel::both(Operation::Compress(Coder::Paper)) {
                module.allow_shared(kernel, shapes.simple_shared)?;
            }
            for &operation in persistent {
                for (kernel, (_, shared)) in
                    Kernel::both(operation).into_iter().zip(shapes.persistent)
                {
                    module.allow_shared(kernel, shared)?;
                }
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
    fn new(module: sys::CUmodule, operations: &[Operation], shapes: S) -> Result<Self> {
        let function = |kernel: Kernel| {
            let name = CString::new(kernel.to_string()).expect("a name without zeros");
            // SAFETY: the module is loaded and never unloaded.
            check("cuModuleGetFunction", unsafe { result::module::get_function(module, name) })
                .map(|function| (kernel, function))
        };
        Ok(Module {
            functions: operations
                .iter()
                .flat_map(|&operation| Kernel::both(operation))
                .map(function)
                .collect::<Result<_>>()?,
            shapes,
        })
    }

    fn function(&self, kernel: Kernel) -> Result<sys::CUfunction> {
        let found = self.functions.iter().find(|(k, _)| *k == kernel);
        found
            .map(|(_, function)| *function)
            .ok_or_else(|| Error::Device(format!("the kernel {kernel} is not in its module")))
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

/// Reads the variable `name` of a module, `u32`s.
fn read_words(module: sys::CUmodule, name: &CStr) -> Result<Vec<u32>> {
    // SAFETY: the module is loaded.
    let found = unsafe { result::module::get_global(module, CString::from(name)) };
    let (at, len) = check("cuModuleGetGlobal", found)?;
    let mut words = vec![0; len / size_of::<u32>()];
    // SAFETY: `at` holds as many bytes.
    check("cuMemcpyDtoH", unsafe { result::memcpy_dtoh_sync(&mut words, at) })?;
    Ok(words)
}

/// Whether the structs that kernels share lie in memory as the module was compiled to read them.
fn same_layouts(module: sys::CUmodule, name: &CStr, expected: &[&[u32]]) -> Result<()> {
    if read_words(module, name)? == expected.concat() { Ok(()) } else { Err(other_version()) }
}

fn other_version() -> Error {
    Error::Device("the PTX in cuda/ptx is not of this version: run `cargo xtask ptx`".into())
}

/// An argument as the driver takes it. The value outlives the launch that reads it.
pub(crate) fn pointer<T>(value: &mut T) -> *mut c_void {
    std::ptr::from_mut(value).cast()
}
