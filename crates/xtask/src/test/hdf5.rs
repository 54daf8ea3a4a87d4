//! The stage that tests the HDF5 filter in the HDF5 libraries that people have: those in the wheels of h5py
//! and netCDF4, and Debian's, with the programs of hdf5-tools and netcdf-bin.

use super::{report::Report, suite};
use crate::cargo::{cargo, root, target};
use crate::setup::HDF5;
use crate::{cache, process};
use anyhow::Result;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::process::Command;

pub fn run(report: &mut Report) -> Result<()> {
    let lock = cache::lock()?;
    HDF5.provide()?;
    drop(lock);
    // What the manual says; what it builds is not built again when the tests run the manual.
    process::run(cargo()?.args(["build", "--release", "--locked", "--package", "fsz-hdf5"]))?;
    let stream = ["--package", "fsz-hdf5", "--example", "stream"];
    process::run(cargo()?.args(["build", "--locked"]).args(stream))?;
    let tests = root().join("plugins/hdf5/tests/python/run.py");
    let library = target().join(format!("release/{DLL_PREFIX}fsz_hdf5{DLL_SUFFIX}"));
    let stream = target().join("debug/examples/stream");
    report.result("     Running plugins/hdf5/tests/python");
    let mut run = Command::new(HDF5.program("python")?);
    suite::run_tests(run.arg("-B").arg(tests).args([library, stream]), report)
}
