//! `cargo xtask view-demo`: the viewer on what the demo wrote.

use crate::cargo::{cargo, target};
use crate::{demo, process, setup};
use anyhow::Result;

/// The features that read what the demo writes.
const FEATURES: [&str; 2] = ["--features", "fsz-viewer/adios2,fsz-viewer/zfp"];

/// What of the demo is shown: the last step of V, through the middle.
const SHOWN: [&str; 3] = ["V", "19", "64"];

/// Opens the demo's files, which are written first where they are not there; or draws the window into
/// `picture`, for which no display is needed.
pub fn run(picture: Option<&str>) -> Result<()> {
    setup::run()?;
    let folder = target().join("demo");
    let [plain, fsz] = ["plain.bp", "fsz.bp"].map(|name| folder.join(name));
    if !plain.exists() || !fsz.exists() {
        demo::run(demo::Size::Full)?;
    }
    println!("building the viewer (the first time takes some minutes)");
    let mut operator = cargo()?;
    operator.args(["build", "--locked", "--release", "--package", "fsz-adios2"]);
    process::run(&mut operator)?;
    let programs = target().join("release");
    let mut view = cargo()?;
    view.args(["run", "--locked", "--release", "--package", "fsz-viewer"]).args(FEATURES);
    let [variable, step, plane] = SHOWN;
    match picture {
        Some(picture) => {
            view.args(["--example", "picture", "--", picture]).arg(&fsz).arg(&plain).args(SHOWN);
        }
        None => {
            view.arg("--").arg(&fsz).arg("--original").arg(&plain);
            view.args(["--variable", variable, "--step", step, "--index", plane]);
        }
    }
    process::run(view.envs(setup::variables()?).env("ADIOS2_PLUGIN_PATH", &programs))
}
