//! The stage that tests the HDF5 filter in the HDF5 libraries that people have: those in the wheels of h5py
//! and netCDF4, and Debian's, with the programs of hdf5-tools and netcdf-bin.

use super::{report::Report, suite};
use crate::cache;
use crate::cargo::root;
use crate::setup::HDF5;
use crate::wheel::{self, Filter, Profile};
use anyhow::Result;
use std::process::Command;

pub fn run(report: &mut Report) -> Result<()> {
    let lock = cache::lock()?;
    HDF5.provide()?;
    drop(lock);
    let Filter { library, stream } = wheel::filter(Profile::Dev)?;
    let tests = root().join("plugins/hdf5/tests/python/run.py");
    report.result("     Running plugins/hdf5/tests/python");
    let mut run = Command::new(HDF5.program("python")?);
    suite::run_tests(run.arg("-B").arg(tests).args([library, stream]), report)
}
