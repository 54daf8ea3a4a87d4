//! The figures of a CUDA device as a table, JSON and CSV.

use fsz::DeviceInfo;
use fsz_bench::Roofline;
use fsz_figure::number::short;
use fsz_figure::palette::PREDICTORS;
use fsz_study::{Device, GpuRow, GpuRun, Speeds};
use serde::Serialize;

use crate::commands::bench::case::Case;
use crate::table::Table;

/// All figures, by the names of the JSON output.
#[derive(Debug, Serialize)]
pub struct Report {
    #[serde(flatten)]
    run: GpuRun,
    geomeans: Vec<Geomean>,
}

/// Geometric means over the fields.
#[derive(Debug, Serialize)]
struct Geomean {
    kernel: String,
    /// None: over all bounds.
    bound: Option<f64>,
    rows: usize,
    #[serde(flatten)]
    speeds: Speeds,
    /// The largest error of all rows over the bound.
    error: Option<f64>,
}

/// A row without times. `compressed`: bytes of the stream.
pub fn row(
    case: &Case,
    bound: f64,
    kernel: &str,
    compressed: usize,
    roofline: &Roofline,
) -> GpuRow {
    let bytes = case.field.values().bytes().len();
    GpuRow {
        field: case.name.clone(),
        dtype: case.field.dtype().name().to_owned(),
        shape: case.field.shape().to_string(),
        bytes: bytes as u64,
        bound,
        kernel: kernel.to_owned(),
        speeds: Speeds { ratio: bytes as f64 / compressed as f64, ..Speeds::default() },
        error: None,
        copy_gbs: Some(roofline.copy * 1e-9),
        read_gbs: Some(roofline.read * 1e-9),
        variants: None,
        same_payload: None,
    }
}

impl Report {
    /// No figures yet.
    pub fn new(device: DeviceInfo, repeat: usize) -> Report {
        let (major, minor) = device.capability;
        let capability = format!("{major}.{minor}");
        let device = Device { name: device.name, capability, memory: device.memory };
        Report { run: GpuRun { device, repeat, rows: Vec::new() }, geomeans: Vec::new() }
    }

    /// The figures alone.
    pub fn into_run(self) -> GpuRun {
        self.run
    }

    /// Adds a row, and brings the means up to date.
    pub fn add(&mut self, row: GpuRow) {
        self.run.rows.push(row);
        self.geomeans.clear();
        let mut kernels: Vec<&str> = Vec::new();
        let mut bounds: Vec<Option<f64>> = Vec::new();
        for row in &self.run.rows {
            if !kernels.contains(&row.kernel.as_str()) {
                kernels.push(&row.kernel);
            }
            if !bounds.contains(&Some(row.bound)) {
                bounds.push(Some(row.bound));
            }
        }
        bounds.push(None);
        for kernel in kernels {
            for &bound in &bounds {
                let of =
                    |row: &&GpuRow| row.kernel == kernel && bound.is_none_or(|b| b == row.bound);
                let rows: Vec<&GpuRow> = self.run.rows.iter().filter(of).collect();
                if !rows.is_empty() {
                    self.geomeans.push(Geomean::of(kernel, bound, &rows));
                }
            }
        }
    }

    /// The figures for people.
    pub fn text(&self) -> String {
        let mut table = Table::new(
            "field,bound,kernel,ratio,compress GB/s,of copy,decompress GB/s,of copy,min/max GB/s,\
             of read,call GB/s,absolute call,decompress call,error of bound,tiles",
        );
        for r in &self.run.rows {
            let differs = (r.same_payload == Some(false)).then(|| "other payload".to_owned());
            let variants = r
                .variants
                .as_ref()
                .map(|v| v.each().map(|share| format!("{:.0}", 100.0 * share)).join("/"));
            let tiles = variants.or(differs).unwrap_or_default();
            let case = [format!("{} {}", r.field, r.dtype), short(r.bound), r.kernel.clone()];
            let error = r.error.map_or_else(none, |error| match error.violations {
                0 => format!("{:.3}", error.of_bound),
                beyond => format!("{:.3}, {beyond} beyond", error.of_bound),
            });
            table.row(case.into_iter().chain(cells(&r.speeds)).chain([error, tiles]));
        }
        for g in &self.geomeans {
            let bound = g.bound.map_or("all".to_owned(), short);
            let of = ["geomean".to_owned(), bound, g.kernel.clone()];
            let error = g.error.map_or_else(none, |most| format!("{most:.3} at most"));
            table.row(of.into_iter().chain(cells(&g.speeds)).chain([error, String::new()]));
        }
        let span = |of: fn(&GpuRow) -> Option<f64>| {
            let speeds = self.run.rows.iter().filter_map(of);
            let (low, high) =
                speeds.fold((f64::MAX, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
            format!("{low:.0} to {high:.0} GB/s")
        };
        format!(
            "{}, compute capability {}; medians of {}; copy {}, read {}\n{}\
             tiles: % of LZ1/LZ2/LZ1 + centering/LZ2 + centering/escaped ({PREDICTORS})\n",
            self.run.device.name,
            self.run.device.capability,
            self.run.repeat,
            span(|r| r.copy_gbs),
            span(|r| r.read_gbs),
            table.text()
        )
    }

    /// The rows, and the means behind them.
    pub fn csv(&self) -> String {
        let head = "field,dtype,shape,bytes,bound,kernel,ratio,compress_gbs,compress_of_copy,\
                    decompress_gbs,decompress_of_copy,min_max_gbs,min_max_of_read,call_gbs,\
                    absolute_call_gbs,decompress_call_gbs,error_of_bound,violations,copy_gbs,read_gbs,lz1,lz2,lz1_centered,lz2_centered,escaped,same_payload";
        let none = String::new;
        let rows = self.run.rows.iter().map(|r| {
            let mut cells = vec![r.field.clone(), r.dtype.clone(), r.shape.clone()];
            cells.extend([r.bytes.to_string(), r.bound.to_string(), r.kernel.clone()]);
            cells.extend(plain(&r.speeds));
            cells.push(cell(r.error.map(|error| error.of_bound)));
            cells.push(r.error.map_or_else(none, |error| error.violations.to_string()));
            cells.extend([r.copy_gbs, r.read_gbs].map(cell));
            let shares = r.variants.as_ref().map(|v| v.each().map(|share| format!("{share:.5}")));
            cells.extend(shares.unwrap_or_default());
            cells.push(r.same_payload.map_or_else(none, |same| same.to_string()));
            cells
        });
        let means = self.geomeans.iter().map(|g| {
            let bound = g.bound.map_or("all".to_owned(), |bound| bound.to_string());
            let mut cells = vec!["geomean".to_owned(), none(), none(), none(), bound];
            cells.push(g.kernel.clone());
            cells.extend(plain(&g.speeds));
            cells.push(cell(g.error));
            cells.resize_with(head.split(',').count(), none);
            cells
        });
        fsz_study::csv(head, rows.chain(means))
    }
}

impl Geomean {
    fn of(kernel: &str, bound: Option<f64>, rows: &[&GpuRow]) -> Geomean {
        let mean = |of: fn(&Speeds) -> Option<f64>| {
            let values: Option<Vec<f64>> = rows.iter().map(|row| of(&row.speeds)).collect();
            values.map(fsz_study::geomean)
        };
        let speeds = Speeds {
            ratio: fsz_study::geomean(rows.iter().map(|row| row.speeds.ratio)),
            compress_gbs: mean(|r| r.compress_gbs),
            compress_of_copy: mean(|r| r.compress_of_copy),
            decompress_gbs: mean(|r| r.decompress_gbs),
            decompress_of_copy: mean(|r| r.decompress_of_copy),
            min_max_gbs: mean(|r| r.min_max_gbs),
            min_max_of_read: mean(|r| r.min_max_of_read),
            call_gbs: mean(|r| r.call_gbs),
            absolute_call_gbs: mean(|r| r.absolute_call_gbs),
            decompress_call_gbs: mean(|r| r.decompress_call_gbs),
        };
        let errors = rows.iter().filter_map(|row| row.error);
        let error = errors.map(|error| error.of_bound).reduce(f64::max);
        Geomean { kernel: kernel.to_owned(), bound, rows: rows.len(), speeds, error }
    }
}

/// A figure that there is not, for people.
fn none() -> String {
    "-".to_owned()
}

/// Ratio, speeds and shares for people.
fn cells(speeds: &Speeds) -> Vec<String> {
    let mut cells = vec![format!("{:.2}", speeds.ratio)];
    for (gbs, share) in speeds.with_shares() {
        cells.push(gbs.map_or_else(none, |gbs| format!("{gbs:.1}")));
        cells.push(share.map_or_else(none, |share| format!("{:.1} %", 100.0 * share)));
    }
    cells.extend(speeds.calls().map(|gbs| gbs.map_or_else(none, |gbs| format!("{gbs:.1}"))));
    cells
}

/// Ratio, speeds and shares for machines.
fn plain(speeds: &Speeds) -> Vec<String> {
    let figures = speeds.with_shares().into_iter().flat_map(|(gbs, share)| [gbs, share]);
    [Some(speeds.ratio)].into_iter().chain(figures).chain(speeds.calls()).map(cell).collect()
}

fn cell(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.4}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsz_study::ErrorFound;

    fn row(field: &str, bound: f64, kernel: &str, gbs: f64) -> GpuRow {
        GpuRow {
            field: field.to_owned(),
            dtype: "f32".to_owned(),
            shape: "4x4".to_owned(),
            bytes: 64,
            bound,
            kernel: kernel.to_owned(),
            speeds: Speeds {
                ratio: gbs / 100.0,
                compress_gbs: Some(gbs),
                compress_of_copy: Some(0.9),
                decompress_gbs: (kernel == "fsz").then_some(gbs),
                decompress_of_copy: (kernel == "fsz").then_some(0.8),
                ..Speeds::default()
            },
            error: (kernel == "fsz").then_some(ErrorFound { of_bound: 0.5, violations: 0 }),
            copy_gbs: Some(4000.0),
            read_gbs: Some(4400.0),
            variants: None,
            same_payload: (kernel != "fsz").then_some(false),
        }
    }

    fn report() -> Report {
        let device = Device { name: "card".to_owned(), capability: "9.0".to_owned(), memory: 1 };
        let run = GpuRun { device, repeat: 20, rows: Vec::new() };
        let mut report = Report { run, geomeans: Vec::new() };
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
            found.and_then(|g| g.speeds.compress_gbs).map(f64::round)
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
        let mut short = row("a", 1e-3, "paper-five-reads", 500.0);
        short.speeds.compress_gbs = Some(f64::NAN);
        report.add(short);
        let run = GpuRun::parse(&serde_json::to_string(&report).unwrap()).unwrap();
        assert_eq!((run.device.name.as_str(), run.rows.len()), ("card", 5));
        let found = &run.rows[0];
        assert_eq!((found.field.as_str(), found.dtype.as_str(), found.bound), ("a", "f32", 1e-2));
        assert_eq!((found.kernel.as_str(), found.speeds.ratio), ("fsz", 10.0));
        assert_eq!(
            (found.speeds.compress_gbs, found.speeds.compress_of_copy),
            (Some(1000.0), Some(0.9))
        );
        assert_eq!(
            (found.speeds.decompress_gbs, found.speeds.decompress_of_copy),
            (Some(1000.0), Some(0.8))
        );
        assert_eq!(found.copy_gbs, Some(4000.0));
        let paper = &run.rows[3];
        assert_eq!((paper.kernel.as_str(), paper.speeds.decompress_gbs), ("paper-two-reads", None));
        assert_eq!(run.rows[4].speeds.compress_gbs, None);
        assert_eq!((found.same_payload, paper.same_payload), (None, Some(false)));
    }

    #[test]
    fn every_line_of_csv_has_as_many_cells() {
        let text = report().csv().replace("\"b,c\"", "b");
        let cells: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(cells, vec![26; cells.len()], "{text}");
        let text = report().text();
        assert!(text.contains("other payload") && text.contains("geomean"), "{text}");
    }
}
