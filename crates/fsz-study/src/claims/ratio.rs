//! Compression ratio.

use super::evidence::Evidence;
use super::verdict::Verdict;
use super::{Claim, Claims};
use crate::codecs;
use crate::record::BoundRecord;
use crate::stats::{geomean, in_order, mean};

const FIELDS: &str = "84 fields, 3 bounds";
const NO_FIELD: &str = "no field";

/// The ratio of the paper's design over that of another codec.
fn over(at: &BoundRecord, peer: &str) -> Option<f64> {
    Some(at.ratio(codecs::FSZ_PAPER)? / at.ratio(peer)?)
}

pub fn add(claims: &mut Claims, evidence: &Evidence<'_>) {
    let outlier = |at: &BoundRecord| over(at, codecs::CUSZP_OUTLIER);
    let claim =
        Claim { what: "ratio over cuSZp-O, largest", figure: "2.92×", on: "CESM-ATM Z3 at 1e-2" };
    claims.largest(claim, 2.92, evidence.factors(outlier), NO_FIELD);
    let claim = Claim { what: "ratio over cuSZp-P, largest", figure: "10.95×", on: FIELDS };
    let plain = evidence.factors(|at| over(at, codecs::CUSZP_PLAIN));
    claims.largest(claim, 10.95, plain, NO_FIELD);
    highest(claims, evidence);
    every_rate(claims, evidence);
    fz_gpu(claims, evidence);
    bound(claims, evidence);
}

/// Means per data set and bound, as the paper counts.
fn highest(claims: &mut Claims, evidence: &Evidence<'_>) {
    let names: Vec<String> = evidence.fields.iter().map(|f| f.dataset()).collect();
    let mut bounds: Vec<f64> = evidence.cases().map(|(_, at)| at.bound).collect();
    bounds.sort_by(f64::total_cmp);
    bounds.dedup();
    let (mut all, mut lost, mut lost_by_own) = (0, Vec::new(), 0);
    for dataset in in_order(names.iter().map(String::as_str)) {
        for &bound in &bounds {
            let of = |codec: &str| {
                let here = evidence
                    .cases()
                    .filter(|(f, at)| f.dataset() == dataset && at.bound == bound)
                    .filter_map(|(_, at)| at.ratio(codec));
                mean(here).0
            };
            let best = of(codecs::CUSZP_OUTLIER).max(of(codecs::CUSZP_PLAIN));
            all += 1;
            if of(codecs::FSZ_PAPER) < best {
                lost.push(format!("{dataset} at {bound:e}"));
            }
            lost_by_own += usize::from(of(codecs::FSZ) < best);
        }
    }
    let claim = Claim {
        what: "highest mean ratio on every data set and bound but one, of FSZ, cuSZp-P, cuSZp-O",
        figure: "1 of 24 lost",
        on: "8 data sets, 3 bounds",
    };
    let verdict = Verdict::holds(lost.len() * 24 <= all, format!("lost {}", some(&lost)));
    let here = format!(
        "lost {} of {all} with the paper's centering, {lost_by_own} with this implementation's",
        lost.len()
    );
    claims.add(claim, &here, &evidence.all(), verdict.over(all, NO_FIELD));
}

/// The first few names.
fn some(names: &[String]) -> String {
    const FEW: usize = 8;
    match names.len() {
        0..=FEW => names.join(", "),
        n => format!("{} and {} more", names[..FEW].join(", "), n - FEW),
    }
}

/// At one bound all quantizers decode to the same values: a higher PSNR at the same rate is a
/// higher ratio.
fn every_rate(claims: &mut Claims, evidence: &Evidence<'_>) {
    let margins: Vec<f64> =
        evidence.factors(|at| over(at, codecs::CUSZP_OUTLIER)).map(|(factor, _)| factor).collect();
    let lost = margins.iter().filter(|&&margin| margin < 1.0).count();
    let worst = margins.iter().copied().fold(1.0, f64::min);
    let claim = Claim {
        what: "matches or exceeds cuSZp-O's PSNR at every bit rate",
        figure: "every one",
        on: "6 data sets",
    };
    let here = format!(
        "ratio below cuSZp-O's in {lost} of {} cases, at worst by {:.1} %",
        margins.len(),
        100.0 * (1.0 - worst)
    );
    let verdict = Verdict::holds(lost == 0, "lower in some cases").over(margins.len(), NO_FIELD);
    claims.add(claim, &here, &evidence.all(), verdict);
}

/// FZ-GPU takes part through an adapter file alone.
fn fz_gpu(claims: &mut Claims, evidence: &Evidence<'_>) {
    let names = ["fz-gpu", "fzgpu", "FZ-GPU", "FZGPU"];
    let factors = evidence.factors(|at| names.iter().find_map(|name| over(at, name)));
    let here = geomean(factors.map(|(factor, _)| factor));
    let claim = Claim { what: "ratio over FZ-GPU, geometric mean", figure: "5–12×", on: FIELDS };
    let verdict = match here {
        h if h.is_nan() => Verdict::NotMeasured(
            "FZ-GPU was not run (add it with --peer under the name FZ-GPU); measured_peers.csv has \
             earlier figures for it and cuSZp"
                .to_owned(),
        ),
        h => Verdict::holds((5.0..=12.0).contains(&h), "a different factor here"),
    };
    claims.add(claim, &format!("{here:.2}×"), &evidence.all(), verdict);
}

fn bound(claims: &mut Claims, evidence: &Evidence<'_>) {
    let found =
        || evidence.cases().flat_map(|(_, at)| &at.ratios).filter(|r| r.codec == codecs::FSZ);
    let broken: u64 = found().map(|r| r.bound_violations).sum();
    let claim = Claim {
        what: "every value is within the bound",
        figure: "0 violations",
        on: "CESM-ATM RELHUM, 168.5 million points",
    };
    let verdict = Verdict::holds(broken == 0, "violations").over(found().count(), NO_FIELD);
    claims.add(claim, &format!("{broken} violations"), &evidence.all(), verdict);
}
