//! Throughput on a device: what `fsz bench --backend cuda --json` writes and a study reads.

use std::path::Path;

use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};

use crate::record::Shares;

/// A run on a device.
#[derive(Debug, Serialize, Deserialize)]
pub struct GpuRun {
    pub device: Device,
    /// Measured runs, of which the median counts.
    #[serde(default)]
    pub repeat: usize,
    pub rows: Vec<GpuRow>,
}

/// The device; a study needs its name alone.
#[derive(Debug, Serialize, Deserialize)]
pub struct Device {
    pub name: String,
    #[serde(default)]
    pub capability: String,
    #[serde(default)]
    pub memory: u64,
}

/// One kernel on one field at one bound.
#[derive(Debug, Serialize, Deserialize)]
pub struct GpuRow {
    pub field: String,
    pub dtype: String,
    pub shape: String,
    pub bytes: u64,
    pub bound: f64,
    pub kernel: String,
    #[serde(flatten)]
    pub speeds: Speeds,
    /// What the values that come back are off by; not of pointwise-relative bounds.
    #[serde(default)]
    pub error: Option<ErrorFound>,
    pub copy_gbs: Option<f64>,
    pub read_gbs: Option<f64>,
    pub variants: Option<Shares>,
    /// Of the paper's kernels: whether rates and payload are the product's, so that the ratio, which
    /// is the product's, is theirs too.
    pub same_payload: Option<bool>,
}

/// Errors of a whole field.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct ErrorFound {
    /// The largest one over the bound.
    pub of_bound: f64,
    /// Values that are farther off than the bound.
    pub violations: u64,
}

/// Speeds in GB/s of uncompressed bytes; `of_copy` is the time that the copy of the same run takes for
/// as many bytes, read and written, over the kernel's.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Speeds {
    pub ratio: f64,
    pub compress_gbs: Option<f64>,
    pub compress_of_copy: Option<f64>,
    pub decompress_gbs: Option<f64>,
    pub decompress_of_copy: Option<f64>,
    /// The pass that a value-range bound needs before.
    pub min_max_gbs: Option<f64>,
    pub min_max_of_read: Option<f64>,
    /// Whole calls, with all that goes before the kernel: compression with the value-range bound, and
    /// with the same bound as an absolute one; decompression.
    pub call_gbs: Option<f64>,
    pub absolute_call_gbs: Option<f64>,
    pub decompress_call_gbs: Option<f64>,
}

impl Speeds {
    /// Compression, decompression and the pass before, each with its share of the memory's speed.
    pub fn with_shares(&self) -> [(Option<f64>, Option<f64>); 3] {
        [
            (self.compress_gbs, self.compress_of_copy),
            (self.decompress_gbs, self.decompress_of_copy),
            (self.min_max_gbs, self.min_max_of_read),
        ]
    }

    /// Whole calls: compression with a value-range bound and an absolute one, decompression.
    pub fn calls(&self) -> [Option<f64>; 3] {
        [self.call_gbs, self.absolute_call_gbs, self.decompress_call_gbs]
    }
}

impl GpuRow {
    /// Seconds of compressing.
    pub fn compress(&mut self, seconds: f64) {
        self.speeds.compress_gbs = Some(self.gbs(seconds));
        self.speeds.compress_of_copy = self.of_copy(seconds);
    }

    /// Seconds of decompressing.
    pub fn decompress(&mut self, seconds: f64) {
        self.speeds.decompress_gbs = Some(self.gbs(seconds));
        self.speeds.decompress_of_copy = self.of_copy(seconds);
    }

    /// Seconds of the pass over the field before.
    pub fn min_max(&mut self, seconds: f64) {
        self.speeds.min_max_gbs = Some(self.gbs(seconds));
        self.speeds.min_max_of_read = self.read_gbs.map(|read| self.gbs(seconds) / read);
    }

    /// Seconds of whole calls: compression and decompression.
    pub fn calls(&mut self, compress: f64, decompress: f64) {
        self.speeds.call_gbs = Some(self.gbs(compress));
        self.speeds.decompress_call_gbs = Some(self.gbs(decompress));
    }

    /// Seconds of a call that compresses with the absolute bound that a value-range bound came to.
    pub fn absolute_call(&mut self, seconds: f64) {
        self.speeds.absolute_call_gbs = Some(self.gbs(seconds));
    }

    fn gbs(&self, seconds: f64) -> f64 {
        self.bytes as f64 * 1e-9 / seconds
    }

    fn of_copy(&self, seconds: f64) -> Option<f64> {
        self.roof().map(|(_, roof)| self.gbs(seconds) / roof)
    }

    /// Bytes that a compression must move per element: each value read once (twice, five times by
    /// the paper's kernels), and the stream written.
    pub fn bytes_per_element(&self) -> f64 {
        let size = if self.dtype == "f64" { 8.0 } else { 4.0 };
        let reads = match self.kernel.as_str() {
            "paper-two-reads" => 2.0,
            "paper-five-reads" => 5.0,
            _ => 1.0,
        };
        size * (reads + 1.0 / self.speeds.ratio)
    }

    /// The ratio, and the GB/s of uncompressed bytes at which reading each once and writing the
    /// stream goes as fast as the copy.
    pub fn roof(&self) -> Option<(f64, f64)> {
        let ratio = self.speeds.ratio;
        Some((ratio, self.copy_gbs? / (1.0 + 1.0 / ratio)))
    }
}

impl GpuRun {
    /// What a file says.
    ///
    /// # Errors
    /// When it is not the JSON of `fsz bench`.
    pub fn parse(text: &str) -> serde_json::Result<GpuRun> {
        serde_json::from_str(text)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is not the JSON of `fsz bench`.
    pub fn open(path: &Path) -> Result<GpuRun> {
        let file = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| anyhow!("{file}: {error}"))?;
        GpuRun::parse(&text).map_err(|error| {
            anyhow!("{file}: {error}; create it with fsz bench --backend cuda --json FILE")
        })
    }
}
