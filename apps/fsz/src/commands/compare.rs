//! `fsz compare`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use fsz::{Codec, DType, Progress};
use fsz_field::{Field, Fsz1File, Kind, Like, Shape, StreamFile, with_values};
use fsz_figure::number::short;
use fsz_metrics::Limit;

use crate::codec::CodecArgs;
use crate::source::SourceArgs;
use crate::{bar, limit, missing, standard_input, terminal};

mod figures;

use figures::{Figures, Regions};

/// Of which step figures are must be known: of the first by default they would say nothing of another one.
const STEP: &str = "Time step to read from an ADIOS2 file, counted from 0; may be left out where there is one, or where \
                    the .fsz file tells it";

/// Bytes of a field of which parts are worth while.
const LARGE: u64 = 32 << 20;

/// Compare a reconstruction or a compressed file with the original
///
/// Violations are finite values beyond the bound (in regions, beyond the region's own) and finite values that
/// became NaN or ±Inf, which are reported as lost even without a bound. NaN, ±Inf and missing values whose bits
/// changed are counted separately, as changed (altered in JSON). fsz verify counts in the same way, and ends with exit
/// code 1 if there are any; here they are figures like the others, and no failure.
///
/// A .fsz file of 32 MiB of values or more and at least three axes is decoded part by part: in memory are at
/// most one slice of the last two axes and two parts. Other fields are decoded whole.
///
/// --variable, --step and --block select the field of an ADIOS2 file, be it the original, the reconstruction or
/// both. For an ADIOS2 original, a .fsz file that stores a variable name and a time step tells these by default.
#[derive(Debug, clap::Args)]
#[command(mut_arg("step", |arg| arg.help(STEP)))]
pub struct Args {
    /// Original field
    #[arg(value_name = "ORIGINAL")]
    original: PathBuf,
    /// Reconstruction: raw values, .npy, .fsz, .zfp or an ADIOS2 file
    #[arg(value_name = "RECONSTRUCTED")]
    reconstructed: PathBuf,
    /// Count the values that exceed this absolute bound; by default the bound of the .fsz file
    #[arg(long, value_name = "E")]
    bound: Option<f64>,
    /// Missing value to exclude, may be given several times; by default those of the reconstruction, or else of
    /// the original, where it is a .fsz file
    #[arg(long, value_name = "V")]
    missing: Vec<f64>,
    /// Print JSON; infinite and unknown numbers are null
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    codec: CodecArgs,
}

/// Compares the two.
pub fn run(args: &Args, quiet: bool) -> Result<()> {
    standard_input::refuse_twice([&args.original, &args.reconstructed])?;
    let codec = args.codec.codec()?;
    let bound = args.bound()?;
    let figures = match args.by_parts(&codec, bound, quiet)? {
        Some(figures) => figures,
        None => bar::watch("comparing", quiet, |progress| args.figures(&codec, bound, progress))?,
    };
    if args.json { terminal::print_json(&figures) } else { terminal::print(&figures.text()) }
}

impl Args {
    /// Compares a large field of more than one slice as it is decoded, so that it is never whole in memory; `None` where
    /// that is not possible.
    fn by_parts(
        &self,
        codec: &Codec,
        bound: Option<Limit>,
        quiet: bool,
    ) -> Result<Option<Figures>> {
        if Kind::of(&self.reconstructed)? != Kind::Fsz {
            return Ok(None);
        }
        let file = StreamFile::open(&self.reconstructed)?;
        let stream = file.stream()?;
        let header = stream.header();
        let shape = Shape::new(&header.shape)?;
        if stream.raw_bytes() < LARGE || header.shape.iter().filter(|&&n| n > 1).count() < 3 {
            return Ok(None);
        }
        let told = (header.name.clone(), header.time_step);
        let original = bar::watch("comparing", quiet, |progress| {
            self.open_original((&shape, header.dtype), told, codec, progress)
        })?;
        let missing = self.missing(&original, (&header.missing, header.dtype))?;
        let stored = stored_bytes(&self.reconstructed)?;
        let limits = limit::by_region(&stream);
        let regions = (self.bound.is_none() && header.has_regions()).then_some(&limits[..]);
        with_values!(original.values(), a => {
            Figures::by_parts(codec, (&self.reconstructed, &stream), a, missing, (bound, regions), stored, quiet)
        })
    }

    /// Decodes what is compressed, and compares.
    fn figures(
        &self,
        codec: &Codec,
        bound: Option<Limit>,
        progress: &Arc<Progress>,
    ) -> Result<Figures> {
        let (original, reconstructed) = self.open_both(codec, progress)?;
        let told = (reconstructed.missing(), reconstructed.dtype());
        let missing = self.missing(&original, told)?;
        let stored = stored_bytes(&self.reconstructed)?;
        let regions = if self.bound.is_none() { regions(&self.reconstructed)? } else { None };
        with_values!(original.values(), a => {
            let b = reconstructed.as_slice().unwrap_or_default();
            Figures::of(original.shape(), (a, b), missing, (bound, regions), stored, progress)
        })
    }

    /// The missing values that are asked for, else those that the reconstruction tells with its type, else the original's.
    ///
    /// # Errors
    /// When the two have other types, or one of the missing values is none of them.
    fn missing<'a>(
        &'a self,
        original: &'a Field,
        (reconstructed, other): (&'a [f64], DType),
    ) -> Result<&'a [f64]> {
        let all = [&self.missing, reconstructed, original.missing()];
        let missing = all.into_iter().find(|missing| !missing.is_empty()).unwrap_or_default();
        let dtype = original.dtype();
        missing::check(missing, dtype)?;
        ensure!(dtype == other, "the original is {dtype} and the reconstruction {other}");
        Ok(missing)
    }

    /// The bound that is asked for, else that of the compressed file.
    fn bound(&self) -> Result<Option<Limit>> {
        if let Some(given) = self.bound {
            ensure!(
                given >= 0.0,
                "--bound {}: it must be a number that is not negative",
                short(given)
            );
            return Ok(Some(given.into()));
        }
        Ok(match Kind::of(&self.reconstructed)? {
            Kind::Fsz => Some(limit::of(StreamFile::open(&self.reconstructed)?.stream()?.header())),
            Kind::Fsz1 => {
                Some(Fsz1File::open(&self.reconstructed)?.stream()?.header().bound.into())
            }
            _ => None,
        })
    }

    /// Opens both; a raw file takes its shape from the other one.
    fn open_both(&self, codec: &Codec, progress: &Arc<Progress>) -> Result<(Field, Field)> {
        let plain = SourceArgs::default();
        let kind = Kind::of(&self.reconstructed)?;
        if kind == Kind::Raw {
            let source = &self.source;
            let original = source.open_chosen_watched(&self.original, codec, "", progress)?;
            let kind = (original.shape(), original.dtype());
            let SourceArgs { shape, dtype, like, .. } = self.like(&self.original, kind);
            let source = SourceArgs { shape, dtype, like, ..plain };
            let reconstructed = source.open_watched(&self.reconstructed, codec, progress)?;
            return Ok((original, reconstructed));
        }
        let source = match kind {
            Kind::Bp => SourceArgs { shape: None, dtype: None, ..self.source.clone() },
            _ => plain,
        };
        let reconstructed = source.open_chosen_watched(&self.reconstructed, codec, "", progress)?;
        let kind = (reconstructed.shape(), reconstructed.dtype());
        let told = (reconstructed.name().map(str::to_owned), reconstructed.step());
        let original = self.open_original(kind, told, codec, progress)?;
        Ok((original, reconstructed))
    }

    /// Where a field comes from that is compared with the one in this file, of this shape and type.
    fn like(&self, path: &Path, (shape, dtype): (&Shape, DType)) -> SourceArgs {
        let (name, shape) = (path.display().to_string(), shape.clone());
        SourceArgs { like: Some(Like { name, shape, dtype }), ..self.source.clone() }
    }

    /// Opens the original of a reconstruction of this shape and type, which tells variable and step of an ADIOS2 file.
    fn open_original(
        &self,
        (shape, dtype): (&Shape, DType),
        (name, step): (Option<String>, Option<u64>),
        codec: &Codec,
        progress: &Arc<Progress>,
    ) -> Result<Field> {
        let kind = Kind::of(&self.original)?;
        let mut source = self.like(&self.reconstructed, (shape, dtype));
        if kind == Kind::Bp {
            source.variable = source.variable.or(name);
            source.step = source.step.or(step);
        } else if Kind::of(&self.reconstructed)? == Kind::Bp {
            // What is chosen is of that.
            (source.variable, source.step, source.block) = (None, None, None);
        }
        let original = source.open_chosen_watched(&self.original, codec, "", progress)?;
        if original.shape() != shape {
            bail!("the original has shape {} and the reconstruction {shape}", original.shape());
        }
        Ok(original)
    }
}

/// Those of a .fsz file that has some.
fn regions(path: &Path) -> Result<Option<Regions>> {
    if Kind::of(path)? != Kind::Fsz {
        return Ok(None);
    }
    let file = StreamFile::open(path)?;
    let stream = file.stream()?;
    if !stream.header().has_regions() {
        return Ok(None);
    }
    let elements = stream.header().elements();
    let owner = fsz_field::zeroed(elements, format_args!("the regions of {elements} values"));
    let mut owner = owner.map_err(|error| error.in_file(path))?;
    stream.regions_of_range(0, &mut owner)?;
    Ok(Some(Regions { owner, limits: limit::by_region(&stream) }))
}

/// Bytes of a compressed file; a file of plain values is not one.
fn stored_bytes(path: &Path) -> Result<Option<u64>> {
    match Kind::of(path)? {
        Kind::Fsz | Kind::Fsz1 | Kind::Zfp => Ok(Some(fsz_field::input_len(path)?)),
        _ => Ok(None),
    }
}
