//! `fsz decompress`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use fsz::{Codec, Element, Stream, with_element};
use fsz_field::{Field, Kind, Output, StreamFile, Values, npy_header, write_npy, write_raw};
use fsz_figure::number;

use crate::codec::CodecArgs;
use crate::source::SourceArgs;
use crate::{chunked, output, standard_input, terminal};

mod series;

/// Decompress a .fsz or .zfp file to raw values or .npy, or a series of them to a folder of .npy files
///
/// Several inputs, or all .fsz files of a folder, go to a folder, each as a .npy file of the same name. Damaged
/// ones are reported and the others decompressed; the exit code is then 1.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Compressed file, or several, or a folder of them
    #[arg(value_name = "IN.fsz", required = true)]
    input: Vec<PathBuf>,
    /// Output file: .npy, or raw little-endian values for an extension that names no other format; - for raw
    /// values on standard output. For a series, a folder, which is created if needed
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Overwrite existing output files
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    codec: CodecArgs,
}

/// Decompresses the inputs into the output.
pub fn run(args: &Args, quiet: bool) -> Result<ExitCode> {
    standard_input::refuse_twice(&args.input)?;
    let codec = args.codec.codec()?;
    if let Some(files) = series::files(args) {
        return series::run(args, &files, &codec, quiet);
    }
    let files = (&*args.input[0], &*args.output);
    let told = ("decompressing", quiet);
    let (bytes, direct) = decompress(files, args.force, &codec, told, Output::commit)?;
    let (path, bytes) = (args.output.display(), number::bytes(bytes));
    terminal::summary(quiet, direct, &format!("{path}: {bytes}"))?;
    Ok(ExitCode::SUCCESS)
}

/// Decompresses a file into another one, which `commit` gives its name; `what` stands beside the bar. Gives the bytes of
/// the values, and whether they were written directly.
fn decompress(
    (input, output): (&Path, &Path),
    force: bool,
    codec: &Codec,
    (what, quiet): (&str, bool),
    commit: impl FnOnce(Output) -> fsz_field::Result<()>,
) -> Result<(u64, bool)> {
    let kind = expect_compressed(input)?;
    let mut output = output::create(output, force, &[input])?;
    let direct = output.is_direct();
    let bytes = if kind == Kind::Fsz {
        let file = StreamFile::open(input)?;
        let stream = file.stream()?;
        with_element!(stream.header().dtype, T => {
            decode::<T>(codec, (input, &stream), &mut output, what, quiet)?;
        });
        stream.raw_bytes()
    } else {
        let field = SourceArgs::default().open(input, codec)?;
        write_field(&field, &mut output)?;
        field.values().bytes().len() as u64
    };
    commit(output)?;
    Ok((bytes, direct))
}

/// The kind of a file.
///
/// # Errors
/// When it cannot be decompressed.
fn expect_compressed(path: &Path) -> Result<Kind> {
    let kind = Kind::of(path)?;
    match not_compressed(kind) {
        Some(why) => bail!("{}: {why}", path.display()),
        None => Ok(kind),
    }
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
    what: &str,
    quiet: bool,
) -> Result<()> {
    output::refuse_values(output.path(), stream.header().dtype)?;
    if is_npy(output.path()) {
        output.put(&npy_header(stream.header().dtype, &stream.header().shape))?;
    }
    chunked::each::<T>(codec, (path, stream), what, quiet, |_, values| {
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
