//! The stage that packs the codec as `cargo publish` would, and uses it where the repository is not; and that
//! installs the programs.

use super::report::Report;
use crate::cargo::{apart, cargo, root};
use crate::install_c::Build;
use crate::{fatbin, install, process};
use anyhow::{Context, Result, bail};
use fs_err as fs;
use std::path::PathBuf;
use std::process::Command;

const MANIFEST: &str = r#"[package]
name = "first-user"
edition = "2024"

[dependencies]
fsz = { package = "fsz-codec", path = "fsz-codec" }
ndarray = "0.17"

# As in the repository's workspace, so that one build serves both.
[profile.dev]
debug = "line-tables-only"
lto = "off"

[profile.dev.package."*"]
debug = false
"#;

pub fn package(report: &mut Report) -> Result<()> {
    codec()?;
    installed(report)
}

/// What is installed runs, and draws the thumbnail that a desktop asks for.
fn installed(report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir().context("cannot create a folder")?;
    install::install(folder.path(), Build::Debug)?;
    let program = |name: &str| Command::new(folder.path().join("bin").join(name));
    process::run(program("fsz-viewer").arg("--version"))?;
    for (_, program) in install::PROGRAMS {
        let page = folder.path().join(install::PAGES).join(format!("{program}.1"));
        let text = fs::read_to_string(&page)?;
        let title = text.lines().find_map(|line| line.strip_prefix(".TH "));
        let title = title.and_then(|title| title.split_whitespace().next());
        if !title.is_some_and(|title| title.eq_ignore_ascii_case(program)) {
            bail!("{} is no manual page of {program}", page.display());
        }
    }
    let licences = fs::read_dir(folder.path().join(install::LICENCE_FOLDER))?;
    if licences.filter(|file| file.is_ok()).count() != 2 {
        bail!("the licences are not installed");
    }
    let entry = fs::read_to_string(folder.path().join("share/thumbnailers/fsz.thumbnailer"))?;
    let words = entry.lines().find_map(|line| line.strip_prefix("Exec=fsz "));
    let stream = root().join("tests/golden/v1/f32-smooth-3d.fsz").display().to_string();
    let picture = folder.path().join("picture.png");
    let given = |word: &str| match word {
        "%i" => stream.clone(),
        "%o" => picture.display().to_string(),
        "%s" => "128".to_owned(),
        word => word.to_owned(),
    };
    let words = words.context("the thumbnailer names no program")?.split(' ').map(given);
    process::run(program("fsz").args(words))?;
    if !fs::read(&picture)?.starts_with(b"\x89PNG") {
        bail!("the thumbnail is no PNG file");
    }
    let mut check = Command::new("desktop-file-validate");
    if process::succeeds(check.arg("--help")) {
        let file = folder.path().join("share/applications/fsz-viewer.desktop");
        process::run(Command::new("desktop-file-validate").arg(file))
    } else {
        report.skip("the desktop file's own check", "no desktop-file-validate on the PATH");
        Ok(())
    }
}

fn codec() -> Result<()> {
    let folder = tempfile::tempdir().context("cannot create a folder")?;
    let crate_file = pack()?;
    let mut unpack = Command::new("tar");
    unpack.args(["-xzf", &crate_file.display().to_string(), "-C"]).arg(folder.path());
    process::run(&mut unpack)?;
    let name = crate_file.file_stem().context("a package has a name")?;
    fs::rename(folder.path().join(name), folder.path().join("fsz-codec"))
        .context("nothing was packed")?;
    fs::create_dir(folder.path().join("src")).context("cannot create a folder")?;
    // The CUDA compiler, which makes the fatbin, comes for Linux alone.
    let kernels = if cfg!(target_os = "linux") { Some(fatbin::small()?) } else { None };
    for (file, text) in [
        ("Cargo.toml", MANIFEST),
        ("src/main.rs", include_str!("package/program.rs")),
        // The versions that are here already.
        ("Cargo.lock", include_str!("../../../../Cargo.lock")),
    ] {
        fs::write(folder.path().join(file), text)?;
    }
    let mut run = cargo()?;
    run.current_dir(folder.path()).args(["run", "--quiet"]).env("CARGO_TARGET_DIR", apart());
    match kernels {
        Some(kernels) => {
            process::run(run.args(["--features", "fsz/fatbin"]).env("FSZ_FATBIN", &kernels))?;
            fatbin::check(&apart().join("debug/first-user"), &kernels)
        }
        None => process::run(&mut run),
    }
}

/// Packs the codec; where the package lies.
fn pack() -> Result<PathBuf> {
    let packed = apart();
    let mut pack = cargo()?;
    pack.args(["package", "--quiet", "--package", "fsz-codec", "--no-verify", "--allow-dirty"]);
    process::run(pack.env("CARGO_TARGET_DIR", &packed))?;
    Ok(packed.join(format!("package/fsz-codec-{}.crate", env!("CARGO_PKG_VERSION"))))
}
