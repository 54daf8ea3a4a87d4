//! `fsz inspect`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use fsz_field::{Kind, StreamFile};

use crate::failure::in_file;
use crate::{output, standard_input, terminal};

#[cfg(feature = "adios2")]
mod bp;
pub mod folder;
mod fsz1;
mod report;
mod series;
mod tiles;

/// Show the header, certificate and tiles of a .fsz file, of a folder of them, or of every ADIOS2 block of a
/// .bp file
///
/// Nothing is decoded. A folder or a .bp file is shown step by step, with ratio and error, and so are several
/// .fsz files, in the order given. A .fsz file of the paper author's own release (magic FSZ1) has no
/// certificate. The exit code is 1 if --require-compressed finds something uncompressed, or if one of several
/// files cannot be read; the others are shown.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Input file, or several .fsz files, or folders of them
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Also write one line per tile to this CSV file; - for standard output, without the report
    #[arg(long, value_name = "CSV")]
    tiles: Option<PathBuf>,
    /// Also draw ratio and error over the steps of a folder, of several files or of a .bp file, as SVG; - for standard output, without the
    /// report
    #[arg(long, value_name = "SVG")]
    plot: Option<PathBuf>,
    /// Overwrite an existing CSV or SVG file
    #[arg(short, long)]
    force: bool,
    /// In a .bp file, only this variable; may be given several times
    #[arg(long, value_name = "NAME")]
    variable: Vec<String>,
    /// Exit with 1 unless FSZ compressed every ADIOS2 block of the variables: those of --variable, or all
    /// arrays of float and double
    #[arg(long)]
    require_compressed: bool,
}

/// Shows the input; exit code 1 when something is not as it must be.
pub fn run(args: &Args, quiet: bool) -> Result<ExitCode> {
    standard_input::refuse_twice(&args.inputs)?;
    let folder = folder::streams(args.input());
    if folder.is_some() || args.inputs.len() > 1 {
        return folder::inspect(args, quiet);
    }
    let kind = Kind::of(args.input())?;
    if args.plot.is_some() && kind != Kind::Bp {
        bail!("--plot needs a folder of .fsz files, several of them, or a .bp file");
    }
    if kind != Kind::Bp && (!args.variable.is_empty() || args.require_compressed) {
        bail!("--variable and --require-compressed need a .bp file");
    }
    match kind {
        Kind::Fsz => inspect_stream(args, quiet).map(|()| ExitCode::SUCCESS),
        Kind::Fsz1 => fsz1::inspect(args, quiet).map(|()| ExitCode::SUCCESS),
        Kind::Bp => inspect_bp(args, quiet),
        _ => bail!("{}: not a .fsz or .bp file", args.input().display()),
    }
}

impl Args {
    /// The input where it is a single one, which is required.
    fn input(&self) -> &Path {
        &self.inputs[0]
    }
}

fn inspect_stream(args: &Args, quiet: bool) -> Result<()> {
    let file = StreamFile::open(args.input())?;
    let stream = file.stream()?;
    if write_tiles(args, stream.tiles().map(|tile| tile.map(tiles::Line::from)), quiet)? {
        return Ok(());
    }
    let report = report::Report::of(&stream);
    if args.json {
        return terminal::print_json(&report);
    }
    terminal::print(&format!("{}\n{}", terminal::named(args.input()), report.text()))
}

/// Writes the tiles where they are asked for; whether that was to standard output.
fn write_tiles(
    args: &Args,
    tiles: impl Iterator<Item = fsz::Result<tiles::Line>>,
    quiet: bool,
) -> Result<bool> {
    let Some(path) = &args.tiles else { return Ok(false) };
    let output = output::create(path, args.force, &args.inputs)?;
    output::refuse_csv(path)?;
    let instead = output.is_standard_output();
    if instead && args.json {
        bail!("--tiles and --json would both go to standard output: name a file for the tiles");
    }
    let lines = tiles::write(tiles.map(|tile| tile.map_err(in_file(args.input()))), output)?;
    if !instead {
        let tiles = terminal::count(lines as usize, "tile");
        terminal::note(quiet, &format!("{}: {tiles}", path.display()));
    }
    Ok(instead)
}

/// Draws the points where that is asked for; whether that was to standard output.
fn write_plot(
    args: &Args,
    points: &[series::Point],
    inputs: &[PathBuf],
    quiet: bool,
) -> Result<bool> {
    let Some(path) = &args.plot else { return Ok(false) };
    let output = output::create(path, args.force, inputs)?;
    output::refuse_plot(path)?;
    let instead = output.is_standard_output();
    if instead && args.json {
        bail!("--plot and --json would both go to standard output: name a file for the plot");
    }
    series::draw(points, output)?;
    if !instead {
        let steps = terminal::count(points.len(), "step");
        terminal::note(quiet, &format!("{}: ratio and error of {steps}", path.display()));
    }
    Ok(instead)
}

#[cfg(feature = "adios2")]
fn inspect_bp(args: &Args, quiet: bool) -> Result<ExitCode> {
    if args.tiles.is_some() {
        bail!("--tiles needs a .fsz file: extract an ADIOS2 block first with fsz extract");
    }
    bp::inspect(args, quiet)
}

#[cfg(not(feature = "adios2"))]
fn inspect_bp(args: &Args, _quiet: bool) -> Result<ExitCode> {
    crate::source::no_adios2(args.input())
}
