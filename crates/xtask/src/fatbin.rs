//! `cargo xtask fatbin`: the kernels compiled beforehand, for builds with the feature `fatbin`.

use crate::cargo::{root, target};
use crate::ptx::MODULES;
use crate::{cache, process, setup, tools};
use anyhow::{Result, ensure};
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of their addresses in a program.
const ALIGNMENT: usize = 16;

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

/// A folder of them with the PTX in the place of what it is compiled to, which takes seconds: for a build that is to carry
/// them.
pub fn small() -> Result<PathBuf> {
    make(&target().join("fatbin-check"), |module, nvcc| {
        nvcc.args(["-gencode", "arch=compute_80,code=compute_80"]);
        nvcc.arg(format!("cuda/ptx/{module}_compute_80.ptx"));
    })
}

/// Fails where a program does not carry those of a folder, each at an address that the driver reads whole words from.
pub fn check(program: &Path, folder: &Path) -> Result<()> {
    let bytes = fs::read(program)?;
    for (module, _) in MODULES {
        let image = fs::read(folder.join(format!("{module}.fatbin")))?;
        // In memory what is in a file lies as it does there, but for whole pages.
        let mut places = (0..bytes.len()).step_by(ALIGNMENT);
        ensure!(
            places.any(|at| bytes[at..].starts_with(&image)),
            "{} does not carry the compiled kernels of {module}",
            program.display()
        );
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_carries_every_module_at_its_address() {
        let folder = tempfile::tempdir().unwrap();
        let image = |module: &str| format!("compiled {module:<40}").into_bytes();
        for (module, _) in MODULES {
            fs::write(folder.path().join(format!("{module}.fatbin")), image(module)).unwrap();
        }
        let program = folder.path().join("program");
        let carried = |shift: usize, modules: &[(&str, &[u32])]| {
            let mut bytes = vec![0; shift];
            for (module, _) in modules {
                bytes.extend(image(module));
                bytes.resize(bytes.len().next_multiple_of(ALIGNMENT) + shift, 0);
            }
            fs::write(&program, bytes).unwrap();
            check(&program, folder.path())
        };
        carried(0, &MODULES).unwrap();
        carried(2 * ALIGNMENT, &MODULES).unwrap();
        carried(4, &MODULES).unwrap_err();
        for left_out in 0..MODULES.len() {
            let others = [&MODULES[..left_out], &MODULES[left_out + 1..]].concat();
            let told = carried(0, &others).unwrap_err().to_string();
            assert!(told.ends_with(MODULES[left_out].0), "{told}");
        }
    }
}
