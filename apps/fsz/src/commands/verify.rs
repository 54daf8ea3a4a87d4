//! `fsz verify`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail, ensure};
use fsz::{Codec, DType, with_element};
use fsz_field::{Field, Fsz1File, Kind, Like, Shape, StreamFile};
use serde::Serialize;

use crate::codec::CodecArgs;
use crate::failure::memory_for;
use crate::source::SourceArgs;
use crate::{standard_input, terminal};

mod fsz1;
mod intact;
mod pairs;
mod series;
mod stream;

use pairs::{Pair, Pairs};

/// Check that a .fsz file, or a series of them, is intact, or check it against the originals; exit code 1 if an error
/// bound is violated
///
/// Every finite value must be within the bound, NaN, ±Inf and missing values must be bit-identical, and the
/// largest errors, in the type of the field, must equal those in the stream's certificate (or not exceed them,
/// where regions have bounds of their own). For a file of the paper author's own release (magic FSZ1), which
/// has no certificate, it tells by how much the bound is exceeded.
///
/// Without an original, everything is decoded and every checksum compared: the values are then those that the
/// certificate vouches for. A damaged file is an error.
///
/// For a series, name the folder and all originals: each belongs to the stream of the same name, as fsz
/// compress names it. With an ADIOS2 original, the streams tell variable and step. A file that cannot be
/// checked, a stream without its original and an original without its stream are reported, and the others
/// checked; the exit code is then 1, too.
#[derive(Debug, clap::Args)]
#[command(override_usage = "fsz verify [OPTIONS] <IN.fsz>... [--original <FILE>...]")]
pub struct Args {
    /// Compressed file, or several, or a folder of them
    #[arg(value_name = "IN.fsz")]
    input: Vec<PathBuf>,
    /// Original field, for a series all of them; a raw file takes its shape from the stream
    #[arg(long, value_name = "FILE", num_args = 1..)]
    original: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Variable to read from an ADIOS2 original; by default the name stored in the stream
    #[arg(long, value_name = "NAME", requires = "original")]
    variable: Option<String>,
    /// Time step of an ADIOS2 original; by default the one stored in the stream
    #[arg(long, value_name = "N", requires = "original")]
    step: Option<u64>,
    /// ADIOS2 block of an ADIOS2 original
    #[arg(long, value_name = "N", requires = "original")]
    block: Option<u64>,
    #[command(flatten)]
    codec: CodecArgs,
    #[cfg(feature = "adios2")]
    #[arg(skip)]
    last_bp: crate::last_bp::LastBp,
}

/// Checks the inputs; exit code 1 when something is not as it must be.
pub fn run(args: &Args, quiet: bool) -> Result<ExitCode> {
    standard_input::refuse_twice(args.input.iter().chain(&args.original))?;
    let codec = args.codec.codec()?;
    let pairs = args.pairs()?;
    if args.step.is_some() && pairs.whole.len() + pairs.halves.len() > 1 {
        bail!("--step is of one stream: of several each tells its own");
    }
    let holds = match (&pairs.whole[..], &pairs.halves[..]) {
        ([pair], []) if !pair.is_of_folder => {
            let found = args.check(pair, &codec, "verifying", quiet)?;
            if args.json {
                terminal::print_json(&found)?;
            } else if !quiet {
                terminal::line(&format!("{}: {}", pair.stream.display(), found.text()))?;
            }
            found.holds()
        }
        _ => series::check(args, &pairs, &codec, quiet)?,
    };
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What was found of a file.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Found {
    Stream(stream::Found),
    Intact(intact::Found),
    Fsz1(fsz1::Found),
}

impl Found {
    /// Whether all is as it must be.
    fn holds(&self) -> bool {
        match self {
            Found::Stream(found) => found.holds,
            Found::Intact(_) => true,
            Found::Fsz1(found) => found.holds,
        }
    }

    fn max_abs_error(&self) -> f64 {
        match self {
            Found::Stream(found) => found.max_abs_error,
            Found::Intact(found) => found.certified_max_abs_error,
            Found::Fsz1(found) => found.max_abs_error,
        }
    }

    /// Stands before the largest error where nothing measured it and it is a limit.
    fn at_most(&self) -> &'static str {
        match self {
            Found::Intact(found) => found.at_most,
            Found::Stream(_) | Found::Fsz1(_) => "",
        }
    }

    /// In one line.
    fn text(&self) -> String {
        match self {
            Found::Stream(found) => found.text(),
            Found::Intact(found) => found.text(),
            Found::Fsz1(found) => found.text(),
        }
    }
}

impl Args {
    /// Streams and originals, by what belongs together.
    fn pairs(&self) -> Result<Pairs> {
        // Behind --original nothing tells what is no original any more.
        match (&self.input[..], &self.original[..]) {
            ([], [originals @ .., stream]) if !originals.is_empty() => {
                pairs::of(std::slice::from_ref(stream), originals)
            }
            ([], _) => bail!("a compressed file is missing: fsz verify IN.fsz [--original FILE]"),
            (streams, []) => pairs::alone(streams),
            (streams, originals) => pairs::of(streams, originals),
        }
    }

    /// Checks a file; `what` stands beside the bar.
    fn check(&self, pair: &Pair, codec: &Codec, what: &str, quiet: bool) -> Result<Found> {
        if Kind::of(&pair.stream)? == Kind::Fsz1 {
            return self.check_fsz1(pair, codec, what, quiet);
        }
        ensure!(
            Kind::of(&pair.stream)? != Kind::Bp,
            "{}: an ADIOS2 file: use fsz extract, or fsz compare to hold its values against others",
            pair.stream.display()
        );
        let file = StreamFile::open(&pair.stream)?;
        let stream = file.stream()?;
        let header = stream.header();
        let told = (header.name.clone(), header.time_step);
        let Some(path) = &pair.original else {
            return Ok(Found::Intact(with_element!(header.dtype, T => {
                intact::check::<T>(codec, (&pair.stream, &stream), what, quiet)?
            })));
        };
        let kind = (&header.shape[..], header.dtype);
        let original = self.open_original((path, &pair.stream), kind, told, (codec, quiet))?;
        Ok(Found::Stream(with_element!(header.dtype, T => {
            stream::check::<T>(codec, (&pair.stream, &stream), &original, what, quiet)?
        })))
    }

    /// Checks a file of the paper author's own release.
    fn check_fsz1(&self, pair: &Pair, codec: &Codec, what: &str, quiet: bool) -> Result<Found> {
        let Some(path) = &pair.original else {
            let file = pair.stream.display();
            bail!("{file}: the paper author's FSZ release knows no checksums: give --original");
        };
        let file = Fsz1File::open(&pair.stream)?;
        let stream = file.stream()?;
        let header = stream.header();
        let kind = (&header.shape[..], header.dtype);
        let original =
            self.open_original((path, &pair.stream), kind, (None, None), (codec, quiet))?;
        Ok(Found::Fsz1(with_element!(header.dtype, T => {
            fsz1::check::<T>(&stream, &original, what, quiet).map_err(memory_for(&pair.stream))?
        })))
    }

    /// The original of a stream in a file, of this shape and type, which tells variable and step of an ADIOS2 file unless the user
    /// does.
    fn open_original(
        &self,
        (path, stream): (&Path, &Path),
        (shape, dtype): (&[u64], DType),
        told: (Option<String>, Option<u64>),
        (codec, quiet): (&Codec, bool),
    ) -> Result<Field> {
        let kind = Kind::of(path)?;
        let (name, time_step) = if kind == Kind::Bp { told } else { (None, None) };
        let shape = Shape::new(shape)?;
        let source = SourceArgs {
            shape: None,
            dtype: None,
            variable: self.variable.clone().or(name),
            step: self.step.or(time_step),
            block: self.block,
            like: Some(Like { name: stream.display().to_string(), shape: shape.clone(), dtype }),
            #[cfg(feature = "adios2")]
            last_bp: self.last_bp.clone(),
        };
        let original = source.open_chosen(path, codec, "", quiet)?;
        if *original.shape() == shape && original.dtype() == dtype {
            return Ok(original);
        }
        bail!(
            "{} is {} of shape {}, and the stream {dtype} of shape {shape}: this is not the original",
            path.display(),
            original.dtype(),
            original.shape()
        )
    }
}
