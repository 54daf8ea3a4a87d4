//! `fsz man`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Command;
use clap_mangen::Man;
use fsz_field::{Output, create_folder};

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
    create_folder(&args.out)?;
    // What prints a page has none of its own, to which fsz.1 would refer.
    let mut all = all.disable_help_subcommand(true);
    all.build();
    for command in std::iter::once(&all).chain(all.get_subcommands()) {
        write(command, args)?;
    }
    let done = format!("{}: fsz.1 and one page per command", args.out.display());
    terminal::summary(quiet, false, &done)
}

fn write(command: &Command, args: &Args) -> Result<()> {
    // The display name of a subcommand is fsz-compress, as manual pages are called.
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    let mut output = Output::create(&args.out.join(format!("{name}.1")), args.force)?;
    output.put(&page)?;
    Ok(output.commit()?)
}
