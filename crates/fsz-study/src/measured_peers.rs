//! Figures of peers that were measured once, with their own programs, on one GPU.

use crate::html::Data;

const FIGURES: &str = include_str!("measured_peers.csv");

/// How they came about.
pub const SOURCE: &str = "Programs of others that do not run here were measured once for this \
project on one NVIDIA H200 (CUDA 13.0): 26 fields of 512 MiB in single precision, 6 synthetic and 20 \
real ones mirror-repeated along the slowest axis; geometric means of the compression ratio and of \
GB/s of uncompressed bytes over kernel time (events, 3 warm-ups, median of 11 runs). cuSZp in its \
one-dimensional modes, decompressing with the zero-fill of the output that it needs. These are other \
fields than this study's: compare the rows with each other, not with the tables above.";

/// The table.
pub fn table() -> Data {
    let mut lines = FIGURES.lines();
    let head = lines.next().unwrap_or_default();
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    Data { file: "measured_peers.csv", head, rows: lines.map(cells).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_every_cell() {
        let data = table();
        let columns = data.head.split(',').count();
        assert_eq!(data.rows.len(), 12);
        assert!(data.rows.iter().all(|row| row.len() == columns));
        assert_eq!(data.csv(), FIGURES);
    }
}
