//! `fsz inspect`.

use std::path::PathBuf;

use fsz_field::{Kind, StreamFile};

use crate::failure::{Result, Verdict, fail};
use crate::screen;

#[cfg(feature = "adios2")]
mod bp;
mod report;
mod tiles;

/// Show what a .fsz file, or every ADIOS2 block of a .bp file, holds; nothing is decoded
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File to look into
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// Also write one line per tile to this CSV file
    #[arg(long, value_name = "CSV")]
    tiles: Option<PathBuf>,
    /// Overwrite the CSV file
    #[arg(short, long)]
    force: bool,
}

/// Shows what the input holds.
pub fn run(args: &Args) -> Result {
    match Kind::of(&args.input)? {
        Kind::Fsz => inspect_stream(args)?,
        Kind::Bp => inspect_bp(args)?,
        _ => return fail(format!("{}: not a .fsz or .bp file", args.input.display())),
    }
    Ok(Verdict::Fine)
}

fn inspect_stream(args: &Args) -> Result<()> {
    let file = StreamFile::open(&args.input)?;
    let stream = file.stream()?;
    if let Some(path) = &args.tiles {
        tiles::write(&stream, path, args.force)?;
    }
    let report = report::Report::of(&stream);
    if args.json {
        return screen::print_json(&report);
    }
    screen::print(&format!("{}\n{}", args.input.display(), report.text()))
}

#[cfg(feature = "adios2")]
fn inspect_bp(args: &Args) -> Result<()> {
    if args.tiles.is_some() {
        return fail("--tiles takes one stream: fsz extract an ADIOS2 block first");
    }
    bp::inspect(&args.input, args.json)
}

#[cfg(not(feature = "adios2"))]
fn inspect_bp(args: &Args) -> Result<()> {
    crate::source::no_adios2(&args.input)
}
