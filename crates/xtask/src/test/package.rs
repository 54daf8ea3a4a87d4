//! The stage that packs the codec as `cargo publish` would, and uses it where the repository is not.

use super::report::Report;
use crate::cargo::{cargo, target};
use crate::process;
use anyhow::{Context, Result};
use fs_err as fs;
use std::path::PathBuf;
use std::process::Command;

const MANIFEST: &str = r#"[package]
name = "first-user"
edition = "2024"

[dependencies]
fsz = { package = "fsz-codec", path = "fsz-codec" }
ndarray = "0.17"
"#;

pub fn package(_: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir().context("cannot create a folder")?;
    let crate_file = pack()?;
    let mut unpack = Command::new("tar");
    unpack.args(["-xzf", &crate_file.display().to_string(), "-C"]).arg(folder.path());
    process::run(&mut unpack)?;
    let name = crate_file.file_stem().context("a package has a name")?;
    fs::rename(folder.path().join(name), folder.path().join("fsz-codec"))
        .context("nothing was packed")?;
    fs::create_dir(folder.path().join("src")).context("cannot create a folder")?;
    for (file, text) in [
        ("Cargo.toml", MANIFEST),
        ("src/main.rs", include_str!("package/program.rs")),
        // The versions that are here already.
        ("Cargo.lock", include_str!("../../../../Cargo.lock")),
    ] {
        fs::write(folder.path().join(file), text)?;
    }
    let mut run = cargo()?;
    run.current_dir(folder.path()).args(["run", "--quiet"]);
    process::run(run.env("CARGO_TARGET_DIR", target().join("package-check")))
}

/// Packs the codec; where the package lies.
fn pack() -> Result<PathBuf> {
    let packed = target().join("package-check");
    let mut pack = cargo()?;
    pack.args(["package", "--quiet", "--package", "fsz-codec", "--no-verify", "--allow-dirty"]);
    process::run(pack.env("CARGO_TARGET_DIR", &packed))?;
    Ok(packed.join(format!("package/fsz-codec-{}.crate", env!("CARGO_PKG_VERSION"))))
}
