//! `fsz man`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Command;
use fsz_field::{Folder, Output};
use fsz_manual::{Program, name, page};

use crate::cli::EXIT_CODES;
use crate::output::refuse_standard_output;
use crate::terminal;

/// Write manual pages: fsz.1 and one per command
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Output directory; created if needed
    #[arg(short, long, visible_alias = "output", value_name = "DIR")]
    out: PathBuf,
    /// Overwrite existing pages
    #[arg(short, long)]
    force: bool,
}

/// Writes the pages of `all` and its subcommands.
pub fn run(args: &Args, all: Command, quiet: bool) -> Result<()> {
    refuse_standard_output(&args.out, "a page for each command")?;
    let filled = Folder::create(&args.out)?;
    // What prints a page has none of its own, to which fsz.1 would refer.
    let mut all = all.disable_help_subcommand(true);
    all.build();
    let version = format!("fsz {}", all.get_version().unwrap_or_default());
    let program = Program { version: &version, exit_codes: &EXIT_CODES };
    // All before one of them is written: what is there is told before others come beside it.
    let begin = |command| {
        let path = args.out.join(format!("{}.1", name(command)));
        Ok((command, Output::create(&path, args.force)?))
    };
    let commands = std::iter::once(&all).chain(all.get_subcommands());
    for (command, mut output) in commands.map(begin).collect::<Result<Vec<_>>>()? {
        let see_also = (!command.has_subcommands()).then_some("fsz");
        output.put(page(command, &program, see_also).as_bytes())?;
        filled.commit(output)?;
    }
    drop(filled);
    let done = format!("{}: fsz.1 and one page per command", args.out.display());
    terminal::summary(quiet, false, &done)
}
