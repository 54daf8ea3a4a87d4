//! What each of the paper's designs brings.

use super::evidence::Evidence;
use super::verdict::Verdict;
use super::{Claim, Claims};
use crate::record::BoundRecord;
use crate::stats::geomean;

/// A factor above this counts as a gain.
const GAIN: f64 = 1.005;
const FIELDS: &str = "84 fields, 3 bounds";
const NO_FIELD: &str = "no field";

/// The factors that cross-block state, centering and order 2 bring, each on top of those before.
fn gains(at: &BoundRecord) -> [f64; 3] {
    let [base, cross, centering, lz2] = at.ablation;
    [cross / base, centering / cross, lz2 / centering]
}

pub fn add(claims: &mut Claims, evidence: &Evidence<'_>) {
    let all: Vec<[f64; 3]> = evidence.cases().map(|(_, at)| gains(at)).collect();
    let (on, mean) = (evidence.all(), |i: usize| geomean(all.iter().map(|g| g[i])));
    let figures = [
        ("all three designs over the base, geometric mean", 1.75, mean(0) * mean(1) * mean(2)),
        ("cross-block state, geometric mean", 1.60, mean(0)),
        ("centering, geometric mean", 1.07, mean(1)),
    ];
    for (what, paper, here) in figures {
        let claim = Claim { what, figure: &format!("{paper:.2}×"), on: FIELDS };
        claims.factor(claim, paper, here, &on, NO_FIELD);
    }
    let largest = [
        ("cross-block state, largest", 4.15, "Miranda density at 1e-2"),
        ("centering, largest", 1.55, "Miranda density at 1e-2"),
        ("order 2, largest", 1.22, "Miranda density at 1e-3"),
    ];
    for (design, (what, paper, on)) in largest.into_iter().enumerate() {
        let claim = Claim { what, figure: &format!("{paper}×"), on };
        let factors = evidence.factors(move |at| Some(gains(at)[design]));
        claims.largest(claim, paper, factors, NO_FIELD);
    }
    complementary(claims, evidence, &all);
    tight(claims, evidence);
}

/// Whether each design gains most somewhere.
fn complementary(claims: &mut Claims, evidence: &Evidence<'_>, all: &[[f64; 3]]) {
    let count = |is: &dyn Fn(&[f64; 3]) -> bool| all.iter().filter(|g| is(g)).count();
    let gain = [0, 1, 2].map(|i| count(&|g| g[i] > GAIN));
    let first = [0, 1, 2].map(|i| count(&|g| g[i] > GAIN && g.iter().all(|&o| o <= g[i])));
    let [[a, b, c], [d, e, f]] = [first, gain];
    let here = format!(
        "the largest gain in {a} / {b} / {c} of {} cases; a gain of 0.5 % in {d} / {e} / {f}",
        all.len()
    );
    let verdict = match all.len() {
        0 => Verdict::NotMeasured(NO_FIELD.to_owned()),
        _ if gain.contains(&0) => Verdict::DoesNotAgree("one of them gains nowhere".to_owned()),
        _ => Verdict::holds(
            !first.contains(&0),
            "each gains, but not each has a case in which it gains most",
        ),
    };
    let claim = Claim {
        what: "complementary: cross-block state / centering / order 2 each carry a class of fields \
               that the others do not",
        figure: "each does",
        on: FIELDS,
    };
    claims.add(claim, &here, &evidence.all(), verdict);
}

/// Order 2 at the paper's loosest and tightest bound.
fn tight(claims: &mut Claims, evidence: &Evidence<'_>) {
    let at = |bound: f64| {
        let here = evidence.cases().filter(|(_, at)| at.bound == bound);
        geomean(here.map(|(_, at)| gains(at)[2]))
    };
    let (loose, tight) = (at(1e-2), at(1e-4));
    let here = format!("{loose:.3}× at 1e-2, {tight:.3}× at 1e-4");
    let verdict = match tight - loose {
        d if d.is_nan() => Verdict::NotMeasured("bounds of 1e-2 and 1e-4 are needed".to_owned()),
        d => Verdict::holds(d > 0.0, "it gains more at 1e-2"),
    };
    let claim = Claim {
        what: "order 2 gains most at tight bounds, geometric means",
        figure: "1.00× at 1e-2, 1.05× at 1e-4",
        on: "84 fields",
    };
    claims.add(claim, &here, &evidence.all(), verdict);
}
