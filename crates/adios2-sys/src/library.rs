//! Opening the library of the C API, of any version from 2.8 on.

use std::{ffi::c_char, path::Path};

use libloading::Library;

use crate::{Adios2C, adios2_attribute, adios2_error};

/// The functions of an opened library.
#[allow(missing_debug_implementations, reason = "pointers to functions")]
pub struct Functions {
    /// Those of every version.
    pub all: Adios2C,
    /// Those since 2.12.
    pub text: Option<TextFunctions>,
    /// Whether it is of 2.9 or newer: 2.8 has no `adios2_mode_readRandomAccess`.
    pub has_random_access: bool,
}

/// `adios2_attribute_string_data` and `adios2_attribute_string_data_array`. An older library copies text
/// into a buffer without being told its size, which cannot be made safe.
#[derive(Debug, Clone, Copy)]
pub struct TextFunctions {
    /// One text: its length, then its bytes.
    pub string_data:
        unsafe extern "C" fn(*const adios2_attribute, *mut c_char, *mut usize) -> adios2_error,
    /// Several texts: their lengths, then their bytes.
    pub string_data_array:
        unsafe extern "C" fn(*const adios2_attribute, *mut *mut c_char, *mut usize) -> adios2_error,
}

impl Functions {
    /// Opens a library.
    ///
    /// # Errors
    /// It is no library, or lacks a function that every version has.
    ///
    /// # Safety
    /// It is a library of the C API of ADIOS2.
    pub unsafe fn open(path: &Path) -> Result<Functions, libloading::Error> {
        // SAFETY: loading runs the constructors of the ADIOS2 libraries, which set up their own globals
        // only.
        let library = unsafe { Library::new(path) }?;
        // SAFETY: the types are those of the header of 2.12, the first version with these functions. The
        // library is part of the result.
        let text = unsafe { TextFunctions::of(&library) };
        // SAFETY: it is only asked whether the function is there, which came with 2.9 as that mode did.
        let since_2_9 =
            unsafe { library.get::<unsafe extern "C" fn()>(b"adios2_between_step_pairs\0") };
        let has_random_access = since_2_9.is_ok();
        // SAFETY: the bindings fit every version.
        let all = unsafe { Adios2C::from_library(library) }?;
        Ok(Functions { all, text, has_random_access })
    }
}

impl TextFunctions {
    /// # Safety
    /// The library stays open while they are called.
    unsafe fn of(library: &Library) -> Option<TextFunctions> {
        // SAFETY: promised by the caller.
        unsafe {
            Some(TextFunctions {
                string_data: *library.get(b"adios2_attribute_string_data\0").ok()?,
                string_data_array: *library.get(b"adios2_attribute_string_data_array\0").ok()?,
            })
        }
    }
}
