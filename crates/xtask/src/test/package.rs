//! The stage that packs the codec as `cargo publish` would, and uses it where the repository is not.

use super::report::Report;
use crate::cargo::{cargo, target};
use crate::process;
use anyhow::{Context, Result};
use std::fs;
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
    let folder = Temporary::new()?;
    let crate_file = pack()?;
    let mut unpack = Command::new("tar");
    unpack.args(["-xzf", &crate_file.display().to_string(), "-C"]).arg(&folder.0);
    process::run(&mut unpack)?;
    let name = crate_file.file_stem().context("a package has a name")?;
    fs::rename(folder.0.join(name), folder.0.join("fsz-codec")).context("nothing was packed")?;
    fs::create_dir(folder.0.join("src")).context("cannot create a folder")?;
    for (file, text) in [
        ("Cargo.toml", MANIFEST),
        ("src/main.rs", include_str!("package/program.rs")),
        // The versions that are here already.
        ("Cargo.lock", include_str!("../../../../Cargo.lock")),
    ] {
        fs::write(folder.0.join(file), text).with_context(|| format!("cannot write {file}"))?;
    }
    let mut run = cargo()?;
    run.current_dir(&folder.0).args(["run", "--quiet"]);
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

/// An empty folder outside the repository, removed when dropped.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("fsz-package-{}", std::process::id()));
        fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Temporary(folder))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A leftover in the temporary folder does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}
