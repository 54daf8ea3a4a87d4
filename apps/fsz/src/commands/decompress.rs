//! `fsz decompress`.

use std::path::{Path, PathBuf};

use fsz::{Codec, DType, Stream};
use fsz_field::{Field, Kind, Output, Scalar, StreamFile, npy_header, write_npy, write_raw};

use crate::codec::CodecArgs;
use crate::failure::{Result, Verdict};
use crate::source::SourceArgs;
use crate::{number, pieces, screen};

/// Decompress a .fsz file into raw values or .npy
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Stream to decompress (.zfp is read too)
    #[arg(value_name = "IN.fsz")]
    input: PathBuf,
    /// File to write: NumPy's format if it ends in .npy, else raw little-endian values
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Overwrite the output
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    codec: CodecArgs,
}

/// Decompresses the input into the output.
pub fn run(args: &Args, quiet: bool) -> Result {
    let codec = args.codec.codec()?;
    let mut output = Output::create(&args.output, args.force)?;
    let values = if Kind::of(&args.input)? == Kind::Fsz {
        let file = StreamFile::open(&args.input)?;
        let stream = file.stream()?;
        match stream.header().dtype {
            DType::F32 => decode::<f32>(&codec, &stream, &mut output, quiet)?,
            DType::F64 => decode::<f64>(&codec, &stream, &mut output, quiet)?,
        }
        stream.raw_bytes()
    } else {
        let field = SourceArgs::default().open(&args.input, &codec)?;
        write_field(&field, &mut output)?;
        field.values().bytes().len() as u64
    };
    output.commit()?;
    if !quiet {
        let (path, values) = (args.output.display(), number::bytes(values));
        screen::print(&format!("{path}: {values} of values\n"))?;
    }
    Ok(Verdict::Fine)
}

/// Decodes piece by piece into the output.
fn decode<T: Scalar>(
    codec: &Codec,
    stream: &Stream<'_>,
    output: &mut Output,
    quiet: bool,
) -> Result<()> {
    let info = &stream;
    if is_npy(output.path()) {
        output.put(&npy_header(info.header().dtype, &info.header().shape))?;
    }
    pieces::each::<T>(codec, stream, "decompressing", quiet, |_, values| {
        Ok(write_raw(T::values(values), output)?)
    })
}

/// Writes a field in the format that the output's name asks for.
pub fn write_field(field: &Field, output: &mut Output) -> Result<()> {
    if is_npy(output.path()) {
        return Ok(write_npy(field, output)?);
    }
    Ok(write_raw(field.values(), output)?)
}

/// Whether a file of this name is to be in NumPy's format.
fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"))
}
