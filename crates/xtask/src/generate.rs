//! `cargo xtask generate`: the constants of the format for CUDA and WGSL, from those of the codec.

use crate::cargo::{cargo, root, target};
use crate::features::build_all;
use crate::process;
use anyhow::Result;
use std::process::Command;

/// Writes them, or with `check` fails where the committed ones differ.
pub fn run(check: bool) -> Result<()> {
    let mut generate = cargo()?;
    generate.args(["run", "--quiet", "--locked", "-p", "fsz-generate", "--"]);
    process::run(generate.args(check.then_some("--check")))
}

/// Fails where the committed ones differ, by the program of the whole build.
pub fn check() -> Result<()> {
    build_all()?;
    let mut generate = Command::new(target().join("debug/fsz-generate"));
    process::run(generate.current_dir(root()).arg("--check"))
}
