//! `fsz inspect`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use fsz_field::{Kind, Output, StreamFile};

use crate::terminal;

#[cfg(feature = "adios2")]
mod bp;
mod report;
mod tiles;

/// Show the header, certificate and tiles of a .fsz file, or of every ADIOS2 block of a .bp file
///
/// Nothing is decoded.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Input file
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Also write one line per tile to this CSV file; - for standard output, without the report
    #[arg(long, value_name = "CSV")]
    tiles: Option<PathBuf>,
    /// Overwrite an existing CSV file
    #[arg(short, long)]
    force: bool,
}

/// Shows the input.
pub fn run(args: &Args) -> Result<()> {
    match Kind::of(&args.input)? {
        Kind::Fsz => inspect_stream(args),
        Kind::Bp => inspect_bp(args),
        _ => bail!("{}: not a .fsz or .bp file", args.input.display()),
    }
}

fn inspect_stream(args: &Args) -> Result<()> {
    let file = StreamFile::open(&args.input)?;
    let stream = file.stream()?;
    if let Some(path) = &args.tiles {
        let output = Output::create(path, args.force)?;
        let direct = output.is_direct();
        tiles::write(&stream, output)?;
        if direct {
            return Ok(());
        }
    }
    let report = report::Report::of(&stream);
    if args.json {
        return terminal::print_json(&report);
    }
    terminal::print(&format!("{}\n{}", args.input.display(), report.text()))
}

#[cfg(feature = "adios2")]
fn inspect_bp(args: &Args) -> Result<()> {
    if args.tiles.is_some() {
        bail!("--tiles needs a .fsz file: extract an ADIOS2 block first with fsz extract");
    }
    bp::inspect(&args.input, args.json)
}

#[cfg(not(feature = "adios2"))]
fn inspect_bp(args: &Args) -> Result<()> {
    crate::source::no_adios2(&args.input)
}
