//! How a program hears what went wrong.

use std::{
    ffi::{CStr, CString},
    sync::atomic::{AtomicBool, Ordering},
};

use crate::hdf5::Hdf5;

/// Whether the line on standard error has been printed.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// Puts a message on HDF5's error stack. The first one goes to standard error too where HDF5 does not print the
/// stack by itself: netCDF says "HDF error" and no more.
pub(crate) fn failure(hdf5: Option<&Hdf5>, function: &CStr, message: &str) {
    // Without the zeros that a name in a damaged file may hold.
    let words = CString::new(message.replace('\0', " ")).unwrap_or_default();
    let printed = hdf5.is_some_and(|hdf5| {
        let prints = hdf5.prints_errors();
        hdf5.push_error(function, &words) && prints
    });
    if !printed && !PRINTED.swap(true, Ordering::Relaxed) {
        eprintln!("FSZ filter: {message} (shown once)");
    }
}
