//! `fsz slice`.

use std::path::PathBuf;

use fsz_field::{Kind, Output, StreamFile};

use super::decompress::write_field;
use crate::codec::CodecArgs;
use crate::failure::{Result, Verdict};
use crate::screen;
use crate::source::SourceArgs;

/// Cut a plane out of a field; of a .fsz file only that plane is decoded
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Field to cut
    #[arg(value_name = "IN.fsz")]
    input: PathBuf,
    /// Axis to cut across, counted from 0, the slowest
    #[arg(long, value_name = "N")]
    axis: usize,
    /// Where on the axis, counted from 0
    #[arg(long, value_name = "N")]
    index: u64,
    /// File to write: NumPy's format if it ends in .npy, else raw little-endian values
    #[arg(short, long, value_name = "OUT.npy")]
    output: PathBuf,
    /// Overwrite the output
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    codec: CodecArgs,
}

/// Cuts the plane out.
pub fn run(args: &Args, quiet: bool) -> Result {
    let codec = args.codec.codec()?;
    let mut output = Output::create(&args.output, args.force)?;
    let plane = if Kind::of(&args.input)? == Kind::Fsz {
        StreamFile::open(&args.input)?.decode_slice(&codec, args.axis, args.index)?
    } else {
        args.source.open(&args.input, &codec)?.slice(args.axis, args.index)?
    };
    write_field(&plane, &mut output)?;
    output.commit()?;
    if !quiet {
        let (path, shape) = (args.output.display(), plane.shape());
        screen::print(&format!("{path}: {} {shape}\n", plane.dtype()))?;
    }
    Ok(Verdict::Fine)
}
