//! The ADIOS2 context: configuration, and the lock that serialises what came from it.

use std::{
    fmt,
    path::Path,
    ptr::NonNull,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use adios2_sys as sys;

use crate::{
    Io, Result,
    call::{c_string, check_pointer},
    library,
};

/// ADIOS2 keeps the operator libraries that it loaded in a table without a lock. Whatever can load
/// one (a configuration, a definition, a read) holds this, in every context of the process. It is
/// always the last lock taken.
static OPERATOR_TABLE: Mutex<()> = Mutex::new(());

pub(crate) fn lock_operator_table() -> MutexGuard<'static, ()> {
    OPERATOR_TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An ADIOS2 context: a factory of [`Io`] groups. Everything that came from it keeps it alive.
#[derive(Clone)]
pub struct Adios {
    context: Arc<Context>,
}

impl Adios {
    /// A context with ADIOS2's defaults.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) or [`Error::Load`](crate::Error::Load) without a
    /// usable ADIOS2.
    pub fn new() -> Result<Adios> {
        let api = library::api()?;
        // SAFETY: no arguments; the result is owned by the Context below.
        let raw = unsafe { api.adios2_init_serial() };
        Adios::own(api, raw, || "starting ADIOS2".to_owned())
    }

    /// A context configured by an ADIOS2 XML (or YAML) file: engines, parameters, operators.
    ///
    /// # Errors
    /// As [`Adios::new`], and [`Error::Call`](crate::Error::Call) for a file that is missing or
    /// wrong, a bad operator parameter included; ADIOS2 prints which.
    pub fn with_config(path: &Path) -> Result<Adios> {
        let api = library::api()?;
        let file = c_string(&path.to_string_lossy())?;
        let _operators = lock_operator_table();
        // SAFETY: `file` is a C string that outlives the call; the result is owned below.
        let raw = unsafe { api.adios2_init_config_serial(file.as_ptr()) };
        Adios::own(api, raw, || format!("reading the configuration {}", path.display()))
    }

    /// Takes over a context that was made outside of this crate: by `adios2_init_config_mpi` of a
    /// program with ranks, say, which needs that program's MPI.
    ///
    /// # Safety
    /// `raw` is null or an `adios2_adios` that the ADIOS2 of [`library_path`](crate::library_path)
    /// made, and that nobody else uses or finalizes.
    ///
    /// # Errors
    /// [`Error::Call`](crate::Error::Call) when `raw` is null; otherwise as [`Adios::new`].
    pub unsafe fn from_raw(raw: *mut std::ffi::c_void) -> Result<Adios> {
        Adios::own(library::api()?, raw.cast(), || "starting ADIOS2".to_owned())
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn own(
        api: &'static sys::Adios2C,
        raw: *mut sys::adios2_adios,
        doing: impl FnOnce() -> String,
    ) -> Result<Adios> {
        let raw = NonNull::new(check_pointer(raw, doing)?).expect("checked above");
        Ok(Adios { context: Arc::new(Context { api, raw, lock: Mutex::new(()) }) })
    }

    /// Declares a group of variables and attributes with one engine type. A name may be declared
    /// once; where the configuration file names it, its settings apply.
    ///
    /// # Errors
    /// [`Error::Call`](crate::Error::Call) when the name was declared before.
    pub fn declare_io(&self, name: &str) -> Result<Io> {
        let c_name = c_string(name)?;
        let _one = self.context.lock();
        // SAFETY: the context is alive and locked; ADIOS2 copies the name and owns the IO.
        let raw = unsafe {
            self.context.api.adios2_declare_io(self.context.raw.as_ptr(), c_name.as_ptr())
        };
        let raw = check_pointer(raw, || format!("declaring the IO {name:?}"))?;
        Ok(Io::new(Arc::clone(&self.context), raw, name))
    }
}

impl fmt::Debug for Adios {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adios").finish_non_exhaustive()
    }
}

/// The raw context, shared by all that came from it, and the lock for every call on any of it.
pub(crate) struct Context {
    pub(crate) api: &'static sys::Adios2C,
    raw: NonNull<sys::adios2_adios>,
    lock: Mutex<()>,
}

impl Context {
    pub(crate) fn raw(&self) -> *mut sys::adios2_adios {
        self.raw.as_ptr()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// SAFETY: ADIOS2 has no thread affinity, and every use of `raw` and of what it owns happens while
// `lock` is held (Drop has exclusive access).
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Drop for Context {
    fn drop(&mut self) {
        let _operators = lock_operator_table();
        // SAFETY: nothing that came from the context is left, since each part holds an Arc of it. A
        // failure cannot be reported from here, and ADIOS2 prints it.
        unsafe { self.api.adios2_finalize(self.raw.as_ptr()) };
    }
}
