//! The kernels: which image of them a device gets, and launching them.

use std::{
    ffi::c_void,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use cudarc::driver::{result, sys};

use crate::cuda::{
    driver::error::{check, ok},
    kernels::{
        abi::{
            BoundAsked, CompressArgs, Control, HeaderImage, Missing, OutputBox, OutputRange,
            RelativeArgs, RelativeBound, Sections, Shared, StreamView, Survey,
        },
        boxes::{BoxCompressShapes, BoxShapes},
        image::Image,
        kernel::{Coder, Kernel, Operation},
        part::Part,
        regions::RegionShapes,
    },
    stream_kind::beyond_devices,
};
use crate::{
    dtype::DType,
    error::{Error, Result},
    with_element,
};

/// Operations of the modules of decompression of tiles that decode.
fn decompression(coder: Coder) -> [Operation; 2] {
    [Operation::Decompress(coder), Operation::DecompressBox(coder)]
}

/// Operations of every module of compression of tiles.
fn compression(coder: Coder) -> [Operation; 2] {
    let bound = match coder {
        Coder::PaperRelative => Operation::RelativeBound,
        _ => Operation::Bound,
    };
    [bound, Operation::Compress(coder)]
}

/// Those that an image for capability 9.0 has as well.
fn persistent(coder: Coder) -> &'static [Operation] {
    match coder {
        Coder::PaperRelative => &[Operation::CompressRanging(Coder::PaperRelative)],
        _ => &[
            Operation::Survey,
            Operation::CompressPersistent(Coder::Paper),
            Operation::CompressRanging(Coder::Paper),
        ],
    }
}

/// How decompression of tiles is launched: `fsz_shapes` of its module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecompressShapes {
    /// Most warps of a thread block.
    most_warps: u32,
    /// Shared memory of a warp.
    stage: u32,
}

impl DecompressShapes {
    fn read(words: &[u32]) -> Result<Self> {
        match *words {
            [most_warps, stage] => Ok(DecompressShapes { most_warps, stage }),
            _ => Err(other_version()),
        }
    }

    /// The launch for `chunks` chunks on a device of so many multiprocessors. `computes`: it is arithmetic that
    /// takes the time, not memory.
    pub fn launch(&self, chunks: u64, multiprocessors: u32, computes: bool) -> Launch {
        let room = WARPS_AT_WORK * multiprocessors as u64;
        let chunks = chunks.max(1);
        // Each warp reads the index of its chunk, and waits for the others at its end. One has it to itself if
        // there are so many that the last ones, when there is nothing else to do, do not matter.
        let alone = match computes {
            true => (ROUNDS * room).div_ceil(chunks).next_power_of_two(),
            false => FEWEST_WARPS,
        };
        // More warps finish a chunk sooner: worth it as long as the device has room for them.
        let enough = (room / chunks).clamp(alone.min(FEWEST_WARPS), self.most_warps.into());
        // Groups of tiles are dealt out evenly by powers of two.
        let warps = 1 << enough.ilog2();
        Launch { shared: self.stage * warps, ..Launch::new(chunks, 32 * warps) }
    }
}

/// Warps of a thread block that decompresses a large field, where memory takes the time, and how many of them a
/// multiprocessor takes.
const FEWEST_WARPS: u64 = 4;
const WARPS_AT_WORK: u64 = 20;
/// Rounds that a warp goes for one chunk after another, and more, if it decompresses each by itself.
const ROUNDS: u64 = 6;

/// How compression of tiles is launched: `fsz_shapes` of its module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompressShapes {
    pub survey_threads: u32,
    pub simple_threads: u32,
    pub simple_shared: u32,
    /// Most thread blocks of a persistent kernel; 0 where there is none.
    pub persistent_grid: u32,
    /// Threads and shared memory of the persistent kernels.
    pub persistent: (u32, u32),
}

impl CompressShapes {
    fn read(words: &[u32]) -> Result<Self> {
        let &[survey_threads, simple_threads, simple_shared, persistent_grid, threads, shared] =
            words
        else {
            return Err(other_version());
        };
        Ok(CompressShapes {
            survey_threads,
            simple_threads,
            simple_shared,
            persistent_grid,
            persistent: (threads, shared),
        })
    }
}

/// How the structs that kernels share lie in memory: of decompression of tiles, and of any compression.
const DECOMPRESS_LAYOUTS: [&[u32]; 4] =
    [Sections::LAYOUT, StreamView::LAYOUT, OutputRange::LAYOUT, OutputBox::LAYOUT];

pub(crate) fn compress_layouts(dtype: DType) -> [&'static [u32]; 7] {
    let (missing, arguments) =
        with_element!(dtype, T => (Missing::<T>::LAYOUT, CompressArgs::<T>::LAYOUT));
    let (image, asked) = (HeaderImage::LAYOUT, BoundAsked::LAYOUT);
    [Sections::LAYOUT, missing, arguments, image, asked, Survey::LAYOUT, Control::LAYOUT]
}

/// Those of the modules of a pointwise-relative bound, which come behind.
pub(in crate::cuda) fn relative_layouts(dtype: DType) -> [&'static [u32]; 2] {
    with_element!(dtype, T => [RelativeBound::<T>::LAYOUT, RelativeArgs::<T>::LAYOUT])
}

/// The grid, threads and dynamic shared memory of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub grid: u64,
    pub threads: u32,
    pub shared: u32,
    /// All thread blocks at once, because they wait for each other.
    pub cooperative: bool,
    /// Before the kernel before it in the stream has ended, where the device can: it waits for that itself.
    pub early: bool,
}

impl Launch {
    pub fn new(grid: u64, threads: u32) -> Self {
        Launch { grid, threads, shared: 0, cooperative: false, early: false }
    }
}

/// One module as a device runs it, with what it says of its launches. Modules live as long as the
/// process: unloading one while another thread launches from it is not safe.
#[derive(Debug)]
pub(crate) struct Module<S> {
    pub functions: Functions,
    pub shapes: S,
}

/// The entry points of a module.
#[derive(Debug)]
pub(crate) struct Functions {
    image: Image,
    functions: Vec<Function>,
    loading: Mutex<()>,
    /// The driver has refused a launch that may begin early.
    never_early: AtomicBool,
}

/// A kernel, loaded when it is first launched.
#[derive(Debug)]
struct Function {
    kernel: Kernel,
    /// Shared memory that its launches may ask for, where that is more than usual.
    shared: Option<u32>,
    handle: OnceLock<Handle>,
}

#[derive(Clone, Copy, Debug)]
struct Handle(sys::CUfunction);

// SAFETY: driver handles are valid on every thread of the process.
unsafe impl Send for Handle {}
// SAFETY: launching a function does not change it.
unsafe impl Sync for Handle {}

/// The modules of an operation and a profile: one for each element type.
type ByType<S> = [OnceLock<Module<S>>; 2];

const fn none<S>() -> ByType<S> {
    [const { OnceLock::new() }; 2]
}

/// The module of an element type.
pub(in crate::cuda) fn of_type<S>(modules: &ByType<S>, dtype: DType) -> &OnceLock<Module<S>> {
    &modules[usize::from(dtype == DType::F64)]
}

/// The kernels of one device, each loaded when it is first needed: a driver that has not seen one before takes
/// about a second to compile it.
#[derive(Debug)]
pub(crate) struct Kernels {
    /// Ten times the major compute capability, and the minor.
    pub capability: i32,
    pub(in crate::cuda) most_shared: u32,
    decompress: ByType<DecompressShapes>,
    compress: ByType<CompressShapes>,
    decompress_relative: ByType<DecompressShapes>,
    compress_relative: ByType<CompressShapes>,
    pub(in crate::cuda) decompress_boxes: ByType<BoxShapes>,
    pub(in crate::cuda) compress_boxes: ByType<BoxCompressShapes>,
    pub(in crate::cuda) decompress_boxes_relative: ByType<BoxShapes>,
    pub(in crate::cuda) compress_boxes_relative: ByType<BoxCompressShapes>,
    pub(in crate::cuda) regions: ByType<RegionShapes>,
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
            decompress: none(),
            compress: none(),
            decompress_relative: none(),
            compress_relative: none(),
            decompress_boxes: none(),
            compress_boxes: none(),
            decompress_boxes_relative: none(),
            compress_boxes_relative: none(),
            regions: none(),
            loading: Mutex::new(()),
        })
    }

    /// The module of decompression of tiles. The context is current.
    pub fn decompress(&self, coder: Coder, dtype: DType) -> Result<&Module<DecompressShapes>> {
        let part = Part::Decompress(coder, dtype);
        let modules = match coder {
            Coder::PaperRelative => &self.decompress_relative,
            _ => &self.decompress,
        };
        self.once(of_type(modules, dtype), || {
            let (image, words) = self.open(part, &DECOMPRESS_LAYOUTS)?;
            let mut shapes = DecompressShapes::read(&words)?;
            let fit = self.most_shared / shapes.stage.max(1);
            shapes.most_warps = shapes.most_warps.min(fit).max(FEWEST_WARPS as u32);
            let decoding = decompression(coder);
            let mut module = Module::new(image, &decoding, dtype, shapes);
            for operation in decoding {
                module.allow_shared(operation, shapes.most_warps * shapes.stage);
            }
            Ok(module)
        })
    }

    /// The module of compression of tiles. The context is current.
    pub fn compress(&self, coder: Coder, dtype: DType) -> Result<&Module<CompressShapes>> {
        let part = Part::Compress(coder, dtype);
        let (modules, own) = match coder {
            Coder::PaperRelative => (&self.compress_relative, relative_layouts(dtype).to_vec()),
            _ => (&self.compress, vec![]),
        };
        self.once(of_type(modules, dtype), || {
            let (image, words) = self.open(part, &[&compress_layouts(dtype)[..], &own].concat())?;
            let mut shapes = CompressShapes::read(&words)?;
            let (_, persistent_shared) = shapes.persistent;
            if persistent_shared > self.most_shared {
                shapes.persistent_grid = 0;
            }
            let persistent = if shapes.persistent_grid > 0 { persistent(coder) } else { &[] };
            let operations = [&compression(coder), persistent].concat();
            let mut module = Module::new(image, &operations, dtype, shapes);
            module.allow_shared(Operation::Compress(coder), shapes.simple_shared);
            for &operation in persistent.iter().filter(|&&it| it != Operation::Survey) {
                module.allow_shared(operation, persistent_shared);
            }
            Ok(module)
        })
    }

    /// Opens a module; gives its image and what it says of its launches.
    pub(in crate::cuda) fn open(
        &self,
        part: Part,
        layouts: &[&[u32]],
    ) -> Result<(Image, Vec<u32>)> {
        let image = Image::open(part, self.capability)?;
        if image.words(c"fsz_layouts")? != layouts.concat() {
            return Err(other_version());
        }
        let words = image.words(c"fsz_shapes")?;
        Ok((image, words))
    }

    /// What is in `cell`, loaded by one thread if it is not there yet. A failure is tried again.
    pub(in crate::cuda) fn once<'a, M>(
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
    pub(in crate::cuda) fn new(
        image: Image,
        operations: &[Operation],
        dtype: DType,
        shapes: S,
    ) -> Self {
        let function = |&operation: &Operation| Function {
            kernel: Kernel { operation, dtype },
            shared: None,
            handle: OnceLock::new(),
        };
        let functions = operations.iter().map(function).collect();
        let (loading, never_early) = (Mutex::new(()), AtomicBool::new(false));
        Module { functions: Functions { image, functions, loading, never_early }, shapes }
    }

    /// Lets launches of `operation` ask for so much shared memory.
    pub(in crate::cuda) fn allow_shared(&mut self, operation: Operation, bytes: u32) {
        for function in &mut self.functions.functions {
            if function.kernel.operation == operation {
                function.shared = Some(bytes);
            }
        }
    }

    /// Launches `kernel`.
    ///
    /// # Safety
    /// As [`Functions::launch`].
    pub unsafe fn launch(
        &self,
        kernel: Kernel,
        launch: Launch,
        stream: sys::CUstream,
        arguments: &mut [*mut c_void],
    ) -> Result<()> {
        // SAFETY: as the caller vouches.
        unsafe { self.functions.launch(kernel, launch, stream, arguments) }
    }
}

impl Functions {
    /// Loads `kernel` unless it is loaded. The context is current.
    fn function(&self, kernel: Kernel) -> Result<sys::CUfunction> {
        let not_there = || Error::Device(format!("the kernel {kernel} is not in its module"));
        let function = self.functions.iter().find(|f| f.kernel == kernel).ok_or_else(not_there)?;
        if let Some(handle) = function.handle.get() {
            return Ok(handle.0);
        }
        let _one = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(handle) = function.handle.get() {
            return Ok(handle.0);
        }
        let handle = self.image.function(&kernel.to_string())?;
        if let Some(bytes) = function.shared {
            let attribute =
                sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function is of a module that stays loaded.
            check("cuFuncSetAttribute", unsafe {
                result::function::set_function_attribute(handle, attribute, bytes as i32)
            })?;
        }
        Ok(function.handle.get_or_init(|| Handle(handle)).0)
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
        let grid = u32::try_from(launch.grid).map_err(|_| beyond_devices())?;
        let function = self.function(kernel)?;
        if launch.early && !self.never_early.load(Ordering::Relaxed) {
            // SAFETY: as the caller vouches.
            let launched = unsafe { launch_early(function, grid, launch, stream, arguments) };
            if launched.is_ok() {
                return Ok(());
            }
            // Without that it is the same, but later; an error of another cause comes again.
            self.never_early.store(true, Ordering::Relaxed);
        }
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

/// Launches a kernel that may begin before the one before it in the stream has ended.
///
/// # Safety
/// As [`Functions::launch`], of one of its functions.
unsafe fn launch_early(
    function: sys::CUfunction,
    grid: u32,
    launch: Launch,
    stream: sys::CUstream,
    arguments: &mut [*mut c_void],
) -> Result<()> {
    use sys::{CUlaunchAttributeID as Id, CUlaunchAttributeValue as Value};
    let attribute = |id, value| sys::CUlaunchAttribute { id, pad: [0; 4], value };
    let mut attributes = [
        attribute(
            Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            Value { programmaticStreamSerializationAllowed: 1 },
        ),
        attribute(
            Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
            Value { cooperative: launch.cooperative.into() },
        ),
    ];
    let config = sys::CUlaunchConfig {
        gridDimX: grid,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: launch.threads,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: launch.shared,
        hStream: stream,
        attrs: attributes.as_mut_ptr(),
        numAttrs: attributes.len() as u32,
    };
    // SAFETY: the attributes outlive the call; the rest is as the caller vouches.
    ok("cuLaunchKernelEx", unsafe {
        sys::cuLaunchKernelEx(&config, function, arguments.as_mut_ptr(), std::ptr::null_mut())
    })
}

pub(in crate::cuda) fn other_version() -> Error {
    Error::Device("the PTX in cuda/ptx is not of this version: run `cargo xtask ptx`".into())
}

/// An argument as the driver takes it. The value outlives the launch that reads it.
pub(crate) fn pointer<T>(value: &mut T) -> *mut c_void {
    std::ptr::from_mut(value).cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warp_has_a_chunk_to_itself_where_there_are_many_and_arithmetic_takes_the_time() {
        let warps = |chunks, computes| {
            let shapes = DecompressShapes { most_warps: 16, stage: 7000 };
            let launch = shapes.launch(chunks, 132, computes);
            assert_eq!((launch.grid, launch.shared), (chunks, 7000 * launch.threads / 32));
            launch.threads / 32
        };
        // 20 warps on each of 132 multiprocessors.
        for (chunks, both) in [(1, 16), (165, 16), (166, 8), (660, 4), (3960, 4)] {
            assert_eq!((warps(chunks, false), warps(chunks, true)), (both, both), "{chunks}");
        }
        for (chunks, alone) in [(7920, 2), (15839, 2), (15840, 1), (1 << 31, 1)] {
            assert_eq!((warps(chunks, false), warps(chunks, true)), (4, alone), "{chunks}");
        }
    }
}
