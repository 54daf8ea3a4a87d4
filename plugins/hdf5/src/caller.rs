//! Which shared object has called this library.
//!
//! A process may hold several HDF5 libraries, under any name: the wheels of h5py and of netCDF4 each bring
//! one (`libhdf5-<hash>.so`), hidden from a search by name. So the return addresses on the stack are
//! followed to the first object other than this one, which is the HDF5 that calls its filter.

use std::{
    ffi::{CStr, c_int, c_void},
    ptr,
};

/// A shared object, or the program, that stays loaded while this is kept.
#[derive(Debug)]
pub(crate) struct Object(*mut c_void);

// SAFETY: the loader's functions may be called from any thread.
unsafe impl Send for Object {}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the handle came from dlopen and is not used again.
        unsafe { libc::dlclose(self.0) };
    }
}

impl Object {
    /// The address of a symbol of this object, or of one that it links.
    pub fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the handle is that of a loaded object, the name ends with a zero.
        let found = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }

    /// The object that holds an address; none for this library.
    pub fn at(address: usize) -> Option<Object> {
        let info = locate(address)?;
        let own = locate(locate as fn(usize) -> Option<libc::Dl_info> as usize)?;
        if info.dli_fbase == own.dli_fbase {
            return None;
        }
        // SAFETY: dladdr gave a path that ends with a zero. RTLD_NOLOAD: what is loaded is found, and
        // nothing is run.
        let mut handle =
            unsafe { libc::dlopen(info.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if handle.is_null() {
            // The program itself has a path that need not be one.
            // SAFETY: no path means the program.
            handle = unsafe { libc::dlopen(ptr::null(), libc::RTLD_LAZY) };
        }
        (!handle.is_null()).then_some(Object(handle))
    }
}

fn locate(address: usize) -> Option<libc::Dl_info> {
    let mut info = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: any address may be asked for; `info` is writable.
    let known = unsafe { libc::dladdr(ptr::without_provenance(address), &mut info) } != 0;
    (known && !info.dli_fname.is_null()).then_some(info)
}

/// Shows `look` the addresses on the stack that calls return to, the innermost first, until it has found what
/// it looks for.
pub(crate) fn up_the_stack<T>(mut look: impl FnMut(usize) -> Option<T>) -> Option<T> {
    let mut found = None;
    let mut has_found = |address: usize| {
        found = look(address);
        found.is_some()
    };
    let mut visitor: Visitor<'_> = &mut has_found;
    // SAFETY: `visit` gets the visitor back, which outlives the call.
    unsafe { _Unwind_Backtrace(visit, (&raw mut visitor).cast()) };
    found
}

/// Whether the walk is over.
type Visitor<'a> = &'a mut dyn FnMut(usize) -> bool;

/// `_URC_NO_REASON`: go on.
const GO_ON: c_int = 0;
/// `_URC_NORMAL_STOP`.
const STOP: c_int = 4;

extern "C" fn visit(frame: *mut c_void, visitor: *mut c_void) -> c_int {
    // SAFETY: `up_the_stack` passes its visitor, and does not use it itself during the walk.
    let visitor = unsafe { &mut *visitor.cast::<Visitor<'_>>() };
    // SAFETY: the unwinder's own frame. The address is that of the next instruction: one less lies in
    // the call.
    let address = unsafe { _Unwind_GetIP(frame) }.saturating_sub(1);
    if visitor(address) { STOP } else { GO_ON }
}

// Of the unwinder that Rust programs link for panics.
unsafe extern "C" {
    fn _Unwind_Backtrace(
        visit: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(frame: *mut c_void) -> usize;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_by_an_address_and_know_their_symbols() {
        let object = Object::at(libc::getpid as *const () as usize).expect("the C library");
        assert!(object.symbol(c"getpid").is_some());
        assert_eq!(object.symbol(c"H5Tget_size"), None);
    }

    #[test]
    fn the_stack_leads_out_of_this_library() {
        // A test's main function is in the same object; the thread was started by the C library.
        let outside = up_the_stack(Object::at).expect("the C library");
        assert!(outside.symbol(c"getpid").is_some());
        let none = up_the_stack(|address| Object::at(address)?.symbol(c"H5Tget_size"));
        assert_eq!(none, None);
    }
}
