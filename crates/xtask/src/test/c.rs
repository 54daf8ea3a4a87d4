//! The stage of the C library as installed: its header, its files, and programs that find it there.

use super::report::Report;
use super::suite;
use crate::cargo::target;
use crate::{c_header, folder, fortran, install_c};
use anyhow::Result;

/// Names the folder that the library is installed in to its tests.
const PREFIX: &str = "FSZ_C_PREFIX";

pub fn run(report: &mut Report) -> Result<()> {
    c_header::check()?;
    if !install_c::is_possible()? {
        let reason = format!("cargo-c needs OpenSSL: {}", install_c::OPENSSL);
        report.skip("the installed C library", &reason);
        return Ok(());
    }
    let prefix = target().join("c-library");
    folder::remove(&prefix)?;
    install_c::install(&prefix, install_c::Build::Debug)?;
    let mut tests = suite::tests_of(&["--test", "installed"])?;
    tests.arg("--ignored").env(PREFIX, &prefix);
    match fortran::test_variables() {
        Ok(variables) => drop(tests.envs(variables)),
        // The tests say what to install.
        Err(reason) => println!("no Fortran compiler: {reason:#}"),
    }
    suite::run_tests(&mut tests, report)
}
