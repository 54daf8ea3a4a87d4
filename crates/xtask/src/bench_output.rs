//! `cargo xtask bench-output`: what writing the arrays of a GPU simulation costs.

use crate::cargo::{cargo, root, target};
use crate::{demo, process, setup};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// U and V of 512³ f32 are 1 GiB.
const EDGE: u64 = 512;
/// The first step, in which everything is set up, does not count.
const STEPS: u64 = 6;

/// One run; times are medians of steps.
struct Run {
    copy: f64,
    put: f64,
    end: f64,
    bytes: f64,
}

pub fn run() -> Result<()> {
    setup::run()?;
    let mut build = cargo()?;
    build.args(["build", "--locked", "--release", "-p", "fsz-adios2", "-p", "gray-scott"]);
    process::run(&mut build)?;
    let programs = target().join("release");
    let folder = target().join("bench-output");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let plain = write(&programs, "adios2-plain.xml", &["--copy"], folder.join("plain.bp"))?;
    let fsz = write(&programs, "adios2-range.xml", &["--ranged", "fsz"], folder.join("fsz.bp"))?;
    let raw = (2 * 4 * EDGE.pow(3)) as f64;
    println!(
        "\nGray-Scott on a device, U and V of {EDGE}³ f32, {:.2} GiB a step; medians of",
        raw / GIB
    );
    println!("{} steps; FSZ at a thousandth of each step's range", STEPS - 1);
    println!(
        "            | copy, ms | Put, ms | end of step, ms | over PCIe, MB | in the file, MB"
    );
    for (name, run, moved) in [("plain BP5", &plain, raw), ("through FSZ", &fsz, fsz.bytes)] {
        println!(
            "{name:<11} | {:8.1} | {:7.1} | {:15.1} | {:13.1} | {:15.1}",
            1e3 * run.copy,
            1e3 * run.put,
            1e3 * run.end,
            moved / 1e6,
            run.bytes / 1e6,
        );
    }
    println!("Put through FSZ takes {:.1} % of the plain one.", 100.0 * fsz.put / plain.put);
    println!(
        "{{\"plain_put_ms\": {:.3}, \"plain_copy_ms\": {:.3}, \"fsz_put_ms\": {:.3}, \"ratio\": {:.3}}}",
        1e3 * plain.put,
        1e3 * plain.copy,
        1e3 * fsz.put,
        plain.bytes / fsz.bytes
    );
    fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))
}

const GIB: f64 = 1073741824.0;

fn write(programs: &Path, config: &str, words: &[&str], file: PathBuf) -> Result<Run> {
    let mut run = Command::new(programs.join("gray-scott"));
    run.args(["--json", "--backend", "cuda", "--plot-interval", "200", "--drops", "200"]);
    run.args(["--size", &EDGE.to_string(), "--steps", &STEPS.to_string()]).args(words);
    run.arg("--config").arg(root().join("plugins/adios2/examples/gray-scott").join(config));
    run.arg("--output").arg(&file);
    run.envs(setup::variables()?).env("ADIOS2_PLUGIN_PATH", programs);
    let done = process::output(&mut run)?;
    if !done.status.success() {
        bail!("`{}`: {}", process::line(&run), String::from_utf8_lossy(&done.stderr).trim());
    }
    let json = String::from_utf8_lossy(&done.stdout).into_owned();
    let median = |key: &str| {
        let mut times = numbers(&json, key).unwrap_or_default();
        times.drain(..times.len().min(1));
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().with_context(|| format!("{key} is not in `{json}`"))
    };
    Ok(Run {
        copy: median("copy_seconds_per_step")?,
        put: median("put_seconds_per_step")?,
        end: median("end_seconds_per_step")?,
        bytes: demo::bytes_in(&file)? as f64 / STEPS as f64,
    })
}

/// A list of numbers of a flat JSON object.
fn numbers(json: &str, key: &str) -> Option<Vec<f64>> {
    let (_, rest) = json.split_once(&format!("\"{key}\": ["))?;
    rest.split(']').next()?.split(',').map(|number| number.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_by_their_key() {
        let json = r#"{"steps": 2, "put_seconds_per_step": [0.25, 0.1]}"#;
        assert_eq!(numbers(json, "put_seconds_per_step"), Some(vec![0.25, 0.1]));
        assert_eq!(numbers(json, "missing"), None);
    }
}
