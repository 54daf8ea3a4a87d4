//! `fsz completions`.

use anyhow::Result;
use clap::Command;
use clap_complete::Shell;

use crate::terminal;

/// Print a shell completion script
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the completions of `command`.
pub fn run(args: &Args, command: &mut Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "fsz", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))
}
