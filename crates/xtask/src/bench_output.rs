//! `cargo xtask bench-output`: how long a simulation on a GPU takes to write its arrays.

pub mod lines;

use crate::cargo::{cargo, target};
use crate::{demo, example, process, setup};
use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;
use std::path::Path;
use std::process::Command;

/// U and V of 512³ f32 are 1 GiB.
const EDGE: u64 = 512;
/// The first step, in which everything is set up, does not count.
const STEPS: usize = 6;
const GIB: f64 = 1_073_741_824.0;
/// Bytes of U and V of a step.
const RAW: f64 = (2 * 4 * EDGE.pow(3)) as f64;

/// Where the arrays are, and what takes them.
struct Case {
    name: String,
    config: String,
    on_device: bool,
    /// What else the program is told.
    words: Vec<&'static str>,
}

impl Case {
    /// No operator: the program copies the arrays to the host first.
    fn plain() -> Result<Case> {
        Ok(Case {
            name: "plain BP5".into(),
            config: example::plain()?,
            on_device: false,
            words: vec!["--copy"],
        })
    }

    /// A profile, from the device or, with so many threads, from the host.
    fn fsz(profile: &str, threads: Option<usize>) -> Result<Case> {
        let count = threads.map(|threads| threads.to_string());
        let mut given = vec![("verbose", "2"), ("profile", profile)];
        let mut words = vec!["--ranged", "fsz"];
        let mut from = "device".to_owned();
        if let Some(count) = &count {
            given.push(("threads", count));
            words.push("--copy");
            from = format!("host, threads: {count}");
        }
        Ok(Case {
            name: format!("{profile}, {from}"),
            config: example::fsz(&given)?,
            on_device: threads.is_none(),
            words,
        })
    }
}

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

impl Run {
    /// Until the program has its arrays back.
    fn until_put(&self) -> f64 {
        self.copy + self.put
    }
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
    let mut cases = vec![Case::plain()?, Case::fsz("paper", None)?, Case::fsz("dense", None)?];
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    for threads in (0..).map(|power| 1 << (2 * power)).take_while(|&threads| threads <= processors)
    {
        cases.push(Case::fsz("paper", Some(threads))?);
    }
    cases.push(Case::fsz("dense", Some(processors))?);
    println!(
        "\nGray-Scott on a device, U and V of {EDGE}³ f32, {:.2} GiB per step; medians of {} steps; bound",
        RAW / GIB,
        STEPS - 1
    );
    println!("1e-3 of each step's range; {processors} processors; milliseconds and MB of a step");
    println!("{:<22} | copy | Put | end of step | over PCIe | in the file", "");
    let mut runs = Vec::new();
    for case in &cases {
        let run = write(case, programs, variables, &folder)?;
        report(case, &run);
        runs.push(run);
    }
    fs::remove_dir_all(&folder)?;
    let [plain, paper, dense, ..] = &runs[..] else { bail!("too few runs") };
    for (name, run) in [("paper", paper), ("dense", dense)] {
        let parts = run.parts.context("the operator did not compress on a device")?;
        println!(
            "{name} on the device: kernels {:.2} ms (CUDA events), copy of the stream to the host {:.2} ms",
            1e3 * parts.kernels,
            1e3 * parts.copy
        );
    }
    println!("{}", sooner("paper", paper, "plain BP5", plain));
    println!("{}", sooner("dense", dense, "paper", paper));
    Ok(())
}

/// Runs the simulation once.
fn write(case: &Case, programs: &Path, variables: &[(&str, String)], folder: &Path) -> Result<Run> {
    let config = folder.join("adios2.xml");
    fs::write(&config, &case.config)?;
    let mut run = Command::new(programs.join("gray-scott"));
    run.args(["--json", "--backend", "cuda", "--plot-interval", "200", "--drops", "200"]);
    run.args(["--size", &EDGE.to_string(), "--steps", &STEPS.to_string()]);
    run.args(case.words.iter());
    run.arg("--config").arg(&config).envs(variables.iter().cloned());
    run.env("ADIOS2_PLUGIN_PATH", programs);
    let file = folder.join("out.bp");
    let results = results(run, &file)?;
    fs::remove_dir_all(&file)?;
    Ok(results)
}

fn results(mut run: Command, file: &Path) -> Result<Run> {
    run.arg("--output").arg(file);
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
        bytes: demo::bytes_in(file)? as f64 / STEPS as f64,
        // U and V of every step.
        parts: lines::Parts::of(&said, 2),
    })
}

/// A row of the table.
fn report(case: &Case, run: &Run) {
    let moved = run.parts.filter(|_| case.on_device).map_or(RAW, |parts| parts.bytes);
    println!(
        "{:<22} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1}",
        case.name,
        1e3 * run.copy,
        1e3 * run.put,
        1e3 * run.end,
        moved / 1e6,
        run.bytes / 1e6,
    );
}

/// When the one with fewer bytes is done before the other, as a sentence.
fn sooner(name: &str, run: &Run, other_name: &str, other: &Run) -> String {
    let (work, saved) = (run.until_put() - other.until_put(), other.bytes - run.bytes);
    match (work > 0.0, saved > 0.0) {
        (false, true) => format!("{name} is done before {other_name} at any bandwidth of the sink"),
        (true, true) => format!(
            "{name} is done before {other_name} where the sink takes less than {:.2} GB/s",
            saved / work * 1e-9
        ),
        (true, false) => format!("{name} is never done before {other_name}"),
        (false, false) => format!(
            "{name} is done before {other_name} where the sink takes more than {:.2} GB/s",
            saved / work * 1e-9
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(put: f64, bytes: f64) -> Run {
        Run { copy: 0.0, put, end: 0.5, bytes, parts: None }
    }

    #[test]
    fn fewer_bytes_are_done_first_where_the_sink_is_slow() {
        let (fast, small) = (run(0.01, 200e6), run(0.05, 120e6));
        assert!(sooner("b", &small, "a", &fast).ends_with("less than 2.00 GB/s"));
        assert!(sooner("a", &fast, "b", &small).ends_with("more than 2.00 GB/s"));
        assert!(
            sooner("c", &run(0.01, 100e6), "b", &small).ends_with("at any bandwidth of the sink")
        );
        assert!(sooner("b", &small, "c", &run(0.01, 100e6)).contains("is never done before c"));
    }
}
