//! Compression ratio per data set: smallest, largest, mean ± standard deviation, as in the paper's
//! table.

use fsz_figure::plot::escaped;

use crate::codecs;
use crate::html::Data;
use crate::record::FieldRecord;
use crate::stats::{in_order, mean, range};
use crate::tables::{bounds, cases, cell};

/// One codec on one data set at one bound.
struct Summary<'a> {
    dataset: String,
    bound: f64,
    codec: &'a str,
    fields: usize,
    least: f64,
    largest: f64,
    mean: f64,
    /// NaN of a single field.
    deviation: f64,
}

fn summaries(fields: &[FieldRecord]) -> Vec<Summary<'_>> {
    let mut all = Vec::new();
    let numbers = || fields.iter().filter(|f| f.has_numbers());
    let names: Vec<String> = numbers().map(FieldRecord::dataset).collect();
    for dataset in in_order(names.iter().map(String::as_str)) {
        for bound in bounds(fields) {
            let here = || {
                let of =
                    cases(numbers()).filter(|(f, at)| f.dataset() == dataset && at.bound == bound);
                of.flat_map(|(_, at)| &at.ratios).filter(|r| !r.given)
            };
            for codec in in_order(here().map(|r| r.codec.as_str())) {
                let ratios: Vec<f64> =
                    here().filter(|r| r.codec == codec).map(|r| r.ratio).collect();
                let (least, largest) = range(ratios.iter().copied());
                let (mean, deviation) = mean(ratios.iter().copied());
                let fields = ratios.len();
                let summary = Summary {
                    dataset: dataset.to_owned(),
                    bound,
                    codec,
                    fields,
                    least,
                    largest,
                    mean,
                    deviation,
                };
                all.push(summary);
            }
        }
    }
    all
}

/// A row per data set, bound and codec; no deviation of a single field.
pub fn table(fields: &[FieldRecord]) -> Data {
    let rows = summaries(fields).into_iter().map(|s| {
        let mut row = vec![s.dataset, format!("{:e}", s.bound), s.codec.to_owned()];
        row.push(s.fields.to_string());
        row.extend([s.least, s.largest, s.mean].map(cell));
        row.push(if s.deviation.is_nan() { String::new() } else { cell(s.deviation) });
        row
    });
    let head = "dataset,bound,codec,fields,min,max,mean,std";
    Data { file: "datasets.csv", head, rows: rows.collect() }
}

/// A table per bound: data sets down, codecs across; the best mean of those that keep the bound
/// is bold.
pub fn html(fields: &[FieldRecord]) -> String {
    let all = summaries(fields);
    // Fixed-rate zfp keeps no bound: its ratio is FSZ's by construction.
    let names = in_order(all.iter().map(|s| s.codec).filter(|codec| *codec != codecs::ZFP_RATE));
    let head: String = names.iter().map(|name| format!("<th>{}", escaped(name))).collect();
    let mut page = "<p>Per data set (the part of a field's name before the first _): mean ± standard \
                    deviation (over n − 1), and minimum to maximum, over its fields; the largest mean \
                    is bold.</p>"
        .to_owned();
    for bound in bounds(fields) {
        page += &format!("<h3>At {bound:e}</h3><div class='wide'><table><tr><th>data set{head}");
        let here = || all.iter().filter(move |s| s.bound == bound);
        for dataset in in_order(here().map(|s| s.dataset.as_str())) {
            let of = |codec: &str| here().find(|s| s.dataset == dataset && s.codec == codec);
            let best = names.iter().filter_map(|codec| of(codec)).map(|s| s.mean);
            let best = best.fold(f64::NEG_INFINITY, f64::max);
            page += &format!("\n<tr><td>{}", escaped(dataset));
            for codec in &names {
                page += &of(codec).map_or("<td>–".to_owned(), |s| shown(s, s.mean >= best));
            }
        }
        page += "</table></div>";
    }
    page
}

fn shown(summary: &Summary<'_>, best: bool) -> String {
    let mut text = format!("{:.2}", summary.mean);
    if best {
        text = format!("<b>{text}</b>");
    }
    if summary.fields > 1 {
        let Summary { deviation, least, largest, .. } = summary;
        text += &format!(" ± {deviation:.2}<small>{least:.2} to {largest:.2}</small>");
    }
    format!("<td>{text}")
}
