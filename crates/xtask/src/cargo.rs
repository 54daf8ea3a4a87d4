//! Calls of cargo, with what set-up provided in their environment.

use crate::{cache, process, setup};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
pub fn root() -> &'static Path {
    // Two levels above this crate; it was built there and is run there.
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."))
}

/// The cargo that runs this program, in the repository's root.
pub fn cargo() -> Result<Command> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).envs(setup::variables()?);
    Ok(command)
}

/// The folder that cargo builds into.
pub fn target() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").filter(|v| !v.is_empty());
    named.map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// A folder for builds beside the others: of the package as published, and of the fuzz targets.
pub fn apart() -> PathBuf {
    target().join("apart")
}

/// The program of a package, installed at exactly this version into the cache folder.
pub fn tool(name: &str, version: &str) -> Result<PathBuf> {
    tool_of(name, name, version)
}

/// One program of a package that has several.
pub fn tool_of(name: &str, program: &str, version: &str) -> Result<PathBuf> {
    let entry = format!("{name}-{version}");
    let folder = cache::folder()?.join(&entry);
    let program = folder.join("bin").join(program);
    let _lock = cache::lock_of(&entry)?;
    if !process::succeeds(Command::new(&program).arg("--version")) {
        println!("installing {name} {version} into {}", folder.display());
        // Without optimisation it is built in a third of the time and still fast enough.
        let mut install = cargo()?;
        install
            .args(["install", "--quiet", "--locked", "--force", name, "--version", version])
            .args(["--profile", "dev", "--config", "profile.dev.debug=0"])
            .arg("--target-dir")
            .arg(folder.join("build"))
            .arg("--root")
            .arg(&folder);
        process::run(&mut install).with_context(|| {
            format!("cannot install {name}; `cargo install {name} --version {version}` does it")
        })?;
        std::fs::remove_dir_all(folder.join("build")).context("cannot remove the build folder")?;
    }
    Ok(program)
}
