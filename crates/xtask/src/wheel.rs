//! `cargo xtask wheel`: the Python package as wheels in `target/wheels`.

use crate::cargo::{cargo, root, target};
use crate::features::compiled_kernels;
use crate::{cache, process, setup, tools};
use anyhow::{Context, Result};
use fs_err as fs;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a wheel is compiled.
#[derive(Clone, Copy)]
pub enum Profile {
    /// For users.
    Release,
    /// For tests: overflow is checked, and a build takes half the time. The codec is optimised all the same.
    Dev,
}

impl Profile {
    /// The folder of what cargo builds by it.
    fn folder(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Dev => "debug",
        }
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Profile::Release => &["--release"],
            Profile::Dev => &[],
        }
    }
}

/// The free-threaded interpreter, whose modules the stable ABI of the others does not cover.
const FREE_THREADED: &str = "python3.14t";

/// Builds the wheel for CPython 3.11 and newer, and that for the free-threaded interpreter, if one is found.
pub fn run() -> Result<()> {
    let wheel = build(&tools::python()?, Profile::Release)?;
    println!("{}", wheel.display());
    match free_threaded() {
        Some(python) => println!("{}", build(&python, Profile::Release)?.display()),
        None => println!("SKIPPED: the free-threaded wheel: no {FREE_THREADED} on the PATH"),
    }
    Ok(())
}

/// The free-threaded interpreter, if there is one.
pub fn free_threaded() -> Option<OsString> {
    process::succeeds(Command::new(FREE_THREADED).args(["-c", ""])).then(|| FREE_THREADED.into())
}

/// Builds the wheel for an interpreter; where it lies.
pub fn build(python: &OsString, profile: Profile) -> Result<PathBuf> {
    let folder = target().join("wheels");
    let build = build_folder();
    let made = build.join("wheels");
    crate::folder::empty(&made)?;
    put(&filter(profile)?.library)?;
    let mut maturin = Command::new(maturin()?);
    maturin
        .current_dir(root())
        .envs(cargo_environment()?)
        .arg("build")
        .args(profile.options())
        .args(["--locked", "--quiet", "--manifest-path"])
        .arg(root().join("crates/fsz-python/Cargo.toml"))
        .args(compiled_kernels("fsz-python"))
        .arg("--interpreter")
        .arg(python)
        .arg("--out")
        .arg(&made)
        .env("CARGO_TARGET_DIR", &build);
    process::run(&mut maturin).context("the wheel cannot be built")?;
    let wheel = only_file(&made)?;
    fs::create_dir_all(&folder)?;
    let place = folder.join(wheel.file_name().context("a wheel has a name")?);
    fs::copy(&wheel, &place)?;
    Ok(place)
}

/// The HDF5 filter, and what its tests compare the bytes of chunks with.
pub struct Filter {
    pub library: PathBuf,
    pub stream: PathBuf,
}

/// Builds the HDF5 filter that the wheel contains.
pub fn filter(profile: Profile) -> Result<Filter> {
    let mut build = cargo()?;
    build.arg("build").args(profile.options());
    build.args(["--quiet", "--locked", "--package", "fsz-hdf5"]);
    // Together with the module's features, so that the codec is built once for both. The module itself has
    // no such example, and is left to maturin.
    build.args(["--package", "fsz-python", "--example", "stream"]);
    build.args(compiled_kernels("fsz-python"));
    process::run(build.env("CARGO_TARGET_DIR", build_folder()))?;
    let built = build_folder().join(profile.folder());
    Ok(Filter {
        library: built.join(format!("deps/{DLL_PREFIX}fsz_hdf5{DLL_SUFFIX}")),
        stream: built.join(format!("examples/stream{EXE_SUFFIX}")),
    })
}

/// Puts the filter where the wheel takes it from.
fn put(filter: &Path) -> Result<()> {
    let folder = root().join("crates/fsz-python/python/fsz_codec/plugins");
    crate::folder::empty(&folder)?;
    fs::copy(filter, folder.join(filter.file_name().context("the filter has a name")?))?;
    Ok(())
}

/// The folder that wheels are built in, with cargo's own layout. Aside, so that what maturin tells the build
/// scripts does not have the other builds begin anew.
fn build_folder() -> PathBuf {
    target().join("wheel")
}

fn maturin() -> Result<PathBuf> {
    let _lock = cache::lock()?;
    setup::MATURIN.provide()?;
    setup::MATURIN.program("maturin")
}

/// maturin calls the cargo that runs this program.
fn cargo_environment() -> Result<Vec<(OsString, OsString)>> {
    let mut variables: Vec<(OsString, OsString)> =
        setup::variables()?.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    variables.push(("CARGO".into(), cargo()?.get_program().to_owned()));
    Ok(variables)
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?;
    let file = files.next().context("maturin made no wheel")??;
    Ok(file.path())
}
