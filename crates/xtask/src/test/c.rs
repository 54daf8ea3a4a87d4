//! The stage of the C library: its header, and its tests, which find it installed.

use super::report::Report;
use super::suite;
use crate::cargo::{cargo, target};
use crate::{c_header, folder, install_c};
use anyhow::Result;

/// Names the folder that the library is installed in to its tests.
const PREFIX: &str = "FSZ_C_PREFIX";

pub fn run(report: &mut Report) -> Result<()> {
    c_header::check()?;
    let mut tests = cargo()?;
    tests.args(["test", "--package", "fsz-c", "--locked", "--no-fail-fast"]);
    if install_c::is_possible()? {
        let prefix = target().join("c-library");
        folder::remove(&prefix)?;
        install_c::install(&prefix, install_c::Build::Debug)?;
        tests.env(PREFIX, &prefix);
    } else {
        let reason = format!("cargo-c needs OpenSSL: {}", install_c::OPENSSL);
        report.skip("the installed C library", &reason);
    }
    suite::run_tests(tests.args(["--", "--show-output"]), report)
}
