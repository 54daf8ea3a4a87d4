//! `cargo xtask fatbin`: the kernels compiled beforehand, for builds with the feature `fatbin`.

use crate::cargo::{apart, cargo, root, target};
use crate::features::CODEC_AS_IT_IS;
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
    println!("compiling {} modules for {} architectures", MODULES.len(), CAPABILITIES.len());
    let folder = make(&target().join("fatbin"), |module, nvcc| {
        for capability in CAPABILITIES {
            nvcc.arg("-gencode").arg(format!("arch=compute_{capability},code=sm_{capability}"));
        }
        nvcc.arg(format!("cuda/{module}.cu"));
    })?;
    println!("# the kernels for compute capabilities {CAPABILITIES:?}; a build carries them with");
    println!("export FSZ_FATBIN='{}'", folder.display());
    println!(
        "#   cargo build --release -p fsz-cli --features fatbin, cargo xtask install, install-c, wheel"
    );
    Ok(())
}

/// Whether a build carries them: with the PTX in their place, which takes seconds.
pub fn check() -> Result<()> {
    let folder = make(&target().join("fatbin-check"), |module, nvcc| {
        nvcc.args(["-gencode", "arch=compute_80,code=compute_80"]);
        nvcc.arg(format!("cuda/ptx/{module}_compute_80.ptx"));
    })?;
    let mut test = cargo()?;
    test.args(["test", "--quiet", "--locked", "-p", "fsz-codec", "--features", "fatbin", "--lib"]);
    test.args(CODEC_AS_IT_IS);
    // Where the package is built: most of what both need.
    test.arg("fatbin").env("CARGO_TARGET_DIR", apart());
    process::run(test.env("FSZ_FATBIN", folder))
}

/// Makes the file of each module in a folder; `source` adds what it is compiled from, and for which devices.
fn make(folder: &Path, source: impl Fn(&str, &mut Command)) -> Result<PathBuf> {
    tools::require_cxx()?;
    let toolkit = {
        let _lock = cache::lock()?;
        setup::cuda_toolkit()?
    };
    fs::create_dir_all(folder)?;
    let compiler = |&(module, _): &(&str, &[u32])| {
        let mut nvcc = Command::new(toolkit.join("bin/nvcc"));
        nvcc.current_dir(root()).args(["-std=c++17", "-O3", "-Icuda", "-fatbin"]);
        source(module, &mut nvcc);
        nvcc.arg("-o").arg(folder.join(format!("{module}.fatbin")));
        nvcc
    };
    process::run_all(MODULES.iter().map(compiler).collect())?;
    Ok(fs::canonicalize(folder)?)
}
