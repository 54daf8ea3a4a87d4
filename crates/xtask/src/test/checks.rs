//! The stages that read the sources and do not run them.

use super::report::Report;
use crate::cargo::{apart, cargo, root};
use crate::features::ALL_FEATURES;
use crate::{cache, process, ptx, public_api, setup};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// rustfmt on Rust; the pinned clang-format on C++ and CUDA.
pub fn format(_: &mut Report) -> Result<()> {
    process::run(cargo()?.args(["fmt", "--all", "--check"]))?;
    for other in ["crates/fsz/fuzz", "plugins/zarrs"] {
        process::run(cargo()?.current_dir(root().join(other)).args(["fmt", "--check"]))?;
    }
    let sources = cpp_sources()?;
    if !sources.is_empty() {
        {
            let _lock = cache::lock()?;
            setup::CLANG_FORMAT.provide()?;
        }
        let mut check = Command::new(setup::CLANG_FORMAT.program("clang-format")?);
        check.current_dir(root()).args(["--dry-run", "--Werror"]).args(sources);
        process::run(&mut check)?;
    }
    Ok(())
}

/// The C++ and CUDA files that git knows or would add.
fn cpp_sources() -> Result<Vec<PathBuf>> {
    let mut list = Command::new("git");
    list.current_dir(root())
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "--"])
        .args(["*.c", "*.cpp", "*.hpp", "*.h", "*.cu", "*.cuh"]);
    let text = process::stdout(&mut list)?;
    Ok(text.lines().map(PathBuf::from).filter(|f| root().join(f).exists()).collect())
}

/// `cargo deny`; the advisories are a download, so without a network that part is left out.
pub fn deny(report: &mut Report) -> Result<()> {
    {
        let _lock = cache::lock()?;
        setup::CARGO_DENY.provide()?;
    }
    let deny = setup::CARGO_DENY.program("cargo-deny")?;
    let run = |words: &[&str]| {
        let mut command = Command::new(&deny);
        command.current_dir(root()).args(words);
        command
    };
    process::run(&mut run(&["--log-level", "error", "check", "bans", "licenses", "sources"]))?;
    if process::succeeds(&mut run(&["fetch", "db"])) {
        process::run(&mut run(&["--log-level", "error", "check", "advisories"]))?;
    } else {
        report.skip("cargo deny check advisories", "the advisory database cannot be fetched");
    }
    Ok(())
}

pub fn clippy(report: &mut Report) -> Result<()> {
    let mut clippy = cargo()?;
    clippy.args(["clippy", "--workspace", "--all-targets", "--locked"]).args(ALL_FEATURES);
    process::run(clippy.args(["--", "-D", "warnings"]))?;
    // What is written for one processor is left out for another: of plain cargo's members it compiles for both.
    let other = if cfg!(target_arch = "aarch64") {
        "x86_64-unknown-linux-gnu"
    } else {
        "aarch64-unknown-linux-gnu"
    };
    let mut place = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let place = process::stdout(place.args(["--print", "target-libdir", "--target", other]))?;
    if !Path::new(place.trim()).is_dir() {
        report.skip("clippy for another processor", &format!("`rustup target add {other}` has it"));
        return Ok(());
    }
    let mut clippy = cargo()?;
    clippy.args(["clippy", "--locked", "--target", other]);
    process::run(clippy.args(["--", "-D", "warnings"]))
}

pub fn docs(_: &mut Report) -> Result<()> {
    let mut docs = cargo()?;
    docs.args(["doc", "--workspace", "--no-deps", "--locked"]);
    // With an example, all members and all features cargo takes the dependencies as clippy has checked them: without one
    // of these, it would check most of them once more. The programs `fsz` and `fsz-viewer` are left out, for their pages
    // would be written over those of the libraries of these names: all others have longer names, and end otherwise.
    docs.args(["--lib", "--bin", "????*[!r]", "--example", "stream"]).args(ALL_FEATURES);
    process::run(docs.env("RUSTDOCFLAGS", "-D warnings"))
}

pub fn public_api(report: &mut Report) -> Result<()> {
    if !public_api::check()? {
        report.skip(
            "crates/fsz/public-api.txt",
            "this toolchain's rustdoc writes another version of JSON",
        );
    }
    Ok(())
}

/// The CUDA compiler comes for Linux alone among the systems that these stages run on.
pub fn ptx(report: &mut Report) -> Result<()> {
    if cfg!(target_os = "linux") {
        return ptx::check_one();
    }
    report.skip("the PTX in cuda/ptx", "no CUDA compiler for this system");
    Ok(())
}

/// The fuzz crate is outside the workspace: its targets must build, and take the stored inputs.
pub fn fuzz(_: &mut Report) -> Result<()> {
    for words in [["test", "--lib"], ["build", "--bins"]] {
        let mut cargo = cargo()?;
        cargo.current_dir(root().join("crates/fsz/fuzz")).args(words).args(["--quiet", "--locked"]);
        process::run(cargo.env("CARGO_TARGET_DIR", apart()))?;
    }
    Ok(())
}
