//! The ADIOS2 shared library, opened once and kept for the life of the process.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use adios2_sys::{Adios2C, Functions, TextFunctions, discovery};

use crate::{Error, Result};

/// The opened library and where it was found.
struct Library {
    functions: Functions,
    path: PathBuf,
}

/// Set once and never reset: ADIOS2 keeps global state that does not survive being unloaded.
static LIBRARY: OnceLock<Library> = OnceLock::new();
static OPENING: Mutex<()> = Mutex::new(());

/// The functions of the ADIOS2 C API. A failure is not remembered, so that a program may provision
/// ADIOS2 and try again.
pub(crate) fn api() -> Result<&'static Adios2C> {
    Ok(&library()?.functions.all)
}

/// The functions that read text attributes.
pub(crate) fn text_functions() -> Result<Option<TextFunctions>> {
    Ok(library()?.functions.text)
}

/// Whether ADIOS2 opens files with all steps at hand in a mode of its own.
pub(crate) fn has_random_access() -> Result<bool> {
    Ok(library()?.functions.has_random_access)
}

/// Where the ADIOS2 library in use was found.
///
/// # Errors
/// [`Error::NotFound`] or [`Error::Load`].
pub fn library_path() -> Result<&'static Path> {
    Ok(&library()?.path)
}

/// Whether ADIOS2 can be used in this process.
pub fn is_available() -> bool {
    library().is_ok()
}

fn library() -> Result<&'static Library> {
    if let Some(library) = LIBRARY.get() {
        return Ok(library);
    }
    let _one_opens = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(library) = LIBRARY.get() {
        return Ok(library);
    }
    let path = discovery::library()?;
    // SAFETY: discovery looks for the library of the C API.
    let opened = unsafe { Functions::open(&path) };
    let functions =
        opened.map_err(|error| Error::Load { path: path.clone(), reason: error.to_string() })?;
    Ok(LIBRARY.get_or_init(|| Library { functions, path }))
}
