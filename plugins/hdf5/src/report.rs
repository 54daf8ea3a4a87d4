//! How a program hears what went wrong.

use std::{
    ffi::{CStr, CString},
    sync::{Mutex, PoisonError},
};

use crate::hdf5::Hdf5;

/// What has been printed on standard error.
static PRINTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Messages that are printed at most: one may name what differs from chunk to chunk.
const MOST: usize = 16;

/// Puts a message on HDF5's error stack. It goes to standard error too, once, where HDF5 does not print the stack by
/// itself: netCDF says "HDF error" and no more.
pub(crate) fn failure(hdf5: Option<&Hdf5>, function: &CStr, message: &str) {
    // Without the zeros that a name in a damaged file may hold.
    let words = CString::new(message.replace('\0', " ")).unwrap_or_default();
    let printed = hdf5.is_some_and(|hdf5| {
        let prints = hdf5.prints_errors();
        hdf5.push_error(function, &words) && prints
    });
    if !printed && is_new(message) {
        eprintln!("FSZ filter: {message} (shown once)");
    }
}

/// Prints a warning on standard error, once: HDF5 shows what is on its error stack only where a call fails.
pub(crate) fn warning(message: &str) {
    if is_new(message) {
        eprintln!("FSZ filter warning: {message} (shown once)");
    }
}

fn is_new(message: &str) -> bool {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let new = printed.len() < MOST && !printed.iter().any(|known| known == message);
    if new {
        printed.push(message.to_owned());
    }
    new
}
