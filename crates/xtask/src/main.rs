//! What a person types in this repository: `cargo xtask <command>`.
//!
//! Everything else is built by the commands here, so this crate is built first and depends on
//! next to nothing.

mod cache;
mod process;
mod setup;
mod tools;

use anyhow::{Result, bail};
use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask <command>

  setup        download the pinned dependencies into the user's cache folder (once)
  env          print the shell lines with which plain cargo finds them:  eval \"$(cargo xtask env)\"

The cache folder is $FSZ_CACHE, else $XDG_CACHE_HOME/fsz, else ~/.cache/fsz.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<()> {
    let is_help = |a: &String| matches!(a.as_str(), "help" | "--help" | "-h");
    let Some((command, rest)) = args.split_first().filter(|_| !args.iter().any(is_help)) else {
        println!("{HELP}");
        return Ok(());
    };
    match (command.as_str(), rest) {
        ("setup", []) => setup::run(),
        ("env", []) => setup::print_env(),
        ("setup" | "env", [extra, ..]) => bail!("`{command}` takes no `{extra}`"),
        _ => bail!("no command `{command}`; see `cargo xtask --help`"),
    }
}
