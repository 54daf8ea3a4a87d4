//! Throughput, from the JSON of `fsz bench --backend cuda --json`.

use std::path::Path;

use serde::Deserialize;

use crate::error::{Result, fail};

/// A run on a device.
#[derive(Debug, Deserialize)]
pub struct GpuRun {
    pub device: Device,
    pub rows: Vec<Row>,
}

#[derive(Debug, Deserialize)]
pub struct Device {
    pub name: String,
}

/// One kernel on one field at one bound; GB/s of uncompressed bytes.
#[derive(Debug, Deserialize)]
pub struct Row {
    pub field: String,
    pub dtype: String,
    pub bound: f64,
    pub kernel: String,
    pub ratio: f64,
    pub compress_gbs: Option<f64>,
    pub compress_of_copy: Option<f64>,
    pub decompress_gbs: Option<f64>,
    pub decompress_of_copy: Option<f64>,
    pub copy_gbs: Option<f64>,
    /// Of the paper's kernels: whether rates and payload are the product's, so that the ratio, which
    /// is the product's, is theirs too.
    pub same_payload: Option<bool>,
}

impl Row {
    /// Bytes that a compression must move per element: each value read once (twice, five times by
    /// the paper's kernels), and the stream written.
    pub fn bytes_per_element(&self) -> f64 {
        let size = if self.dtype == "f64" { 8.0 } else { 4.0 };
        let reads = match self.kernel.as_str() {
            "paper-two-reads" => 2.0,
            "paper-five-reads" => 5.0,
            _ => 1.0,
        };
        size * (reads + 1.0 / self.ratio)
    }

    /// The ratio, and the GB/s of uncompressed bytes at which reading each once and writing the
    /// stream goes as fast as the copy.
    pub fn roof(&self) -> Option<(f64, f64)> {
        Some((self.ratio, self.copy_gbs? / (1.0 + 1.0 / self.ratio)))
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
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => return fail(format!("{file}: {error}")),
        };
        GpuRun::parse(&text).or_else(|error| {
            fail(format!("{file}: {error}; create it with fsz bench --backend cuda --json FILE"))
        })
    }
}
