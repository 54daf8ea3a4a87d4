//! Other tiles than 32 × 8.

use super::evidence::Evidence;
use super::verdict::Verdict;
use super::{Claim, Claims};
use crate::tables::{Against, against_standard};

const TESTS: &str = "252 tests";
const NO_FIELD: &str = "no field of finite values alone";
/// Block length and blocks of a tile, and the paper's mean ratio and losses against 32 × 8.
const PAPER: [(usize, usize, f64, usize); 4] =
    [(32, 4, 0.95, 167), (32, 16, 1.03, 0), (64, 4, 0.97, 170), (64, 8, 1.01, 108)];
/// The paper gives two digits of means that lie close to each other.
const NEAR: f64 = 0.02;

pub fn add(claims: &mut Claims, evidence: &Evidence<'_>) {
    let on = evidence.all();
    let found = |tile| against_standard(evidence.fields.iter().copied(), tile);
    let longer = found((32, 16));
    let a = Against::of(&longer);
    let here = match a.lower {
        0 => format!("lost 0 of {}", longer.len()),
        lower => format!(
            "lost {} of {} by more than 2 %; lower at all in {lower}, at worst by {:.2} %",
            a.losses,
            longer.len(),
            100.0 * (1.0 - a.worst)
        ),
    };
    let verdict = Verdict::holds(a.losses == 0, "it loses").over(longer.len(), NO_FIELD);
    let claim = Claim {
        what: "16 blocks per tile (T = 16) never lose to 8",
        figure: "lost 0 of 252 (by more than 2 %)",
        on: TESTS,
    };
    claims.add(claim, &here, &on, verdict);
    for (block, blocks, mean, losses) in PAPER {
        let ratios = found((block, blocks));
        let a = Against::of(&ratios);
        let verdict = match a.mean - mean {
            d if d.is_nan() => Verdict::NotMeasured(NO_FIELD.to_owned()),
            d if d < -NEAR => Verdict::DoesNotAgree("lower here".to_owned()),
            d => Verdict::holds(d <= NEAR, "higher here"),
        };
        let claim = Claim {
            what: &format!(
                "B = {block}, T = {blocks} against 32 × 8: mean ratio (within 0.02), losses"
            ),
            figure: &format!("{mean}×, lost {losses} of 252"),
            on: TESTS,
        };
        let here = format!("{:.3}×, lost {} of {}", a.mean, a.losses, ratios.len());
        claims.add(claim, &here, &on, verdict);
    }
    let claim = Claim {
        what: "32 × 8 is the fastest tile",
        figure: "10–32 % faster than 64 × 8",
        on: "84 fields, GH200",
    };
    let why = "the CUDA kernels are made for this tile alone";
    claims.add(claim, "", "", Verdict::NotMeasured(why.to_owned()));
}
