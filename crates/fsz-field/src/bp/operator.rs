//! The library of the FSZ operator, opened beside ADIOS2.
//!
//! ADIOS2 loads the operator itself when a configuration or a file asks for it. A program that calls
//! [`load_operator`] first spares its users the `ADIOS2_PLUGIN_PATH` variable: without that variable ADIOS2
//! asks the dynamic loader for `libfsz_adios2.so`, which finds the library already loaded under that
//! name.

use std::env;
use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use adios2::{Error, Result};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// The file name, which is also the shared object name.
const FILE_NAME: &str = "libfsz_adios2.so";

/// The version of the interface in `fsz_adios2.h` that this crate calls.
const INTERFACE: u32 = 1;

/// `fsz_adios2_payload` of `fsz_adios2.h`.
#[repr(C)]
pub(super) struct RawPayload {
    pub mode: u32,
    pub element_size: u32,
    pub ndims: usize,
    pub count: *const u64,
    pub start: *const u64,
    pub bytes: *const u8,
    pub length: usize,
}

/// `FSZ_ADIOS2_STREAM` of `fsz_adios2.h`.
pub(super) const MODE_STREAM: u32 = 1;

pub(super) type Sink = unsafe extern "C" fn(user: *mut c_void, payload: *const RawPayload) -> c_int;
type SetSink = unsafe extern "C" fn(sink: Option<Sink>, user: *mut c_void);

/// The opened library.
pub(super) struct Operator {
    pub set_sink: SetSink,
    path: PathBuf,
}

/// Why it is not opened.
pub(super) struct Failure {
    /// There is none, so ADIOS2 finds none either.
    pub is_absent: bool,
    reason: String,
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        Error::Unsupported(failure.reason)
    }
}

static OPERATOR: OnceLock<Operator> = OnceLock::new();
static OPENING: Mutex<()> = Mutex::new(());

/// Opens the operator's library for the rest of the process and returns its file.
///
/// With `ADIOS2_PLUGIN_PATH` set, only its folders are searched, as ADIOS2 does. Otherwise: the folder
/// of the running program, `../lib` seen from there, the folder above (where cargo puts libraries
/// beside its test programs), and what the dynamic loader knows.
///
/// # Errors
/// [`Error::Unsupported`], with the places searched.
pub fn load_operator() -> Result<&'static Path> {
    Ok(&operator()?.path)
}

pub(super) fn operator() -> std::result::Result<&'static Operator, Failure> {
    if let Some(operator) = OPERATOR.get() {
        return Ok(operator);
    }
    let _one_opens = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(operator) = OPERATOR.get() {
        return Ok(operator);
    }
    let opened = open()?;
    Ok(OPERATOR.get_or_init(|| opened))
}

fn open() -> std::result::Result<Operator, Failure> {
    let candidates = candidates();
    let mut reasons = String::new();
    for path in &candidates {
        if path.components().count() > 1 && !path.is_file() {
            continue;
        }
        // SAFETY: the library's constructors are those of the Rust standard library only.
        match unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) } {
            Ok(library) => return bind(library, path),
            // ADIOS2 tries the next folder, too.
            Err(error) => reasons.push_str(&format!(" ({error})")),
        }
    }
    Err(not_found(&candidates, &reasons))
}

/// What a library offers that was loaded from this file.
fn bind(library: Library, path: &Path) -> std::result::Result<Operator, Failure> {
    // SAFETY: the signature is the one in fsz_adios2.h.
    let interface = unsafe {
        library.get::<unsafe extern "C" fn() -> u32>(b"fsz_adios2_interface\0").map(|f| f())
    };
    if !matches!(interface, Ok(INTERFACE)) {
        let path = path.display();
        let reason =
            format!("{path} does not match this program: build both from one version of FSZ");
        return Err(Failure { is_absent: false, reason });
    }
    // SAFETY: as above.
    let set_sink = unsafe { library.get::<SetSink>(b"fsz_adios2_set_sink\0").map(|f| *f) }
        .map_err(|error| format!("{}: {error}", path.display()))
        .map_err(|reason| Failure { is_absent: false, reason })?;
    // The function pointers, and ADIOS2's, must stay valid: the library is never unloaded.
    std::mem::forget(library);
    Ok(Operator { set_sink, path: path.to_owned() })
}

fn candidates() -> Vec<PathBuf> {
    let folders = env::var_os("ADIOS2_PLUGIN_PATH").filter(|folders| !folders.is_empty());
    if let Some(folders) = folders {
        return env::split_paths(&folders).map(|folder| folder.join(FILE_NAME)).collect();
    }
    let mut found = Vec::new();
    if let Some(folder) = env::current_exe().ok().as_deref().and_then(Path::parent) {
        found.push(folder.join(FILE_NAME));
        found.extend(folder.parent().map(|above| above.join("lib").join(FILE_NAME)));
        // Where `cargo xtask install` puts it.
        found.extend(folder.parent().map(|above| above.join("lib/fsz/adios2").join(FILE_NAME)));
        found.extend(folder.parent().map(|above| above.join(FILE_NAME)));
    }
    found.push(PathBuf::from(FILE_NAME));
    found
}

fn not_found(candidates: &[PathBuf], reason: &str) -> Failure {
    let places: Vec<_> = candidates.iter().map(|path| path.display().to_string()).collect();
    let reason = format!(
        "the FSZ operator was not found at {}{reason}: build it with `cargo build --release -p \
         fsz-adios2` and set ADIOS2_PLUGIN_PATH to its folder",
        places.join(", ")
    );
    Failure { is_absent: true, reason }
}
