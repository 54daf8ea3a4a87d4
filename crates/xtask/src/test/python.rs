//! The stage that tests the Python package as a user has it: installed from its wheel.

use super::report::Report;
use super::zarrs;
use crate::cargo::{cargo, root, target};
use crate::features::{ALL_FEATURES, AS_FOR_ALL};
use crate::setup::{Environment, PYTHON, PYTHON_FREE_THREADED, ZARR};
use crate::{cache, folder, process, source, tools, wheel};
use anyhow::{Context, Result, anyhow, bail};
use fs_err as fs;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// Tests, types and stubs on this machine's Python; tests on the free-threaded one, if it is there.
pub fn run(report: &mut Report) -> Result<()> {
    let python = tools::python()?;
    let new = "import sys; sys.exit(sys.version_info < (3, 11))";
    if !process::succeeds(Command::new(&python).args(["-c", new])) {
        report.skip("the Python package", "it needs Python 3.11 or newer");
        return Ok(());
    }
    // What the package's bytes are compared with.
    let mut program = cargo()?;
    program.args(["build", "--quiet", "--workspace", "--locked"]).args(ALL_FEATURES);
    process::run(program.args(["--bin", "fsz"]).args(AS_FOR_ALL))?;
    let zarrs = zarrs::program()?;

    install(&PYTHON, &python)?;
    thread::scope(|scope| {
        // On another processor than the package's tests.
        let others = scope.spawn(|| types(&PYTHON).and_then(|()| Output::of(tests_of_zarr()?)));
        Output::of(tests(&PYTHON, &zarrs)?)?.report("pytest", report)?;
        let zarr = others.join().map_err(|_| anyhow!("the check of types panicked"))??;
        zarr.report("zarr's own tests", report)
    })?;
    match wheel::free_threaded() {
        Some(python) => {
            install(&PYTHON_FREE_THREADED, &python)?;
            let tests = tests(&PYTHON_FREE_THREADED, &zarrs)?;
            Output::of(tests)?.report("pytest, free-threaded", report)
        }
        None => {
            report.skip("the free-threaded wheel", "no python3.14t on the PATH");
            Ok(())
        }
    }
}

/// Makes the environment, and puts the wheel of its interpreter there.
fn install(environment: &Environment, python: &OsString) -> Result<()> {
    let wheel = wheel::build(python, wheel::Profile::Dev)?;
    let _lock = cache::lock()?;
    environment.provide_with(python)?;
    let mut pip = Command::new(environment.program("python")?);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"])
        .args(["--no-index", "--force-reinstall"])
        .arg(wheel);
    process::run(&mut pip)
}

/// The package's annotations, and the stub of the native module against the module itself.
fn types(environment: &Environment) -> Result<()> {
    let folder = root().join("crates/fsz-python");
    let run = |module: &str, words: &[&str]| {
        let mut command = Command::new(environment.program("python")?);
        command.current_dir(&folder).args(["-m", module]).args(words);
        process::run(&mut command)
    };
    let config = ["--config-file", "pyproject.toml"];
    run("mypy", &[config.as_slice(), &["--cache-dir", "/dev/null"]].concat())?;
    // From elsewhere: the installed package, not the sources.
    let mut stubtest = Command::new(environment.program("python")?);
    stubtest.current_dir(folder.join("tests")).args(["-m", "mypy.stubtest", "--concise"]);
    process::run(stubtest.arg("fsz_codec._native"))
}

/// The tests of the package.
fn tests(environment: &Environment, zarrs: &Path) -> Result<Command> {
    let mut tests = Command::new(environment.program("python")?);
    tests
        .current_dir(root().join("crates/fsz-python"))
        .args(["-m", "pytest", "--quiet", "--color=no"])
        .env("FSZ_PROGRAM", target().join("debug/fsz"))
        .env("FSZ_ZARRS_PROGRAM", zarrs)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(tests)
}

/// zarr-python's own tests, which lie in its source, with FSZ in the place of its serializer.
fn tests_of_zarr() -> Result<Command> {
    let source = cache::folder()?.join(ZARR.replace("==", "-"));
    if !source.is_dir() {
        let _lock = cache::lock()?;
        let work = cache::folder()?.join("zarr-source");
        folder::empty(&work)?;
        let unpacked = source::unpack(&mut Command::new(PYTHON.program("python")?), ZARR, &work)?;
        // Moved last, so that an interrupted download never looks finished.
        fs::rename(unpacked, &source)?;
        fs::remove_dir_all(&work)?;
    }
    let mut tests = Command::new(PYTHON.program("python")?);
    tests.arg("-B").arg(root().join("crates/fsz-python/tests/zarr_python.py")).arg(source);
    Ok(tests)
}

/// What pytest printed.
struct Output {
    text: String,
    passed: bool,
}

impl Output {
    fn of(mut tests: Command) -> Result<Self> {
        let done = tests.stderr(Stdio::inherit()).output().context("cannot start pytest")?;
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        Ok(Output { text, passed: done.status.success() })
    }

    /// Prints it; what was skipped and the last line go into the report.
    fn report(&self, name: &str, report: &mut Report) -> Result<()> {
        print!("{}", self.text);
        for line in self.text.lines() {
            // "SKIPPED [1] test_device.py:12: no CUDA device"
            if let Some(skip) = line.strip_prefix("SKIPPED [") {
                let mut parts = skip.splitn(3, ": ");
                let place = parts.next().unwrap_or(skip).split(' ').nth(1).unwrap_or(skip);
                let place = Path::new(place).file_name().unwrap_or_default().to_string_lossy();
                report.skip(&place, parts.next().unwrap_or("no reason given"));
            }
        }
        let last = self.text.lines().next_back().unwrap_or_default();
        report.result(&format!("{name}: {last}"));
        if !self.passed {
            bail!("tests of the Python package failed");
        }
        Ok(())
    }
}
