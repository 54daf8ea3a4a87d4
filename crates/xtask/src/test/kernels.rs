//! The stage that runs the tests of CUDA devices without one, with the driver of `crates/cuda-emulator`.

use super::{report::Report, suite};
use crate::cargo::target;
use crate::features::build_all;
use crate::folder;
use anyhow::{Context, Result};
use fs_err as fs;
use std::env;
use std::path::{Path, PathBuf};

/// How many cases of long lists are left out, for each one that is taken: the emulator is slow.
const EVERY: &str = "397";
/// Another order of execution than the regular one, in which a barrier that is missing is noticed.
const SEED: &str = "1";

/// What is tested.
struct Run {
    /// Ten times the compute capability of the device.
    capability: &'static str,
    /// Of cargo: the test programs.
    programs: &'static [&'static str],
    /// Of each program: its tests.
    tests: &'static [&'static str],
}

const RUNS: [Run; 2] = [
    Run {
        capability: "80",
        programs: &[
            "--test",
            "cuda",
            "--test",
            "cuda_compress_regions",
            "--test",
            "cuda_device",
            "--test",
            "cuda_graph",
            "--test",
            "cuda_memory",
            "--test",
            "cuda_regions",
            "--test",
            "cuda_stream",
        ],
        // Megabytes of each field.
        tests: &["--skip", "real_fields"],
    },
    // Kernels that are there for newer devices alone, and what calls the codec from elsewhere.
    Run {
        capability: "90",
        programs: &[
            "--test",
            "cuda",
            "--test",
            "cuda_compress_regions",
            "--test",
            "cuda_graph",
            "--lib",
            "--bins",
            "--test",
            "library",
            "--test",
            "cli",
        ],
        // Those that are left out compress megabytes, or wait for as much.
        tests: &[
            "every_kind_of_field",
            "around_every_boundary",
            "masks_that_change",
            "a_bound_that_overflows",
            "relative_bounds_of_every",
            "replayed_on_other_values",
            "places_of_every_kind",
            "in_device_memory",
            "operator::tests::device",
            "a_device_writes",
            "devices_say",
            "a_gpu_gives_the_planes",
            "--skip",
            "any_number_of_threads",
            "--skip",
            "several_threads_write",
            "--skip",
            "work_that_is_pending",
        ],
    },
];

/// Runs them; a device that cannot be opened is a failure.
pub fn run(report: &mut Report) -> Result<()> {
    let libraries = driver()?;
    for Run { capability, programs, tests: named } in RUNS {
        let mut tests = suite::tests_of(programs)?;
        tests.args(named);
        tests
            .env("FSZ_EMULATOR_CAPABILITY", capability)
            .env("LD_LIBRARY_PATH", first_of_path(&libraries)?);
        tests.env("FSZ_REQUIRE_CUDA", "1").env("FSZ_TEST_EVERY", EVERY);
        tests.env("FSZ_EMULATOR_SEED", SEED);
        suite::run_tests(&mut tests, report)?;
    }
    Ok(())
}

/// A folder with the emulator alone, under the name of the driver.
fn driver() -> Result<PathBuf> {
    // Takes no time where the tests have been built.
    build_all()?;
    let libraries = target().join("cuda-emulator");
    folder::empty(&libraries)?;
    fs::copy(target().join("debug/libcuda_emulator.so"), libraries.join("libcuda.so"))?;
    Ok(libraries)
}

/// The path of libraries with a folder in front.
fn first_of_path(folder: &Path) -> Result<std::ffi::OsString> {
    let before = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = [folder.to_owned()].into_iter().chain(env::split_paths(&before));
    env::join_paths(folders).context("a folder's name has a colon")
}
