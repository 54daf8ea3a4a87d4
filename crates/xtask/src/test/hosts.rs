//! Python packages with an ADIOS2 of each version that sites have: the stage `hosts` runs the operator
//! in all of them. They lie in one folder of the cache, so that the test finds them all.

use super::{report::Report, suite};
use crate::cache;
use crate::setup::Environment;
use anyhow::Result;

/// numpy for packages that were built against its version 1.
const NUMPY_1: &str = "numpy==1.26.4";
const NUMPY_2: [&str; 2] =
    ["numpy==2.2.6; python_version < '3.14'", "numpy==2.4.6; python_version >= '3.14'"];
const INSTEAD: &str = "without it this version is not tested";

/// The folder of the cache.
const FOLDER: &str = "hosts";

const HOSTS: [Environment; 7] = [
    Environment {
        folder: "hosts/adios2-2.9.0",
        purpose: "ADIOS2 2.9.0",
        requirements: &["adios2==2.9.0", NUMPY_1],
        instead: INSTEAD,
    },
    Environment {
        folder: "hosts/adios2-2.10.0",
        purpose: "ADIOS2 2.10.0",
        requirements: &["adios2==2.10.0.100023", NUMPY_1],
        instead: INSTEAD,
    },
    Environment {
        folder: "hosts/adios2-2.10.2",
        purpose: "ADIOS2 2.10.2",
        requirements: &["adios2==2.10.2.100774", NUMPY_2[0], NUMPY_2[1]],
        instead: INSTEAD,
    },
    Environment {
        folder: "hosts/adios2-2.11.0",
        purpose: "ADIOS2 2.11.0",
        requirements: &["adios2==2.11.0.1014", NUMPY_2[0], NUMPY_2[1]],
        instead: INSTEAD,
    },
    Environment {
        folder: "hosts/adios2-2.12.1",
        purpose: "ADIOS2 2.12.1",
        requirements: &["adios2==2.12.1.1001", NUMPY_2[0], NUMPY_2[1]],
        instead: INSTEAD,
    },
    // ADIOS2 2.9.1, for Python up to 3.11: the package adios2 2.9.0 is a snapshot of 2.10.
    Environment {
        folder: "hosts/openpmd-api-0.15.2",
        purpose: "openPMD-api 0.15.2",
        requirements: &["openpmd-api==0.15.2", NUMPY_1],
        instead: INSTEAD,
    },
    Environment {
        folder: "hosts/openpmd-api-0.17.1",
        purpose: "openPMD-api 0.17.1",
        requirements: &["openpmd-api==0.17.1", NUMPY_2[0], NUMPY_2[1]],
        instead: INSTEAD,
    },
];

/// The operator in each of them, and the files of each read by all.
pub fn run(report: &mut Report) -> Result<()> {
    let mut there = 0;
    {
        let _lock = cache::lock()?;
        for host in &HOSTS {
            // Not every version has a wheel for every Python and processor.
            match host.provide() {
                Ok(()) => there += 1,
                Err(reason) => report.skip(host.purpose, &format!("{reason:#}")),
            }
        }
    }
    if there < 2 {
        report.skip("the operator in each ADIOS2", "it takes two that read each other's files");
        return Ok(());
    }
    let mut tests = suite::tests_of(&["--test", "hosts"])?;
    tests.arg("--ignored");
    // A part of another test, with an ADIOS2 of its own.
    tests.args(["--skip", "inside"]).env("FSZ_ADIOS2_HOSTS", cache::folder()?.join(FOLDER));
    suite::run_tests(&mut tests, report)
}
