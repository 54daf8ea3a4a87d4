//! `cargo xtask fuzz`: runs the fuzz targets of the codec. Needs a nightly toolchain.

use crate::cargo::{root, target, tool};
use crate::process;
use anyhow::{Context, Result, bail};
use std::fs;
use std::process::Command;

const TARGETS: [&str; 3] = ["decode", "header", "roundtrip"];

/// Inputs of a few KB reach every part of the format; longer ones only cost speed.
const LARGEST_INPUT: &str = "-max_len=16384";

/// A stream of s bytes stands for 64·s elements at most, so no call may want more than this.
const LARGEST_ALLOCATION: &str = "-malloc_limit_mb=256";

/// Runs every target, or the one named, for so many seconds each.
pub fn run(seconds: u32, only: Option<&str>) -> Result<()> {
    let targets: Vec<&str> =
        TARGETS.into_iter().filter(|t| only.is_none_or(|name| name == *t)).collect();
    if targets.is_empty() {
        bail!("no such target; there are {}", TARGETS.join(", "));
    }
    if !process::succeeds(Command::new("rustup").args(["run", "nightly", "rustc", "--version"])) {
        bail!("fuzzing needs a nightly toolchain: rustup toolchain install nightly");
    }
    let cargo_fuzz = tool("cargo-fuzz", "0.13.2")?;
    let fuzz = root().join("crates/fsz/fuzz");
    for name in targets {
        println!("fuzzing {name} for {seconds} s");
        // New inputs go into the first folder; the others are read, and stay as they are.
        let found = target().join("fuzz-corpus").join(name);
        fs::create_dir_all(&found).with_context(|| format!("cannot create {}", found.display()))?;
        let mut command = Command::new("rustup");
        command.current_dir(&fuzz).args(["run", "nightly"]).arg(&cargo_fuzz);
        command.args(["fuzz", "run", "--fuzz-dir"]).arg(&fuzz).arg(name);
        command.arg(&found).arg(fuzz.join("corpus").join(name));
        if name == "decode" {
            command.arg(root().join("tests/golden/v1"));
        }
        command.args(["--", LARGEST_INPUT, LARGEST_ALLOCATION, "-timeout=10"]);
        command.arg(format!("-max_total_time={seconds}")).arg("-print_final_stats=1");
        process::run(&mut command)
            .with_context(|| format!("the target `{name}` found something"))?;
    }
    Ok(())
}
