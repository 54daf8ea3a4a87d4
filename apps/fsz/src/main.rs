//! The `fsz` command.
//!
//! Each command is a module of [`commands`]: its arguments, and a function that does it. Exit codes:
//! 0 success, 1 a check failed, 2 usage error or unreadable input, 130 interrupted.
// Printing macros panic on a closed pipe; the `terminal` module does not.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod bar;
mod chunked;
mod cli;
mod closed;
mod codec;
mod commands;
mod failure;
mod interrupt;
#[cfg(feature = "adios2")]
mod last_bp;
mod limit;
mod missing;
mod output;
#[cfg(feature = "adios2")]
mod patience;
mod region;
mod source;
mod standard_input;
mod table;
mod terminal;

use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(error) => return terminal::usage(error),
    };
    interrupt::install();
    cli.run().unwrap_or_else(|error| terminal::failure(&error))
}
