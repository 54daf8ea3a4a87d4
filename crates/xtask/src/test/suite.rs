//! The stage that runs `cargo test` over the whole workspace.

use super::report::Report;
use crate::cargo::cargo;
use crate::features::{ALL_FEATURES, AS_FOR_ALL, build_all};
use crate::{gpu_put, mpi, process};
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, PipeReader, Write};
use std::process::{Command, Stdio};

/// Runs all tests. All of it is built first, so that the programs and the operator lie where the
/// tests, and the demo after them, look for them.
pub fn run(report: &mut Report) -> Result<()> {
    build_all()?;
    let mut tests = tests()?;
    tests.envs(mpi::test_variables()?).envs(gpu_put::test_variables()?);
    // With --show-output passing tests can say what they skipped.
    run_tests(tests.args(["--", "--show-output"]), report)
}

/// The tests of all members, with the features that all of them need: with others, much would be built twice.
fn tests() -> Result<Command> {
    let mut tests = cargo()?;
    tests.args(["test", "--workspace", "--locked", "--no-fail-fast"]).args(ALL_FEATURES);
    Ok(tests)
}

/// Those of some test programs, as cargo's words.
pub fn tests_of(programs: &[&str]) -> Result<Command> {
    let mut tests = tests()?;
    tests.args(programs).args(AS_FOR_ALL).args(["--", "--show-output"]);
    Ok(tests)
}

/// Runs a command that prints its results as `cargo test` does.
pub fn run_tests(tests: &mut Command, report: &mut Report) -> Result<()> {
    let name = process::line(tests);
    // cargo names the test programs on stderr; one pipe for both keeps the names beside their results.
    let (output, input) = std::io::pipe().context("no pipe for the tests")?;
    tests.stderr(input.try_clone().context("no pipe for the tests")?).stdout(input);
    let mut child = tests.spawn().with_context(|| format!("cannot start `{name}`"))?;
    // The command holds the pipe's writing ends, which would keep the reading end from ending.
    tests.stdout(Stdio::null()).stderr(Stdio::null());
    follow(output, report)?;
    let status = child.wait().with_context(|| format!("`{name}` was lost"))?;
    if !status.success() {
        bail!("tests failed");
    }
    Ok(())
}

/// Passes the output on, without what passing tests printed, and notes results and skips.
fn follow(output: PipeReader, report: &mut Report) -> Result<()> {
    let mut quiet = false;
    let mut shown = process::writer()?;
    for line in BufReader::new(output).lines() {
        let line = line.context("the output of the tests broke off")?;
        if let Some(skip) = line.strip_prefix("SKIPPED: ") {
            let (what, reason) = skip.split_once(": ").unwrap_or((skip, "no reason given"));
            report.skip(what, reason);
        }
        if line == "successes:" {
            quiet = true;
        } else if line == "failures:" || line.starts_with("test result: ") {
            quiet = false;
        }
        let heading = line.trim_start();
        if heading.starts_with("Running ") || heading.starts_with("Doc-tests ") {
            report.result(heading);
        } else if line.starts_with("test result: ") {
            report.result(&line);
        }
        if !quiet {
            writeln!(shown, "{line}").context("cannot show the output of the tests")?;
        }
    }
    Ok(())
}
