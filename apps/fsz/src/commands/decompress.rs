//! `fsz decompress`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use fsz::{Codec, Element, Stream, with_element};
use fsz_field::{Field, Kind, Output, StreamFile, Values, npy_header, write_npy, write_raw};
use fsz_figure::number;

use crate::codec::CodecArgs;
use crate::source::SourceArgs;
use crate::{chunked, output, terminal};

/// Decompress a .fsz or .zfp file to raw values or .npy
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Compressed file
    #[arg(value_name = "IN.fsz")]
    input: PathBuf,
    /// Output file: .npy, or raw little-endian values for any other extension that names nothing else; - for raw
    /// values on standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Overwrite an existing output file
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    codec: CodecArgs,
}

/// Decompresses the input into the output.
pub fn run(args: &Args, quiet: bool) -> Result<()> {
    let codec = args.codec.codec()?;
    let kind = Kind::of(&args.input)?;
    if let Some(why) = not_compressed(kind) {
        bail!("{}: {why}", args.input.display());
    }
    let mut output = output::create(&args.output, args.force, &[&args.input])?;
    let direct = output.is_direct();
    let values = if kind == Kind::Fsz {
        let file = StreamFile::open(&args.input)?;
        let stream = file.stream()?;
        with_element!(stream.header().dtype, T => {
            decode::<T>(&codec, (&args.input, &stream), &mut output, quiet)?;
        });
        stream.raw_bytes()
    } else {
        let field = SourceArgs::default().open(&args.input, &codec)?;
        write_field(&field, &mut output)?;
        field.values().bytes().len() as u64
    };
    output.commit()?;
    let (path, values) = (args.output.display(), number::bytes(values));
    terminal::summary(quiet, direct, &format!("{path}: {values}"))
}

/// Why a file of this kind cannot be decompressed.
fn not_compressed(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Fsz | Kind::Fsz1 | Kind::Zfp => None,
        Kind::Raw | Kind::Npy => Some("not a compressed file"),
        Kind::Bp => Some("an ADIOS2 file: use fsz extract"),
    }
}

/// Decodes chunk by chunk into the output.
fn decode<T: Element>(
    codec: &Codec,
    (path, stream): (&Path, &Stream<'_>),
    output: &mut Output,
    quiet: bool,
) -> Result<()> {
    output::refuse_values(output.path(), stream.header().dtype)?;
    if is_npy(output.path()) {
        output.put(&npy_header(stream.header().dtype, &stream.header().shape))?;
    }
    chunked::each::<T>(codec, (path, stream), "decompressing", quiet, |_, values| {
        Ok(write_raw(Values::of(values), output)?)
    })
}

/// Writes a field in the format of the output's extension, which must not be that of another one.
pub fn write_field(field: &Field, output: &mut Output) -> Result<()> {
    output::refuse_values(output.path(), field.dtype())?;
    if is_npy(output.path()) {
        return Ok(write_npy(field, output)?);
    }
    Ok(write_raw(field.values(), output)?)
}

/// Whether a file of this name is in NumPy's format.
fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"))
}
