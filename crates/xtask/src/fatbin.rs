//! `cargo xtask fatbin`: the kernels compiled beforehand, for builds with the feature `fatbin`.

use crate::cargo::{cargo, root, target};
use crate::ptx::MODULES;
use crate::{cache, process, setup, tools};
use anyhow::Result;
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compute capabilities of data centre and workstation devices from Ampere to Blackwell.
const CAPABILITIES: [u32; 6] = [80, 86, 89, 90, 100, 120];

/// Compiles all modules for all devices, and says how to build with them.
pub fn run() -> Result<()> {
    let folder = make(&target().join("fatbin"), &CAPABILITIES)?;
    println!("# the kernels for compute capabilities {CAPABILITIES:?}; a build carries them with");
    println!("export FSZ_FATBIN='{}'", folder.display());
    println!("#   cargo build --release -p fsz-cli --features fsz/fatbin");
    Ok(())
}

/// Whether a build carries them: with the kernels for one device, for the sake of time.
pub fn check() -> Result<()> {
    let folder = make(&target().join("fatbin-check"), &CAPABILITIES[3..4])?;
    let mut test = cargo()?;
    test.args(["test", "--quiet", "--locked", "-p", "fsz-codec", "--features", "fatbin", "--lib"]);
    // Where the package is built: most of what both need.
    test.arg("fatbin").env("CARGO_TARGET_DIR", target().join("package-check"));
    process::run(test.env("FSZ_FATBIN", folder))
}

fn make(folder: &Path, capabilities: &[u32]) -> Result<PathBuf> {
    tools::require_cxx()?;
    let toolkit = {
        let _lock = cache::lock()?;
        setup::cuda_toolkit()?
    };
    fs::create_dir_all(folder)?;
    let compiler = |&(module, _): &(&str, &[u32])| {
        let mut nvcc = Command::new(toolkit.join("bin/nvcc"));
        nvcc.current_dir(root()).args(["-std=c++17", "-O3", "-Icuda", "-fatbin"]);
        for capability in capabilities {
            nvcc.arg("-gencode").arg(format!("arch=compute_{capability},code=sm_{capability}"));
        }
        nvcc.arg(format!("cuda/{module}.cu"))
            .arg("-o")
            .arg(folder.join(format!("{module}.fatbin")));
        nvcc
    };
    println!("compiling {} modules for {} architectures", MODULES.len(), capabilities.len());
    process::run_all(MODULES.iter().map(compiler).collect())?;
    Ok(fs::canonicalize(folder)?)
}
