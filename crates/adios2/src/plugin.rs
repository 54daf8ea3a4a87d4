//! The FSZ operator library, opened beside ADIOS2.
//!
//! ADIOS2 loads the operator by itself when a configuration or a file asks for it. A program that
//! calls [`load`] first spares its users the `ADIOS2_PLUGIN_PATH` variable: without that variable
//! ADIOS2 asks the dynamic loader for `libfsz_adios2.so`, which finds the library already loaded
//! under that name.

use std::{
    env,
    ffi::{c_int, c_void},
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::{Error, Result};

/// The value of `PluginName` in configurations and files.
pub const NAME: &str = "fsz";
/// The value of `PluginLibrary` in configurations and files.
pub const LIBRARY: &str = "fsz_adios2";
/// The file name, which is also the shared object name.
pub const FILE_NAME: &str = "libfsz_adios2.so";

/// The interface of `fsz_adios2.h` that this crate speaks.
const INTERFACE: u32 = 1;

/// `fsz_adios2_payload` of `fsz_adios2.h`.
#[repr(C)]
pub(crate) struct RawPayload {
    pub(crate) mode: u32,
    pub(crate) element_size: u32,
    pub(crate) ndims: usize,
    pub(crate) count: *const u64,
    pub(crate) start: *const u64,
    pub(crate) bytes: *const u8,
    pub(crate) length: usize,
}

/// `FSZ_ADIOS2_STREAM` of `fsz_adios2.h`.
pub(crate) const MODE_STREAM: u32 = 1;

pub(crate) type Sink = unsafe extern "C" fn(user: *mut c_void, payload: *const RawPayload) -> c_int;
type SetSink = unsafe extern "C" fn(sink: Option<Sink>, user: *mut c_void);

/// The opened library.
pub(crate) struct Plugin {
    pub(crate) set_sink: SetSink,
    path: PathBuf,
}

static PLUGIN: OnceLock<Plugin> = OnceLock::new();
static OPENING: Mutex<()> = Mutex::new(());

/// Opens the operator library for the rest of the process and returns its file.
///
/// Looked at: the folders of `ADIOS2_PLUGIN_PATH`, and only those when it is set, as ADIOS2 does;
/// else the folder of the running program, `../lib` seen from there, the folder above (where cargo
/// puts libraries beside its test programs), and what the dynamic loader knows.
///
/// # Errors
/// [`Error::Plugin`], with the places looked at.
pub fn load() -> Result<&'static Path> {
    Ok(&plugin()?.path)
}

pub(crate) fn plugin() -> Result<&'static Plugin> {
    if let Some(plugin) = PLUGIN.get() {
        return Ok(plugin);
    }
    let _one_opens = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(plugin) = PLUGIN.get() {
        return Ok(plugin);
    }
    let opened = open()?;
    Ok(PLUGIN.get_or_init(|| opened))
}

fn open() -> Result<Plugin> {
    let candidates = candidates();
    let Some(path) =
        candidates.iter().find(|path| path.components().count() == 1 || path.is_file())
    else {
        return Err(not_found(&candidates, ""));
    };
    // SAFETY: the library's constructors are those of the Rust standard library only.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }
        .map_err(|error| not_found(&candidates, &format!(" ({error})")))?;
    // SAFETY: the signature is the one in fsz_adios2.h.
    let interface = unsafe {
        library.get::<unsafe extern "C" fn() -> u32>(b"fsz_adios2_interface\0").map(|f| f())
    };
    if !matches!(interface, Ok(INTERFACE)) {
        return Err(Error::Plugin(format!(
            "{} speaks another interface than this program: build both from one version of FSZ",
            path.display()
        )));
    }
    // SAFETY: as above.
    let set_sink = unsafe { library.get::<SetSink>(b"fsz_adios2_set_sink\0").map(|f| *f) }
        .map_err(|error| Error::Plugin(format!("{}: {error}", path.display())))?;
    // The function pointers, and ADIOS2's, must stay good: never unloaded.
    std::mem::forget(library);
    Ok(Plugin { set_sink, path: path.clone() })
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
        found.extend(folder.parent().map(|above| above.join(FILE_NAME)));
    }
    found.push(PathBuf::from(FILE_NAME));
    found
}

fn not_found(candidates: &[PathBuf], reason: &str) -> Error {
    let places: Vec<_> = candidates.iter().map(|path| path.display().to_string()).collect();
    Error::Plugin(format!(
        "the FSZ operator is not to be found at {}{reason}: build it with `cargo build --release -p \
         fsz-adios2` and set ADIOS2_PLUGIN_PATH to its folder",
        places.join(", ")
    ))
}
