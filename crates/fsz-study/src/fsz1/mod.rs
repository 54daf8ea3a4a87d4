//! Streams of the paper author's own release beside those of this implementation, tile by tile.

mod agreement;
mod design;

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Result, ensure};
use fsz::format::TILE;
use fsz::{Bound, Centering, Dense, Element, Profile, Research, Stream};
use fsz_field::{Fsz1, Fsz1File};
use fsz_metrics::Sample;

use crate::codecs;
use crate::html::Data;
use crate::record::{FieldRecord, Fsz1Record};
use crate::subject::Subject;
use crate::tables::cell;
use agreement::{Rule, agreement};
use design::{Choice, Tile};

/// A stream of the field of this name.
#[derive(Debug, Clone, PartialEq)]
pub struct Fsz1Stream {
    /// The field's name.
    pub field: String,
    /// The stream's file.
    pub file: PathBuf,
}

impl FromStr for Fsz1Stream {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Fsz1Stream, String> {
        match text.split_once('=') {
            Some((field, file)) if !field.is_empty() && !file.is_empty() => {
                Ok(Fsz1Stream { field: field.to_owned(), file: PathBuf::from(file) })
            }
            _ => Err(format!("`{text}` is not of the form FIELD=FILE")),
        }
    }
}

/// The records of a field's streams.
pub fn measure<T: Element + Sample>(subject: &Subject<'_, T>) -> Result<Vec<Fsz1Record>> {
    let streams = subject.plan.fsz1_streams.iter().filter(|stream| stream.field == subject.name);
    streams.map(|stream| record(subject, stream)).collect()
}

fn record<T: Element + Sample>(subject: &Subject<'_, T>, of: &Fsz1Stream) -> Result<Fsz1Record> {
    let file = Fsz1File::open(&of.file)?;
    let theirs = file.stream()?;
    let (header, values) = (theirs.header(), subject.values);
    ensure!(
        header.dtype == subject.field.dtype() && header.elements() == values.len() as u64,
        "{}: {} values of {}, unlike the field {}",
        of.file.display(),
        header.elements(),
        header.dtype,
        subject.name
    );
    let mut decoded = fsz_field::zeros::<T>(subject.field.shape())?;
    theirs.decode(&mut decoded)?;
    let bound = header.bound;
    let found = fsz_metrics::compare(values, &decoded, &subject.missing, Some(bound.into()))?;
    let within = |profile| subject.compress_within(Bound::Absolute(bound), profile);
    let mean = Research { centering: Centering::Mean, ..Research::default() };
    let (paper, product) = (within(Profile::Paper(mean))?, within(Profile::default())?);
    let dense = within(Profile::Dense(Dense::new()))?;
    let tiles = tiles(subject, &theirs, &Stream::open(&product)?, &mut decoded)?;
    let chosen: Vec<Choice> = theirs.tiles().map(|tile| Choice::from(&tile)).collect();
    let agreements = [
        (codecs::FSZ_PAPER, &paper, Centering::Mean),
        (codecs::FSZ, &product, Centering::FirstCode),
    ]
    .into_iter()
    .map(|(codec, bytes, centering)| {
        agreement(codec, &tiles, &chosen, &Stream::open(bytes)?, centering)
    });
    let by_rules = tiles.iter().map(|tile| tile.choose(Rule::RELEASE, Centering::Mean));
    Ok(Fsz1Record {
        file: of.file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        bound,
        ratio: theirs.compression_ratio(),
        max_abs_error: found.max_abs_error,
        bound_violations: found.violations().unwrap_or(0),
        fsz: subject.over(product.len() as u64),
        fsz_paper: subject.over(paper.len() as u64),
        fsz_dense: subject.over(dense.len() as u64),
        tiles: chosen.len() as u64,
        reproduced: by_rules.zip(&chosen).filter(|(rules, file)| rules == *file).count() as u64,
        agreements: agreements.collect::<Result<_>>()?,
    })
}

/// The tiles of the field, with the codes of both quantizers.
fn tiles<T: Element + Sample>(
    subject: &Subject<'_, T>,
    theirs: &Fsz1<'_>,
    ours: &Stream<'_>,
    decoded: &mut [T],
) -> Result<Vec<Tile>> {
    subject.plan.codec.decompress_into(ours, decoded)?;
    let (header, step) = (theirs.header(), ours.header().quantization_step);
    let pairs = subject.values.chunks(TILE).zip(decoded.chunks(TILE));
    let wide = |values: &[T]| values.iter().map(|&v| Sample::to_f64(v)).collect::<Vec<f64>>();
    Ok(pairs.map(|(a, b)| Tile::new(header, &wide(a), &wide(b), step)).collect())
}

/// Size and error of each stream, beside this implementation at the same absolute bound.
pub fn table(fields: &[FieldRecord]) -> Data {
    let rows = fields.iter().flat_map(|field| {
        field.fsz1.iter().map(move |r| {
            let excess = 100.0 * (r.max_abs_error / r.bound - 1.0).max(0.0);
            let (name, bound) = (field.name.clone(), format!("{:e}", r.bound));
            let error = format!("{:e}", r.max_abs_error);
            let violations = r.bound_violations.to_string();
            let [theirs, paper, product, dense] =
                [r.ratio, r.fsz_paper, r.fsz, r.fsz_dense].map(cell);
            let file = r.file.clone();
            vec![name, file, bound, theirs, paper, product, dense, error, cell(excess), violations]
        })
    });
    let head = "field,file,absolute_bound,ratio,fsz-paper,fsz,fsz-dense,max_abs_error,\
                percent_above_bound,bound_violations";
    Data { file: "fsz1.csv", head, rows: rows.collect() }
}

/// How many tiles have the same variant and rates, and why the others have not.
pub fn tile_table(fields: &[FieldRecord]) -> Data {
    let rows = fields.iter().flat_map(|field| {
        field.fsz1.iter().flat_map(move |r| {
            r.agreements.iter().map(move |a| {
                let mut row = vec![field.name.clone(), r.file.clone(), a.codec.clone()];
                row.extend([r.tiles, r.reproduced, a.same_variant, a.same].map(|n| n.to_string()));
                row.extend(a.reasons.each().map(|n| n.to_string()));
                row
            })
        })
    });
    let head = "field,file,codec,tiles,as_its_sources_say,same_variant,same_variant_and_rates,codes,\
                padding,centering_value,centering_cost,ties,escapes,unexplained";
    Data { file: "fsz1_tiles.csv", head, rows: rows.collect() }
}
