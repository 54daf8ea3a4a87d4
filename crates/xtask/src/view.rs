//! `cargo xtask view-demo`: the viewer on what the demo wrote.

use crate::cargo::{cargo, target};
use crate::{demo, process, setup};
use anyhow::Result;
use std::process::Command;

/// Opens the demo's files, which are written first where they are not there.
pub fn run() -> Result<()> {
    setup::run()?;
    let folder = target().join("demo");
    let [plain, fsz] = ["plain.bp", "fsz.bp"].map(|name| folder.join(name));
    if !plain.exists() || !fsz.exists() {
        demo::run(demo::Size::Full)?;
    }
    println!("building the viewer (the first time takes some minutes)");
    let mut build = cargo()?;
    build.args(["build", "--locked", "--release", "--package", "fsz-viewer"]);
    build.args(["--package", "fsz-adios2", "--features", "fsz-viewer/adios2,fsz-viewer/zfp"]);
    process::run(&mut build)?;
    let programs = target().join("release");
    let mut view = Command::new(programs.join("fsz-viewer"));
    view.arg(&fsz).arg("--original").arg(&plain);
    view.args(["--variable", "V", "--step", "19", "--index", "64"]);
    process::run(view.envs(setup::variables()?).env("ADIOS2_PLUGIN_PATH", &programs))
}
