//! What programs pass by address, checked as far as an address can be: null, alignment, lengths that no
//! memory has, host memory where the host works.

use std::{
    ffi::{CStr, c_char, c_void},
    slice,
};

use bytemuck::allocation::try_zeroed_vec;
use fsz::{
    Element,
    cuda::{CudaMemory, MemoryKind},
    format::MAX_DIMS,
};

use crate::status::{Failure, Result};

/// Structs of a program are smaller; a larger one is a mistake.
const LARGEST_STRUCT: usize = 1 << 16;

/// `len` elements in host memory.
///
/// # Safety
/// `pointer` is null, or so many elements there are not written during `'a`.
pub(crate) unsafe fn elements<'a, T: Element>(
    pointer: *const c_void,
    len: u64,
    what: &str,
) -> Result<&'a [T]> {
    match checked::<T>(pointer, len, what)? {
        0 => Ok(&[]),
        // SAFETY: checked above; the rest is promised by the caller.
        len => Ok(unsafe { slice::from_raw_parts(pointer.cast(), len) }),
    }
}

/// `len` elements in host memory, to be written.
///
/// # Safety
/// `pointer` is null, or nothing else uses so many elements there during `'a`.
pub(crate) unsafe fn elements_mut<'a, T: Element>(
    pointer: *mut c_void,
    len: u64,
    what: &str,
) -> Result<&'a mut [T]> {
    match checked::<T>(pointer, len, what)? {
        0 => Ok(&mut []),
        // SAFETY: checked above; the rest is promised by the caller.
        len => Ok(unsafe { slice::from_raw_parts_mut(pointer.cast(), len) }),
    }
}

/// `len` bytes in host memory.
///
/// # Safety
/// `pointer` is null, or so many bytes there are not written during `'a`.
pub(crate) unsafe fn bytes<'a>(pointer: *const c_void, len: usize, what: &str) -> Result<&'a [u8]> {
    match checked::<u8>(pointer, len as u64, what)? {
        0 => Ok(&[]),
        // SAFETY: checked above; the rest is promised by the caller.
        len => Ok(unsafe { slice::from_raw_parts(pointer.cast(), len) }),
    }
}

/// `len` bytes in host memory, to be written.
///
/// # Safety
/// `pointer` is null, or nothing else uses so many bytes there during `'a`.
pub(crate) unsafe fn bytes_mut<'a>(
    pointer: *mut c_void,
    len: usize,
    what: &str,
) -> Result<&'a mut [u8]> {
    match checked::<u8>(pointer, len as u64, what)? {
        0 => Ok(&mut []),
        // SAFETY: checked above; the rest is promised by the caller.
        len => Ok(unsafe { slice::from_raw_parts_mut(pointer.cast(), len) }),
    }
}

/// The length, when the host can have so many `T` there.
fn checked<T>(pointer: *const c_void, len: u64, what: &str) -> Result<usize> {
    if len == 0 {
        return Ok(0);
    }
    if pointer.is_null() {
        return Err(Failure::invalid(format!("{what} is null")));
    }
    if !pointer.cast::<T>().is_aligned() {
        let size = size_of::<T>();
        return Err(Failure::invalid(format!("{what} is not at a multiple of {size} bytes")));
    }
    let size = usize::try_from(len).ok().and_then(|len| len.checked_mul(size_of::<T>()));
    let end = size.and_then(|size| pointer.addr().checked_add(size));
    if end.is_none() || size > Some(isize::MAX as usize) {
        return Err(Failure::invalid(format!("{what} has {len} elements: no memory is so large")));
    }
    match CudaMemory::at(pointer.cast())? {
        Some(memory) if memory.kind() == MemoryKind::Device => Err(Failure::invalid(format!(
            "{what} is memory of CUDA device {}: the calls fszc_device_* take it",
            memory.device()
        ))),
        _ => Ok(len as usize),
    }
}

/// That two ranges of memory share no byte.
pub(crate) fn check_apart<A, B>(input: &[A], output: &[B], what: &str) -> Result<()> {
    let (a, b) = (input.as_ptr_range(), output.as_ptr_range());
    if a.start.addr() < b.end.addr() && b.start.addr() < a.end.addr() {
        return Err(Failure::invalid(format!("{what} overlap")));
    }
    Ok(())
}

/// An entry per axis.
///
/// # Safety
/// `pointer` is null or has `len` numbers.
pub(crate) unsafe fn axes(pointer: *const u64, len: usize, what: &str) -> Result<Vec<u64>> {
    if len > MAX_DIMS {
        return Err(Failure::invalid(format!("{len} dimensions: at most {MAX_DIMS}")));
    }
    if pointer.is_null() && len > 0 {
        return Err(Failure::invalid(format!("{what} is null")));
    }
    // SAFETY: promised by the caller; they need not be aligned.
    Ok((0..len).map(|i| unsafe { pointer.add(i).read_unaligned() }).collect())
}

/// A string.
///
/// # Safety
/// `pointer` is null or a string that ends with a zero byte, not written during `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(Failure::invalid(format!("{what} is null")));
    }
    // SAFETY: promised by the caller.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::invalid(format!("{what} is not UTF-8")))
}

/// A struct of a program.
///
/// # Safety
/// `pointer` is null or has a `T`, of which any bytes are one.
pub(crate) unsafe fn load<T: Copy>(pointer: *const T, what: &str) -> Result<T> {
    if pointer.is_null() {
        return Err(Failure::invalid(format!("{what} are null")));
    }
    // SAFETY: promised by the caller; it need not be aligned.
    Ok(unsafe { pointer.read_unaligned() })
}

/// Stores a result.
///
/// # Safety
/// `slot` is null or may be written.
pub(crate) unsafe fn store<T>(slot: *mut T, value: T, what: &str) -> Result<()> {
    if slot.is_null() {
        return Err(Failure::invalid(format!("no place for {what}")));
    }
    // SAFETY: promised by the caller; it need not be aligned.
    unsafe { slot.write_unaligned(value) };
    Ok(())
}

/// Stores a struct in a program's of `size` bytes, which may be that of an older or a newer header: such
/// have fewer or more fields at the end.
///
/// # Safety
/// `slot` is null or `size` bytes there may be written.
pub(crate) unsafe fn store_struct<T: Copy>(slot: *mut T, size: usize, value: &T) -> Result<()> {
    if slot.is_null() {
        return Err(Failure::invalid("no place for the result"));
    }
    if size == 0 || size > LARGEST_STRUCT {
        return Err(Failure::invalid(format!("a struct of {size} bytes: pass its sizeof")));
    }
    let known = size.min(size_of::<T>());
    // SAFETY: promised by the caller, and both parts are within `size`.
    unsafe {
        let slot = slot.cast::<u8>();
        slot.copy_from_nonoverlapping(std::ptr::from_ref(value).cast(), known);
        slot.add(known).write_bytes(0, size - known);
    }
    Ok(())
}

/// So many zeros. Large ones are the system's empty pages, which cost nothing until they are written.
pub(crate) fn zeros(len: u64) -> Result<Vec<u8>> {
    let out_of_memory = || Failure::out_of_memory(len);
    let size = usize::try_from(len).map_err(|_| out_of_memory())?;
    let mut zeros = try_zeroed_vec(size).map_err(|()| out_of_memory())?;
    fsz::ask_for_huge_pages(&mut zeros);
    Ok(zeros)
}
