//! `cargo xtask gpu-put`: ADIOS2 with CUDA, which takes device memory with and without an operator,
//! built once into the cache from its pinned source.

use crate::{cache, mpi, process, setup};
use anyhow::{Context, Result};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the cache that the finished ADIOS2 lies in.
const FOLDER: &str = "adios2-2.12.1-cuda";

/// Builds it, unless a finished one is there.
pub fn run() -> Result<()> {
    let done = mpi::provide(FOLDER, "CUDA", |work| {
        let toolkit = toolkit(work)?;
        // Its few kernels find minima and maxima; compute capability 80 is the oldest that FSZ runs on,
        // and the PTX beside it is for all later ones.
        Ok(vec![
            "-DADIOS2_USE_MPI=OFF".into(),
            "-DADIOS2_USE_SST=OFF".into(),
            "-DADIOS2_USE_CUDA=ON".into(),
            "-DCMAKE_CUDA_ARCHITECTURES=80;90".into(),
            format!("-DCMAKE_CUDA_COMPILER={}", toolkit.join("bin/nvcc").display()),
            format!("-DCUDAToolkit_ROOT={}", toolkit.display()),
        ])
    })?;
    println!("export FSZ_CUDA_ADIOS2='{}'", done.display());
    Ok(())
}

/// Where the tests find what `run` has built: nothing when it has not been asked for.
pub fn test_variables() -> Result<Vec<(&'static str, PathBuf)>> {
    let done = cache::folder()?.join(FOLDER);
    Ok(done.is_dir().then_some(("FSZ_CUDA_ADIOS2", done)).into_iter().collect())
}

/// The CUDA compiler as CMake looks for it: the packages have neither `lib64` nor unversioned names.
fn toolkit(work: &Path) -> Result<PathBuf> {
    let package = {
        let _lock = cache::lock()?;
        setup::cuda_toolkit()?
    };
    let copy = work.join("cuda");
    // nvcc looks for its parts beside its own real place, so links would lead back to the package.
    process::run(Command::new("cp").arg("-r").arg(package).arg(&copy))?;
    for (name, target) in [("lib/libcudart.so", "libcudart.so.13"), ("lib64", "lib")] {
        let link = copy.join(name);
        symlink(target, &link).with_context(|| format!("cannot make {}", link.display()))?;
    }
    Ok(copy)
}
