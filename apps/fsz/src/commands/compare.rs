//! `fsz compare`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use fsz::{Codec, DType, Element};
use fsz_field::{Field, Fsz1File, Kind, StreamFile, with_values};
use fsz_metrics::{Limit, Missing, Sample};
use serde::Serialize;

use crate::codec::CodecArgs;
use crate::source::SourceArgs;
use crate::{bar, limit, terminal};
use fsz_figure::number::short;

/// Compare a reconstruction or a compressed file with the original
///
/// Violations are finite values beyond the bound, of regions beyond their own; NaN, ±Inf and missing values that lost
/// their bits are counted apart, as changed (altered in JSON). fsz verify counts alike, and ends
/// with exit code 1 where there are some; here they are figures like the others, and no failure.
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
    /// Missing value to exclude, may be given several times; by default those of the .fsz file
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

/// The figures, by the names of the JSON output.
#[derive(Debug, Serialize)]
struct Figures {
    max_abs_error: f64,
    psnr: f64,
    nrmse: f64,
    ssim: f64,
    compression_ratio: Option<f64>,
    bits_per_value: Option<f64>,
    bound: Option<f64>,
    /// Of a pointwise-relative bound, its share of each value; `bound` is the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_bound: Option<f64>,
    /// Finite values beyond the bound, those of regions beyond their own.
    bound_violations: Option<u64>,
    /// Those of the parts of the field that have bounds of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    region_bounds: Vec<RegionBound>,
    elements: u64,
    compared: u64,
    mean_error: f64,
    nan: u64,
    inf: u64,
    missing: u64,
    /// NaN, ±Inf and missing values that lost their bits.
    altered: u64,
}

/// The bound of a region, with the names of the field's own.
#[derive(Debug, Serialize)]
struct RegionBound {
    bound: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_bound: Option<f64>,
}

impl From<&Limit> for RegionBound {
    fn from(limit: &Limit) -> Self {
        let relative = Some(limit.relative).filter(|&share| share > 0.0);
        RegionBound { bound: limit.absolute, relative_bound: relative }
    }
}

impl RegionBound {
    fn text(&self) -> String {
        let relative = self.relative_bound.unwrap_or(0.0);
        limit::text(Limit { absolute: self.bound, relative })
    }
}

/// Compares the two.
pub fn run(args: &Args, quiet: bool) -> Result<()> {
    let codec = args.codec.codec()?;
    let (bound, missing) = args.told()?;
    let spinner = bar::spinner("comparing", quiet);
    let (original, reconstructed) = args.open_both(&codec)?;
    check_missing(&missing, original.dtype())?;
    let stored = stored_bytes(&args.reconstructed)?;
    let (dtype, other) = (original.dtype(), reconstructed.dtype());
    ensure!(dtype == other, "the original is {dtype} and the reconstruction {other}");
    let regions = if args.bound.is_none() { regions(&args.reconstructed)? } else { None };
    let figures = with_values!(original.values(), a => {
        let b = reconstructed.as_slice().unwrap_or_default();
        figures(&original, a, b, &missing, (bound, regions), stored)?
    });
    spinner.finish_and_clear();
    if args.json { terminal::print_json(&figures) } else { terminal::print(&figures.text()) }
}

impl Args {
    /// Bound and missing values: from the arguments, else from the header of a .fsz file.
    fn told(&self) -> Result<(Option<Limit>, Vec<f64>)> {
        let given = self.bound.map(Limit::from);
        match Kind::of(&self.reconstructed)? {
            Kind::Fsz => {}
            Kind::Fsz1 => {
                let file = Fsz1File::open(&self.reconstructed)?;
                let bound = Limit::from(file.stream()?.header().bound);
                return Ok((Some(given.unwrap_or(bound)), self.missing.clone()));
            }
            _ => return Ok((given, self.missing.clone())),
        }
        let file = StreamFile::open(&self.reconstructed)?;
        let stream = file.stream()?;
        let header = stream.header();
        let missing =
            if self.missing.is_empty() { header.missing.clone() } else { self.missing.clone() };
        Ok((Some(given.unwrap_or_else(|| limit::of(header))), missing))
    }

    /// Opens both; a raw file takes its shape and type from the other one where it must.
    fn open_both(&self, codec: &Codec) -> Result<(Field, Field)> {
        let raw = |path: &Path| Ok::<_, fsz_field::Error>(Kind::of(path)? == Kind::Raw);
        let plain = SourceArgs::default();
        let like = |path: &Path, field: &Field, raw: bool| SourceArgs {
            shape: self.source.shape.clone().or(raw.then(|| field.shape().clone())),
            dtype: self.source.dtype.or(raw.then_some(field.dtype())),
            like: self.source.shape.is_none().then(|| path.display().to_string()),
            ..self.source.clone()
        };
        if raw(&self.reconstructed)? {
            let original = self.source.open(&self.original, codec)?;
            let SourceArgs { shape, dtype, like, .. } = like(&self.original, &original, true);
            let source = SourceArgs { shape, dtype, like, ..plain };
            let reconstructed = source.open(&self.reconstructed, codec)?;
            return Ok((original, reconstructed));
        }
        let reconstructed = plain.open(&self.reconstructed, codec)?;
        let source = like(&self.reconstructed, &reconstructed, raw(&self.original)?);
        let original = source.open(&self.original, codec)?;
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

/// Errs when a missing value has no counterpart in the field's type: it would become infinite, or 0.
fn check_missing(missing: &[f64], dtype: DType) -> Result<()> {
    let fits = |value: &f64| {
        let single = *value as f32;
        dtype == DType::F64
            || single.is_finite() == value.is_finite() && (single == 0.0) == (*value == 0.0)
    };
    match missing.iter().find(|value| !fits(value)) {
        Some(value) => bail!("--missing {value:e}: out of range for {dtype}"),
        None => Ok(()),
    }
}

/// The bounds by region of a stream: which region has each element, and the bounds, the first that outside.
struct Regions {
    owner: Vec<u8>,
    limits: Vec<Limit>,
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
    let mut owner = vec![0; usize::try_from(stream.header().elements())?];
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

fn figures<T: Element + Sample>(
    original: &Field,
    a: &[T],
    b: &[T],
    missing: &[f64],
    (bound, regions): (Option<Limit>, Option<Regions>),
    stored: Option<u64>,
) -> Result<Figures> {
    let missing = Missing::<T>::new(missing);
    let found = fsz_metrics::compare(a, b, &missing, bound)?;
    let violations = match &regions {
        None => found.beyond,
        Some(Regions { owner, limits }) => {
            let errors = fsz_metrics::by_region(a, b, &missing, owner, limits)?;
            Some(errors.iter().map(|errors| errors.beyond).sum())
        }
    };
    let similar = fsz_metrics::ssim(a, b, &original.shape().indices()?, &missing)?;
    let elements = found.elements.max(1) as f64;
    Ok(Figures {
        max_abs_error: found.max_abs_error,
        psnr: found.psnr(),
        nrmse: found.nrmse(),
        ssim: similar.mean,
        compression_ratio: stored.map(|n| size_of_val(a) as f64 / n as f64),
        bits_per_value: stored.map(|n| 8.0 * n as f64 / elements),
        bound: bound.map(|limit| limit.absolute),
        relative_bound: bound.map(|limit| limit.relative).filter(|&share| share > 0.0),
        bound_violations: violations,
        region_bounds: regions.map_or_else(Vec::new, |regions| {
            regions.limits[1..].iter().map(RegionBound::from).collect()
        }),
        elements: found.elements,
        compared: found.compared,
        mean_error: found.mean_error,
        nan: found.nan,
        inf: found.inf,
        missing: found.missing,
        altered: found.altered,
    })
}

impl Figures {
    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |subject: &str, content: String| {
            text.push_str(&format!("{subject:<18} {content}\n"));
        };
        line("max error", short(self.max_abs_error));
        line("mean error", short(self.mean_error));
        line("PSNR", format!("{} dB", short(self.psnr)));
        line("NRMSE", short(self.nrmse));
        line("SSIM", short(self.ssim));
        if let (Some(ratio), Some(bits)) = (self.compression_ratio, self.bits_per_value) {
            line("compression ratio", format!("{ratio:.2}, {bits:.3} bits per value"));
        }
        if let (Some(bound), Some(violations)) = (self.bound, self.bound_violations) {
            let outside = RegionBound { bound, relative_bound: self.relative_bound };
            let mut bound = outside.text();
            if !self.region_bounds.is_empty() {
                let own: Vec<String> = self.region_bounds.iter().map(RegionBound::text).collect();
                bound.push_str(&format!("; in regions {}", own.join("; ")));
            }
            line("bound", format!("{bound}, {violations} violations"));
        }
        line(
            "excluded",
            format!(
                "{} NaN, {} Inf, {} missing; {} changed",
                self.nan, self.inf, self.missing, self.altered
            ),
        );
        text
    }
}
