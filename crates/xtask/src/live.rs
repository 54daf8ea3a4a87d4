//! `cargo xtask live-demo`: a simulation that runs, and the viewer beside it.

use crate::cargo::{cargo, root, target};
use crate::demo::Size;
use crate::features::{ALL_FEATURES, BUILD};
use crate::{process, setup};
use anyhow::{Context, Result};
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The features of the viewer that is built for a person.
const FEATURES: [&str; 2] = ["--features", "fsz-viewer/adios2,fsz-viewer/zfp"];

/// The variable and the step at which the picture is drawn.
const SHOWN: [&str; 2] = ["V", "40"];

/// A simulation that ends with the demo.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when it is over already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the simulation with the viewer beside it, until the viewer is closed; or draws its window into
/// `picture`, for which no display is needed.
pub fn run(size: Size, picture: Option<&Path>) -> Result<()> {
    setup::run()?;
    let programs = build(size)?;
    let folder = target().join("live-demo");
    fs::create_dir_all(&folder)?;
    let stream = folder.join("gray-scott");
    let _simulation = simulate(size, &programs, &stream)?;
    let mut view = match picture {
        Some(picture) => {
            let mut draw = Command::new(programs.join("examples/live_picture"));
            draw.arg(picture).arg(&stream).args(SHOWN);
            draw
        }
        None => {
            let mut view = Command::new(programs.join("fsz-viewer"));
            view.arg("--live").arg(&stream);
            view
        }
    };
    process::run(view.envs(setup::variables()?).env("ADIOS2_PLUGIN_PATH", &programs))
}

fn build(size: Size) -> Result<PathBuf> {
    println!("building (the first time takes some minutes)");
    if size == Size::Small {
        process::run(cargo()?.args(BUILD).args(ALL_FEATURES))?;
        return Ok(target().join("debug"));
    }
    let packages = ["fsz-adios2", "gray-scott", "fsz-viewer"];
    let mut build = cargo()?;
    build.args(["build", "--locked", "--release", "--lib", "--bins", "--examples"]);
    build.args(packages.iter().flat_map(|name| ["--package", name])).args(FEATURES);
    process::run(&mut build)?;
    Ok(target().join("release"))
}

fn simulate(size: Size, programs: &Path, stream: &Path) -> Result<Running> {
    let config = root().join("plugins/adios2/examples/gray-scott/adios2-live.xml");
    let mut run = Command::new(programs.join("gray-scott"));
    run.arg("--config").arg(config).arg("--output").arg(stream);
    // More steps than anyone looks at: it ends with the viewer.
    let (edge, interval) = if size == Size::Full { ("128", "10") } else { ("32", "2") };
    run.args(["--size", edge, "--plot-interval", interval, "--steps", "1000000"]);
    run.envs(setup::variables()?).env("ADIOS2_PLUGIN_PATH", programs);
    let child = run.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    Ok(Running(child.with_context(|| format!("cannot start `{}`", process::line(&run)))?))
}
