//! The stage that tests the codec for the Rust crate zarrs, which is outside the workspace.

use super::report::Report;
use crate::cargo::{cargo, root, target};
use crate::process;
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// Lints and tests.
pub fn run(_: &mut Report) -> Result<()> {
    process::run(build()?.args([
        "clippy",
        "--quiet",
        "--locked",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))?;
    process::run(build()?.args(["test", "--quiet", "--locked"]))
}

/// Its example, with which the Python package's tests exchange stores.
pub fn program() -> Result<PathBuf> {
    process::run(build()?.args(["build", "--quiet", "--locked", "--example", "store"]))?;
    Ok(target().join("debug/examples/store"))
}

/// Builds into the folder of the main workspace, where most of what both need lies already.
fn build() -> Result<Command> {
    let mut command = cargo()?;
    command.current_dir(root().join("plugins/zarrs")).env("CARGO_TARGET_DIR", target());
    Ok(command)
}
