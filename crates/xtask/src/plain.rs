//! `cargo xtask check-plain`: plain `cargo build` and `cargo test` need a Rust toolchain and a linker,
//! and no ADIOS2, CMake, libclang, C++ compiler or CUDA.

use crate::cargo::{cargo, root, target};
use crate::process;
use anyhow::{Context, Result, bail};
use fs_err as fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates that call for something beyond a Rust toolchain.
const FORBIDDEN: [&str; 6] =
    ["adios2-sys", "bindgen", "clang-sys", "cmake", "zfp-sys", "cxx-build"];

/// All that the linker needs; no `c++`, no `cmake`, no `python3`.
const PROGRAMS: [&str; 5] = ["cc", "ld", "as", "ar", "sh"];

/// Checks the dependencies by name, then builds in an environment that has none of those tools.
pub fn run() -> Result<()> {
    check_tree()?;
    check_build()
}

fn check_tree() -> Result<()> {
    let mut tree = cargo()?;
    tree.args(["tree", "--edges", "normal,build,dev", "--prefix", "none", "--format", "{p}"]);
    let text = process::stdout(&mut tree)?;
    let names: Vec<&str> = text.lines().filter_map(|l| l.split(' ').next()).collect();
    if let Some(bad) = FORBIDDEN.iter().find(|bad| names.contains(bad)) {
        bail!("a plain build depends on `{bad}`: put it behind a feature or a non-default member");
    }
    Ok(())
}

fn check_build() -> Result<()> {
    let folder = target().join("plain");
    let bin = folder.join("bin");
    fs::create_dir_all(&bin)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    for program in PROGRAMS {
        let link = bin.join(program);
        let Some(found) = find(program, &path) else { bail!("no `{program}` on the PATH") };
        if !link.exists() {
            symlink(&found, &link).with_context(|| format!("cannot link {}", link.display()))?;
        }
    }
    check(&folder, &bin, &["--all-targets"])?;
    // The library as `plugins/zarrs` takes it.
    check(&folder, &bin, &["--package", "fsz-codec", "--no-default-features"])
}

/// Checks members so, in the folder, with nothing but the programs in `bin`.
fn check(folder: &Path, bin: &Path, what: &[&str]) -> Result<()> {
    let mut build = Command::new(toolchain("cargo")?);
    build
        .current_dir(root())
        .args(["check", "--quiet", "--locked"])
        .args(what)
        .env_clear()
        .env("PATH", bin)
        .env("RUSTC", toolchain("rustc")?)
        // A warning of a feature that is off is seen by nobody else.
        .env("RUSTFLAGS", "-Dwarnings")
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("FSZ_CACHE", folder.join("no-cache"));
    for name in ["HOME", "CARGO_HOME", "HTTPS_PROXY", "https_proxy", "SSL_CERT_FILE"] {
        if let Some(value) = std::env::var_os(name) {
            build.env(name, value);
        }
    }
    process::run(&mut build).context("plain cargo does not build here")
}

/// The first file of this name on the search path.
fn find(program: &str, path: &std::ffi::OsStr) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// A program of the toolchain itself: rustup's stand-ins would look for others on the PATH.
fn toolchain(program: &str) -> Result<PathBuf> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let sysroot = process::stdout(rustc.current_dir(root()).args(["--print", "sysroot"]))?;
    Ok(Path::new(sysroot.trim()).join("bin").join(program))
}
