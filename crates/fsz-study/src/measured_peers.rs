//! Figures of peer programs, measured once on one GPU.

use crate::html::Data;

const FIGURES: &str = include_str!("measured_peers.csv");

/// How they were measured.
pub const SOURCE: &str = "Peer programs measured once for this project on an NVIDIA H200 (CUDA 13.0): \
26 single-precision fields of 512 MiB, 6 synthetic and 20 real ones repeated (mirrored) along the \
slowest axis; geometric means of the compression ratio and of GB/s of uncompressed bytes over kernel \
time (events, 3 warm-ups, median of 11 runs). cuSZp ran in its one-dimensional modes; its \
decompression includes the required zero-fill of the output. These fields differ from this study's: \
compare the rows with each other, not with the tables above.";

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
