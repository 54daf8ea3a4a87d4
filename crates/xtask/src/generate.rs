//! `cargo xtask generate`: the constants of the format for CUDA and WGSL, from those of the codec.

use crate::cargo::cargo;
use crate::process;
use anyhow::Result;

/// Writes them, or with `check` fails where the committed ones differ.
pub fn run(check: bool) -> Result<()> {
    let mut generate = cargo()?;
    generate.args(["run", "--quiet", "--locked", "-p", "fsz-generate", "--"]);
    process::run(generate.args(check.then_some("--check")))
}
