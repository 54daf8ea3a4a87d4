//! `fsz compress`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fsz::{
    Bound, Centering, Codec, CompressOptions, DType, Dense, Layout, Profile, Research, Stream,
};
use fsz_field::{Field, Kind, Shape, StreamFile, with_values};
use fsz_figure::number;

use crate::cli::whole_in;
use crate::codec::{CodecArgs, ProfileName};
use crate::failure::memory_for;
use crate::region::RegionArgs;
use crate::source::SourceArgs;
use crate::{bar, limit, output, standard_input, terminal};

mod bounds;
mod coarse;
mod fill_value;
mod missed;
mod range;
mod resume;
mod series;
mod steps;
mod twice;
mod unset;

use range::Range;
use series::SeriesArgs;

/// Compress a field to a .fsz file, or a series of fields to a folder of them
///
/// Several inputs, or all steps of variables of an ADIOS2 file, go to a folder as one series. --range and
/// --floor-range are then shares of one range for all steps of a variable, which a first pass finds; --psnr,
/// --ratio and --max-bytes are met by each step on its own. For all steps of an ADIOS2 file, name a folder as
/// the output. Files become steps 0, 1, 2, … in the order given: a shell's * puts s10 before s2. Steps appear
/// whole or not at all; after an interruption, --resume continues.
#[derive(Debug, clap::Args)]
#[command(after_long_help = bounds::WHICH)]
pub struct Args {
    /// Input field; several make a series
    #[arg(value_name = "IN", required = true)]
    input: Vec<PathBuf>,
    /// Output file; - for standard output. For a series, a folder, which is created if needed; with a single
    /// input, a folder that does not exist yet must end with /
    #[arg(short, long, value_name = "OUT.fsz")]
    output: PathBuf,
    #[command(flatten)]
    bound: BoundArgs,
    #[command(flatten)]
    floor: FloorArgs,
    #[command(flatten)]
    regions: RegionArgs,
    /// Missing value, for example 1e20; may be given up to 4 times. Missing values are stored exactly
    /// at almost no cost and do not count in the value range. In an f64 field, a value that was first
    /// rounded to f32 is a different number: give both. Those of a .fsz input by default
    #[arg(long, value_name = "V")]
    missing: Vec<f64>,
    /// Variable name to store in the stream; by default that of the input, if it has one. An empty name stores
    /// none
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Overwrite an existing output file
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    profile: ProfileArgs,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    codec: CodecArgs,
    #[command(flatten)]
    series: SeriesArgs,
    #[command(flatten)]
    research: ResearchArgs,
}

/// What files do not tell by themselves, and which of their fields are meant.
#[derive(Debug, clap::Args)]
struct InputArgs {
    /// Shape of raw values, slowest axis first, for example 30x192x288; taken from the file or its
    /// name by default
    #[arg(long, value_name = "SHAPE")]
    shape: Option<Shape>,
    /// Type of raw values: f32 or f64
    #[arg(long, value_name = "TYPE")]
    dtype: Option<DType>,
    /// Variable to read from an ADIOS2 file; for a series several may be given, and all fields are read by
    /// default
    #[arg(long, value_name = "NAME")]
    variable: Vec<String>,
    /// Time step to read from an ADIOS2 file, counted from 0; for a series all by default. With other inputs:
    /// time step to store in the stream
    #[arg(long, value_name = "N")]
    step: Option<u64>,
    /// ADIOS2 block to read instead of the whole array
    #[arg(long, value_name = "N")]
    block: Option<u64>,
}

impl InputArgs {
    /// Of a single field, in this file.
    fn source(&self, path: &Path) -> Result<SourceArgs> {
        if self.variable.len() > 1 {
            bail!("several variables go to a folder: name one as the output");
        }
        let (variable, shape) = (self.variable.first().cloned(), self.shape.clone());
        let InputArgs { dtype, step, block, .. } = *self;
        let step = step.filter(|_| Kind::of(path).is_ok_and(|kind| kind == Kind::Bp));
        Ok(SourceArgs { shape, dtype, variable, step, block, ..SourceArgs::default() })
    }
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct BoundArgs {
    /// Absolute error bound, in the units of the field
    #[arg(long, visible_alias = "absolute", value_name = "E")]
    abs: Option<f64>,
    /// Value-range error bound: E times (max - min) of the field
    #[arg(long, value_name = "E")]
    range: Option<f64>,
    /// Pointwise-relative error bound: E times each value, with E at most 0.5
    #[arg(long, value_name = "E")]
    relative: Option<f64>,
    /// Pointwise-relative error bound in terms of bit rounding: that of a mantissa rounded to N bits, which is
    /// 2^-(N+1) of each value; for f64 at most 26 bits
    #[arg(long, value_name = "N", value_parser = |text: &str| whole_in(text, 0u8, 51))]
    mantissa_bits: Option<u8>,
    /// Find the bound that gives a PSNR of at least this many decibels
    #[arg(long, value_name = "DB")]
    psnr: Option<f64>,
    /// Find the bound whose compression ratio comes nearest to this one, as a rule within 3 %; a warning says
    /// if it is further off
    #[arg(long, value_name = "X")]
    ratio: Option<f64>,
    /// Find the smallest bound whose output has at most this many bytes
    #[arg(long, value_name = "N")]
    max_bytes: Option<u64>,
}

/// Of the mantissa of an `f64`: its pointwise-relative bounds are no smaller.
const MOST_BITS_OF_F64: u8 = 26;

impl BoundArgs {
    /// Errs where a bound in the words of bit rounding is too small for this type.
    fn check(&self, dtype: DType) -> Result<()> {
        match self.mantissa_bits.filter(|&bits| dtype == DType::F64 && bits > MOST_BITS_OF_F64) {
            Some(bits) => bail!("--mantissa-bits {bits}: of f64 at most {MOST_BITS_OF_F64}"),
            None => Ok(()),
        }
    }

    fn bound(&self, floor: f64) -> Option<Bound> {
        let BoundArgs { abs, range, relative, mantissa_bits, psnr, ratio, max_bytes } = *self;
        let share = relative.or(mantissa_bits.map(|bits| 0.5f64.powi(i32::from(bits) + 1)));
        abs.map(Bound::Absolute)
            .or(range.map(Bound::ValueRange))
            .or(share.map(|eps| Bound::Relative { eps, floor }))
            .or(psnr.map(Bound::Psnr))
            .or(ratio.map(Bound::Ratio))
            .or(max_bytes.map(Bound::MaxBytes))
    }
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct FloorArgs {
    /// With --relative or --mantissa-bits: errors up to A, in the units of the field, are allowed for any value
    #[arg(long, value_name = "A")]
    floor: Option<f64>,
    /// The same floor, as R times (max - min) of the field
    #[arg(long, value_name = "R")]
    floor_range: Option<f64>,
}

impl FloorArgs {
    /// Errs where the share of the range is none.
    fn check(&self) -> Result<()> {
        let share = self.floor_range.unwrap_or(0.0);
        if !(share.is_finite() && share >= 0.0) {
            bail!("--floor-range {}: it must be finite, and not negative", number::short(share));
        }
        Ok(())
    }

    /// The floor, unless it is a share of the field's own range.
    fn given(&self, range: Option<Range>) -> Option<f64> {
        match (self.floor_range, range) {
            (None, _) => Some(self.floor.unwrap_or(0.0)),
            (Some(share), Some(range)) => Some(range.share(share)),
            (Some(_), None) => None,
        }
    }

    /// The floor in the units of the field.
    fn floor(&self, codec: &Codec, field: &Field) -> Result<f64> {
        let share = match self.floor_range {
            Some(0.0) => return Ok(0.0),
            Some(share) => share,
            None => return Ok(self.floor.unwrap_or(0.0)),
        };
        let mut options = CompressOptions::new(Bound::ValueRange(share));
        for &value in field.missing() {
            options = options.missing(value);
        }
        let shape = field.shape().sides();
        Ok(with_values!(field.values(), values => codec.find_bound(values, shape, &options))?)
    }
}

/// How values are coded.
#[derive(Debug, clap::Args)]
struct ProfileArgs {
    /// How values are coded
    #[arg(long, value_enum, default_value_t, value_name = "PROFILE")]
    profile: ProfileName,
    /// Shape of the boxes of the profile dense; by default the one that suits the field best. Regions that do
    /// not fill such boxes, such as masks, get others
    #[arg(long, value_enum)]
    layout: Option<LayoutName>,
    /// Code values as this .fsz file does: by its profile, with the layout, prediction and tables that were chosen
    /// for its field. For the steps of a series: nothing is chosen anew, and the bound holds all the same
    #[arg(long, value_name = "FILE.fsz", conflicts_with_all = ["profile", "layout", "bound_in", "bound_where"])]
    like: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum LayoutName {
    /// 4096 consecutive values
    Line,
    /// 64 x 64 values of the last two axes
    Plane,
    /// 16 x 16 x 16 values of the last three axes
    Brick,
}

impl ProfileArgs {
    /// The options with these ways to code values.
    fn of(&self, options: CompressOptions, research: Research) -> Result<CompressOptions> {
        match self.model(research)? {
            Some(file) => Ok(options.like(&file.stream()?)?),
            None => Ok(options.profile(self.profile(research)?)),
        }
    }

    /// The file that values are coded like.
    fn model(&self, research: Research) -> Result<Option<StreamFile>> {
        if self.like.is_some() && research != Research::default() {
            bail!("--like takes the way to code from its file: omit the research options");
        }
        Ok(self.like.as_deref().map(StreamFile::open).transpose()?)
    }

    fn profile(&self, research: Research) -> Result<Profile> {
        if let Some(file) = self.model(research)? {
            return Ok(file.stream()?.header().profile);
        }
        if self.profile == ProfileName::Paper {
            if self.layout.is_some() {
                bail!("--layout is of the profile dense: add --profile dense");
            }
            return Ok(Profile::Paper(research));
        }
        if research != Research::default() {
            bail!("the research options are of the profile paper");
        }
        Ok(Profile::Dense(match self.layout {
            None => Dense::new(),
            Some(LayoutName::Line) => Dense::new().with_layout(Layout::Line),
            Some(LayoutName::Plane) => Dense::new().with_layout(Layout::Plane),
            Some(LayoutName::Brick) => Dense::new().with_layout(Layout::Brick),
        }))
    }
}

/// Variations of the algorithm, for studies.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Research options (variations of the algorithm; slower, CPU only)")]
struct ResearchArgs {
    /// Restart prediction at every block
    #[arg(long)]
    no_cross_block: bool,
    /// Disable centering
    #[arg(long)]
    no_centering: bool,
    /// Center on the tile's mean, as in the paper, instead of its first code
    #[arg(long, conflicts_with = "no_centering")]
    mean_centering: bool,
    /// Use first-order prediction (LZ1) only
    #[arg(long)]
    no_order2: bool,
    /// Elements per block: 32 or 64
    #[arg(long, value_name = "N")]
    block_len: Option<usize>,
    /// Blocks per tile: 4, 8 or 16
    #[arg(long, value_name = "N")]
    blocks_per_tile: Option<usize>,
}

impl ResearchArgs {
    fn research(&self) -> Research {
        let default = Research::default();
        Research {
            cross_block: !self.no_cross_block,
            centering: match (self.no_centering, self.mean_centering) {
                (true, _) => Centering::Off,
                (_, true) => Centering::Mean,
                _ => default.centering,
            },
            order2: !self.no_order2,
            block_len: self.block_len.unwrap_or(default.block_len),
            blocks_per_tile: self.blocks_per_tile.unwrap_or(default.blocks_per_tile),
        }
    }
}

/// Compresses the input into the output.
pub fn run(args: &Args, quiet: bool) -> Result<()> {
    standard_input::refuse_twice(args.inputs())?;
    let codec = args.codec.codec()?;
    if args.input.len() > 1 || output::is_folder(&args.output) {
        return series::run(args, &codec, quiet);
    }
    if args.series.resume {
        bail!(
            "--resume continues a series, which goes to a folder: end the output with /, or omit --resume"
        );
    }
    let mut output = output::create(&args.output, args.force, &args.inputs())?;
    output::refuse_stream(&args.output)?;
    let source = args.inputs.source(&args.input[0])?;
    let own_error = twice::own_error(&args.input[0])?;
    let all = ", or end the output with / to compress all of them";
    let field = source.open_chosen(&args.input[0], &codec, all, quiet)?;
    let field = field.with_named_missing(&args.missing);
    let options = args.options(&codec, &field, args.series.range()?)?;
    let bytes = bar::watch("compressing", quiet, |progress| {
        compress(&codec, &field, options.progress(progress.clone()))
    })
    .map_err(memory_for(&args.input[0]))?;
    let stream = Stream::open(&bytes)?;
    let direct = output.is_direct();
    output.put(stream.as_bytes())?;
    output.commit()?;
    let all = [fill_value::remark, missed::remark, coarse::remark, unset::remark];
    let twice = twice::remark(&args.input[0], own_error, &stream);
    for remark in all.into_iter().filter_map(|remark| remark(&stream)).chain(twice) {
        terminal::note(quiet, &remark);
    }
    terminal::summary(quiet, direct, &summary(args, &stream))
}

impl Args {
    /// All files that are read.
    fn inputs(&self) -> Vec<&Path> {
        let inputs = self.input.iter().map(PathBuf::as_path);
        inputs.chain(self.regions.masks()).chain(self.profile.like.as_deref()).collect()
    }

    /// Whether the bound is a share of a range.
    fn is_by_range(&self) -> bool {
        self.bound.range.is_some() || self.floor.floor_range.is_some()
    }

    /// The bound, with this floor, and as a share of this range where there is one.
    fn bound_of(&self, range: Option<Range>, floor: f64) -> Result<Bound> {
        if range.is_some() && !self.is_by_range() {
            bail!("--range-min and --range-max are of --range or --floor-range");
        }
        // clap would ask for --relative beside a bound that excludes it.
        let floored = self.floor.floor.or(self.floor.floor_range).is_some();
        if floored && self.bound.relative.is_none() && self.bound.mantissa_bits.is_none() {
            bail!(
                "--floor and --floor-range go with --relative or --mantissa-bits, and with no other bound"
            );
        }
        let bound = self
            .bound
            .bound(floor)
            .context("a bound is required: --abs, --range, --relative or a target")?;
        Ok(match (bound, range.map(Range::ends)) {
            (Bound::ValueRange(ratio), Some((min, max))) => Bound::ValueRangeOf { ratio, min, max },
            _ => bound,
        })
    }

    /// `range`: of which --range and --floor-range are shares, when it is not the field's own.
    fn options(
        &self,
        codec: &Codec,
        field: &Field,
        range: Option<Range>,
    ) -> Result<CompressOptions> {
        self.bound.check(field.dtype())?;
        self.floor.check()?;
        let floor = match self.floor.given(range) {
            Some(floor) => floor,
            None => self.floor.floor(codec, field)?,
        };
        let bound = self.bound_of(range, floor)?;
        let mut options = self.profile.of(CompressOptions::new(bound), self.research.research())?;
        for &value in field.missing() {
            options = options.missing(value);
        }
        for region in self.regions.regions(bound, field, codec)? {
            options = options.region(region);
        }
        if let Some(name) = self.name.as_deref().or(field.name()) {
            options = options.name(name);
        }
        // Of an ADIOS2 file they are the same.
        if let Some(step) = self.inputs.step.or(field.step()) {
            options = options.time_step(step);
        }
        Ok(options)
    }
}

/// The bytes of the stream. It is written to a file when it is whole: a mapped one would end the program on a full disk.
fn compress(codec: &Codec, field: &Field, options: CompressOptions) -> Result<Vec<u8>> {
    let shape = field.shape().sides();
    let mut bytes = fsz_field::zero_bytes(options.max_compressed_len(shape, field.dtype())?)?;
    let len = with_values!(field.values(), values => {
        codec.compress_into(values, shape, &options, &mut bytes)
    })?;
    bytes.truncate(len);
    Ok(bytes)
}

fn summary(args: &Args, stream: &Stream<'_>) -> String {
    format!(
        "{}: {} -> {}, ratio {:.2}, max error {}{} (bound {})",
        args.output.display(),
        number::bytes(stream.raw_bytes()),
        number::bytes(stream.compressed_bytes()),
        stream.compression_ratio(),
        limit::at_most(!stream.regions().is_empty()),
        number::short(stream.certificate().max_abs_error),
        limit::of_all(stream),
    )
}
