//! `cargo xtask bench-output`: how long a simulation on a GPU takes to write its arrays.

mod lines;

use crate::cargo::{cargo, target};
use crate::{demo, process, setup};
use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PLAIN: &str = include_str!("../../../plugins/adios2/examples/gray-scott/adios2-plain.xml");
const FSZ: &str = include_str!("../../../plugins/adios2/examples/gray-scott/adios2-range.xml");

/// U and V of 512³ f32 are 1 GiB.
const EDGE: u64 = 512;
/// The first step, in which everything is set up, does not count.
const STEPS: usize = 6;
const GIB: f64 = 1_073_741_824.0;

/// One run; seconds and bytes of a step, medians over steps.
struct Run {
    /// To the host, where that is the program's work.
    copy: f64,
    put: f64,
    end: f64,
    /// In the file.
    bytes: f64,
    parts: Option<lines::Parts>,
}

/// Builds the programs, and measures.
pub fn run() -> Result<()> {
    setup::run()?;
    let mut build = cargo()?;
    build.args(["build", "--locked", "--release", "-p", "fsz-adios2", "-p", "gray-scott"]);
    process::run(&mut build)?;
    measure(&target().join("release"), &setup::variables()?)
}

/// Measures with the programs of a folder, on a machine that has no cargo: `gray-scott` and
/// `libfsz_adios2.so`. `ADIOS2_DIR` says where ADIOS2 is.
pub fn run_in(programs: &Path) -> Result<()> {
    let programs =
        fs::canonicalize(programs).with_context(|| format!("no folder {}", programs.display()))?;
    measure(&programs, &[])
}

fn measure(programs: &Path, variables: &[(&str, String)]) -> Result<()> {
    let folder = programs.join("bench-output");
    fs::create_dir_all(&folder)?;
    let (before, after) = FSZ.split_once("</operator>").context("the example has no operator")?;
    let timed = format!("{before}<parameter key=\"verbose\" value=\"2\"/></operator>{after}");
    let write = |name: &str, config: &str, words: &[&str]| {
        let at = folder.join(format!("{name}.xml"));
        fs::write(&at, config)?;
        let mut run = Command::new(programs.join("gray-scott"));
        run.args(["--json", "--backend", "cuda", "--plot-interval", "200", "--drops", "200"]);
        run.args(["--size", &EDGE.to_string(), "--steps", &STEPS.to_string()]).args(words);
        run.arg("--config").arg(&at).envs(variables.iter().cloned());
        run.env("ADIOS2_PLUGIN_PATH", programs);
        results(run, folder.join(format!("{name}.bp")))
    };
    let plain = write("plain", PLAIN, &["--copy"])?;
    let fsz = write("fsz", &timed, &["--ranged", "fsz"])?;
    fs::remove_dir_all(&folder)?;
    let parts = fsz.parts.context("the operator did not compress on a device")?;
    report(&plain, &fsz, parts);
    Ok(())
}

fn results(mut run: Command, file: PathBuf) -> Result<Run> {
    run.arg("--output").arg(&file);
    let done = process::output(&mut run)?;
    let said = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() {
        bail!("`{}`: {}", process::line(&run), said.trim());
    }
    let json = String::from_utf8_lossy(&done.stdout);
    let step = |key: &str| {
        let times = lines::numbers(&json, key).with_context(|| format!("no {key} in `{json}`"))?;
        ensure!(times.len() == STEPS, "{key} of {} steps, not {STEPS}", times.len());
        lines::median(&times[1..]).context("no steps")
    };
    Ok(Run {
        copy: step("copy_seconds_per_step")?,
        put: step("put_seconds_per_step")?,
        end: step("end_seconds_per_step")?,
        bytes: demo::bytes_in(&file)? as f64 / STEPS as f64,
        // U and V of every step.
        parts: lines::Parts::of(&said, 2),
    })
}

/// The table, and the same as a line of JSON.
fn report(plain: &Run, fsz: &Run, parts: lines::Parts) {
    let raw = (2 * 4 * EDGE.pow(3)) as f64;
    println!(
        "\nGray-Scott on a device, U and V of {EDGE}³ f32, {:.2} GiB per step; medians",
        raw / GIB
    );
    println!("of {} steps; bound 1e-3 of each step's range", STEPS - 1);
    println!(
        "            | copy, ms | Put, ms | end of step, ms | over PCIe, MB | in the file, MB"
    );
    for (name, run, moved) in [("plain BP5", plain, raw), ("through FSZ", fsz, parts.bytes)] {
        println!(
            "{name:<11} | {:8.1} | {:7.1} | {:15.1} | {:13.1} | {:15.1}",
            1e3 * run.copy,
            1e3 * run.put,
            1e3 * run.end,
            moved / 1e6,
            run.bytes / 1e6,
        );
    }
    let (kernels, copy) = (1e3 * parts.kernels, 1e3 * parts.copy);
    println!(
        "FSZ's Put: kernels {kernels:.2} ms (CUDA events), copy of the stream to the host {copy:.2} ms."
    );
    let uncompressed = plain.copy + plain.put;
    let own = parts.kernels + parts.copy;
    for (what, time) in [("Put through FSZ", fsz.put), ("Its kernels and copy", own)] {
        println!(
            "{what}: {:.1} % of the plain Put, {:.1} % of it with the copy it needs.",
            100.0 * time / plain.put,
            100.0 * time / uncompressed
        );
    }
    println!(
        "{{\"plain\": {}, \"fsz\": {}, \"fsz_kernels_ms\": {kernels:.3}, \"fsz_copy_ms\": {copy:.3}, \
         \"put_share\": {:.4}, \"own_share\": {:.4}}}",
        json(plain, raw),
        json(fsz, parts.bytes),
        fsz.put / plain.put,
        own / plain.put,
    );
}

fn json(run: &Run, moved: f64) -> String {
    format!(
        "{{\"copy_ms\": {:.3}, \"put_ms\": {:.3}, \"end_ms\": {:.3}, \"pcie_bytes\": {moved:.0}, \
         \"file_bytes\": {:.0}}}",
        1e3 * run.copy,
        1e3 * run.put,
        1e3 * run.end,
        run.bytes
    )
}
