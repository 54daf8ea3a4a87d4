//! `report.html`: the tables and plots of a study in one file that needs no other.

use super::gpu::GpuRun;
use super::html::{Data, escaped};
use super::plot::{Line, Scale, plot};
use super::record::{Fidelity, FieldRecord, Matched, STAGES};
use super::stats::in_order;
use super::{claims, machine, tables};
use crate::number::short;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;\
padding:0 1rem}table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}\
td,th{padding:.15rem .6rem;border-bottom:1px solid #ccc;text-align:right}\
td:first-child,th:first-child{text-align:left}figure{display:inline-block;margin:.6rem;\
vertical-align:top}figcaption{font-size:13px}figcaption b{display:block}.words td,.words th{\
text-align:left}svg text{font-size:11px;fill:currentColor}.file{color:#777;font-size:13px;\
margin-top:-.6rem}h2{margin-top:2.5rem;border-top:1px solid #ccc;padding-top:1rem}\
details{margin:.6rem 0}nav a{margin-right:1rem}img{image-rendering:pixelated;display:block}\
@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}}";

/// All tables, each of which is a CSV file too.
pub fn all_tables(fields: &[FieldRecord], gpu: Option<&GpuRun>) -> Vec<Data> {
    let mut all = vec![
        tables::ratio(fields),
        tables::ablation(fields),
        tables::geomeans(fields),
        tables::datasets(fields),
        tables::tiles(fields),
        tables::shares(fields),
        tables::curve(fields),
        tables::matched(fields),
        tables::fidelity(fields),
        tables::histogram(fields),
        tables::spectrum(fields),
        claims::table(fields, gpu),
        machine::table(),
    ];
    all.extend(gpu.map(tables::throughput));
    all
}

/// The report.
pub fn html(fields: &[FieldRecord], gpu: Option<&GpuRun>, all: &[Data]) -> String {
    let table =
        |file: &str| all.iter().find(|data| data.file == file).map(Data::html).unwrap_or_default();
    let sections = [
        (
            "Compression ratio",
            "cuszp-plain-model and cuszp-outlier-model are cost models of ours after cuSZp's \
             publications: they count the bytes of its format and decode as it would, but its \
             program did not run. fsz-paper is the paper's own design (mean centering) in this \
             implementation. zfp-rate is fixed-rate zfp, cuZFP's mode, at FSZ's size; zfp-accuracy \
             keeps the same absolute bound. A data set is what stands before the first _ of a \
             field's name; std is the population's.",
            table("geomeans.csv")
                + &table("datasets.csv")
                + &ratio_plots(fields)
                + &table("ratio.csv"),
        ),
        (
            "Ablation, tiles and variants",
            "Compression ratio as the paper's ideas are added one by one: order 1 in independent \
             blocks, cross-block state, centering on the mean, order 2. Tiles: the paper's design \
             with other block lengths and blocks per tile against 32 × 8, over all fields and \
             bounds. Fields with NaN, ±Inf or missing values are left \
             out of it, since only standard tiles hold exceptions. Variants: shares of the product's tiles; escaped ones are constant, verbatim \
             or have exceptions.",
            ablation_plots(fields)
                + &table("ablation.csv")
                + &table("tiles.csv")
                + &table("variants.csv"),
        ),
        (
            "Rate and distortion",
            "PSNR over bits per value: higher and further left is better.",
            curves(fields) + &table("rate_distortion.csv"),
        ),
        (
            "FSZ and fixed-rate zfp of the same size",
            "The middle slice of each field at the first bound, with the liveliest part enlarged. \
             All panels of a field share one scale of colours.",
            fields
                .iter()
                .filter_map(|f| Some((f, f.matched.as_ref()?)))
                .map(panels)
                .collect::<String>()
                + &table("matched_ratio.csv"),
        ),
        (
            "Fidelity beyond PSNR",
            "The error of a good quantizer is uniform over ±bound and white; a power spectrum ratio \
             of 1 keeps every scale. Gradient and Laplacian: RMS error over the RMS of the \
             original's. Worst tile: the 256 elements with the largest RMSE.",
            fidelity_plots(fields)
                + &table("fidelity.csv")
                + &table("error_distribution.csv")
                + &table("spectrum.csv"),
        ),
        ("Throughput", "", throughput(gpu, table("throughput.csv"))),
        (
            "Paper against this implementation",
            "What each claim of the paper comes to here, on these fields. Its own data (84 fields of \
             SDRBench and Open-SciVis) is not among them unless it was given; a figure within 10 % \
             of the paper's agrees.",
            table("claims.csv").replacen("<table>", "<table class='words'>", 1),
        ),
        (
            "Fields and machine",
            "",
            inventory(fields)
                + &table("machine.csv").replacen("<table>", "<table class='words'>", 1),
        ),
    ];
    let id = |i: usize| format!("part{}", i + 1);
    let links = sections
        .iter()
        .enumerate()
        .map(|(i, (name, ..))| format!("<a href='#{}'>{name}</a> ", id(i)));
    let bodies = sections.iter().enumerate().map(|(i, (name, about, body))| {
        format!("<h2 id='{}'>{name}</h2>\n<p>{about}</p>\n{body}\n", id(i))
    });
    format!(
        "<!doctype html>\n<html lang='en'><meta charset='utf-8'>\
         <meta name='viewport' content='width=device-width'><title>FSZ study</title>\
         <style>{STYLE}</style>\n<h1>FSZ study</h1>\n\
         <p>Bounds are value-range bounds: times max − min of the field. Made by fsz {}.</p>\n\
         <nav>{}</nav>\n{}</html>\n",
        env!("CARGO_PKG_VERSION"),
        links.collect::<String>(),
        bodies.collect::<String>(),
    )
}

fn inventory(fields: &[FieldRecord]) -> String {
    let rows = fields.iter().map(|f| {
        let (elements, special) = (f.elements.to_string(), f.special.to_string());
        let seconds = format!("{:.1}", f.seconds);
        vec![f.name.clone(), f.dtype.clone(), f.shape.clone(), elements, special, seconds]
    });
    let head = "field,type,shape,values,NaN ±Inf and missing,seconds of study";
    Data { file: "", head, rows: rows.collect() }.html()
}

fn figure(svg: &str, name: &str) -> String {
    format!("<figure>{svg}<figcaption>{}</figcaption></figure>", escaped(name))
}

/// For each field, the ratio of every codec over the bound.
fn ratio_plots(fields: &[FieldRecord]) -> String {
    let of = |field: &FieldRecord| {
        let codecs =
            in_order(field.bounds.iter().flat_map(|b| &b.ratios).map(|r| r.codec.as_str()));
        let line = |codec: &&str| {
            let points = field.bounds.iter().filter_map(|b| Some((b.bound, b.ratio(codec)?)));
            Line { name: (*codec).to_owned(), points: points.collect() }
        };
        let lines: Vec<Line> = codecs.iter().filter(|c| **c != "zfp-rate").map(line).collect();
        let svg = plot(&lines, [Scale::Log; 2], "value-range bound", "compression ratio");
        figure(&svg, &field.name)
    };
    folded("A plot per field", fields.iter().map(of).collect())
}

/// For each field, the ratio of every stage over the bound.
fn ablation_plots(fields: &[FieldRecord]) -> String {
    let of = |field: &FieldRecord| {
        let line = |(i, stage): (usize, &&str)| {
            let points = field.bounds.iter().map(|b| (b.bound, b.ablation[i])).collect();
            Line { name: stage.replace('_', "-"), points }
        };
        let lines: Vec<Line> = STAGES.iter().enumerate().map(line).collect();
        let svg = plot(&lines, [Scale::Log; 2], "value-range bound", "compression ratio");
        figure(&svg, &field.name)
    };
    folded("A plot per field", fields.iter().map(of).collect())
}

fn curves(fields: &[FieldRecord]) -> String {
    let of = |field: &FieldRecord| {
        let codecs = in_order(field.curve.iter().map(|p| p.codec.as_str()));
        let line = |codec: &&str| {
            let points = field.curve.iter().filter(|p| p.codec == **codec && p.bits <= 20.0);
            Line { name: (*codec).to_owned(), points: points.map(|p| (p.bits, p.psnr)).collect() }
        };
        let lines: Vec<Line> = codecs.iter().map(line).collect();
        let svg = plot(&lines, [Scale::Linear; 2], "bits per value", "PSNR in dB");
        figure(&svg, &field.name)
    };
    fields.iter().map(of).collect()
}

fn fidelity_plots(fields: &[FieldRecord]) -> String {
    type Points = fn(&Fidelity) -> Vec<(f64, f64)>;
    let distribution: Points = |f| {
        let bins = f.histogram.len() as f64;
        let at = |(i, &share): (usize, &f64)| ((2.0 * i as f64 + 1.0) / bins - 1.0, share * bins);
        f.histogram.iter().enumerate().map(at).collect()
    };
    let spectrum: Points = |f| f.spectrum.iter().map(|&[x, y]| (x, y)).collect();
    let kinds = [
        (distribution, [Scale::Linear; 2], "error / bound", "density × 2, uniform = 1"),
        (spectrum, [Scale::Linear, Scale::Log], "frequency in 1/sample", "power ratio"),
    ];
    let of = |field: &FieldRecord| {
        // The middle bound shows both what is kept and what is not.
        let Some(at) = field.bounds.get(field.bounds.len() / 2) else { return String::new() };
        let figures = kinds.iter().map(|(points, scales, x, y)| {
            let line = |f: &Fidelity| Line { name: f.codec.clone(), points: points(f) };
            let lines: Vec<Line> = at.fidelity.iter().map(line).collect();
            figure(&plot(&lines, *scales, x, y), &format!("{} at {}", field.name, short(at.bound)))
        });
        figures.collect()
    };
    folded("Two plots per field", fields.iter().map(of).collect())
}

fn panels((field, matched): (&FieldRecord, &Matched)) -> String {
    let panel = |p: &super::record::Panel| {
        let about = match p.codec.as_str() {
            "original" => "original".to_owned(),
            codec => format!(
                "{codec}: ratio {:.2}, {:.1} dB, {:.2} % of points beyond the bound",
                p.ratio,
                p.psnr,
                100.0 * p.beyond
            ),
        };
        format!(
            "<figure><img alt='{0}' src='data:image/png;base64,{1}'><figcaption>{0}</figcaption></figure>",
            escaped(&about),
            p.png
        )
    };
    let all: String = matched.panels.iter().map(panel).collect();
    let (name, bound, index) = (escaped(&field.name), short(matched.bound), matched.index);
    format!("<h3>{name} at {bound}, slice {index}</h3>{all}")
}

fn throughput(gpu: Option<&GpuRun>, table: String) -> String {
    match gpu {
        Some(run) => format!(
            "<p>Measured on {}: GB/s of uncompressed bytes; of_copy is the share of what a copy of as \
             many bytes reaches in the same run; bytes per element are the least that the kernel must \
             move.</p>{}{table}",
            escaped(&run.device.name),
            roofline(run)
        ),
        None => "<p>No figures of a device were given: <code>fsz bench --backend cuda --reference \
                 --json FILE</code> on a machine with one, then <code>fsz study --gpu-json FILE</code>.\
                 </p>"
            .to_owned(),
    }
}

/// Share of the copy's speed over the ratio, kernel by kernel.
fn roofline(run: &GpuRun) -> String {
    let line = |kernel: &&str| {
        let rows = run.rows.iter().filter(|r| r.kernel == **kernel);
        let mut points: Vec<(f64, f64)> =
            rows.filter_map(|r| Some((r.ratio, r.compress_of_copy?))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Line { name: (*kernel).to_owned(), points }
    };
    let kernels = in_order(run.rows.iter().map(|r| r.kernel.as_str()));
    let lines: Vec<Line> = kernels.iter().map(line).collect();
    let scales = [Scale::Log, Scale::Linear];
    figure(&plot(&lines, scales, "compression ratio", "of copy"), "compression")
}

/// Figures that are unfolded when there are many.
fn folded(name: &str, figures: String) -> String {
    match figures.matches("<figure>").count() {
        0..=6 => figures,
        n => format!("<details><summary>{name} ({n})</summary>{figures}</details>"),
    }
}
