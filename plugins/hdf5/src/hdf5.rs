//! The functions of the HDF5 library that has called this one, with their declarations of HDF5 1.10 and newer.

use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    ptr,
    sync::{Mutex, PoisonError},
};

use crate::{
    Result,
    caller::{self, Object},
};

/// `hid_t`, of 64 bits since HDF5 1.10.
pub(crate) type Id = i64;

/// The oldest HDF5 whose identifiers have 64 bits.
const OLDEST: (c_uint, c_uint) = (1, 10);

/// Declares the table of functions once: its fields, and how they are looked up.
macro_rules! functions {
    ($($field:ident = $name:literal: $signature:ty;)*) => {
        /// The functions that the filter calls, named as in HDF5 without `H5`.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Hdf5 {
            $(pub $field: $signature,)*
            /// Where HDF5 keeps the identifiers of its error class, of "Data filters" and of "Filter
            /// operation failed".
            error_ids: [*const Id; 3],
        }

        impl Hdf5 {
            fn load(object: &Object) -> Result<Hdf5> {
                let find = |name: &CStr| {
                    object.symbol(name).ok_or_else(|| {
                        format!("this HDF5 has no {}: FSZ needs HDF5 1.10 or newer", name.to_string_lossy())
                    })
                };
                // The first call: the others' declarations hold for 64-bit identifiers only.
                check_version(find(c"H5get_libversion")?)?;
                Ok(Hdf5 {
                    // SAFETY: HDF5's function of this name has this signature.
                    $($field: unsafe {
                        std::mem::transmute::<*mut c_void, $signature>(find($name)?)
                    },)*
                    error_ids: [
                        find(c"H5E_ERR_CLS_g")?.cast(),
                        find(c"H5E_PLINE_g")?.cast(),
                        find(c"H5E_CANTFILTER_g")?.cast(),
                    ],
                })
            }
        }
    };
}

functions! {
    allocate_memory = c"H5allocate_memory": unsafe extern "C" fn(usize, c_uint) -> *mut c_void;
    free_memory = c"H5free_memory": unsafe extern "C" fn(*mut c_void) -> c_int;
    e_get_auto = c"H5Eget_auto2": unsafe extern "C" fn(Id, *mut *mut c_void, *mut *mut c_void) -> c_int;
    e_get_num = c"H5Eget_num": unsafe extern "C" fn(Id) -> isize;
    e_push = c"H5Epush2": unsafe extern "C" fn(
        Id, *const c_char, *const c_char, c_uint, Id, Id, Id, *const c_char, ...
    ) -> c_int;
    p_fill_value_defined = c"H5Pfill_value_defined": unsafe extern "C" fn(Id, *mut c_int) -> c_int;
    p_get_chunk = c"H5Pget_chunk": unsafe extern "C" fn(Id, c_int, *mut u64) -> c_int;
    p_get_fill_time = c"H5Pget_fill_time": unsafe extern "C" fn(Id, *mut c_int) -> c_int;
    p_get_fill_value = c"H5Pget_fill_value": unsafe extern "C" fn(Id, Id, *mut c_void) -> c_int;
    p_get_filter = c"H5Pget_filter2": unsafe extern "C" fn(
        Id, c_uint, *mut c_uint, *mut usize, *mut c_uint, usize, *mut c_char, *mut c_uint
    ) -> c_int;
    p_get_filter_by_id = c"H5Pget_filter_by_id2": unsafe extern "C" fn(
        Id, c_int, *mut c_uint, *mut usize, *mut c_uint, usize, *mut c_char, *mut c_uint
    ) -> c_int;
    p_modify_filter = c"H5Pmodify_filter": unsafe extern "C" fn(
        Id, c_int, c_uint, usize, *const c_uint
    ) -> c_int;
    t_get_class = c"H5Tget_class": unsafe extern "C" fn(Id) -> c_int;
    t_get_ebias = c"H5Tget_ebias": unsafe extern "C" fn(Id) -> usize;
    t_get_fields = c"H5Tget_fields": unsafe extern "C" fn(
        Id, *mut usize, *mut usize, *mut usize, *mut usize, *mut usize
    ) -> c_int;
    t_get_norm = c"H5Tget_norm": unsafe extern "C" fn(Id) -> c_int;
    t_get_order = c"H5Tget_order": unsafe extern "C" fn(Id) -> c_int;
    t_get_size = c"H5Tget_size": unsafe extern "C" fn(Id) -> usize;
}

// SAFETY: functions and addresses of a library that stays loaded while its filter is called.
unsafe impl Send for Hdf5 {}

fn check_version(get_libversion: *mut c_void) -> Result<()> {
    type GetVersion = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint) -> c_int;
    // SAFETY: the signature of H5get_libversion in every HDF5.
    let get_version = unsafe { std::mem::transmute::<*mut c_void, GetVersion>(get_libversion) };
    let (mut major, mut minor, mut release) = (0, 0, 0);
    // SAFETY: all three are writable.
    let failed = unsafe { get_version(&mut major, &mut minor, &mut release) } < 0;
    if failed || (major, minor) < OLDEST {
        return Err(format!(
            "this is HDF5 {major}.{minor}.{release}: FSZ needs HDF5 1.10 or newer"
        ));
    }
    Ok(())
}

/// The places that calls have come from, and their libraries. Each library is kept loaded, so that no other takes
/// its place.
static KNOWN: Mutex<Vec<(usize, Object, Hdf5)>> = Mutex::new(Vec::new());

impl Hdf5 {
    /// Of the library that has called this one, directly or not.
    ///
    /// # Errors
    /// No HDF5 on the stack, or one that lacks a function.
    pub fn of_caller() -> Result<Hdf5> {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = caller::up_the_stack(|place| {
            if let Some((.., hdf5)) = known.iter().find(|(at, ..)| *at == place) {
                return Some(Ok(*hdf5));
            }
            let object = Object::at(place)?;
            object.symbol(c"H5Tget_size")?;
            let loaded = Hdf5::load(&object);
            if let Ok(hdf5) = loaded {
                known.push((place, object, hdf5));
            }
            Some(loaded)
        });
        found.ok_or("the HDF5 library that called FSZ cannot be found in this process")?
    }

    /// Puts a message on the error stack of this thread. Whether it is there afterwards: HDF5 2.0 pauses the
    /// stack while it calls a filter, and drops the message.
    pub fn push_error(&self, function: &CStr, message: &CStr) -> bool {
        // SAFETY: the default stack is always there.
        let before = unsafe { (self.e_get_num)(DEFAULT) };
        // SAFETY: HDF5 sets its identifiers before it calls any filter.
        let [class, major, minor] = self.error_ids.map(|id| unsafe { id.read() });
        // SAFETY: all texts end with a zero, and the format takes one text.
        unsafe {
            (self.e_push)(
                DEFAULT,
                c"libfsz_hdf5".as_ptr(),
                function.as_ptr(),
                0,
                class,
                major,
                minor,
                c"%s".as_ptr(),
                message.as_ptr(),
            )
        };
        // SAFETY: as above.
        before < unsafe { (self.e_get_num)(DEFAULT) }
    }

    /// Whether HDF5 prints its error stack when a call of the program fails.
    pub fn prints_errors(&self) -> bool {
        let (mut function, mut data) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: both are writable.
        let got = unsafe { (self.e_get_auto)(DEFAULT, &mut function, &mut data) };
        got >= 0 && !function.is_null()
    }
}

/// `H5E_DEFAULT`, which is 0 as `H5P_DEFAULT` is.
const DEFAULT: Id = 0;
