//! `fsz slice`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use fsz_field::{Fsz1File, Kind, Shape, StreamFile};

use super::decompress::write_field;
use crate::codec::CodecArgs;
use crate::source::SourceArgs;
use crate::{bar, output, terminal};

/// Extract a plane of a field; only the needed part of a .fsz file is decoded
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Input field
    #[arg(value_name = "IN.fsz")]
    input: PathBuf,
    /// Axis normal to the plane; 0 is the slowest
    #[arg(long, value_name = "N")]
    axis: usize,
    /// Index along the axis, counted from 0
    #[arg(long, value_name = "N")]
    index: u64,
    /// Output file: .npy, or raw little-endian values for an extension that names no other format; - for raw
    /// values on standard output
    #[arg(short, long, value_name = "OUT.npy")]
    output: PathBuf,
    /// Overwrite an existing output file
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    codec: CodecArgs,
}

/// Extracts the plane.
pub fn run(args: &Args, quiet: bool) -> Result<()> {
    let codec = args.codec.codec()?;
    let mut output = output::create(&args.output, args.force, &[&args.input])?;
    let Args { input, axis, index, source, .. } = args;
    let plane = match Kind::of(input)? {
        Kind::Fsz => {
            let file = StreamFile::open(input)?;
            let stream = file.stream()?;
            source.agree(input, &stream.header().shape, stream.header().dtype)?;
            check(input, &stream.header().shape, (*axis, *index))?;
            bar::watch("decompressing", quiet, |progress| {
                file.decode_slice_watched(&codec, (*axis, *index), progress)
            })?
        }
        Kind::Fsz1 => {
            let file = Fsz1File::open(input)?;
            let stream = file.stream()?;
            source.agree(input, &stream.header().shape, stream.header().dtype)?;
            check(input, &stream.header().shape, (*axis, *index))?;
            file.decode_slice(*axis, *index)?
        }
        _ => {
            let field = source.open(input, &codec)?;
            check(input, field.shape().sides(), (*axis, *index))?;
            field.slice(*axis, *index).map_err(|error| error.in_file(input))?
        }
    };
    let direct = output.is_direct();
    write_field(&plane, &mut output)?;
    output.commit()?;
    let (path, shape) = (args.output.display(), plane.shape());
    terminal::summary(quiet, direct, &format!("{path}: {} {shape}", plane.dtype()))
}

/// Errs where a file of this shape has no such plane.
pub fn check(input: &Path, sides: &[u64], (axis, index): (usize, u64)) -> Result<()> {
    let (path, shape) = (input.display(), Shape::new(sides)?);
    match (sides.get(axis), sides.len()) {
        (Some(&side), _) if index < side => Ok(()),
        (Some(0), _) => {
            bail!("{path}: --index {index}: axis {axis} of shape {shape} has no planes")
        }
        (Some(side), _) => {
            let last = side - 1;
            bail!(
                "{path}: --index {index}: axis {axis} of shape {shape} has the planes 0 to {last}"
            )
        }
        (None, 0) => bail!("{path}: --axis {axis}: it has one value, and no axes"),
        (None, 1) => bail!("{path}: --axis {axis}: shape {shape} has the axis 0 alone"),
        (None, axes) => {
            bail!(
                "{path}: --axis {axis}: shape {shape} has the axes 0 to {}, slowest first",
                axes - 1
            )
        }
    }
}
