//! The figures of a CUDA device as a table, JSON and CSV.

use fsz::{DeviceInfo, TileCounts};
use fsz_bench::Roofline;
use serde::Serialize;

use crate::commands::bench::case::Case;
use crate::failure::Result;
use crate::table::Table;
use fsz_figure::number::short;
use fsz_figure::palette::PREDICTORS;

/// All figures, by the names of the JSON output.
#[derive(Debug, Serialize)]
pub struct Report {
    device: Device,
    /// Measured runs, of which the median counts.
    repeat: usize,
    rows: Vec<Row>,
    geomeans: Vec<Geomean>,
}

#[derive(Debug, Serialize)]
struct Device {
    name: String,
    capability: String,
    memory: u64,
}

/// One kernel on one field at one bound. Speeds are in GB/s of uncompressed bytes; `of_copy` is the
/// time that the copy of the same run takes for as many bytes, read and written, over the kernel's.
#[derive(Debug, Serialize)]
pub struct Row {
    field: String,
    dtype: &'static str,
    shape: String,
    bytes: u64,
    bound: f64,
    kernel: &'static str,
    ratio: f64,
    compress_gbs: f64,
    compress_of_copy: f64,
    decompress_gbs: Option<f64>,
    decompress_of_copy: Option<f64>,
    /// The pass that a value-range bound needs before.
    min_max_gbs: Option<f64>,
    min_max_of_read: Option<f64>,
    copy_gbs: f64,
    read_gbs: f64,
    pub variants: Option<Variants>,
    /// Whether rates and payload are the product's.
    pub same_payload: Option<bool>,
}

/// Shares of the tiles.
#[derive(Debug, Serialize)]
pub struct Variants {
    lz1: f64,
    lz2: f64,
    lz1_centered: f64,
    lz2_centered: f64,
    /// Constant, verbatim, and with exceptions.
    escaped: f64,
}

/// Geometric means over the fields.
#[derive(Debug, Serialize)]
struct Geomean {
    kernel: &'static str,
    /// None: over all bounds.
    bound: Option<f64>,
    rows: usize,
    ratio: f64,
    compress_gbs: f64,
    compress_of_copy: f64,
    decompress_gbs: Option<f64>,
    decompress_of_copy: Option<f64>,
    min_max_gbs: Option<f64>,
    min_max_of_read: Option<f64>,
}

impl Row {
    /// A row without times. `compressed`: bytes of the stream.
    pub fn new(
        case: &Case,
        bound: f64,
        kernel: &'static str,
        compressed: u64,
        roofline: &Roofline,
    ) -> Row {
        let bytes = case.field.values().bytes().len() as u64;
        Row {
            field: case.name.clone(),
            dtype: case.field.dtype().name(),
            shape: case.field.shape().to_string(),
            bytes,
            bound,
            kernel,
            ratio: bytes as f64 / compressed as f64,
            compress_gbs: f64::NAN,
            compress_of_copy: f64::NAN,
            decompress_gbs: None,
            decompress_of_copy: None,
            min_max_gbs: None,
            min_max_of_read: None,
            copy_gbs: roofline.copy * 1e-9,
            read_gbs: roofline.read * 1e-9,
            variants: None,
            same_payload: None,
        }
    }

    /// Seconds of compressing.
    pub fn compress(&mut self, seconds: f64, roofline: &Roofline) {
        self.compress_gbs = self.speed(seconds);
        self.compress_of_copy = self.of_copy(seconds, roofline);
    }

    /// Seconds of decompressing.
    pub fn decompress(&mut self, seconds: f64, roofline: &Roofline) {
        self.decompress_gbs = Some(self.speed(seconds));
        self.decompress_of_copy = Some(self.of_copy(seconds, roofline));
    }

    /// Seconds of the pass over the field before.
    pub fn min_max(&mut self, seconds: f64, roofline: &Roofline) {
        self.min_max_gbs = Some(self.speed(seconds));
        self.min_max_of_read = Some(self.bytes as f64 / roofline.read / seconds);
    }

    fn speed(&self, seconds: f64) -> f64 {
        self.bytes as f64 * 1e-9 / seconds
    }

    fn of_copy(&self, seconds: f64, roofline: &Roofline) -> f64 {
        self.bytes as f64 * (1.0 + 1.0 / self.ratio) / roofline.copy / seconds
    }
}

impl Variants {
    /// Those of these tiles.
    pub fn of(counts: TileCounts) -> Variants {
        let share = |count: u64| count as f64 / counts.count.max(1) as f64;
        Variants {
            lz1: share(counts.lz1),
            lz2: share(counts.lz2),
            lz1_centered: share(counts.lz1_centered),
            lz2_centered: share(counts.lz2_centered),
            escaped: share(counts.constant + counts.exceptions + counts.verbatim),
        }
    }

    fn text(&self) -> String {
        [self.lz1, self.lz2, self.lz1_centered, self.lz2_centered, self.escaped]
            .map(|share| format!("{:.0}", 100.0 * share))
            .join("/")
    }
}

impl Report {
    /// No figures yet.
    pub fn new(device: &DeviceInfo, repeat: usize) -> Report {
        let (major, minor) = device.capability;
        Report {
            device: Device {
                name: device.name.clone(),
                capability: format!("{major}.{minor}"),
                memory: device.memory,
            },
            repeat,
            rows: Vec::new(),
            geomeans: Vec::new(),
        }
    }

    /// Adds a row, and brings the means up to date.
    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
        self.geomeans.clear();
        let mut kernels: Vec<&'static str> = Vec::new();
        let mut bounds: Vec<f64> = Vec::new();
        for row in &self.rows {
            if !kernels.contains(&row.kernel) {
                kernels.push(row.kernel);
            }
            if !bounds.contains(&row.bound) {
                bounds.push(row.bound);
            }
        }
        for kernel in kernels {
            for bound in bounds.iter().map(|&bound| Some(bound)).chain([None]) {
                let of = |row: &&Row| row.kernel == kernel && bound.is_none_or(|b| b == row.bound);
                let rows: Vec<&Row> = self.rows.iter().filter(of).collect();
                if rows.is_empty() {
                    continue;
                }
                self.geomeans.push(Geomean::of(kernel, bound, &rows));
            }
        }
    }

    /// The figures for people.
    pub fn text(&self) -> String {
        let mut table = Table::new([
            "field",
            "bound",
            "kernel",
            "ratio",
            "compress GB/s",
            "of copy",
            "decompress GB/s",
            "of copy",
            "min/max GB/s",
            "of read",
            "tiles",
        ]);
        for r in &self.rows {
            let differs = (r.same_payload == Some(false)).then(|| "other payload".to_owned());
            table.row([
                format!("{} {}", r.field, r.dtype),
                short(r.bound),
                r.kernel.to_owned(),
                format!("{:.2}", r.ratio),
                format!("{:.1}", r.compress_gbs),
                percent(Some(r.compress_of_copy)),
                speed(r.decompress_gbs),
                percent(r.decompress_of_copy),
                speed(r.min_max_gbs),
                percent(r.min_max_of_read),
                r.variants.as_ref().map(Variants::text).or(differs).unwrap_or_default(),
            ]);
        }
        for g in &self.geomeans {
            table.row([
                "geomean".to_owned(),
                g.bound.map_or("all".to_owned(), short),
                g.kernel.to_owned(),
                format!("{:.2}", g.ratio),
                format!("{:.1}", g.compress_gbs),
                percent(Some(g.compress_of_copy)),
                speed(g.decompress_gbs),
                percent(g.decompress_of_copy),
                speed(g.min_max_gbs),
                percent(g.min_max_of_read),
                String::new(),
            ]);
        }
        let span = |of: fn(&Row) -> f64| {
            let (low, high) = self
                .rows
                .iter()
                .map(of)
                .fold((f64::MAX, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
            format!("{low:.0} to {high:.0} GB/s")
        };
        format!(
            "{}, compute capability {}; medians of {}; copy {}, read {}\n{}\
             tiles: % of LZ1/LZ2/LZ1 + centering/LZ2 + centering/escaped ({PREDICTORS})\n",
            self.device.name,
            self.device.capability,
            self.repeat,
            span(|r| r.copy_gbs),
            span(|r| r.read_gbs),
            table.text()
        )
    }

    /// The figures for machines.
    pub fn json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// The rows, and the means behind them.
    pub fn csv(&self) -> Result<String> {
        let mut text = "field,dtype,shape,bytes,bound,kernel,ratio,compress_gbs,compress_of_copy,\
                        decompress_gbs,decompress_of_copy,min_max_gbs,min_max_of_read,copy_gbs,\
                        read_gbs,lz1,lz2,lz1_centered,lz2_centered,escaped,same_payload\n"
            .to_owned();
        for r in &self.rows {
            let variants = r.variants.as_ref().map_or(",,,,".to_owned(), |v| {
                [v.lz1, v.lz2, v.lz1_centered, v.lz2_centered, v.escaped]
                    .map(|share| format!("{share:.5}"))
                    .join(",")
            });
            text.push_str(&format!(
                "{},{},{},{},{},{},{:.4},{:.4},{:.4},{},{},{},{},{:.4},{:.4},{variants},{}\n",
                fsz_study::csv_cell(&r.field),
                r.dtype,
                r.shape,
                r.bytes,
                r.bound,
                r.kernel,
                r.ratio,
                r.compress_gbs,
                r.compress_of_copy,
                cell(r.decompress_gbs),
                cell(r.decompress_of_copy),
                cell(r.min_max_gbs),
                cell(r.min_max_of_read),
                r.copy_gbs,
                r.read_gbs,
                r.same_payload.map_or(String::new(), |same| same.to_string())
            ));
        }
        for g in &self.geomeans {
            text.push_str(&format!(
                "geomean,,,,{},{},{:.4},{:.4},{:.4},{},{},{},{},,,,,,,,\n",
                g.bound.map_or("all".to_owned(), |bound| bound.to_string()),
                g.kernel,
                g.ratio,
                g.compress_gbs,
                g.compress_of_copy,
                cell(g.decompress_gbs),
                cell(g.decompress_of_copy),
                cell(g.min_max_gbs),
                cell(g.min_max_of_read),
            ));
        }
        Ok(text)
    }
}

impl Geomean {
    fn of(kernel: &'static str, bound: Option<f64>, rows: &[&Row]) -> Geomean {
        let mean = |of: fn(&Row) -> f64| geomean(rows.iter().map(|row| of(row)));
        let mean_of = |of: fn(&Row) -> Option<f64>| {
            let values: Option<Vec<f64>> = rows.iter().map(|row| of(row)).collect();
            values.map(|values| geomean(values.into_iter()))
        };
        Geomean {
            kernel,
            bound,
            rows: rows.len(),
            ratio: mean(|r| r.ratio),
            compress_gbs: mean(|r| r.compress_gbs),
            compress_of_copy: mean(|r| r.compress_of_copy),
            decompress_gbs: mean_of(|r| r.decompress_gbs),
            decompress_of_copy: mean_of(|r| r.decompress_of_copy),
            min_max_gbs: mean_of(|r| r.min_max_gbs),
            min_max_of_read: mean_of(|r| r.min_max_of_read),
        }
    }
}

fn geomean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    (values.map(f64::ln).sum::<f64>() / count).exp()
}

/// A speed, or a dash where there is none.
fn speed(gbs: Option<f64>) -> String {
    gbs.map_or("-".to_owned(), |gbs| format!("{gbs:.1}"))
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

fn cell(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.4}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsz_study::GpuRun;

    fn row(field: &str, bound: f64, kernel: &'static str, gbs: f64) -> Row {
        Row {
            field: field.to_owned(),
            dtype: "f32",
            shape: "4x4".to_owned(),
            bytes: 64,
            bound,
            kernel,
            ratio: gbs / 100.0,
            compress_gbs: gbs,
            compress_of_copy: 0.9,
            decompress_gbs: (kernel == "fsz").then_some(gbs),
            decompress_of_copy: (kernel == "fsz").then_some(0.8),
            min_max_gbs: None,
            min_max_of_read: None,
            copy_gbs: 4000.0,
            read_gbs: 4400.0,
            variants: None,
            same_payload: (kernel != "fsz").then_some(false),
        }
    }

    fn report() -> Report {
        let device = Device { name: "card".to_owned(), capability: "9.0".to_owned(), memory: 1 };
        let mut report = Report { device, repeat: 20, rows: Vec::new(), geomeans: Vec::new() };
        report.add(row("a", 1e-2, "fsz", 1000.0));
        report.add(row("b,c", 1e-2, "fsz", 4000.0));
        report.add(row("a", 1e-3, "fsz", 2000.0));
        report.add(row("a", 1e-2, "paper-two-reads", 500.0));
        report
    }

    #[test]
    fn means_are_geometric_by_kernel_and_bound_and_over_all() {
        let report = report();
        let mean = |kernel: &str, bound: Option<f64>| {
            let found = report.geomeans.iter().find(|g| g.kernel == kernel && g.bound == bound);
            found.map(|g| g.compress_gbs.round())
        };
        assert_eq!(mean("fsz", Some(1e-2)), Some(2000.0));
        assert_eq!(mean("fsz", None), Some(2000.0));
        assert_eq!(mean("paper-two-reads", None), Some(500.0));
        assert_eq!(mean("paper-two-reads", Some(1e-3)), None);
    }

    #[test]
    fn study_reads_what_bench_writes() {
        let mut report = report();
        // A run that was too short for the clock: JSON has no NaN.
        report.add(Row { compress_gbs: f64::NAN, ..row("a", 1e-3, "paper-five-reads", 500.0) });
        let run = GpuRun::parse(&report.json().unwrap()).unwrap();
        assert_eq!((run.device.name.as_str(), run.rows.len()), ("card", 5));
        let found = &run.rows[0];
        assert_eq!((found.field.as_str(), found.dtype.as_str(), found.bound), ("a", "f32", 1e-2));
        assert_eq!((found.kernel.as_str(), found.ratio), ("fsz", 10.0));
        assert_eq!((found.compress_gbs, found.compress_of_copy), (Some(1000.0), Some(0.9)));
        assert_eq!((found.decompress_gbs, found.decompress_of_copy), (Some(1000.0), Some(0.8)));
        assert_eq!(found.copy_gbs, Some(4000.0));
        let paper = &run.rows[3];
        assert_eq!((paper.kernel.as_str(), paper.decompress_gbs), ("paper-two-reads", None));
        assert_eq!(run.rows[4].compress_gbs, None);
        assert_eq!((found.same_payload, paper.same_payload), (None, Some(false)));
    }

    #[test]
    fn every_line_of_csv_has_as_many_cells() {
        let text = report().csv().unwrap().replace("\"b,c\"", "b");
        let cells: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(cells, vec![21; cells.len()], "{text}");
        let text = report().text();
        assert!(text.contains("other payload") && text.contains("geomean"), "{text}");
    }
}
