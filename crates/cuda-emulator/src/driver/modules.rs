//! Modules and functions.

use std::{
    collections::BTreeMap,
    ffi::{CStr, c_char, c_int, c_void},
    sync::{Arc, Mutex, PoisonError},
};

use cudarc::driver::sys::CUresult;

use super::{
    Answer, code,
    device::{capability, mode},
    give, queues,
};
use crate::{
    ptx::{
        link::link,
        parse::{Module as Parsed, Space, parse},
    },
    run::{
        code::Program,
        memory::{self, Kind},
    },
};

/// A module. It stays until the process ends: its functions may be at work on any thread.
#[derive(Debug)]
struct Module {
    parsed: Parsed<'static>,
    addresses: BTreeMap<&'static str, u64>,
    functions: Mutex<BTreeMap<String, *const Function>>,
}

/// An entry point.
#[derive(Debug)]
pub(super) struct Function {
    pub name: String,
    pub program: Program,
}

/// Loads PTX; images for devices are none for this one.
///
/// # Safety
/// `image` is text that ends with a zero, or an image that begins with its mark.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadData(
    module: *mut *mut c_void,
    image: *const c_void,
) -> CUresult {
    code((|| {
        queues().allow(mode())?;
        // SAFETY: promised by the caller; images begin with at least four bytes.
        let mark = unsafe { image.cast::<[u8; 4]>().read_unaligned() };
        if mark == *b"\x7FELF" || mark == 0xBA55_ED50u32.to_le_bytes() {
            return Err(CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
        }
        // SAFETY: as promised.
        let text = unsafe { CStr::from_ptr(image.cast()) };
        let text = text.to_str().map_err(|_| CUresult::CUDA_ERROR_INVALID_PTX)?;
        let module_loaded = load(text)?;
        // SAFETY: promised by the caller.
        unsafe { give(module, Box::into_raw(Box::new(module_loaded)).cast()) }
    })())
}

fn load(text: &str) -> Answer<Module> {
    let target = text.lines().find_map(|line| line.trim().strip_prefix(".target sm_"));
    let digits = target.unwrap_or_default().trim_end_matches(|c: char| !c.is_ascii_digit());
    if digits.parse::<i32>().map_or(true, |target| target > capability()) {
        return Err(CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    }
    let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
    let parsed = parse(text).map_err(|why| refused(&why))?;
    let mut addresses = BTreeMap::new();
    for variable in parsed.variables.iter().filter(|v| v.space == Space::Global) {
        let len = variable.len.max(1);
        let address =
            memory::allocate(len, Kind::Device).ok_or(CUresult::CUDA_ERROR_OUT_OF_MEMORY)?;
        let mut content = variable.content.clone();
        content.resize(len, 0);
        // SAFETY: so many bytes were just allocated.
        unsafe { (address as *mut u8).copy_from(content.as_ptr(), len) };
        addresses.insert(variable.name, address);
    }
    Ok(Module { parsed, addresses, functions: Mutex::default() })
}

fn refused(why: &str) -> CUresult {
    eprintln!("CUDA emulator: {why}");
    CUresult::CUDA_ERROR_INVALID_PTX
}

/// A module of a handle, and a name in it.
///
/// # Safety
/// The module is one that was loaded here; the name ends with a zero, and lives as long as it is used.
unsafe fn named<'a>(module: *mut c_void, name: *const c_char) -> Answer<(&'a Module, &'a str)> {
    // SAFETY: promised by the caller; modules are never freed.
    let (module, name) = unsafe { (&*module.cast::<Module>(), CStr::from_ptr(name)) };
    Ok((module, name.to_str().map_err(|_| CUresult::CUDA_ERROR_NOT_FOUND)?))
}

/// Does nothing: see `Module`.
#[unsafe(no_mangle)]
pub extern "C" fn cuModuleUnload(_module: *mut c_void) -> CUresult {
    CUresult::CUDA_SUCCESS
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(
    function: *mut *const c_void,
    module: *mut c_void,
    name: *const c_char,
) -> CUresult {
    code((|| {
        // SAFETY: promised by the caller.
        let (module, name) = unsafe { named(module, name)? };
        let mut functions = module.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let known = functions.get(name).copied();
        let found = match known {
            Some(known) => known,
            None => {
                if !module.parsed.functions.iter().any(|f| f.is_entry && f.name == name) {
                    return Err(CUresult::CUDA_ERROR_NOT_FOUND);
                }
                let program =
                    link(&module.parsed, &module.addresses, name).map_err(|why| refused(&why))?;
                let made = Arc::into_raw(Arc::new(Function { name: name.to_owned(), program }));
                functions.insert(name.to_owned(), made);
                made
            }
        };
        // SAFETY: promised by the caller.
        unsafe { give(function, found.cast()) }
    })())
}

/// The function of a handle.
///
/// # Safety
/// The handle is one that `cuModuleGetFunction` gave.
pub(super) unsafe fn function(handle: *const c_void) -> Answer<Arc<Function>> {
    if handle.is_null() {
        return Err(CUresult::CUDA_ERROR_INVALID_HANDLE);
    }
    let function = handle.cast::<Function>();
    // SAFETY: made by `Arc::into_raw`, whose count is never given back.
    unsafe {
        Arc::increment_strong_count(function);
        Ok(Arc::from_raw(function))
    }
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetGlobal_v2(
    address: *mut u64,
    len: *mut usize,
    module: *mut c_void,
    name: *const c_char,
) -> CUresult {
    code((|| {
        // SAFETY: promised by the caller.
        let (module, name) = unsafe { named(module, name)? };
        let found = module.parsed.variables.iter().find(|v| v.name == name);
        let (Some(variable), Some(&at)) = (found, module.addresses.get(name)) else {
            return Err(CUresult::CUDA_ERROR_NOT_FOUND);
        };
        // SAFETY: promised by the caller.
        unsafe {
            give(address, at)?;
            give(len, variable.len)
        }
    })())
}

/// Takes every setting: shared memory has no limit here that a launch could miss.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetAttribute(
    _function: *mut c_void,
    _attribute: c_int,
    _value: c_int,
) -> CUresult {
    CUresult::CUDA_SUCCESS
}
