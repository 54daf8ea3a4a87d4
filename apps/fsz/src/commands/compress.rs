//! `fsz compress`.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use fsz::{
    Bound, Centering, Codec, CompressOptions, Dense, Layout, Profile, Research, Stream,
    max_compressed_len,
};
use fsz_field::{Field, Output, with_values};
use fsz_figure::number;
use memmap2::MmapMut;

use crate::codec::{CodecArgs, ProfileName};
use crate::source::SourceArgs;
use crate::{bar, limit, terminal};

/// Compress a field to a .fsz file
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Input field
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Output file; - for standard output
    #[arg(short, long, value_name = "OUT.fsz")]
    output: PathBuf,
    #[command(flatten)]
    bound: BoundArgs,
    #[command(flatten)]
    floor: FloorArgs,
    /// Missing value, for example 1e20; may be given up to 4 times. Missing values are stored exactly
    /// at almost no cost and do not count in the value range. In an f64 field, a value that was first
    /// rounded to f32 is a different number: give both
    #[arg(long, value_name = "V", allow_negative_numbers = true)]
    missing: Vec<f64>,
    /// Variable name to store in the stream
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Overwrite an existing output file
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    profile: ProfileArgs,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    codec: CodecArgs,
    #[command(flatten)]
    research: ResearchArgs,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct BoundArgs {
    /// Absolute error bound, in the units of the field
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    abs: Option<f64>,
    /// Value-range error bound: E times (max - min) of the field
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    range: Option<f64>,
    /// Pointwise-relative error bound: E times each value, with E at most 0.5. CPU only
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    relative: Option<f64>,
    /// Find the bound that gives a PSNR of at least this many decibels
    #[arg(long, value_name = "DB", allow_negative_numbers = true)]
    psnr: Option<f64>,
    /// Find the bound that gives this compression ratio
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    ratio: Option<f64>,
    /// Find the smallest bound whose output has at most this many bytes
    #[arg(long, value_name = "N")]
    max_bytes: Option<u64>,
}

impl BoundArgs {
    fn bound(&self, floor: f64) -> Option<Bound> {
        let BoundArgs { abs, range, relative, psnr, ratio, max_bytes } = *self;
        abs.map(Bound::Absolute)
            .or(range.map(Bound::ValueRange))
            .or(relative.map(|eps| Bound::Relative { eps, floor }))
            .or(psnr.map(Bound::Psnr))
            .or(ratio.map(Bound::Ratio))
            .or(max_bytes.map(Bound::MaxBytes))
    }
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct FloorArgs {
    /// With --relative: an error of A is small enough for any value, in the units of the field
    #[arg(long, value_name = "A", requires = "relative", allow_negative_numbers = true)]
    floor: Option<f64>,
    /// The same as R times (max - min) of the field
    #[arg(long, value_name = "R", requires = "relative", allow_negative_numbers = true)]
    floor_range: Option<f64>,
}

impl FloorArgs {
    /// The floor in the units of the field.
    fn floor(&self, codec: &Codec, field: &Field, missing: &[f64]) -> Result<f64> {
        let Some(share) = self.floor_range else { return Ok(self.floor.unwrap_or(0.0)) };
        let mut options = CompressOptions::new(Bound::ValueRange(share));
        for &value in missing {
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
    /// Shape of the boxes of the profile dense; by default the one that suits the field best
    #[arg(long, value_enum)]
    layout: Option<LayoutName>,
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
    fn profile(&self, research: Research) -> Result<Profile> {
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
    let codec = args.codec.codec()?;
    let mut output = Output::create(&args.output, args.force)?;
    let field = args.source.open(&args.input, &codec)?;
    let (memory, len) = compress(&codec, &field, args.options(&codec, &field)?, quiet)?;
    let stream = &memory[..len];
    let direct = output.is_direct();
    output.put(stream)?;
    output.commit()?;
    terminal::summary(quiet, direct, &summary(args, stream)?)
}

impl Args {
    fn options(&self, codec: &Codec, field: &Field) -> Result<CompressOptions> {
        let asked = self.floor.floor.or(self.floor.floor_range);
        if asked.is_some() && self.bound.relative.is_none() {
            bail!("--floor and --floor-range are of a pointwise-relative bound: add --relative");
        }
        let floor = self.floor.floor(codec, field, &self.missing)?;
        let bound = self
            .bound
            .bound(floor)
            .context("a bound is required: --abs, --range, --relative or a target")?;
        let mut options =
            CompressOptions::new(bound).profile(self.profile.profile(self.research.research())?);
        for &value in &self.missing {
            options = options.missing(value);
        }
        if let Some(name) = self.name.as_deref().or(field.name()) {
            options = options.name(name);
        }
        if let Some(step) = field.step().or(self.source.step) {
            options = options.time_step(step);
        }
        Ok(options)
    }
}

/// The stream at the front of memory of which only the part that is used is ever touched, and its length.
fn compress(
    codec: &Codec,
    field: &Field,
    options: CompressOptions,
    quiet: bool,
) -> Result<(MmapMut, usize)> {
    let shape = field.shape().sides();
    let most = max_compressed_len(shape, field.dtype())?;
    // Room for the worst case costs address space, not memory, and a clean error where a mapped
    // output file would end the program on a full disk.
    let mut memory = MmapMut::map_anon(usize::try_from(most).unwrap_or(usize::MAX))?;
    let len = bar::watch("compressing", quiet, |progress| {
        let options = options.progress(progress.clone());
        with_values!(field.values(), values => {
            codec.compress_into(values, shape, &options, &mut memory)
        })
    })?;
    Ok((memory, len))
}

fn summary(args: &Args, bytes: &[u8]) -> Result<String> {
    let stream = Stream::open(bytes)?;
    Ok(format!(
        "{}: {} -> {}, ratio {:.2}, max error {} (bound {})",
        args.output.display(),
        number::bytes(stream.raw_bytes()),
        number::bytes(stream.compressed_bytes()),
        stream.compression_ratio(),
        number::short(stream.certificate().max_abs_error),
        limit::text(limit::of(stream.header())),
    ))
}
