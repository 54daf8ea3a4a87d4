//! `cargo xtask fuzz`: runs the fuzz targets of the codec. Needs a nightly toolchain.

mod archive;

use crate::cargo::{root, target, tool};
use crate::{folder, process};
use anyhow::{Context, Result, bail};
use fs_err as fs;
use std::path::PathBuf;
use std::process::Command;

const TARGETS: [&str; 3] = ["decode", "header", "roundtrip"];

/// Inputs of a few KB reach every part of the format; longer ones only cost speed.
const LARGEST_INPUT: &str = "-max_len=16384";

/// A stream of s bytes stands for 64·s elements at most, so no call may want more than this.
const LARGEST_ALLOCATION: &str = "-malloc_limit_mb=256";

/// Inputs take milliseconds; a busy machine may stop for seconds in the middle of one.
const LONGEST_INPUT: &str = "-timeout=60";

/// Runs every target, or the one named, for so many seconds each.
pub fn run(seconds: u32, only: Option<&str>) -> Result<()> {
    for name in targets(only)? {
        println!("fuzzing {name} for {seconds} s");
        // New inputs go into the first folder; the others are read, and stay as they are.
        let mut command = fuzz(name)?;
        command.arg(found(name)?).arg(stored(name)?);
        if name == "decode" {
            command.arg(root().join("tests/golden/v1"));
        }
        command.args(["--", LARGEST_INPUT, LARGEST_ALLOCATION, LONGEST_INPUT]);
        command.arg(format!("-max_total_time={seconds}")).arg("-print_final_stats=1");
        process::run(&mut command)
            .with_context(|| format!("the target `{name}` found something"))?;
    }
    Ok(())
}

/// Stores what earlier runs found beside what is stored already: the fewest inputs that reach as much of
/// the code.
pub fn keep() -> Result<()> {
    for name in TARGETS {
        let fewest = target().join("fuzz-fewest").join(name);
        folder::empty(&fewest)?;
        let mut command = fuzz(name)?;
        command.arg(&fewest).arg(stored(name)?).arg(found(name)?);
        process::run(command.args(["--", "-merge=1", LARGEST_INPUT]))?;
        let kept = archive::pack(&fewest, &corpus(name))?;
        println!("{name}: {kept} inputs stored in {}", corpus(name).display());
    }
    Ok(())
}

fn targets(only: Option<&str>) -> Result<Vec<&'static str>> {
    let targets: Vec<_> =
        TARGETS.into_iter().filter(|t| only.is_none_or(|name| name == *t)).collect();
    if targets.is_empty() {
        bail!("no such target; there are {}", TARGETS.join(", "));
    }
    Ok(targets)
}

/// `cargo fuzz run` of a target, which takes folders of inputs, `--` and libFuzzer's options.
fn fuzz(name: &str) -> Result<Command> {
    if !process::succeeds(Command::new("rustup").args(["run", "nightly", "rustc", "--version"])) {
        bail!("fuzzing needs a nightly toolchain: rustup toolchain install nightly");
    }
    let folder = root().join("crates/fsz/fuzz");
    let mut command = Command::new("rustup");
    command.current_dir(&folder).args(["run", "nightly"]).arg(tool("cargo-fuzz", "0.13.2")?);
    command.args(["fuzz", "run", "--fuzz-dir"]).arg(&folder).arg(name);
    Ok(command)
}

/// The archive of a target's inputs.
fn corpus(name: &str) -> PathBuf {
    root().join("crates/fsz/fuzz/corpus").join(name)
}

/// The folder that a target's new inputs are collected in.
fn found(name: &str) -> Result<PathBuf> {
    let folder = target().join("fuzz-corpus").join(name);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The stored inputs of a target, unpacked.
fn stored(name: &str) -> Result<PathBuf> {
    let folder = target().join("fuzz-stored").join(name);
    folder::empty(&folder)?;
    archive::unpack(&corpus(name), &folder)?;
    Ok(folder)
}
