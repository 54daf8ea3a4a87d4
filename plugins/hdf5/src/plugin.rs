//! What HDF5 looks for in a plugin: its type, and the class of its filter.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::{filter, hdf5::Id, local};

/// The number of the filter in files.
///
/// **A testing number** (256 to 511 are anyone's): the HDF Group has not assigned one yet. Files that are
/// written now will need `h5repack` when it has. Everything else takes the number from here.
pub(crate) const FILTER_ID: c_int = 447;

/// What `h5dump -p` shows beside the number.
const NAME: &str = concat!("FSZ ", env!("CARGO_PKG_VERSION"), " (testing id: not for archives)\0");

/// `H5Z_class2_t`.
#[repr(C)]
struct Class {
    version: c_int,
    id: c_int,
    encoder_present: c_uint,
    decoder_present: c_uint,
    name: *const c_char,
    can_apply: unsafe extern "C" fn(Id, Id, Id) -> c_int,
    set_local: unsafe extern "C" fn(Id, Id, Id) -> c_int,
    filter: unsafe extern "C" fn(
        c_uint,
        usize,
        *const c_uint,
        usize,
        *mut usize,
        *mut *mut c_void,
    ) -> usize,
}

// SAFETY: it is never written, and its name is a constant.
unsafe impl Sync for Class {}

/// `H5Z_CLASS_T_VERS`.
const CLASS_VERSION: c_int = 1;

static CLASS: Class = Class {
    version: CLASS_VERSION,
    id: FILTER_ID,
    encoder_present: 1,
    decoder_present: 1,
    name: NAME.as_ptr().cast(),
    can_apply: local::can_apply,
    set_local: local::set_local,
    filter: filter::filter,
};

/// `H5PL_TYPE_FILTER`.
const FILTER: c_int = 0;

#[unsafe(no_mangle)]
extern "C" fn H5PLget_plugin_type() -> c_int {
    FILTER
}

#[unsafe(no_mangle)]
extern "C" fn H5PLget_plugin_info() -> *const c_void {
    (&raw const CLASS).cast()
}
