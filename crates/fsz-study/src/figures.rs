//! The plots of the report.

use fsz_figure::number::short;
use fsz_figure::plot::{Axes, Line, Scale, escaped, plot};

use crate::codecs;
use crate::gpu::GpuRun;
use crate::record::{BoundRecord, Fidelity, FieldRecord, STAGES};
use crate::stats::{geomean, in_order};
use crate::tables::{bounds, cases};

/// Bits per value above which a curve says nothing more.
const MOST_BITS: f64 = 20.0;

const RATIO: Axes =
    Axes { scales: [Scale::Log; 2], names: ["value-range bound", "compression ratio"], span: None };
const CURVE: Axes =
    Axes { scales: [Scale::Linear; 2], names: ["bits per value", "PSNR in dB"], span: None };
/// zfp's errors heap up near 0, at many times the density of the uniform ones.
const DISTRIBUTION: Axes = Axes {
    scales: [Scale::Linear; 2],
    names: ["error / bound", "density, that of uniform errors being 1"],
    span: Some([0.0, 3.0]),
};
const SPECTRUM: Axes = Axes {
    scales: [Scale::Linear, Scale::Log],
    names: ["frequency in cycles per sample", "power, that of the original being 1"],
    span: None,
};
const ROOFLINE: Axes =
    Axes { scales: [Scale::Log, Scale::Linear], names: ["compression ratio", "GB/s"], span: None };

/// For each group of fields, the geometric mean of the ratio over the bound, of every codec that
/// took part in all of them.
pub fn mean_ratio(fields: &[FieldRecord]) -> String {
    let bounds = bounds(fields);
    let of = |group: &str| {
        let members: Vec<&FieldRecord> =
            fields.iter().filter(|f| f.group() == group && f.has_numbers()).collect();
        // The mean of one field is that field.
        if members.len() < 2 {
            return String::new();
        }
        let all = || cases(members.iter().copied()).map(|(_, at)| at);
        let lines = codecs(all()).into_iter().filter_map(|codec| {
            let everywhere = all().all(|at| at.ratio(codec).is_some());
            let point = |&bound: &f64| {
                let here = all().filter(|at| at.bound == bound).filter_map(|at| at.ratio(codec));
                (bound, geomean(here))
            };
            everywhere.then(|| line(codec, bounds.iter().map(point).collect()))
        });
        let title = format!("geometric mean of {} {group}", members.len());
        ratio_figure(lines.collect(), &title)
    };
    in_order(fields.iter().map(FieldRecord::group)).into_iter().map(of).collect()
}

/// For each field, the ratio of every codec over the bound.
pub fn ratio(fields: &[FieldRecord]) -> String {
    let of = |field: &FieldRecord| {
        let lines = codecs(field.bounds.iter()).into_iter().map(|codec| {
            let points = field.bounds.iter().filter_map(|b| Some((b.bound, b.ratio(codec)?)));
            line(codec, points.collect())
        });
        ratio_figure(lines.collect(), &field.name)
    };
    folded("A plot per field", fields.iter().map(of).collect())
}

/// Codecs in the order of their first appearance. Fixed-rate zfp has FSZ's ratio by construction,
/// and the paper's design all but the same one: neither has a line of its own.
fn codecs<'a>(all: impl Iterator<Item = &'a BoundRecord>) -> Vec<&'a str> {
    let names = all.flat_map(|at| &at.ratios).filter(|r| !r.given).map(|r| r.codec.as_str());
    in_order(names.filter(|name| ![codecs::ZFP_RATE, codecs::FSZ_PAPER].contains(name)))
}

/// For each field, the ratio of every stage of the ablation over the bound.
pub fn ablation(fields: &[FieldRecord]) -> String {
    let of = |field: &FieldRecord| {
        let stage = |(i, stage): (usize, &&str)| {
            let points = field.bounds.iter().map(|b| (b.bound, b.ablation[i])).collect();
            let sign = if i == 0 { "" } else { "+ " };
            line(&format!("{sign}{}", stage.replace('_', "-")), points)
        };
        // The last stage has all of them: it comes first.
        let lines = STAGES.iter().enumerate().rev().map(stage).collect();
        ratio_figure(lines, &field.name)
    };
    folded("A plot per field", fields.iter().map(of).collect())
}

/// For each field, PSNR over bits per value.
pub fn curves(fields: &[FieldRecord]) -> String {
    let of = |field: &FieldRecord| {
        let lines =
            in_order(field.curve.iter().map(|p| p.codec.as_str())).into_iter().map(|codec| {
                let points = field.curve.iter().filter(|p| p.codec == codec && p.bits <= MOST_BITS);
                line(codec, points.map(|p| (p.bits, p.psnr)).collect())
            });
        let lines: Vec<Line> = lines.collect();
        figure(&plot(&lines, CURVE), &field.name)
    };
    fields.iter().map(of).collect()
}

/// For each field, the distribution of the error and the ratio of the power spectra.
pub fn fidelity(fields: &[FieldRecord]) -> String {
    type Points = fn(&Fidelity) -> Vec<(f64, f64)>;
    let distribution: Points = |f| {
        let bins = f.histogram.len() as f64;
        let at = |(i, &share): (usize, &f64)| ((2.0 * i as f64 + 1.0) / bins - 1.0, share * bins);
        f.histogram.iter().enumerate().map(at).collect()
    };
    let spectrum: Points = |f| f.spectrum.iter().map(|&[x, y]| (x, y)).collect();
    let kinds = [(distribution, DISTRIBUTION), (spectrum, SPECTRUM)];
    let of = |field: &FieldRecord| {
        // The middle bound shows both what is kept and what is not.
        let Some(at) = field.bounds.get(field.bounds.len() / 2) else { return String::new() };
        let figures = kinds.iter().map(|&(points, axes)| {
            let lines: Vec<Line> = at.fidelity.iter().map(|f| line(&f.codec, points(f))).collect();
            figure(&plot(&lines, axes), &format!("{} at {}", field.name, short(at.bound)))
        });
        figures.collect()
    };
    folded("Two plots per field", fields.iter().map(of).collect())
}

/// Speed over the ratio, kernel by kernel, below what memory allows.
pub fn roofline(run: &GpuRun) -> String {
    let of = |speed: fn(&crate::gpu::GpuRow) -> Option<f64>, title: &str| {
        let kernels = in_order(run.rows.iter().map(|r| r.kernel.as_str()));
        let points = |kernel: &str| -> Vec<(f64, f64)> {
            let rows = run.rows.iter().filter(|r| r.kernel == kernel);
            rows.filter_map(|r| Some((r.speeds.ratio, speed(r)?))).collect()
        };
        let dots = kernels.into_iter().map(|kernel| Line {
            name: kernel.to_owned(),
            points: points(kernel),
            joined: false,
        });
        let mut lines: Vec<Line> = dots.filter(|line| !line.points.is_empty()).collect();
        let mut roof: Vec<(f64, f64)> = run.rows.iter().filter_map(|r| r.roof()).collect();
        roof.sort_by(|a, b| a.0.total_cmp(&b.0));
        lines.push(line("the copy's speed", roof));
        let highest = lines.iter().flat_map(|line| &line.points).fold(0.0f64, |m, p| m.max(p.1));
        figure(&plot(&lines, Axes { span: Some([0.0, highest]), ..ROOFLINE }), title)
    };
    of(|r| r.speeds.compress_gbs, "compression") + &of(|r| r.speeds.decompress_gbs, "decompression")
}

fn line(name: &str, points: Vec<(f64, f64)>) -> Line {
    Line { name: name.to_owned(), points, joined: true }
}

fn ratio_figure(lines: Vec<Line>, title: &str) -> String {
    figure(&plot(&lines, RATIO), title)
}

/// Nothing for a plot of nothing.
fn figure(svg: &str, name: &str) -> String {
    if svg.is_empty() {
        return String::new();
    }
    format!("<figure><figcaption>{}</figcaption>{svg}</figure>", escaped(name))
}

/// Figures that are unfolded when there are many.
pub fn folded(name: &str, figures: String) -> String {
    match figures.matches("<figure>").count() {
        0..=6 => figures,
        n => format!("<details><summary>{name} ({n})</summary>{figures}</details>"),
    }
}
