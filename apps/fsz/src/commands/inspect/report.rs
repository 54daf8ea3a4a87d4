//! A stream's header, certificate and tile counts.

use fsz::{Stream, TileCounts};
use fsz_field::Shape;
use serde::Serialize;

use crate::codec;
use fsz_figure::number::{bytes, percent, short};
use fsz_figure::palette::{PREDICTORS, TILE_CLASSES};

/// Header, certificate and tile counts, by the names of the JSON output.
#[derive(Debug, Serialize)]
pub struct Report {
    format_version: u16,
    name: Option<String>,
    step: Option<u64>,
    start: Option<Vec<u64>>,
    dtype: &'static str,
    pub shape: Vec<u64>,
    elements: u64,
    pub raw_bytes: u64,
    pub compressed_bytes: u64,
    compression_ratio: f64,
    bits_per_value: f64,
    pub bound: Bound,
    quantization_step: f64,
    missing: Vec<f64>,
    pub certificate: Certificate,
    tiles: Tiles,
    profile: &'static str,
    layout: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    research: Option<Research>,
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
}

/// What the encoder certifies.
#[derive(Debug, Serialize)]
pub struct Certificate {
    pub max_abs_error: f64,
    min: f64,
    max: f64,
    nan: u64,
    inf: u64,
    missing: u64,
    escaped: u64,
}

#[derive(Debug, Serialize)]
struct Tiles {
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

#[derive(Debug, Serialize)]
struct Research {
    cross_block: bool,
    centering: &'static str,
    order2: bool,
    block_len: usize,
    blocks_per_tile: usize,
}

impl Report {
    /// The report of a stream.
    pub fn of(stream: &Stream<'_>) -> Report {
        let info = &stream;
        let (header, certificate, tiles) = (info.header(), info.certificate(), info.tile_counts());
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
            raw_bytes: info.raw_bytes(),
            compressed_bytes: info.compressed_bytes(),
            compression_ratio: info.compression_ratio(),
            bits_per_value: 8.0 * info.compressed_bytes() as f64 / elements.max(1) as f64,
            bound: Bound {
                kind: header.bound.kind(),
                requested: header.bound.requested(),
                absolute: header.absolute_bound,
            },
            quantization_step: header.quantization_step,
            missing: header.missing.clone(),
            certificate: Certificate {
                max_abs_error: certificate.max_abs_error,
                min: certificate.min,
                max: certificate.max,
                nan: certificate.nan,
                inf: certificate.inf,
                missing: certificate.missing,
                escaped: certificate.escaped,
            },
            tiles: Tiles::of(tiles),
            profile: header.profile.name(),
            layout: header.profile.layout_name(),
            research: header.profile.research().map(Research::of),
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
        let shape = Shape::new(&self.shape).map_or_else(|e| e.to_string(), |s| s.to_string());
        let mut field = format!("{} {shape}, {}", self.dtype, bytes(self.raw_bytes));
        field.extend(self.name.iter().map(|name| format!(", name {name}")));
        field.extend(self.step.iter().map(|step| format!(", step {step}")));
        field.extend(self.start.iter().map(|start| format!(", start {start:?}")));
        line("field", field);
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
        let bound = &self.bound;
        let asked = format!("{} {}", bound.kind, short(bound.requested));
        line("bound", format!("{asked}, absolute {}", short(bound.absolute)));
        let found = &self.certificate;
        line("max error", short(found.max_abs_error));
        line("range", format!("{} to {}", short(found.min), short(found.max)));
        line(
            "stored exactly",
            format!(
                "{} ({} NaN, {} Inf, {} missing)",
                found.escaped, found.nan, found.inf, found.missing
            ),
        );
        line("tiles", self.tiles.text());
        line("", PREDICTORS.to_owned());
        if let Some(switches) = self.research.as_ref().and_then(Research::text) {
            line("research", switches);
        }
        text
    }
}

impl Tiles {
    fn of(counts: TileCounts) -> Tiles {
        Tiles {
            count: counts.count,
            lz1: counts.lz1,
            lz2: counts.lz2,
            lz1_centered: counts.lz1_centered,
            lz2_centered: counts.lz2_centered,
            interpolated: counts.interpolated,
            constant: counts.constant,
            exceptions: counts.exceptions,
            verbatim: counts.verbatim,
        }
    }

    fn text(&self) -> String {
        let counts = [
            self.lz1,
            self.lz2,
            self.lz1_centered,
            self.lz2_centered,
            self.interpolated,
            self.constant,
            self.exceptions,
            self.verbatim,
        ];
        let used = TILE_CLASSES.iter().zip(counts).filter(|(_, count)| *count > 0);
        let shares: Vec<String> =
            used.map(|(class, n)| format!("{} {}", class.name, percent(n, self.count))).collect();
        if shares.is_empty() {
            return "0".to_owned();
        }
        format!("{}: {}", self.count, shares.join(", "))
    }
}

impl Research {
    fn of(research: &fsz::Research) -> Research {
        Research {
            cross_block: research.cross_block,
            centering: match research.centering {
                fsz::Centering::Off => "off",
                fsz::Centering::FirstCode => "first-code",
                fsz::Centering::Mean => "mean",
                _ => "unknown",
            },
            order2: research.order2,
            block_len: research.block_len,
            blocks_per_tile: research.blocks_per_tile,
        }
    }

    /// The options that differ from the default, if any.
    fn text(&self) -> Option<String> {
        let usual = Research::of(&fsz::Research::default());
        let mut switches = Vec::new();
        if self.cross_block != usual.cross_block {
            switches.push("independent blocks".to_owned());
        }
        if self.centering != usual.centering {
            switches.push(format!("centering {}", self.centering));
        }
        if self.order2 != usual.order2 {
            switches.push("LZ1 only".to_owned());
        }
        if (self.block_len, self.blocks_per_tile) != (usual.block_len, usual.blocks_per_tile) {
            switches.push(format!("{} blocks of {}", self.blocks_per_tile, self.block_len));
        }
        (!switches.is_empty()).then(|| switches.join(", "))
    }
}
