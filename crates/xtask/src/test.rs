//! `cargo xtask test`: everything that must hold before a change goes in, stage by stage, with a
//! summary at the end. This is what continuous integration runs. Two stages run at a time, because neither keeps all
//! processors busy: one of those that build into the main folder, and one of the others, of which those come first that
//! build into folders of their own. Where one of the two kinds is done, what is left of the other is shared.

mod c;
mod checks;
mod hdf5;
mod hosts;
mod kernels;
mod package;
mod python;
mod report;
mod suite;
mod zarrs;

use crate::cargo::target;
use crate::live::{self, Demo};
use crate::{demo, generate, mpi, plain, process, setup};
use anyhow::{Context, Result, bail};
use fs_err as fs;
use report::Report;
use std::io::{Read, Seek};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// A part of the run.
struct Stage {
    name: &'static str,
    about: &'static str,
    /// It begins beside the others.
    apart: bool,
    /// Notes go into the report.
    run: fn(&mut Report) -> Result<()>,
}

const fn stage(
    name: &'static str,
    about: &'static str,
    run: fn(&mut Report) -> Result<()>,
) -> Stage {
    Stage { name, about, apart: false, run }
}

const fn apart(
    name: &'static str,
    about: &'static str,
    run: fn(&mut Report) -> Result<()>,
) -> Stage {
    Stage { apart: true, ..stage(name, about, run) }
}

static STAGES: [Stage; 18] = [
    apart("format", "rustfmt and clang-format", checks::format),
    apart("deny", "licences, sources and advisories of the dependencies", checks::deny),
    apart("ptx", "the PTX is up to date", checks::ptx),
    apart("plain", "plain cargo needs a Rust toolchain and nothing else", |_| plain::run()),
    apart("fuzz", "the fuzz targets build and pass the stored inputs", checks::fuzz),
    apart(
        "package",
        "the published package builds and works without this repository, with a fatbin in it",
        package::package,
    ),
    apart("zarrs", "the codec for the Rust crate zarrs, a workspace of its own", zarrs::run),
    apart("c", "the C library as installed, with its programs in C, C++ and Fortran", c::run),
    apart(
        "python",
        "the Python package: its wheel, types, tests, the documents' snippets",
        python::run,
    ),
    stage("clippy", "all members, all targets, warnings are errors", checks::clippy),
    stage("docs", "rustdoc, warnings are errors", checks::docs),
    stage("tests", "unit, property, golden, hostile, command line, ADIOS2", suite::run),
    // With what the tests built.
    stage("kernels", "the CUDA kernels and what calls them, on an emulated device", kernels::run),
    stage("generated", "the format's constants for CUDA and WGSL are up to date", |_| {
        generate::check()
    }),
    stage("public-api", "what the library exports is stored and reviewed", checks::public_api),
    stage("hosts", "the operator in ADIOS2 2.9 to 2.12 and in openPMD-api", hosts::run),
    stage(
        "hdf5",
        "the HDF5 filter in h5py, netCDF4, xarray and Debian's programs, the manual",
        hdf5::run,
    ),
    stage("demo", "a small demo, every bound verified; a running simulation is drawn", demos),
];

/// The demos, as small ones.
fn demos(report: &mut Report) -> Result<()> {
    demo::run(demo::Size::Small)?;
    let folder = target().join("live-demo");
    let picture = folder.join("window.png");
    let alone = Demo { size: demo::Size::Small, picture: Some(&picture), ranks: None };
    live::run(alone)?;
    if mpi::test_variables()?.is_empty() {
        report
            .skip("live-demo --ranks", "there is no ADIOS2 with MPI; `cargo xtask mpi` builds one");
        return Ok(());
    }
    live::run(Demo { picture: Some(&folder.join("ranks.png")), ranks: Some(2), ..alone })
}

/// What `cargo xtask test --help` says.
pub fn help() -> String {
    let stages = STAGES.iter().map(|stage| format!("\n  {:<12}{}", stage.name, stage.about));
    let stages: String = stages.collect();
    format!("Usage: cargo xtask test [STAGE...]\n\nAll stages run, or those named:\n{stages}")
}

/// Runs all stages, or those named; a failing one does not keep the others from running.
pub fn run(only: &[String]) -> Result<()> {
    if let Some(name) = only.iter().find(|name| STAGES.iter().all(|s| s.name != name.as_str())) {
        let names: Vec<&str> = STAGES.iter().map(|s| s.name).collect();
        bail!("no stage `{name}`; there are {}", names.join(", "));
    }
    setup::run()?;
    let begin = Instant::now();
    let asked = |stage: &&Stage| only.is_empty() || only.iter().any(|name| name == stage.name);
    let left = Mutex::new(STAGES.iter().filter(asked).collect());
    let mut report = Report::default();
    // Before the others begin: one stage alone prints as it goes.
    let mut stage = next(&left, false);
    thread::scope(|scope| {
        let beside = scope.spawn(|| run_beside(&left));
        while let Some(now) = stage {
            println!("\n=== {}: {}", now.name, now.about);
            now.note(&mut report);
            stage = next(&left, false);
        }
        beside.join().unwrap_or_else(|_| bail!("a stage panicked"))
    })
    .map(|beside| report.merge(beside))?;
    report.print(begin.elapsed());
    if report.failed() { bail!("some stages failed") } else { Ok(()) }
}

impl Stage {
    fn note(&self, report: &mut Report) {
        let start = Instant::now();
        let outcome = (self.run)(report);
        if let Err(error) = &outcome {
            eprintln!("error: {error:#}");
        }
        report.stage(self.name, start.elapsed(), outcome.is_ok());
    }
}

/// Takes the next stage from those that are left, of the other kind where there is none of this one.
fn next<'a>(left: &Mutex<Vec<&'a Stage>>, apart: bool) -> Option<&'a Stage> {
    let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
    let own = left.iter().position(|stage| stage.apart == apart).unwrap_or(0);
    (!left.is_empty()).then(|| left.remove(own))
}

/// Runs stages one after another while others run: what their commands print comes when each has ended.
fn run_beside(left: &Mutex<Vec<&Stage>>) -> Result<Report> {
    let mut report = Report::default();
    fs::create_dir_all(target())?;
    while let Some(stage) = next(left, true) {
        let mut file = tempfile::tempfile_in(target()).context("no file for output")?;
        let printed = file.try_clone().context("no file for output")?;
        process::with_output_to(printed, || stage.note(&mut report));
        let mut text = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut text)).context("lost the output")?;
        let text = String::from_utf8_lossy(&text);
        println!("\n=== {} (beside): {}\n{}", stage.name, stage.about, text.trim_end());
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_is_taken_once_those_of_the_own_kind_first() {
        let [one, two] = ["one", "two"].map(|name| stage(name, "", |_| Ok(())));
        let [three, four] = ["three", "four"].map(|name| super::apart(name, "", |_| Ok(())));
        let left = Mutex::new(vec![&three, &one, &two, &four]);
        let taken = [false, true, true, true, false].map(|apart| next(&left, apart));
        let names = taken.map(|stage| stage.map_or("none", |stage| stage.name));
        assert_eq!(names, ["one", "three", "four", "two", "none"]);
    }
}
