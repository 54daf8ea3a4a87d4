//! The tables of a study.

use crate::codecs;
use crate::gpu::{GpuRow, GpuRun};
use crate::html::Data;
use crate::record::{BoundRecord, FieldRecord, STANDARD_TILE, TILES};
use crate::stats::{geomean, in_order, mean, range};
use fsz::format::dense::Layout;
use fsz_figure::number::short;

type Fields<'a> = &'a [FieldRecord];

/// Each field at each bound.
pub fn cases<'a>(
    fields: impl IntoIterator<Item = &'a FieldRecord>,
) -> impl Iterator<Item = (&'a FieldRecord, &'a BoundRecord)> {
    fields.into_iter().flat_map(|field| field.bounds.iter().map(move |bound| (field, bound)))
}

/// The bounds of the study, in the order given.
pub fn bounds(fields: Fields<'_>) -> Vec<f64> {
    fields.first().map_or(Vec::new(), |f| f.bounds.iter().map(|b| b.bound).collect())
}

/// Number of decimals that tables keep.
pub fn cell(value: f64) -> String {
    format!("{value:.4}")
}

/// A number of any size, with six digits.
fn wide(value: f64) -> String {
    if value.is_nan() { cell(value) } else { short(value) }
}

pub fn ratio(fields: Fields<'_>) -> Data {
    let rows = cases(fields).flat_map(|(field, at)| {
        at.ratios.iter().map(move |r| {
            let (bound, most) = (format!("{:e}", at.bound), format!("{:e}", r.max_abs_error));
            let (name, violations) = (field.name.clone(), r.bound_violations.to_string());
            vec![name, bound, r.codec.clone(), cell(r.ratio), most, cell(r.psnr), violations]
        })
    });
    let head = "field,bound,codec,ratio,max_abs_error,psnr,bound_violations";
    Data { file: "ratio.csv", head, rows: rows.collect() }
}

pub fn ablation(fields: Fields<'_>) -> Data {
    let rows = cases(fields).map(|(field, at)| {
        let mut row = vec![field.name.clone(), format!("{:e}", at.bound)];
        row.extend(at.ablation.map(cell));
        row
    });
    let head = "field,bound,base,cross_block,centering,lz2";
    Data { file: "ablation.csv", head, rows: rows.collect() }
}

/// What the layouts of the profile dense bring.
pub fn layouts(fields: Fields<'_>) -> Data {
    let rows = cases(fields).map(|(field, at)| {
        let mut row = vec![field.name.clone(), format!("{:e}", at.bound)];
        let forced = |name: &str| at.layouts.iter().find(|l| l.layout == name).map(|l| l.ratio);
        let layouts = Layout::ALL.map(|layout| forced(layout.name()));
        let ratios =
            [at.ratio(codecs::FSZ)].into_iter().chain(layouts).chain([at.ratio(codecs::FSZ_DENSE)]);
        row.extend(ratios.map(|ratio| ratio.map_or_else(String::new, cell)));
        row
    });
    let head = "field,bound,paper,line,plane,brick,dense";
    Data { file: "layouts.csv", head, rows: rows.collect() }
}

/// A ratio that is so much larger or smaller is a win or a loss, as in the paper.
const TIE: f64 = 0.02;

/// How another tile does against the standard one.
#[derive(Debug, PartialEq)]
pub struct Against {
    pub wins: usize,
    pub ties: usize,
    pub losses: usize,
    /// Below at all, however little.
    pub lower: usize,
    /// The worst ratio of the ratios.
    pub worst: f64,
    /// Their mean.
    pub mean: f64,
}

impl Against {
    /// Of the ratios' ratios.
    pub fn of(ratios: &[f64]) -> Against {
        let count = |is: &dyn Fn(f64) -> bool| ratios.iter().filter(|&&r| is(r)).count();
        let (wins, losses) = (count(&|r| r > 1.0 + TIE), count(&|r| r < 1.0 - TIE));
        Against {
            wins,
            ties: ratios.len() - wins - losses,
            losses,
            lower: count(&|r| r < 1.0),
            worst: range(ratios.iter().copied()).0,
            mean: mean(ratios.iter().copied()).0,
        }
    }
}

/// Other tiles against the standard one.
pub fn tiles(fields: Fields<'_>) -> Data {
    let rows = TILES.into_iter().map(|(block, blocks)| {
        let a = Against::of(&against_standard(fields, (block, blocks)));
        let mut row = [block, blocks, block * blocks, a.wins, a.ties, a.losses, a.lower]
            .iter()
            .map(usize::to_string)
            .collect::<Vec<_>>();
        row.push(cell(a.mean));
        row
    });
    let head = "block,blocks_per_tile,tile,wins,ties,losses,lower,mean_ratio";
    Data { file: "tiles.csv", head, rows: rows.collect() }
}

/// The ratio with this tile over that with the standard one, case by case. Fields with values that
/// are not finite or missing take no part: only standard tiles hold exceptions, others are stored
/// verbatim then. Nor do fields without values.
pub fn against_standard<'a>(
    fields: impl IntoIterator<Item = &'a FieldRecord>,
    tile: (usize, usize),
) -> Vec<f64> {
    let ratio = |at: &BoundRecord| {
        Some(at.tile(tile.0, tile.1)? / at.tile(STANDARD_TILE.0, STANDARD_TILE.1)?)
    };
    let plain = |field: &FieldRecord| field.special == 0 && field.has_numbers();
    cases(fields).filter(|(f, _)| plain(f)).filter_map(|(_, at)| ratio(at)).collect()
}

pub fn shares(fields: Fields<'_>) -> Data {
    let rows = cases(fields).map(|(field, at)| {
        let mut row = vec![field.name.clone(), format!("{:e}", at.bound)];
        row.extend(at.shares.each().map(cell));
        row
    });
    let head = "field,bound,lz1,lz2,lz1_centered,lz2_centered,escaped";
    Data { file: "variants.csv", head, rows: rows.collect() }
}

pub fn curve(fields: Fields<'_>) -> Data {
    let rows = fields.iter().flat_map(|field| {
        field.curve.iter().map(move |p| {
            let most = format!("{:e}", p.max_abs_error);
            vec![field.name.clone(), p.codec.clone(), cell(p.bits), cell(p.psnr), most]
        })
    });
    let head = "field,codec,bits_per_value,psnr,max_abs_error";
    Data { file: "rate_distortion.csv", head, rows: rows.collect() }
}

pub fn fidelity(fields: Fields<'_>) -> Data {
    let rows = cases(fields).flat_map(|(field, at)| {
        at.fidelity.iter().map(move |f| {
            let spectrum = match f.spectrum.is_empty() {
                true => (f64::NAN, f64::NAN),
                false => range(f.spectrum.iter().map(|point| point[1])),
            };
            let mut row = vec![field.name.clone(), format!("{:e}", at.bound), f.codec.clone()];
            row.push(format!("{:.6}", f.ssim));
            row.extend([f.autocorrelation, f.largest_autocorrelation, f.from_uniform].map(cell));
            row.extend([spectrum.0, spectrum.1, f.gradient, f.laplacian].map(wide));
            row.extend([f.worst_tile.to_string(), format!("{:e}", f.worst_tile_rmse)]);
            row
        })
    });
    let head = "field,bound,codec,ssim,error_autocorrelation_lag1,largest_autocorrelation,\
                distance_from_uniform,least_spectrum_ratio,largest_spectrum_ratio,gradient_error,\
                laplacian_error,worst_tile,worst_tile_rmse";
    Data { file: "fidelity.csv", head, rows: rows.collect() }
}

/// Distribution of the error: a row per bin.
pub fn histogram(fields: Fields<'_>) -> Data {
    per_point("error_distribution.csv", "field,bound,codec,error_over_bound,share", fields, |f| {
        let bins = f.histogram.len() as f64;
        let centre = move |i: usize| (2.0 * i as f64 + 1.0) / bins - 1.0;
        f.histogram.iter().enumerate().map(|(i, &share)| [centre(i), share]).collect()
    })
}

/// Power of the reconstruction over the original's: a row per shell.
pub fn spectrum(fields: Fields<'_>) -> Data {
    per_point("spectrum.csv", "field,bound,codec,frequency,power_ratio", fields, |f| {
        f.spectrum.clone()
    })
}

fn per_point(
    file: &'static str,
    head: &'static str,
    fields: Fields<'_>,
    points: impl Fn(&crate::record::Fidelity) -> Vec<[f64; 2]>,
) -> Data {
    let mut rows = Vec::new();
    for (field, at) in cases(fields) {
        for found in &at.fidelity {
            for [x, y] in points(found) {
                let (name, bound) = (field.name.clone(), format!("{:e}", at.bound));
                rows.push(vec![name, bound, found.codec.clone(), wide(x), wide(y)]);
            }
        }
    }
    Data { file, head, rows }
}

/// FSZ beside zfp of the same size.
pub fn matched(fields: Fields<'_>) -> Data {
    let all = fields.iter().flat_map(|f| f.matched.iter().map(move |m| (f, m)));
    let rows = all.flat_map(|(f, m)| {
        m.panels.iter().skip(1).map(move |p| {
            let mut row = vec![f.name.clone(), format!("{:e}", m.bound), p.codec.clone()];
            row.extend([p.ratio, p.psnr, 100.0 * p.beyond].map(cell));
            row
        })
    });
    let head = "field,bound,codec,ratio,psnr,percent_beyond_bound";
    Data { file: "matched_ratio.csv", head, rows: rows.collect() }
}

pub fn throughput(run: &GpuRun) -> Data {
    let rows = run.rows.iter().map(|r| {
        let mut row = vec![r.field.clone(), r.dtype.clone(), format!("{:e}", r.bound)];
        row.push(r.kernel.clone());
        let figures = [
            r.speeds.compress_gbs,
            r.speeds.compress_of_copy,
            r.speeds.decompress_gbs,
            r.speeds.decompress_of_copy,
        ];
        row.push(cell(r.speeds.ratio));
        row.extend(figures.map(|v| v.map_or(String::new(), cell)));
        row.push(cell(r.bytes_per_element()));
        row.push(r.copy_gbs.map_or(String::new(), cell));
        row.push(r.error.map_or(String::new(), |error| cell(error.of_bound)));
        row.push(r.error.map_or(String::new(), |error| error.violations.to_string()));
        row
    });
    let head = "field,dtype,bound,kernel,ratio,compress_gbs,compress_of_copy,decompress_gbs,\
                decompress_of_copy,bytes_per_element,copy_gbs,error_of_bound,violations";
    Data { file: "throughput.csv", head, rows: rows.collect() }
}

/// Geometric means of the speeds over the fields, per type, bound and kernel; of whole calls too, and how many
/// fields came back with values beyond the bound.
pub fn speeds(run: &GpuRun) -> Data {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for first in &run.rows {
        let key = |r: &GpuRow| vec![r.dtype.clone(), format!("{:e}", r.bound), r.kernel.clone()];
        if rows.iter().any(|row| row[..3] == key(first)) {
            continue;
        }
        let all: Vec<&GpuRow> = run.rows.iter().filter(|r| key(r) == key(first)).collect();
        let mean = |of: fn(&GpuRow) -> Option<f64>| match geomean(all.iter().filter_map(|r| of(r)))
        {
            nothing if nothing.is_nan() => String::new(),
            mean => cell(mean),
        };
        let mut row = key(first);
        row.push(all.len().to_string());
        row.push(mean(|r| Some(r.speeds.ratio)));
        row.extend([mean(|r| r.speeds.compress_gbs), mean(|r| r.speeds.compress_of_copy)]);
        row.extend([mean(|r| r.speeds.decompress_gbs), mean(|r| r.speeds.decompress_of_copy)]);
        row.extend([mean(|r| r.speeds.call_gbs), mean(|r| r.speeds.absolute_call_gbs)]);
        row.push(mean(|r| r.speeds.decompress_call_gbs));
        let errors: Vec<_> = all.iter().filter_map(|r| r.error).collect();
        let beyond = errors.iter().filter(|error| error.violations > 0).count();
        let most = errors.iter().map(|error| error.of_bound).reduce(f64::max);
        row.push(most.map_or(String::new(), cell));
        row.push(most.map_or(String::new(), |_| beyond.to_string()));
        rows.push(row);
    }
    let head = "dtype,bound,kernel,fields,ratio,compress_gbs,compress_of_copy,decompress_gbs,\
                decompress_of_copy,call_gbs,absolute_call_gbs,decompress_call_gbs,\
                largest_error_of_bound,fields_with_points_beyond_the_bound";
    Data { file: "speeds.csv", head, rows }
}

/// Geometric means of the compression ratio over all fields of a group, per bound.
pub fn geomeans(fields: Fields<'_>) -> Data {
    let mut rows = Vec::new();
    for group in in_order(fields.iter().map(FieldRecord::group)) {
        for bound in bounds(fields) {
            let here = || {
                let members = fields.iter().filter(|f| f.group() == group && f.has_numbers());
                let of = cases(members).filter(|(_, at)| at.bound == bound);
                of.flat_map(|(_, at)| &at.ratios).filter(|r| !r.given)
            };
            for codec in in_order(here().map(|r| r.codec.as_str())) {
                let ratios = || here().filter(|r| r.codec == codec);
                let mut row = vec![group.to_owned(), format!("{bound:e}"), codec.to_owned()];
                row.push(ratios().count().to_string());
                row.push(cell(geomean(ratios().map(|r| r.ratio))));
                row.push(ratios().filter(|r| r.bound_violations > 0).count().to_string());
                rows.push(row);
            }
        }
    }
    let head = "group,bound,codec,fields,geometric_mean_ratio,fields_with_points_beyond_the_bound";
    Data { file: "geomeans.csv", head, rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_has_one_name() {
        assert_eq!([f64::NAN, 1.0 / 3.0].map(cell), ["NaN", "0.3333"]);
        assert_eq!([f64::NAN, f64::INFINITY, 1.5e-9].map(wide), ["NaN", "inf", "1.5e-9"]);
    }

    #[test]
    fn a_tie_is_within_two_percent() {
        let found = Against::of(&[1.03, 1.02, 1.0, 0.99, 0.96]);
        let wanted = Against { wins: 1, ties: 3, losses: 1, lower: 2, worst: 0.96, mean: 1.0 };
        assert_eq!(found, wanted);
    }
}
