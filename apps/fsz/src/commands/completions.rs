//! `fsz completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::failure::{Result, Verdict};
use crate::screen;

/// Write shell completions to standard output
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Shell to complete in
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Writes the completions.
pub fn run(args: &Args) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "fsz", &mut script);
    screen::print(&String::from_utf8_lossy(&script))?;
    Ok(Verdict::Fine)
}
