//! `cargo xtask install-c`: the C library as other programs find it, laid out by cargo-c.

use crate::cargo::{cargo, root, target, tool_of};
use crate::features::{CODEC_AS_IT_IS, compiled_kernels};
use crate::install::{expect_writable, put};
use crate::{cache, folder, process};
use anyhow::{Context, Result};
use fs_err as fs;
use fsz_shell::path_word;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

const VERSION: &str = "0.10.24";

/// Which build is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// What a person uses.
    Release,
    /// What the tests use: built in less time, with checks of arithmetic.
    Debug,
}

/// Installs for a person, and says how programs find it.
pub fn run(prefix: &str) -> Result<()> {
    let prefix = std::path::absolute(prefix).with_context(|| format!("no folder `{prefix}`"))?;
    expect_writable(&prefix)?;
    install(&prefix, Build::Release)?;
    let inside = |folder: &str| path_word(&prefix.join(folder));
    println!(
        "libfsz_codec is in {prefix}. Where that is none of the system's own folders:
  export PKG_CONFIG_PATH={}    # cc app.c $(pkg-config --cflags --libs fsz-codec)
  export CMAKE_PREFIX_PATH={prefix}                # find_package(fsz_codec) in CMakeLists.txt
  export LD_LIBRARY_PATH={}              # where programs run",
        inside("lib/pkgconfig"),
        inside("lib"),
        prefix = path_word(&prefix),
    );
    Ok(())
}

/// Builds the library and puts it with all that belongs to it under `prefix`.
pub fn install(prefix: &Path, build: Build) -> Result<()> {
    let mut install = Command::new(cargo_c()?);
    // The environment is that of other calls of cargo.
    let like = cargo()?;
    install.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    install.current_dir(root());
    install.args(["cinstall", "--locked", "--package", "fsz-c", "--libdir", "lib"]);
    install.args(compiled_kernels("fsz-c"));
    // Apart from other builds: cargo-c has a cargo of its own, and two versions of it would each take the
    // other's work for stale.
    install.arg("--target-dir").arg(target().join("cargo-c"));
    if build == Build::Debug {
        install.arg("--debug").args(CODEC_AS_IT_IS);
    }
    // Aside first: cargo-c writes into the files that are there, and a program that has the library loaded would crash.
    let staged = target().join("cargo-c/staged");
    folder::empty(&staged)?;
    process::run(install.arg("--destdir").arg(&staged).arg("--prefix").arg(prefix))?;
    let inside = prefix.components().filter(|part| matches!(part, Component::Normal(_)));
    place(&staged.join(inside.collect::<PathBuf>()), prefix)?;
    folder::remove(&staged)
}

/// Puts all that lies in a folder into another one, each file whole.
fn place(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => place(&entry.path(), &to)?,
            false => put(&entry.path(), &to)?,
        }
    }
    Ok(())
}

/// The program of cargo-c. Building it takes some minutes once.
fn cargo_c() -> Result<PathBuf> {
    tool_of("cargo-c", "cargo-cinstall", VERSION)
        .with_context(|| format!("cargo-c needs OpenSSL: on Debian, {OPENSSL}"))
}

/// What brings OpenSSL on Debian.
pub const OPENSSL: &str = "apt install libssl-dev pkg-config";

/// Whether cargo-c is there, or what it is built with.
pub fn is_possible() -> Result<bool> {
    let has_openssl =
        process::succeeds(Command::new("pkg-config").args(["--exists", "openssl >= 1.1"]));
    let program = cache::folder()?.join(format!("cargo-c-{VERSION}/bin/cargo-cinstall"));
    Ok(has_openssl || program.exists())
}
