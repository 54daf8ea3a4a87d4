//! `cargo xtask test`: everything that must hold before a change goes in, stage by stage, with a
//! summary at the end. This is what continuous integration runs.

mod c;
mod checks;
mod hdf5;
mod hosts;
mod package;
mod python;
mod report;
mod suite;
mod zarrs;

use crate::cargo::target;
use crate::{demo, generate, live, plain, setup};
use anyhow::{Result, bail};
use report::Report;
use std::time::Instant;

/// A stage's name, what it is about, and what it does; notes go into the report.
type Stage = (&'static str, &'static str, fn(&mut Report) -> Result<()>);

const STAGES: [Stage; 17] = [
    ("format", "rustfmt and clang-format", checks::format),
    ("deny", "licences, sources and advisories of the dependencies", checks::deny),
    ("clippy", "all members, all targets, warnings are errors", checks::clippy),
    ("docs", "rustdoc, warnings are errors", checks::docs),
    ("generated", "the format's constants for CUDA and WGSL are up to date", |_| {
        generate::run(true)
    }),
    ("public-api", "what the library exports is stored and reviewed", checks::public_api),
    ("ptx", "the PTX is up to date, and a build with a fatbin works", checks::ptx),
    ("plain", "plain cargo needs a Rust toolchain and nothing else", |_| plain::run()),
    ("tests", "unit, property, golden, hostile, command line, ADIOS2", suite::run),
    ("zarrs", "the codec for the Rust crate zarrs, a workspace of its own", zarrs::run),
    ("python", "the Python package: its wheel, types, tests, the documents' snippets", python::run),
    ("hosts", "the operator in ADIOS2 2.9 to 2.12 and in openPMD-api", hosts::run),
    ("c", "the C library as installed, with its programs in C, C++ and Fortran", c::run),
    (
        "hdf5",
        "the HDF5 filter in h5py, netCDF4, xarray and Debian's programs, the manual",
        hdf5::run,
    ),
    ("package", "the published package builds and works without this repository", package::package),
    ("fuzz", "the fuzz targets build and pass the stored inputs", checks::fuzz),
    ("demo", "a small demo, every bound verified; a running simulation is drawn", |_| {
        demo::run(demo::Size::Small)?;
        live::run(demo::Size::Small, Some(&target().join("live-demo/window.png")))
    }),
];

/// Runs all stages, or those named; a failing one does not keep the others from running.
pub fn run(only: &[String]) -> Result<()> {
    if let Some(name) = only.iter().find(|name| STAGES.iter().all(|(s, ..)| s != name)) {
        let names: Vec<&str> = STAGES.iter().map(|(name, ..)| *name).collect();
        bail!("no stage `{name}`; there are {}", names.join(", "));
    }
    setup::run()?;
    let mut report = Report::default();
    for (name, about, stage) in STAGES {
        if !only.is_empty() && !only.iter().any(|n| n == name) {
            continue;
        }
        println!("\n=== {name}: {about}");
        let start = Instant::now();
        let outcome = stage(&mut report);
        if let Err(error) = &outcome {
            eprintln!("error: {error:#}");
        }
        report.stage(name, start.elapsed(), outcome.is_ok());
    }
    report.print();
    if report.failed() { bail!("some stages failed") } else { Ok(()) }
}
