//! What the study finds out about a field, as it is kept between runs.

use serde::{Deserialize, Serialize};

/// Everything about one field.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FieldRecord {
    /// Tells whether the record belongs to the same file, options and program.
    pub key: String,
    pub name: String,
    pub dtype: String,
    pub shape: String,
    pub elements: u64,
    /// NaN, ±Inf and missing values.
    pub special: u64,
    /// Whether it was made here, and is no file.
    pub synthetic: bool,
    pub seconds: f64,
    pub bounds: Vec<BoundRecord>,
    pub curve: Vec<CurvePoint>,
    pub matched: Vec<Matched>,
    /// Streams of the paper author's own release.
    pub fsz1: Vec<Fsz1Record>,
    pub bit_rounding: Vec<BitRounding>,
    /// At pointwise-relative bounds.
    pub relative: Vec<RelativeRatio>,
}

impl FieldRecord {
    /// The data set: what stands before the first `_` of the name, and the type of fields in double
    /// precision, whose ratios are others.
    pub fn dataset(&self) -> String {
        let start = self.name.split('_').next().unwrap_or(&self.name);
        if self.dtype == "f32" { start.to_owned() } else { format!("{start} {}", self.dtype) }
    }

    /// Whether it holds a number: a field without any has no ratio to speak of.
    pub fn has_numbers(&self) -> bool {
        self.elements > self.special
    }

    /// What means are taken over.
    pub fn group(&self) -> &'static str {
        match (self.synthetic, self.dtype.as_str()) {
            (true, _) => "synthetic fields",
            (_, "f32") => "files in single precision",
            _ => "files in double precision",
        }
    }
}

/// A field at one value-range bound.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BoundRecord {
    pub bound: f64,
    pub absolute: f64,
    pub ratios: Vec<Ratio>,
    /// In the order of [`STAGES`].
    pub ablation: [f64; 4],
    /// The profile dense with each layout that the field fills.
    pub layouts: Vec<LayoutRatio>,
    pub tiles: Vec<TileRatio>,
    pub shares: Shares,
    pub fidelity: Vec<Fidelity>,
}

impl BoundRecord {
    /// The compression ratio of a codec.
    pub fn ratio(&self, codec: &str) -> Option<f64> {
        self.ratios.iter().find(|r| r.codec == codec).map(|r| r.ratio)
    }

    /// The compression ratio of the paper's design with this tile.
    pub fn tile(&self, block: usize, blocks: usize) -> Option<f64> {
        self.tiles.iter().find(|t| (t.block, t.blocks) == (block, blocks)).map(|t| t.ratio)
    }
}

/// One codec.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ratio {
    pub codec: String,
    pub ratio: f64,
    pub max_abs_error: f64,
    pub psnr: f64,
    pub bound_violations: u64,
    /// Whether it is a stream that was given, whose size has nothing to do with the bound: means
    /// leave it out.
    pub given: bool,
}

/// One codec at a pointwise-relative bound.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RelativeRatio {
    pub bound: f64,
    pub codec: String,
    pub ratio: f64,
    /// Values beyond the bound, and how far the furthest is from its original, as a share of it.
    pub bound_violations: u64,
    pub max_relative_error: f64,
}

/// The profile dense with one layout of boxes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LayoutRatio {
    pub layout: String,
    pub ratio: f64,
}

/// The stages of the ablation.
pub const STAGES: [&str; 4] = ["base", "cross_block", "centering", "lz2"];

/// The paper's design with another tile.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TileRatio {
    /// Elements of a block.
    pub block: usize,
    /// Blocks of a tile.
    pub blocks: usize,
    pub ratio: f64,
}

/// The standard tile, beside which the others stand.
pub const STANDARD_TILE: (usize, usize) = (32, 8);
/// All tiles: block length, blocks.
pub const TILES: [(usize, usize); 6] = [(32, 4), (32, 8), (32, 16), (64, 4), (64, 8), (64, 16)];

/// Shares of the tiles of the product's stream, 0 to 1.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Shares {
    pub lz1: f64,
    pub lz2: f64,
    pub lz1_centered: f64,
    pub lz2_centered: f64,
    /// Constant, verbatim, and with exceptions.
    pub escaped: f64,
}

impl Shares {
    /// Of the tiles counted.
    pub fn of(counts: fsz::TileCounts) -> Shares {
        let share = |n: u64| n as f64 / counts.count.max(1) as f64;
        Shares {
            lz1: share(counts.lz1),
            lz2: share(counts.lz2),
            lz1_centered: share(counts.lz1_centered),
            lz2_centered: share(counts.lz2_centered),
            escaped: share(counts.constant + counts.exceptions + counts.verbatim),
        }
    }

    /// All of them, in the order of their columns.
    pub fn each(&self) -> [f64; 5] {
        [self.lz1, self.lz2, self.lz1_centered, self.lz2_centered, self.escaped]
    }
}

/// How faithful a reconstruction is, beyond the largest error and PSNR.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fidelity {
    pub codec: String,
    pub ssim: f64,
    /// Autocorrelation of the error along the fastest axis at lag 1.
    pub autocorrelation: f64,
    /// Largest magnitude of it at lags 1 to 10.
    pub largest_autocorrelation: f64,
    /// Total variation distance between the distribution of the error and the uniform one on
    /// ±bound: 0 to 1; NaN of a field without pairs, or of bound 0.
    pub from_uniform: f64,
    /// Share of the pairs with an error in each of equal bins over ±bound.
    pub histogram: Vec<f64>,
    /// Frequency in cycles per sample, power of the reconstruction over that of the original.
    pub spectrum: Vec<[f64; 2]>,
    /// RMS error of the gradient over its RMS.
    pub gradient: f64,
    /// RMS error of the Laplacian over its RMS.
    pub laplacian: f64,
    /// The tile of 256 elements with the largest RMSE.
    pub worst_tile: u64,
    pub worst_tile_rmse: f64,
}

/// A point of a rate-distortion curve.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CurvePoint {
    pub codec: String,
    /// Bits per value.
    pub bits: f64,
    pub psnr: f64,
    pub max_abs_error: f64,
}

/// FSZ beside zfp of the same size.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Matched {
    /// The value-range bound of FSZ.
    pub bound: f64,
    /// The slice of the pictures, where there are any.
    pub index: usize,
    /// What their colours span.
    pub range: (f64, f64),
    /// The original, FSZ, the other one.
    pub panels: Vec<Panel>,
}

impl Matched {
    /// What stands beside FSZ.
    pub fn other(&self) -> Option<&Panel> {
        self.panels.get(2)
    }
}

/// One of them, with its picture.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Panel {
    pub codec: String,
    pub ratio: f64,
    pub psnr: f64,
    /// Share of the field's points beyond the bound.
    pub beyond: f64,
    /// PNG as a `data:` URL; empty for a field without slices.
    pub picture: String,
}

/// A stream of the paper author's own release, beside ours at the same absolute bound.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fsz1Record {
    /// The stream's file.
    pub file: String,
    pub bound: f64,
    pub ratio: f64,
    pub max_abs_error: f64,
    pub bound_violations: u64,
    /// Our ratios: the product's, the paper's design, the profile dense.
    pub fsz: f64,
    pub fsz_paper: f64,
    pub fsz_dense: f64,
    pub tiles: u64,
    /// Tiles whose variant and rates are those that the release's rules give, computed here.
    pub reproduced: u64,
    pub agreements: Vec<Agreement>,
}

/// How many tiles of the release's stream and of one of ours are the same, and why the others are not.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Agreement {
    pub codec: String,
    /// Tiles with the same variant and the same eight rates.
    pub same: u64,
    pub same_variant: u64,
    pub reasons: Reasons,
}

/// Tiles that differ, by the first rule of ours that makes the difference.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reasons {
    pub codes: u64,
    pub padding: u64,
    pub centering_value: u64,
    pub centering_cost: u64,
    pub ties: u64,
    /// Not all elements of our tile have codes.
    pub escapes: u64,
    pub unexplained: u64,
}

impl Reasons {
    /// All of them, in the order of their columns.
    pub fn each(&self) -> [u64; 7] {
        let Reasons { codes, padding, centering_value, centering_cost, ties, escapes, unexplained } =
            *self;
        [codes, padding, centering_value, centering_cost, ties, escapes, unexplained]
    }
}

/// Compression ratios after bit rounding, beside ours at the same relative bound, largest error and PSNR.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BitRounding {
    /// Mantissa bits that are kept.
    pub bits: u32,
    /// The largest error of a value over that value.
    pub relative: f64,
    pub max_abs_error: f64,
    pub psnr: f64,
    pub zlib: f64,
    /// In builds with zstd.
    pub zstd: Option<f64>,
    /// None where nothing was lost.
    pub fsz_same_error: Option<f64>,
    pub dense_same_error: Option<f64>,
    pub fsz_same_psnr: Option<f64>,
    pub dense_same_psnr: Option<f64>,
    /// With a pointwise-relative bound: that of the rounding. None where this is outside of what FSZ takes.
    pub fsz_relative: Option<f64>,
    pub dense_relative: Option<f64>,
}
