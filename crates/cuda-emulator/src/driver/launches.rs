//! Launches.

use std::{
    ffi::{c_uint, c_void},
    sync::Arc,
};

use cudarc::driver::sys::{CUlaunchAttributeID as Id, CUlaunchConfig, CUresult};

use super::{
    Answer, code,
    device::most_shared,
    modules,
    queue::{Launching, Work},
    queues,
};

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: *const c_void,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    threads_x: c_uint,
    threads_y: c_uint,
    threads_z: c_uint,
    shared: c_uint,
    stream: u64,
    arguments: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    let (grid, threads) = ([grid_x, grid_y, grid_z], [threads_x, threads_y, threads_z]);
    if !extra.is_null() {
        return CUresult::CUDA_ERROR_NOT_SUPPORTED;
    }
    // SAFETY: promised by the caller.
    code(unsafe { launch(function, (grid, threads), shared, Way::default(), stream, arguments) })
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchCooperativeKernel(
    function: *const c_void,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    threads_x: c_uint,
    threads_y: c_uint,
    threads_z: c_uint,
    shared: c_uint,
    stream: u64,
    arguments: *mut *mut c_void,
) -> CUresult {
    let (grid, threads) = ([grid_x, grid_y, grid_z], [threads_x, threads_y, threads_z]);
    let way = Way { all_at_once: true, early: false };
    // SAFETY: promised by the caller.
    code(unsafe { launch(function, (grid, threads), shared, way, stream, arguments) })
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx(
    config: *const CUlaunchConfig,
    function: *const c_void,
    arguments: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    // SAFETY: promised by the caller.
    let config = unsafe { &*config };
    let grid = [config.gridDimX, config.gridDimY, config.gridDimZ];
    let threads = [config.blockDimX, config.blockDimY, config.blockDimZ];
    let mut way = Way::default();
    for index in 0..config.numAttrs as usize {
        // SAFETY: there are as many attributes, and each has the value that its name says.
        unsafe {
            let attribute = &*config.attrs.add(index);
            match attribute.id {
                Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE => {
                    way.all_at_once = attribute.value.cooperative != 0;
                }
                Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION => {
                    way.early = attribute.value.programmaticStreamSerializationAllowed != 0;
                }
                _ => return CUresult::CUDA_ERROR_NOT_SUPPORTED,
            }
        }
    }
    if !extra.is_null() {
        return CUresult::CUDA_ERROR_NOT_SUPPORTED;
    }
    let (shared, stream) = (config.sharedMemBytes, config.hStream as u64);
    // SAFETY: promised by the caller.
    code(unsafe { launch(function, (grid, threads), shared, way, stream, arguments) })
}

/// How a launch stands to others, and its thread blocks to each other.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    all_at_once: bool,
    early: bool,
}

/// # Safety
/// The function is one that was given here, and the arguments are of its types.
unsafe fn launch(
    function: *const c_void,
    (grid, threads): ([u32; 3], [u32; 3]),
    shared: u32,
    Way { all_at_once, early }: Way,
    stream: u64,
    arguments: *mut *mut c_void,
) -> Answer {
    // SAFETY: promised by the caller.
    let function = unsafe { modules::function(function)? };
    let count = threads.iter().product::<u32>();
    let is_empty = grid.contains(&0) || count == 0;
    let shared = shared as usize;
    if is_empty || count > 1024 || function.program.shared + shared > most_shared() as usize {
        return Err(CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    let mut values = Vec::new();
    for (index, &(_, len)) in function.program.arguments.iter().enumerate() {
        let at = values.len();
        values.resize(at + len, 0);
        // SAFETY: there is a pointer for each argument, to a value of its size.
        unsafe {
            let value = arguments.add(index).read().cast::<u8>();
            value.copy_to_nonoverlapping(values[at..].as_mut_ptr(), len);
        }
    }
    let arguments = values;
    let launching = Launching { function, grid, threads, shared, all_at_once, early, arguments };
    queues().push(stream, Work::Launch(Arc::new(launching)))
}
