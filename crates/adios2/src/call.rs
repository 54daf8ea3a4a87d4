//! Small conversions at the C boundary.

use std::ffi::{CStr, CString, c_char, c_void};

use adios2_sys as sys;

use crate::{CallFailure, Error, Result};

/// Turns the code of an ADIOS2 call into a result; `doing` is evaluated on failure only.
pub(crate) fn check(code: sys::adios2_error, doing: impl FnOnce() -> String) -> Result<()> {
    let failure = match code {
        sys::adios2_error_none => return Ok(()),
        sys::adios2_error_invalid_argument => CallFailure::InvalidArgument,
        sys::adios2_error_system_error => CallFailure::System,
        sys::adios2_error_runtime_error => CallFailure::Runtime,
        _ => CallFailure::Other,
    };
    Err(Error::Call { doing: doing(), failure })
}

/// Turns a pointer that is null on failure into a result.
pub(crate) fn check_pointer<T>(pointer: *mut T, doing: impl FnOnce() -> String) -> Result<*mut T> {
    if pointer.is_null() {
        return Err(Error::Call { doing: doing(), failure: CallFailure::InvalidArgument });
    }
    Ok(pointer)
}

/// A C string, or an error that names the offending text.
pub(crate) fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::InvalidArgument(format!("{text:?} contains a zero byte")))
}

/// A u64 extent list as C sizes.
pub(crate) fn c_sizes(extents: &[u64]) -> Result<Vec<usize>> {
    extents
        .iter()
        .map(|&extent| usize::try_from(extent))
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| Error::InvalidArgument(format!("{extents:?} exceeds this machine's sizes")))
}

/// The number of elements of an extent list, or an error when it overflows.
pub(crate) fn element_count(count: &[u64]) -> Result<usize> {
    count
        .iter()
        .try_fold(1u64, |product, &extent| product.checked_mul(extent))
        .and_then(|elements| usize::try_from(elements).ok())
        .ok_or_else(|| Error::InvalidArgument(format!("{count:?} is too large for memory")))
}

/// Reads a string through the C API's two-call protocol: length first, then the bytes.
pub(crate) fn read_string(
    doing: &str,
    mut get: impl FnMut(*mut c_char, *mut usize) -> sys::adios2_error,
) -> Result<String> {
    let mut length = 0usize;
    check(get(std::ptr::null_mut(), &mut length), || doing.to_owned())?;
    let mut bytes = vec![0u8; length];
    check(get(bytes.as_mut_ptr().cast(), &mut length), || doing.to_owned())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

unsafe extern "C" {
    /// The C library's `free`, which ADIOS2 documents for the name lists that it returns.
    fn free(pointer: *mut c_void);
}

/// Copies and frees a list of names that ADIOS2 allocated with `malloc`.
///
/// # Safety
/// `names` is null or points to `size` C strings, all from `malloc`, that nobody else frees.
pub(crate) unsafe fn take_names(names: *mut *mut c_char, size: usize) -> Vec<String> {
    if names.is_null() {
        return Vec::new();
    }
    let taken = (0..size)
        .map(|index| {
            // SAFETY: the caller promises `size` valid C strings.
            unsafe {
                let name = *names.add(index);
                let text = CStr::from_ptr(name).to_string_lossy().into_owned();
                free(name.cast());
                text
            }
        })
        .collect();
    // SAFETY: the list itself came from `malloc` and its strings were freed above.
    unsafe { free(names.cast()) };
    taken
}
