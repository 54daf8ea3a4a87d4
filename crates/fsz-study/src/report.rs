//! `report.html`: the tables and plots of a study in one file that needs no other.

use std::path::Path;

use anyhow::Result;
use fsz_field::Output;
use fsz_figure::number::short;
use fsz_figure::plot::escaped;

use crate::codecs;
use crate::gpu::GpuRun;
use crate::html::{Data, digits};
use crate::record::{FieldRecord, Matched, Panel};
use crate::{
    bit_rounding, claims, datasets, figures, fsz1, machine, measured_peers, relative, tables,
};

const STYLE: &str = include_str!("report.css");

/// A finished study.
#[derive(Debug)]
pub struct Study<'a> {
    /// Its fields.
    pub fields: &'a [FieldRecord],
    /// Figures of a device.
    pub gpu: Option<&'a GpuRun>,
    /// The command line that made it.
    pub command: &'a str,
}

/// Writes the report, and a CSV file beside it for each of its tables: all of them, or none.
///
/// # Errors
/// When a file cannot be written, or is there and `force` is not set.
pub fn write(study: &Study<'_>, mut report: Output, folder: &Path, force: bool) -> Result<()> {
    let tables = all_tables(study.fields, study.gpu);
    let mut outputs = Vec::new();
    for table in &tables {
        let mut output = Output::create(&folder.join(table.file), force)?;
        output.put(table.csv().as_bytes())?;
        outputs.push(output);
    }
    report.put(html(study, &tables).as_bytes())?;
    outputs.push(report);
    for output in outputs {
        output.commit()?;
    }
    Ok(())
}

/// Looks ahead whether the tables can be written.
///
/// # Errors
/// As [`write()`].
pub fn check(folder: &Path, force: bool) -> Result<()> {
    for table in all_tables(&[], None) {
        Output::create(&folder.join(table.file), force)?;
    }
    Ok(())
}

/// All tables, each of which is a CSV file too.
fn all_tables(fields: &[FieldRecord], gpu: Option<&GpuRun>) -> Vec<Data> {
    let mut all = vec![
        tables::ratio(fields),
        tables::ablation(fields),
        tables::layouts(fields),
        tables::geomeans(fields),
        datasets::table(fields),
        measured_peers::table(),
        tables::tiles(fields),
        tables::shares(fields),
        tables::curve(fields),
        tables::matched(fields),
        bit_rounding::table(fields),
        relative::table(fields),
        tables::fidelity(fields),
        tables::histogram(fields),
        tables::spectrum(fields),
        claims::table(fields, gpu),
        machine::table(),
    ];
    if fields.iter().any(|field| !field.fsz1.is_empty()) {
        all.extend([fsz1::table(fields), fsz1::tile_table(fields)]);
    }
    all.extend(gpu.map(tables::throughput));
    all.extend(gpu.map(tables::speeds));
    all
}

/// A heading, what is to be known of it, and what stands below.
type Section = (&'static str, &'static str, String);

/// The report.
fn html(study: &Study<'_>, all: &[Data]) -> String {
    let Study { fields, gpu, command } = *study;
    let table =
        |file: &str| all.iter().find(|data| data.file == file).map(Data::html).unwrap_or_default();
    let named =
        |file: &str| all.iter().find(|data| data.file == file).map(Data::named).unwrap_or_default();
    let mut sections: Vec<Section> = vec![
        ("Paper against this implementation", claims::ABOUT, claims_table(all)),
        ("Compression ratio", RATIO, ratio(fields, &table)),
        (
            "Ablation, tiles and variants",
            ABLATION,
            figures::ablation(fields)
                + &table("ablation.csv")
                + &table("layouts.csv")
                + &table("tiles.csv")
                + &table("variants.csv"),
        ),
        ("Rate and distortion", CURVES, figures::curves(fields) + &table("rate_distortion.csv")),
        ("FSZ and zfp of the same size", MATCHED, pictures(fields) + &table("matched_ratio.csv")),
        ("Bit rounding", BIT_ROUNDING, table("bit_rounding.csv")),
        ("Pointwise-relative bounds", RELATIVE, table("relative.csv")),
        (
            "Fidelity beyond PSNR",
            FIDELITY,
            figures::fidelity(fields)
                + &table("fidelity.csv")
                + &named("error_distribution.csv")
                + &named("spectrum.csv"),
        ),
        ("Throughput", "", throughput(gpu, table("speeds.csv") + &table("throughput.csv"))),
        (
            "Fields and machine",
            "",
            inventory(fields) + &words(table("machine.csv")) + &made_by(command),
        ),
    ];
    if fields.iter().any(|field| !field.fsz1.is_empty()) {
        let tables = table("fsz1.csv") + &table("fsz1_tiles.csv");
        sections.insert(2, ("Streams of the paper author's release", FSZ1, tables));
    }
    page(&sections)
}

const RATIO: &str = "Bytes of the field over bytes of the stream. fsz-paper is the paper's own \
design (mean centering) in this implementation; fsz-dense is the profile dense. cuszp-plain-model and cuszp-outlier-model are \
<b>models</b>: our cost models based on cuSZp's publications, which count the bytes of its format and \
decode as it would; cuSZp itself was not run. zfp-accuracy uses the same absolute bound as its \
tolerance; zfp-rate is fixed-rate zfp (cuZFP's mode) at FSZ's size. zfp is omitted for fields with \
NaN, ±Inf or missing values, which it does not support.";
const ABLATION: &str = "Compression ratio as the paper's ideas are added one by one: order 1 in \
independent blocks (base), cross-block state, centering on the mean, order 2 (lz2). Then the profile dense: its ratio \
with boxes along a line, in a plane and in three dimensions, where the field fills them, between that of FSZ's profile \
paper and that of its own choice. Tiles: the \
paper's design with other block lengths and blocks per tile compared with 32 × 8, over all fields and \
bounds; as in the paper, a win or loss is a difference of more than 2 %; lower counts every lower \
ratio. Fields with NaN, ±Inf or missing values are excluded, because only standard tiles can hold \
exceptions. Variants: shares of FSZ's tiles; escaped tiles are constant, verbatim or have \
exceptions. LZ1, LZ2: first-, second-order Lorenzo.";
const FSZ1: &str = "Files that the author's own release wrote (--fsz1-stream), decoded here, and FSZ at the same \
absolute bound. Tiles: how many have the variant and rates that the release's sources say, computed here \
from the field; how many have the same variant, and the same rates too, in FSZ's stream; and of the others, \
the first difference that changes them: codes (rounding of quotients, and a step a hair under twice the \
bound that keeps the bound strictly), padding (the last tile is filled up with zeros), the centering value \
(the mean of the values; fsz-paper: the mean of the codes; fsz: the first code), its cost (8 bytes in f64, \
4 in FSZ), ties (the release prefers order 1 with centering to order 2 without), escapes.";
const CURVES: &str = "Higher and further left is better. The error of FSZ, as of every uniform \
quantizer, is spread evenly up to the bound; zfp-accuracy stays far below its tolerance.";
const MATCHED: &str = "The middle slice with its most detailed part enlarged; one color scale per row, \
over the range of the original slice. Beyond the bound: the share of all points of the field whose \
error exceeds FSZ's bound. zfp-rate is fixed-rate zfp (cuZFP's blocks) at the size of FSZ's stream; \
for a given zfp stream (--zfp-stream), FSZ's bound is chosen to give the same stream size.";
const BIT_ROUNDING: &str = "Mantissas rounded to a few bits (to nearest, ties to even), bytes shuffled as by \
HDF5 and Blosc, and zlib at level 6 or Zstandard at level 3 (in builds with zstd) over the whole field; beside it \
the ratio of FSZ with an absolute bound of the same largest error, at the same PSNR, and with the same \
pointwise-relative bound. Bit rounding bounds the error of each value by a share of that value: it spends bits on \
small values that an absolute bound does not.";
const RELATIVE: &str = "Each value keeps its error within the bound times its magnitude, zeros exactly; no floor. \
Programs whose adapter takes a pointwise-relative bound stand beside FSZ.";
const FIDELITY: &str = "The error of a good quantizer is white and uniform over ±bound; a power spectrum \
ratio of 1 preserves every scale. Gradient and Laplacian: RMS error over the RMS of the original. \
Worst tile: the 256 elements with the largest RMSE.";

/// A table of words stands to the left.
fn words(table: String) -> String {
    table.replacen("<table>", "<table class='words'>", 1)
}

/// The claims stand open, however many.
fn claims_table(all: &[Data]) -> String {
    let claims = all.iter().find(|data| data.file == claims::FILE);
    claims.map(|claims| claims::summary(claims) + &words(claims.table())).unwrap_or_default()
}

fn ratio(fields: &[FieldRecord], table: &dyn Fn(&str) -> String) -> String {
    figures::mean_ratio(fields)
        + &table("geomeans.csv")
        + &datasets::html(fields)
        + &table("datasets.csv")
        + &figures::ratio(fields)
        + &table("ratio.csv")
        + &format!("<h3>Peers measured before</h3><p>{}</p>", measured_peers::SOURCE)
        + &table("measured_peers.csv")
}

fn page(sections: &[Section]) -> String {
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
         <meta name='viewport' content='width=device-width'>\
         <meta name='color-scheme' content='light dark'><title>FSZ study</title>\
         <style>{STYLE}</style>\n<h1>FSZ study</h1>\n\
         <p>Bounds are value-range bounds: multiples of max − min of the field. Every table and plot has a \
         CSV file beside this page. Created by fsz {}.</p>\n<nav>{}</nav>\n{}</html>\n",
        env!("CARGO_PKG_VERSION"),
        links.collect::<String>(),
        bodies.collect::<String>(),
    )
}

fn inventory(fields: &[FieldRecord]) -> String {
    let rows = fields.iter().map(|f| {
        let origin = if f.synthetic { "synthetic" } else { "file" }.to_owned();
        let (elements, special) = (f.elements.to_string(), f.special.to_string());
        let seconds = format!("{:.1}", f.seconds);
        let (name, dtype, shape) = (f.name.clone(), f.dtype.clone(), f.shape.clone());
        vec![name, origin, dtype, shape, elements, special, seconds]
    });
    let head = "field,origin,type,shape,values,NaN ±Inf and missing,seconds of study";
    Data { file: "", head, rows: rows.collect() }.table()
}

/// The command line, for whoever wants to make the report again.
fn made_by(command: &str) -> String {
    format!("<p>Created by <code>{}</code>.</p>", escaped(command))
}

/// The comparisons that have pictures: those with streams of other programs first, the first ones
/// open. What synthetic fields look like is known: they show none beside files.
fn pictures(fields: &[FieldRecord]) -> String {
    let files = fields.iter().any(|f| !f.synthetic);
    let fields = fields.iter().filter(|f| !files || !f.synthetic);
    let mut all: Vec<(&FieldRecord, &Matched)> =
        fields.flat_map(|f| f.matched.iter().map(move |m| (f, m))).collect();
    all.retain(|(_, m)| m.panels.iter().all(|p| !p.picture.is_empty()));
    all.sort_by_key(|(_, m)| match m.other().map(|p| p.codec.as_str()) {
        Some(codecs::ZFP_RATE) => 1,
        Some(_) => 0,
        None => 2,
    });
    let shown: Vec<String> =
        all.into_iter().map(|(field, matched)| panels(field, matched)).collect();
    let (open, folded) = shown.split_at(shown.len().min(6));
    let rest = match folded.len() {
        0 => String::new(),
        n => format!("<details><summary>{n} more</summary>{}</details>", folded.concat()),
    };
    open.concat() + &rest
}

fn panels(field: &FieldRecord, matched: &Matched) -> String {
    let panel = |p: &Panel| {
        let about = match p.codec.as_str() {
            "original" => "original".to_owned(),
            codec => format!(
                "{codec}: ratio {:.2}, {}, {:.2} % of points beyond the bound",
                p.ratio,
                decibels(p.psnr),
                100.0 * p.beyond
            ),
        };
        format!(
            "<figure><img alt='{0}' src='{1}'><figcaption>{0}</figcaption>\
             </figure>",
            escaped(&about),
            p.picture
        )
    };
    let all: String = matched.panels.iter().map(panel).collect();
    let (name, bound, index) = (escaped(&field.name), short(matched.bound), matched.index);
    let [low, high] = [matched.range.0, matched.range.1].map(digits);
    format!(
        "<h3>{name} at {bound}, slice {index}, colours from {low} to {high}</h3>\
         <div class='panels'>{all}</div>"
    )
}

/// A PSNR: there is none of a field of one value, and no end to that of an exact reconstruction.
fn decibels(psnr: f64) -> String {
    match psnr {
        p if p.is_nan() => "no PSNR".to_owned(),
        p if p.is_infinite() => "exact".to_owned(),
        p => format!("{p:.1} dB"),
    }
}

fn throughput(gpu: Option<&GpuRun>, table: String) -> String {
    match gpu {
        Some(run) => format!(
            "<p>Measured on {}: GB/s of uncompressed bytes. Of copy: relative to a copy that reads and \
             writes as many bytes in the same run. Bytes per element: the minimum that the kernel must \
             move. The paper's kernels are shown at the ratio of this implementation's stream, whose \
             payload they also write (except for missing values).</p>{}{table}",
            escaped(&run.device.name),
            figures::roofline(run)
        ),
        None => "<p>No GPU results were given: run <code>fsz bench --backend cuda --reference --json \
                 FILE</code> on a machine with a GPU, then <code>fsz study --gpu-json FILE</code>.</p>"
            .to_owned(),
    }
}
