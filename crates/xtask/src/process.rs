//! Running other programs, with errors that name the command.

use anyhow::{Context, Result, bail};
use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::num::NonZero;
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

thread_local! {
    /// Where the output of this thread's commands goes, if not to the terminal.
    static OUTPUT: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Does something whose commands write to a file what they would write to the terminal.
pub fn with_output_to<R>(file: File, work: impl FnOnce() -> R) -> R {
    let before = OUTPUT.replace(Some(file));
    let done = work();
    OUTPUT.set(before);
    done
}

/// The file that output goes to, once more.
fn output_file() -> Result<Option<File>> {
    OUTPUT.with_borrow(|file| {
        file.as_ref().map(|f| f.try_clone().context("cannot share a file")).transpose()
    })
}

/// Where the output of this thread's commands goes.
pub fn writer() -> Result<Box<dyn Write>> {
    Ok(match output_file()? {
        Some(file) => Box::new(file),
        None => Box::new(std::io::stdout()),
    })
}

/// Runs a command with this terminal's output; an error when it cannot start or does not succeed.
pub fn run(command: &mut Command) -> Result<()> {
    if let Some(file) = output_file()? {
        command.stdout(file.try_clone().context("cannot share a file")?).stderr(file);
    }
    let status = command.status().with_context(|| cannot_start(command))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// Runs commands as [`run`] does, as many at a time as there are processors; an error of the first that fails. All
/// have ended then, so that none writes anywhere later.
pub fn run_all(commands: Vec<Command>) -> Result<()> {
    let at_once = thread::available_parallelism().map_or(1, NonZero::get);
    let left = Mutex::new(commands.into_iter());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let files: Vec<_> = (0..at_once).map(|_| output_file()).collect::<Result<_>>()?;
    let work = |file: Option<File>| -> Result<()> {
        OUTPUT.set(file);
        let mut outcome = Ok(());
        while let Some(mut command) = next() {
            outcome = outcome.and(run(&mut command));
        }
        outcome
    };
    thread::scope(|scope| {
        let threads: Vec<_> =
            files.into_iter().map(|file| scope.spawn(move || work(file))).collect();
        let ended = |thread: ScopedJoinHandle<'_, Result<()>>| {
            thread.join().unwrap_or_else(|_| bail!("a thread panicked"))
        };
        threads.into_iter().try_for_each(ended)
    })
}

/// Runs a command and keeps its output, whatever its exit status.
pub fn output(command: &mut Command) -> Result<Output> {
    command.output().with_context(|| cannot_start(command))
}

/// What a command that must succeed prints to standard output; what it prints to standard error is
/// the reason where it fails.
pub fn stdout(command: &mut Command) -> Result<String> {
    let done = output(command)?;
    if !done.status.success() {
        bail!("`{}`: {}", line(command), String::from_utf8_lossy(&done.stderr).trim());
    }
    String::from_utf8(done.stdout).with_context(|| format!("`{}` wrote no UTF-8", line(command)))
}

/// Whether a command starts and succeeds; its output is thrown away.
pub fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|o| o.status.success())
}

/// A command as one would type it.
pub fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

fn cannot_start(command: &Command) -> String {
    format!("cannot start `{}`", line(command))
}
