// Where ADIOS2 is. One source file for two moments: the build script includes it to find the
// header, the library compiles it to find the shared library. Plain comments, not `//!`, because
// an included file cannot carry inner documentation.

use std::{
    env, fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The folder name, inside the FSZ cache folder, of the ADIOS2 that set-up provisions.
pub const PROVISIONED: &str = "adios2-2.12.1";

/// Environment variables that decide what [`header`] and [`library`] find.
pub const VARIABLES: [&str; 5] =
    ["ADIOS2_DIR", "CMAKE_PREFIX_PATH", "FSZ_CACHE", "XDG_CACHE_HOME", "HOME"];

/// No ADIOS2 anywhere: the places that were looked at, in order.
#[derive(Debug, Clone)]
pub struct NotFound {
    wanted: &'static str,
    places: Vec<String>,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "ADIOS2 not found: no {} in any of these places, in this order:", self.wanted)?;
        for place in &self.places {
            writeln!(f, "  {place}")?;
        }
        write!(
            f,
            "Install ADIOS2 2.12 or newer (for instance `pip install adios2`, or `cargo xtask \
             setup`) or set ADIOS2_DIR to its installation prefix."
        )
    }
}

impl std::error::Error for NotFound {}

/// The folder that holds `adios2_c.h`.
///
/// # Errors
/// [`NotFound`], listing the places looked at.
pub fn header() -> Result<PathBuf, NotFound> {
    find("header adios2_c.h", |root| {
        let include = root.join("include");
        include.join("adios2_c.h").is_file().then_some(include)
    })
}

/// The shared library of the C API without MPI.
///
/// # Errors
/// [`NotFound`], listing the places looked at.
pub fn library() -> Result<PathBuf, NotFound> {
    // The Python package keeps its libraries beside `include`; CMake and distributions below lib.
    const FOLDERS: [&str; 5] =
        ["", "lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"];
    find("library libadios2_c", |root| {
        FOLDERS.iter().find_map(|folder| c_library_in(&root.join(folder)))
    })
}

/// A name such as `libadios2_c.so`, `libadios2_c.so.2.12`, `libadios2_serial_c.so.2.12` or
/// `libadios2_c.dylib`; the shortest one, so that a development link wins over a versioned file.
fn c_library_in(folder: &Path) -> Option<PathBuf> {
    let is_c_library = |name: &str| {
        name.starts_with("libadios2")
            && !name.contains("_mpi")
            && (name.contains("_c.so") || name.ends_with("_c.dylib"))
    };
    fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| is_c_library(name))
        .min_by_key(|name| (name.len(), name.clone()))
        .map(|name| folder.join(name))
}

/// Tries each place in turn; within a place, each root that the kind of place can mean.
fn find(
    wanted: &'static str,
    accept: impl Fn(&Path) -> Option<PathBuf>,
) -> Result<PathBuf, NotFound> {
    let mut places = Vec::new();
    let mut look = |source: &str, given: Option<PathBuf>, absent: &str| {
        let Some(given) = given else {
            places.push(format!("{source} ({absent})"));
            return None;
        };
        let found = roots(&given).iter().find_map(|root| accept(root));
        places.push(format!("{source}: {}", given.display()));
        found
    };

    if let Some(found) = look("ADIOS2_DIR", path_variable("ADIOS2_DIR"), "not set") {
        return Ok(found);
    }
    let prefixes = env::var_os("CMAKE_PREFIX_PATH").unwrap_or_default();
    let prefixes: Vec<_> =
        env::split_paths(&prefixes).filter(|p| !p.as_os_str().is_empty()).collect();
    if prefixes.is_empty() {
        look("CMAKE_PREFIX_PATH", None, "not set");
    }
    for prefix in prefixes {
        if let Some(found) = look("CMAKE_PREFIX_PATH", Some(prefix), "") {
            return Ok(found);
        }
    }
    let package = python_package();
    if let Some(found) = look("Python package of python3", package, "python3 has no adios2") {
        return Ok(found);
    }
    let provisioned = cache_folder().map(|cache| cache.join(PROVISIONED));
    if let Some(found) = look("FSZ cache folder", provisioned, "no home folder") {
        return Ok(found);
    }
    Err(NotFound { wanted, places })
}

/// The roots that a given path may mean: itself; the prefix above a CMake package folder
/// (`<prefix>/lib/cmake/adios2`); the Python package inside a virtual environment.
fn roots(given: &Path) -> Vec<PathBuf> {
    let mut roots = vec![given.to_path_buf()];
    if let Some(cmake) = given.ancestors().take(2).find(|folder| folder.ends_with("cmake")) {
        roots.extend(cmake.ancestors().skip(1).take(2).map(Path::to_path_buf));
    }
    if let Ok(versions) = fs::read_dir(given.join("lib")) {
        let packages = versions
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
            .map(|entry| entry.path().join("site-packages/adios2"));
        roots.extend(packages);
    }
    roots
}

/// The folder of the Python package, asked of `python3` without importing it.
fn python_package() -> Option<PathBuf> {
    const SCRIPT: &str = "import importlib.util as u; s = u.find_spec('adios2'); \
                          print(s.submodule_search_locations[0] if s else '')";
    let output = Command::new("python3").args(["-c", SCRIPT]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let path = text.trim();
    (output.status.success() && !path.is_empty()).then(|| PathBuf::from(path))
}

/// The folder where set-up puts what it provisions: `$FSZ_CACHE`, else `$XDG_CACHE_HOME/fsz`, else
/// `~/.cache/fsz`. None without a home folder.
pub fn cache_folder() -> Option<PathBuf> {
    path_variable("FSZ_CACHE")
        .or_else(|| path_variable("XDG_CACHE_HOME").map(|folder| folder.join("fsz")))
        .or_else(|| path_variable("HOME").map(|home| home.join(".cache/fsz")))
}

fn path_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
