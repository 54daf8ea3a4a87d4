//! `cargo xtask ptx`: compiles the kernels in `cuda/` to the PTX in `cuda/ptx`, which the codec embeds;
//! `--check` compares instead of writing. The compiler is pinned, so the same sources give the same text.

use crate::{cache, process, setup::Environment};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// nvcc from NVIDIA's wheels. They hold only what compiling needs, no driver.
const CUDA: Environment = Environment {
    folder: "cuda-13.0.88",
    purpose: "nvcc 13.0 (about 200 MB)",
    requirements: &[
        "nvidia-cuda-nvcc==13.0.88",
        "nvidia-cuda-crt==13.0.88",
        "nvidia-nvvm==13.0.88",
        "nvidia-cuda-runtime==13.0.96",
        "nvidia-cuda-cccl==13.0.85",
    ],
    instead: "the PTX can be made by exactly this version only",
};

/// Modules and the architectures that each is compiled for: the oldest that has what it uses.
const MODULES: [(&str, &str); 3] = [("decompress", "80"), ("compress", "80"), ("compress", "90")];

/// Writes the PTX, or with `check` says whether it is what the sources give.
pub fn run(check: bool) -> Result<()> {
    let nvcc = nvcc()?;
    let folder = Path::new("cuda");
    let made = cache::folder()?.join("ptx");
    fs::create_dir_all(&made).with_context(|| format!("cannot create {}", made.display()))?;
    let mut stale = Vec::new();
    for (module, architecture) in MODULES {
        let name = format!("{module}_compute_{architecture}.ptx");
        let new = made.join(&name);
        process::run(
            Command::new(&nvcc)
                .args(["-ptx", "-O3", "-std=c++17"])
                .arg(format!("-arch=compute_{architecture}"))
                .arg("-o")
                .arg(&new)
                .arg(folder.join(format!("{module}.cu"))),
        )?;
        let new = fs::read(&new).with_context(|| format!("cannot read {}", new.display()))?;
        let kept = folder.join("ptx").join(&name);
        if fs::read(&kept).is_ok_and(|old| old == new) {
            continue;
        }
        if check {
            stale.push(name);
        } else {
            fs::write(&kept, new).with_context(|| format!("cannot write {}", kept.display()))?;
            println!("wrote {}", kept.display());
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    bail!("{} not what the sources in cuda/ give: run `cargo xtask ptx`", stale.join(", "))
}

/// Provides the compiler and finds it; the Python version is part of its path.
fn nvcc() -> Result<PathBuf> {
    {
        let _lock = cache::lock()?;
        CUDA.provide()?;
    }
    let lib = CUDA.path()?.join("lib");
    let versions = fs::read_dir(&lib).with_context(|| format!("cannot list {}", lib.display()))?;
    versions
        .filter_map(|entry| Some(entry.ok()?.path().join("site-packages/nvidia/cu13/bin/nvcc")))
        .find(|nvcc| nvcc.is_file())
        .with_context(|| format!("no nvcc in {}: remove that folder and try again", lib.display()))
}
