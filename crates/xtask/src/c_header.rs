//! `cargo xtask c-header`: the header of the C library, made from its Rust sources.
//!
//! It is committed, so that a build needs no cbindgen; this makes it and holds it to its sources.

use crate::cargo::{root, tool};
use crate::{cache, process, setup};
use anyhow::{Result, bail};
use fs_err as fs;
use std::process::Command;

const HEADER: &str = "crates/fsz-c/include/fsz_codec.h";

/// Makes it anew in the repository.
pub fn write() -> Result<()> {
    fs::write(root().join(HEADER), make()?)?;
    println!("{HEADER} written");
    Ok(())
}

/// Fails where the committed one is not what the sources make.
pub fn check() -> Result<()> {
    if fs::read_to_string(root().join(HEADER))? != make()? {
        bail!("{HEADER} is out of date: run `cargo xtask c-header` and commit it");
    }
    println!("{HEADER} matches its sources");
    Ok(())
}

fn make() -> Result<String> {
    let folder = tempfile::tempdir()?;
    let header = folder.path().join("fsz_codec.h");
    let mut generate = Command::new(tool("cbindgen", "0.29.4")?);
    generate.current_dir(root()).args(["--quiet", "--config", "crates/fsz-c/cbindgen.toml"]);
    process::run(generate.arg("crates/fsz-c").arg("--output").arg(&header))?;
    {
        let _lock = cache::lock()?;
        setup::CLANG_FORMAT.provide()?;
    }
    let mut format = Command::new(setup::CLANG_FORMAT.program("clang-format")?);
    format.arg(format!("--style=file:{}", root().join(".clang-format").display()));
    process::stdout(format.arg(&header))
}
