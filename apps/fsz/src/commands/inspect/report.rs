//! A stream's header, certificate and tile counts.

use fsz::{Centering, Research, Stream, TileCounts};
use fsz_field::Shape;
use fsz_figure::number::{bytes, percent, short, within};
use fsz_figure::palette::{PREDICTORS, TILE_CLASSES};
use serde::{Serialize, Serializer};

use crate::{codec, limit, region, terminal};

/// Header, certificate and tile counts, by the names of the JSON output.
#[derive(Debug, Serialize)]
pub struct Report {
    format_version: u16,
    pub name: Option<String>,
    pub step: Option<u64>,
    start: Option<Vec<u64>>,
    pub dtype: &'static str,
    pub shape: Vec<u64>,
    elements: u64,
    pub raw_bytes: u64,
    pub compressed_bytes: u64,
    pub compression_ratio: f64,
    bits_per_value: f64,
    pub bound: Bound,
    /// Parts of the field with bounds of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regions: Vec<Region>,
    quantization_step: f64,
    missing: Vec<f64>,
    #[serde(with = "Certificate")]
    pub certificate: fsz::Certificate,
    #[serde(with = "Tiles")]
    tiles: TileCounts,
    profile: &'static str,
    layout: &'static str,
    #[serde(with = "Switches")]
    research: Research,
    /// The backend that decodes the stream on this machine, and why.
    backend: &'static str,
    backend_reason: String,
}

/// The requested bound, and the absolute bound used.
#[derive(Debug, Serialize)]
pub struct Bound {
    kind: &'static str,
    requested: f64,
    pub absolute: f64,
    /// Of a pointwise-relative bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    floor: Option<f64>,
    /// Of a bound that was found for a PSNR.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_squared_error: Option<f64>,
}

impl Bound {
    /// A bound, and the absolute one that follows from it.
    fn of(bound: fsz::Bound, absolute: f64) -> Bound {
        let floor = match bound {
            fsz::Bound::Relative { floor, .. } => Some(floor),
            _ => None,
        };
        let (kind, requested) = (bound.kind(), bound.requested());
        Bound { kind, requested, absolute, floor, mean_squared_error: None }
    }

    /// As it was asked for, and the absolute one that came of it, if that is another.
    fn text(&self) -> String {
        let mut asked = format!("{} {}", self.kind, short(self.requested));
        if let Some(floor) = self.floor.filter(|&floor| floor > 0.0) {
            asked.push_str(&format!(", floor {}", short(floor)));
        }
        let absolute = format!("absolute {}", short(self.absolute));
        if asked == absolute { absolute } else { format!("{asked}, {absolute}") }
    }
}

/// A part of the field with a bound of its own.
#[derive(Debug, Serialize)]
struct Region {
    place: String,
    bound: Bound,
    elements: u64,
    compressed_bytes: u64,
    max_abs_error: f64,
    /// Whether a later region may hold some of its values.
    #[serde(skip)]
    is_covered: bool,
}

impl Region {
    fn of(region: &fsz::StoredRegion, is_covered: bool) -> Region {
        Region {
            is_covered,
            place: region::place(&region.place),
            bound: Bound::of(region.bound, region.absolute_bound),
            elements: region.place.elements(),
            compressed_bytes: region.compressed_bytes(),
            max_abs_error: region.certificate.max_abs_error,
        }
    }

    fn text(&self) -> String {
        format!(
            "{}: {}, max error {}{}, {} values in {}",
            self.place,
            self.bound.text(),
            limit::at_most(self.is_covered),
            short(self.max_abs_error),
            self.elements,
            bytes(self.compressed_bytes)
        )
    }
}

/// The codec's certificate, by the names of the JSON output.
#[derive(Serialize)]
#[serde(remote = "fsz::Certificate")]
struct Certificate {
    max_abs_error: f64,
    min: f64,
    max: f64,
    nan: u64,
    inf: u64,
    missing: u64,
    escaped: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_relative_error: Option<f64>,
}

/// The codec's tile counts, by the names of the JSON output.
#[derive(Serialize)]
#[serde(remote = "TileCounts")]
pub struct Tiles {
    count: u64,
    lz1: u64,
    lz2: u64,
    lz1_centered: u64,
    lz2_centered: u64,
    interpolated: u64,
    constant: u64,
    exceptions: u64,
    verbatim: u64,
}

/// The codec's research switches, by the names of the JSON output.
#[derive(Serialize)]
#[serde(remote = "Research")]
struct Switches {
    cross_block: bool,
    #[serde(serialize_with = "centering_name")]
    centering: Centering,
    order2: bool,
    block_len: usize,
    blocks_per_tile: usize,
}

impl Report {
    /// The report of a stream.
    pub fn of(stream: &Stream<'_>) -> Report {
        let header = stream.header();
        let elements = header.elements();
        let (backend, backend_reason) = codec::decoder(stream);
        Report {
            format_version: header.format_version,
            name: header.name.clone(),
            step: header.time_step,
            start: header.start.clone(),
            dtype: header.dtype.name(),
            shape: header.shape.clone(),
            elements,
            raw_bytes: stream.raw_bytes(),
            compressed_bytes: stream.compressed_bytes(),
            compression_ratio: stream.compression_ratio(),
            bits_per_value: 8.0 * stream.compressed_bytes() as f64 / elements.max(1) as f64,
            bound: Bound {
                mean_squared_error: header.mean_squared_error,
                ..Bound::of(header.bound, header.absolute_bound)
            },
            regions: regions(stream),
            quantization_step: header.quantization_step,
            missing: header.missing.clone(),
            certificate: *stream.certificate(),
            tiles: stream.tile_counts(),
            profile: header.profile.name(),
            layout: header.profile.layout_name(),
            research: header.profile.research().copied().unwrap_or_default(),
            backend: backend.name(),
            backend_reason,
        }
    }

    /// The report for people, one line per subject.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |subject: &str, content: String| {
            text.push_str(&format!("  {subject:<14} {content}\n"));
        };
        line("field", self.field());
        line(
            "stream",
            format!(
                "{}, ratio {:.2}, {:.2} bits per value, profile {} ({}), format version {}",
                bytes(self.compressed_bytes),
                self.compression_ratio,
                self.bits_per_value,
                self.profile,
                self.layout,
                self.format_version
            ),
        );
        line("bound", self.bound.text());
        for region in &self.regions {
            line("in region", region.text());
        }
        line("max error", self.error());
        let found = &self.certificate;
        line(
            "range",
            match found.min.is_nan() {
                true => "none: no finite values".to_owned(),
                false => {
                    let (min, max) = (found.min, found.max);
                    format!("{} to {}", within(min, min, max), within(max, min, max))
                }
            },
        );
        line(
            "stored exactly",
            format!(
                "{} ({} NaN, {} Inf, {} missing)",
                found.escaped, found.nan, found.inf, found.missing
            ),
        );
        line("tiles", tiles(&self.tiles));
        // Of the profile dense there are none.
        let counts = &self.tiles;
        if counts.lz1 + counts.lz2 + counts.lz1_centered + counts.lz2_centered > 0 {
            line("", PREDICTORS.to_owned());
        }
        if let Some(switches) = switches(&self.research) {
            line("research", switches);
        }
        text
    }

    fn field(&self) -> String {
        let shape = Shape::new(&self.shape).map_or_else(|e| e.to_string(), |s| s.to_string());
        let mut field = format!("{} {shape}, {}", self.dtype, bytes(self.raw_bytes));
        field.extend(self.name.iter().map(|name| format!(", name {}", terminal::shown(name))));
        field.extend(self.step.iter().map(|step| format!(", step {step}")));
        field.extend(self.start.iter().map(|start| format!(", start {start:?}")));
        field
    }

    /// Whether parts have bounds of their own, and the error of the whole is a limit.
    pub fn has_regions(&self) -> bool {
        !self.regions.is_empty()
    }

    fn error(&self) -> String {
        let found = &self.certificate;
        let of_all = limit::at_most(self.has_regions());
        let mut error = format!("{of_all}{}", short(found.max_abs_error));
        if let Some(share) = found.max_relative_error {
            error.push_str(&format!(", relative {}", short(share)));
        }
        if let Some(squares) = self.bound.mean_squared_error {
            let psnr = match squares {
                0.0 => f64::INFINITY,
                _ => 20.0 * ((found.max - found.min).min(f64::MAX) / squares.sqrt()).log10(),
            };
            error.push_str(&format!(", rms {}, PSNR {psnr:.2} dB", short(squares.sqrt())));
        }
        error
    }
}

fn regions(stream: &Stream<'_>) -> Vec<Region> {
    let regions = stream.regions();
    let of = |(k, region)| Region::of(region, k + 1 < regions.len());
    regions.iter().enumerate().map(of).collect()
}

/// The tiles of each class, as far as there are any.
pub fn tiles(counts: &TileCounts) -> String {
    let classes = TILE_CLASSES.iter().map(|class| (class, counts.of(class.kind)));
    let used = classes.filter(|(_, count)| *count > 0);
    let shares: Vec<String> =
        used.map(|(class, n)| format!("{} {}", class.name, percent(n, counts.count))).collect();
    if shares.is_empty() {
        return "0".to_owned();
    }
    format!("{}: {}", counts.count, shares.join(", "))
}

fn name(centering: Centering) -> &'static str {
    match centering {
        Centering::Off => "off",
        Centering::FirstCode => "first-code",
        Centering::Mean => "mean",
        _ => "unknown",
    }
}

fn centering_name<S: Serializer>(centering: &Centering, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(name(*centering))
}

/// The switches that differ from the product's.
fn switches(research: &Research) -> Option<String> {
    let usual = Research::default();
    let mut switches = Vec::new();
    if research.cross_block != usual.cross_block {
        switches.push("independent blocks".to_owned());
    }
    if research.centering != usual.centering {
        switches.push(format!("centering {}", name(research.centering)));
    }
    if research.order2 != usual.order2 {
        switches.push("LZ1 only".to_owned());
    }
    let Research { block_len, blocks_per_tile, .. } = *research;
    if (block_len, blocks_per_tile) != (usual.block_len, usual.blocks_per_tile) {
        switches.push(format!("{blocks_per_tile} blocks of {block_len}"));
    }
    (!switches.is_empty()).then(|| switches.join(", "))
}
