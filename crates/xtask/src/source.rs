//! Sources of pinned Python packages.

use crate::process;
use anyhow::{Result, bail};
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Downloads the source of a package (`name==version`) into a folder and unpacks it; where it lies.
///
/// `python` has the tools that build the package: pip asks the source for its metadata on the way.
pub fn unpack(python: &mut Command, package: &str, folder: &Path) -> Result<PathBuf> {
    let name = package.split('=').next().unwrap_or(package);
    process::run(
        python
            .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check"])
            .args(["--no-binary", name, "--no-deps", "--no-build-isolation", package, "-d"])
            .arg(folder),
    )?;
    let archive = only(package, folder, |file| file.ends_with(".tar.gz"))?;
    process::run(Command::new("tar").arg("xf").arg(&archive).arg("-C").arg(folder))?;
    fs::remove_file(archive)?;
    only(package, folder, |file| file.starts_with(name))
}

/// The one entry of a folder whose name `wanted` takes.
fn only(package: &str, folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<PathBuf> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if wanted(&entry.file_name().to_string_lossy()) {
            return Ok(entry.path());
        }
    }
    bail!("the source of {package} is not in {}", folder.display())
}
