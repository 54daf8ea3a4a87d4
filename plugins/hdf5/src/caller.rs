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
pub(crate) struct Object {
    /// Where it is loaded.
    base: usize,
    handle: *mut c_void,
}

// SAFETY: the loader's functions may be called from any thread.
unsafe impl Send for Object {}

impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        self.base == other.base
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the handle came from dlopen and is not used again.
        unsafe { libc::dlclose(self.handle) };
    }
}

impl Object {
    /// The address of a symbol of this object, or of one that it links.
    pub fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the handle is that of a loaded object, the name ends with a zero.
        let found = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }

    /// The object that holds an address.
    fn at(address: usize) -> Option<Object> {
        let info = locate(address)?;
        // SAFETY: dladdr gave a path that ends with a zero. RTLD_NOLOAD: what is loaded is found, and
        // nothing is run.
        let mut handle =
            unsafe { libc::dlopen(info.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if handle.is_null() {
            // The program itself has a path that need not be one.
            // SAFETY: no path means the program.
            handle = unsafe { libc::dlopen(ptr::null(), libc::RTLD_LAZY) };
        }
        (!handle.is_null()).then_some(Object { base: info.dli_fbase.addr(), handle })
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

/// The first of the objects up the stack, this one left out, that defines `name`.
pub(crate) fn that_defines(name: &CStr) -> Option<Object> {
    let mut search = Search { own: 0, seen: 0, name, found: None };
    search.own = locate(that_defines as fn(&CStr) -> Option<Object> as usize)
        .map_or(0, |info| info.dli_fbase.addr());
    // SAFETY: `visit` gets the search back, which outlives the call; it does not unwind.
    unsafe { _Unwind_Backtrace(visit, (&raw mut search).cast()) };
    search.found
}

struct Search<'a> {
    own: usize,
    /// The object that the frames before belong to.
    seen: usize,
    name: &'a CStr,
    found: Option<Object>,
}

/// `_URC_NO_REASON`: go on.
const GO_ON: c_int = 0;
/// `_URC_NORMAL_STOP`.
const STOP: c_int = 4;

extern "C" fn visit(frame: *mut c_void, search: *mut c_void) -> c_int {
    // SAFETY: `that_defines` passes its search, and looks at it only when the walk is over.
    let search = unsafe { &mut *search.cast::<Search<'_>>() };
    // SAFETY: the unwinder's own frame. The address is that of the next instruction: one less lies in
    // the call.
    let address = unsafe { _Unwind_GetIP(frame) }.saturating_sub(1);
    let base = locate(address).map_or(0, |info| info.dli_fbase.addr());
    if base == 0 || base == search.own || base == search.seen {
        return GO_ON;
    }
    search.seen = base;
    search.found = Object::at(address).filter(|object| object.symbol(search.name).is_some());
    if search.found.is_some() { STOP } else { GO_ON }
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
    fn a_stack_without_hdf5_has_none() {
        assert_eq!(that_defines(c"H5Tget_size"), None);
    }
}
