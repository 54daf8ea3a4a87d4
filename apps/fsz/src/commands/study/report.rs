//! `report.html`: the tables and plots of a study in one file that needs no other.

use super::figures::{STAGES, Study};
use super::plot::{Line, log_log};
use crate::number::short;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;\
padding:0 1rem}table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .7rem;\
border-bottom:1px solid #ccc;text-align:right}td:first-child,th:first-child{text-align:left}\
.broken{color:#b00;font-weight:bold}figure{display:inline-block;margin:1rem}\
svg text{font-size:11px;fill:currentColor}@media(prefers-color-scheme:dark){\
body{background:#111;color:#ddd}}";

/// The report.
pub fn html(study: &Study) -> String {
    format!(
        "<!doctype html>\n<html lang='en'><meta charset='utf-8'>\
         <meta name='viewport' content='width=device-width'><title>FSZ study</title>\
         <style>{STYLE}</style>\n<h1>FSZ study</h1>\n\
         <p>Bounds are value-range bounds: times max − min of the field. LZ1 and LZ2 are the \
         first- and second-order Lorenzo predictors. Made by fsz {}.</p>\n\
         <h2>Compression ratio</h2>\n{}\n{}\n<h2>Ablation</h2>\n\
         <p>Compression ratio as the ideas are added one by one: LZ1 in independent blocks, \
         cross-block state, centering on the mean, LZ2.</p>\n{}\n{}\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        ratio_plots(study),
        ratio_table(study),
        ablation_plots(study),
        ablation_table(study),
    )
}

fn ratio_table(study: &Study) -> String {
    let rows = study.ratios.iter().map(|r| {
        let broken = if r.bound_violations > 0 { " class='broken'" } else { "" };
        format!(
            "<tr><td>{}<td>{}<td>{}<td>{:.2}<td>{}<td>{}<td{broken}>{}",
            escaped(&r.field),
            short(r.bound),
            r.codec,
            r.ratio,
            short(r.max_abs_error),
            short(r.psnr),
            r.bound_violations
        )
    });
    table("field,bound,codec,ratio,largest error,PSNR in dB,points beyond the bound", rows)
}

fn ablation_table(study: &Study) -> String {
    let rows = study.ablations.iter().map(|a| {
        let ratios: String = a.ratios.iter().map(|r| format!("<td>{r:.2}")).collect();
        format!("<tr><td>{}<td>{}{ratios}", escaped(&a.field), short(a.bound))
    });
    table("field,bound,base,+ cross-block,+ centering,+ LZ2", rows)
}

fn table(head: &str, rows: impl Iterator<Item = String>) -> String {
    let head: String = head.split(',').map(|cell| format!("<th>{cell}")).collect();
    format!("<table><tr>{head}\n{}</table>", rows.map(|row| row + "\n").collect::<String>())
}

/// For each field, the ratio of every codec over the bound.
fn ratio_plots(study: &Study) -> String {
    let codecs = in_order(study.ratios.iter().map(|r| r.codec));
    plots(in_order(study.ratios.iter().map(|r| r.field.as_str())), |field| {
        let line = |&codec: &&str| {
            let of = study.ratios.iter().filter(|r| r.field == field && r.codec == codec);
            Line { name: codec.to_owned(), points: of.map(|r| (r.bound, r.ratio)).collect() }
        };
        codecs.iter().map(line).filter(|line| !line.points.is_empty()).collect()
    })
}

/// For each field, the ratio of every stage over the bound.
fn ablation_plots(study: &Study) -> String {
    plots(in_order(study.ablations.iter().map(|a| a.field.as_str())), |field| {
        let line = |(i, stage): (usize, &&str)| {
            let of = study.ablations.iter().filter(|a| a.field == field);
            let points = of.map(|a| (a.bound, a.ratios[i])).collect();
            Line { name: stage.replace('_', "-"), points }
        };
        STAGES.iter().enumerate().map(line).collect()
    })
}

fn plots<'a>(fields: Vec<&'a str>, lines: impl Fn(&'a str) -> Vec<Line>) -> String {
    let figure = |field: &'a str| {
        let svg = log_log(&lines(field), "value-range bound", "compression ratio");
        format!("<figure>{svg}<figcaption>{}</figcaption></figure>", escaped(field))
    };
    fields.into_iter().map(figure).collect()
}

/// Each once, in the order of its first appearance.
fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
