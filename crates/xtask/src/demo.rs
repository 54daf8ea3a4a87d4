//! `cargo xtask demo`: one simulation twice, as plain BP5 and through FSZ. Only the ADIOS2 configuration
//! file differs.

use crate::cargo::{cargo, root, target};
use crate::features::{FEATURES, build_all};
use crate::{folder, process, setup};
use anyhow::{Context, Result};
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// How large a demo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// What a person sees: 20 steps of 128³, optimised programs.
    Full,
    /// What the tests run: 4 steps of 64³, with the programs that the tests have built.
    Small,
}

impl Size {
    fn edge(self) -> u64 {
        if self == Self::Full { 128 } else { 64 }
    }

    fn steps(self) -> u64 {
        if self == Self::Full { 20 } else { 4 }
    }
}

/// One run of the simulation.
struct Written {
    file: PathBuf,
    bytes: u64,
    seconds: f64,
}

pub fn run(size: Size) -> Result<()> {
    setup::run()?;
    let programs = build(size)?;
    let start = Instant::now();
    let folder = target().join(if size == Size::Full { "demo" } else { "demo-small" });
    fs::create_dir_all(&folder)?;
    let (edge, steps) = (size.edge(), size.steps());
    println!(
        "\nGray-Scott reaction-diffusion, U and V of {edge}³ f32, {steps} steps, written twice:"
    );
    let plain = simulate(size, &programs, "adios2-plain.xml", folder.join("plain.bp"))?;
    let fsz = simulate(size, &programs, "adios2.xml", folder.join("fsz.bp"))?;
    println!("{:<12} {:>10} {:>10} {:>14}", "", "on disk", "ratio", "time to write");
    for (name, run) in [("plain BP5", &plain), ("through FSZ", &fsz)] {
        let ratio = format!("{:.1} : 1", plain.bytes as f64 / run.bytes as f64);
        let size = format!("{:.2} MB", run.bytes as f64 / 1e6);
        println!("{name:<12} {size:>10} {ratio:>10} {:>12.2} s", run.seconds);
    }
    println!("\nBoth files read back through a plain ADIOS2 reader and compared:");
    let picture = folder.join("gray-scott.png");
    let mut report = Command::new(programs.join("fsz-demo"));
    report.args([&plain.file, &fsz.file]).arg("V").arg(&picture);
    process::run(report.envs(setup::variables()?).env("ADIOS2_PLUGIN_PATH", &programs))
        .context("verification failed")?;
    println!("\nEvery element of every variable and step is within its bound.");
    if size == Size::Full {
        println!("The demo took {:.0} s after the build.", start.elapsed().as_secs_f64());
        next(&programs, &fsz.file, &picture);
    }
    Ok(())
}

/// Builds what the demo runs; the folder of the programs and of the operator.
fn build(size: Size) -> Result<PathBuf> {
    println!("building (the first time takes some minutes)");
    if size == Size::Small {
        build_all()?;
        return Ok(target().join("debug"));
    }
    let mut build = cargo()?;
    build.args(["build", "--locked", "--release", "--package", "fsz-cli"]);
    build.args(["--package", "fsz-adios2", "--package", "gray-scott", "--package", "fsz-demo"]);
    process::run(build.args(FEATURES))?;
    Ok(target().join("release"))
}

/// Runs the simulation with one of its two configuration files.
fn simulate(size: Size, programs: &Path, config: &str, file: PathBuf) -> Result<Written> {
    folder::remove(&file)?;
    let config = root().join("plugins/adios2/examples/gray-scott").join(config);
    let mut run = Command::new(programs.join("gray-scott"));
    run.arg("--json").arg("--config").arg(config).arg("--output").arg(&file);
    run.args(["--size", &size.edge().to_string(), "--steps", &size.steps().to_string()]);
    run.envs(setup::variables()?).env("ADIOS2_PLUGIN_PATH", programs);
    let seconds = number(&process::stdout(&mut run)?, "write_seconds")
        .context("the simulation printed no write time")?;
    Ok(Written { bytes: bytes_in(&file)?, file, seconds })
}

/// A number of a flat JSON object.
pub fn number(json: &str, key: &str) -> Option<f64> {
    let (_, rest) = json.split_once(&format!("\"{key}\":"))?;
    rest.split([',', '}']).next()?.trim().parse().ok()
}

/// The bytes of a BP file, which is a folder.
pub fn bytes_in(folder: &Path) -> Result<u64> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len())).sum()
}

fn next(programs: &Path, file: &Path, picture: &Path) {
    let here = |path: &Path| path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let (fsz, file, picture) = (here(&programs.join("fsz")), here(file), here(picture));
    println!(
        "
What next:
  the picture                       {picture}
  what the file holds               {fsz} inspect {file}
  one step as an .fsz file          {fsz} extract {file} --variable V --step 19 -o v.fsz
  one slice of it                   {fsz} slice v.fsz --axis 0 --index 64 -o slice.npy
  original, error and tiles         cargo xtask view-demo
  the XML for your own simulation   {fsz} adios2
  documentation                     README.md"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_key() {
        let json = r#"{"steps": 2, "write_seconds": 0.25, "write_seconds_per_step": [0.1]}"#;
        assert_eq!(number(json, "write_seconds"), Some(0.25));
        assert_eq!(number(json, "steps"), Some(2.0));
        assert_eq!(number(json, "missing"), None);
    }
}
