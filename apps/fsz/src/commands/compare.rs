//! `fsz compare`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use fsz::{Codec, Progress};
use fsz_field::{Field, Fsz1File, Kind, StreamFile, with_values};
use fsz_metrics::Limit;

use crate::codec::CodecArgs;
use crate::source::SourceArgs;
use crate::{bar, limit, missing, standard_input, terminal};

mod figures;

use figures::{Figures, Regions};

/// Compare a reconstruction or a compressed file with the original
///
/// Violations are finite values beyond the bound, of regions beyond their own; NaN, ±Inf and missing values that lost
/// their bits are counted apart, as changed (altered in JSON). fsz verify counts alike, and ends
/// with exit code 1 where there are some; here they are figures like the others, and no failure.
///
/// Of an ADIOS2 original, a .fsz file that stores the name of a variable and a time step tells which of them are
/// meant.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Original field
    #[arg(value_name = "ORIGINAL")]
    original: PathBuf,
    /// Reconstruction: raw values, .npy, .fsz or .zfp
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
    let figures = bar::watch("comparing", quiet, |progress| args.figures(&codec, bound, progress))?;
    if args.json { terminal::print_json(&figures) } else { terminal::print(&figures.text()) }
}

impl Args {
    /// Decodes what is compressed, and compares.
    fn figures(
        &self,
        codec: &Codec,
        bound: Option<Limit>,
        progress: &Arc<Progress>,
    ) -> Result<Figures> {
        let (original, reconstructed) = self.open_both(codec, progress)?;
        let all = [&self.missing, reconstructed.missing(), original.missing()];
        let missing = all.into_iter().find(|missing| !missing.is_empty()).unwrap_or_default();
        missing::check(missing, original.dtype())?;
        let stored = stored_bytes(&self.reconstructed)?;
        let (dtype, other) = (original.dtype(), reconstructed.dtype());
        ensure!(dtype == other, "the original is {dtype} and the reconstruction {other}");
        let regions = if self.bound.is_none() { regions(&self.reconstructed)? } else { None };
        with_values!(original.values(), a => {
            let b = reconstructed.as_slice().unwrap_or_default();
            Figures::of(original.shape(), (a, b), missing, (bound, regions), stored, progress)
        })
    }

    /// The bound that is asked for, else that of the compressed file.
    fn bound(&self) -> Result<Option<Limit>> {
        if let Some(given) = self.bound {
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

    /// Opens both; a raw file takes its shape and type from the other one where it must.
    fn open_both(&self, codec: &Codec, progress: &Arc<Progress>) -> Result<(Field, Field)> {
        let raw = |path: &Path| Ok::<_, fsz_field::Error>(Kind::of(path)? == Kind::Raw);
        let plain = SourceArgs::default();
        let like = |path: &Path, field: &Field, raw: bool| SourceArgs {
            shape: self.source.shape.clone().or(raw.then(|| field.shape().clone())),
            dtype: self.source.dtype.or(raw.then_some(field.dtype())),
            like: self.source.shape.is_none().then(|| path.display().to_string()),
            ..self.source.clone()
        };
        if raw(&self.reconstructed)? {
            let original = self.source.open_watched(&self.original, codec, progress)?;
            let SourceArgs { shape, dtype, like, .. } = like(&self.original, &original, true);
            let source = SourceArgs { shape, dtype, like, ..plain };
            let reconstructed = source.open_watched(&self.reconstructed, codec, progress)?;
            return Ok((original, reconstructed));
        }
        let reconstructed = plain.open_watched(&self.reconstructed, codec, progress)?;
        let mut source = like(&self.reconstructed, &reconstructed, raw(&self.original)?);
        if Kind::of(&self.original)? == Kind::Bp {
            source.variable = source.variable.or(reconstructed.name().map(str::to_owned));
            source.step = source.step.or(reconstructed.step());
        }
        let original = source.open_watched(&self.original, codec, progress)?;
        if original.shape() != reconstructed.shape() {
            bail!(
                "the original has shape {} and the reconstruction {}",
                original.shape(),
                reconstructed.shape()
            );
        }
        Ok((original, reconstructed))
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
