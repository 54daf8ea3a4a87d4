//! Writing to the terminal or the pipe, without a panic when it is closed.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::error::ErrorKind;
use serde::Serialize;

use crate::failure::{is_closed_pipe, is_interrupt, message};

/// Writes text to standard output.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Writes a value as JSON to standard output. Numbers that JSON does not know (NaN, ±Inf) become
/// null.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    print(&text)
}

/// What a command did, unless the user wants quiet; on standard error where the output was `direct`:
/// it may be the same pipe.
pub fn summary(quiet: bool, direct: bool, text: &str) -> Result<()> {
    if direct {
        note(quiet, text);
        return Ok(());
    }
    if quiet { Ok(()) } else { print(&format!("{text}\n")) }
}

/// A remark on standard error, unless the user wants quiet.
pub fn note(quiet: bool, text: &str) {
    if !quiet {
        error(text);
    }
}

/// Reports a failure; its exit code.
pub fn failure(failure: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(failure) {
        return ExitCode::SUCCESS;
    }
    if is_interrupt(failure) {
        error("interrupted: no unfinished output is left");
        return ExitCode::from(130);
    }
    error(&format!("error: {}", one_line(&message(failure))));
    ExitCode::from(2)
}

/// Reports what is wrong with the arguments, in one line; help and version are no error.
pub fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Help that nobody reads any more is no failure.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let message = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "error: a command is required",
        _ => text.split("\n\nUsage").next().unwrap_or(&text),
    };
    let hint = "see fsz --help";
    self::error(&format!("{}; {hint}", one_line(message)));
    ExitCode::from(2)
}

/// Without line breaks, and single-spaced.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn error(text: &str) {
    // With standard error closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "{text}");
}
