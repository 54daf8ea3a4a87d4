//! The kernels of `cuda/bench.cu`, loaded beside those of the codec.

use std::ffi::{CStr, CString, c_void};
use std::mem::offset_of;

use cudarc::driver::{result, sys};
use fsz::cuda::{DeviceCodec, internal};
use fsz::{Error, Result};
use internal::check;

use crate::clock::QUEUE;

const PTX: &str = include_str!("../../../cuda/ptx/bench_compute_80.ptx");

/// `PaperArgs` in `cuda/bench/published.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PaperArgs {
    pub field: u64,
    pub tiles: u64,
    pub control: u64,
    pub rates: u64,
    pub payload: u64,
    pub scratch: u64,
}

impl PaperArgs {
    /// Its size, and where its fields are.
    const LAYOUT: [u32; 7] = [
        size_of::<Self>() as u32,
        offset_of!(Self, field) as u32,
        offset_of!(Self, tiles) as u32,
        offset_of!(Self, control) as u32,
        offset_of!(Self, rates) as u32,
        offset_of!(Self, payload) as u32,
        offset_of!(Self, scratch) as u32,
    ];
}

/// An entry point.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    Copy,
    Read,
    TwoReads,
    FiveReads,
}

/// By the numbers of [`Kernel`].
const NAMES: [&CStr; 4] =
    [c"fsz_copy", c"fsz_read", c"fsz_compress_two_reads_f32", c"fsz_compress_five_reads_f32"];

/// The entry points in one device's context. The module is never unloaded, like those of the codec.
#[derive(Debug)]
pub struct Kernels {
    functions: [sys::CUfunction; 4],
    /// Tiles of a thread block of the paper's kernels.
    pub paper_tiles: u64,
}

impl Kernels {
    /// Loads them for the device of `codec`.
    pub fn load(codec: &DeviceCodec) -> Result<Self> {
        let _current = internal::enter(codec)?;
        let module = internal::load(PTX)?;
        let mut functions = [std::ptr::null_mut(); 4];
        for (function, name) in functions.iter_mut().zip(NAMES) {
            // SAFETY: the module is loaded and never unloaded.
            let found = unsafe { result::module::get_function(module, name.into()) };
            *function = check("cuModuleGetFunction", found)?;
        }
        let [layout @ .., tiles] = shapes(module)?;
        if layout != PaperArgs::LAYOUT {
            return Err(other_version());
        }
        Ok(Kernels { functions, paper_tiles: tiles.max(1).into() })
    }

    /// Launches `kernel` in the default stream.
    ///
    /// # Safety
    /// `arguments` point to values of the types that the kernel takes, in order; what they address stays
    /// valid until the launch is done. The context is current.
    pub unsafe fn launch(
        &self,
        kernel: Kernel,
        (grid, threads): (u64, u32),
        arguments: &mut [*mut c_void],
    ) -> Result<()> {
        let grid = u32::try_from(grid)
            .map_err(|_| Error::InvalidArgument("the field is too large".into()))?;
        let function = self.functions[kernel as usize];
        // SAFETY: the caller vouches for arguments and context.
        check("cuLaunchKernel", unsafe {
            result::launch_kernel(function, (grid, 1, 1), (threads, 1, 1), 0, QUEUE, arguments)
        })
    }
}

/// `fsz_bench_shapes` of the module.
fn shapes(module: sys::CUmodule) -> Result<[u32; 8]> {
    let mut shapes = [0; 8];
    // SAFETY: the module is loaded.
    let found = unsafe { result::module::get_global(module, CString::from(c"fsz_bench_shapes")) };
    let (at, len) = check("cuModuleGetGlobal", found)?;
    if len != size_of_val(&shapes) {
        return Err(other_version());
    }
    // SAFETY: `at` holds as many bytes.
    check("cuMemcpyDtoH", unsafe { result::memcpy_dtoh_sync(&mut shapes, at) })?;
    Ok(shapes)
}

fn other_version() -> Error {
    Error::Device("the PTX in cuda/ptx is not of this version: run `cargo xtask ptx`".into())
}

/// An argument as the driver takes it. The value outlives the launch that reads it.
pub fn pointer<T>(value: &mut T) -> *mut c_void {
    std::ptr::from_mut(value).cast()
}
