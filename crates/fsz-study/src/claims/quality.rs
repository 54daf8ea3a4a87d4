//! FSZ and fixed-rate zfp, cuZFP's mode.

use super::evidence::{Evidence, count};
use super::verdict::Verdict;
use super::{Claim, Claims};
use crate::codecs;
use crate::record::{BoundRecord, CurvePoint, FieldRecord, Matched, Ratio};
use crate::stats::range;

const NOTHING: &str = "no field that zfp supports, or a build without zfp";
const RELHUM: &str = "CESM-ATM RELHUM at ratio 14.9";

/// FSZ and fixed-rate zfp of the same size.
fn pair(at: &BoundRecord) -> Option<(&Ratio, &Ratio)> {
    let of = |codec: &str| at.ratios.iter().find(|r| r.codec == codec);
    Some((of(codecs::FSZ)?, of(codecs::ZFP_RATE)?))
}

pub fn add(claims: &mut Claims, evidence: &Evidence<'_>) {
    psnr(claims, evidence);
    beyond(claims, evidence);
    rate_distortion(claims, evidence);
    streams(claims, evidence);
}

/// Streams that cuZFP itself wrote, each beside FSZ at the bound at which it is as long.
fn streams(claims: &mut Claims, evidence: &Evidence<'_>) {
    let pair = |m: &Matched| {
        let other = m.other().filter(|panel| panel.codec != codecs::ZFP_RATE)?;
        Some((m.panels.get(1)?.psnr - other.psnr, 100.0 * other.beyond))
    };
    let found = evidence.fields.iter().flat_map(|f| &f.matched).filter_map(pair);
    let (gaps, shares): (Vec<f64>, Vec<f64>) = found.unzip();
    let [psnr, beyond] = [
        Claim {
            what: "PSNR gain over streams written by cuZFP, at the same size",
            figure: "+8.7 dB",
            on: RELHUM,
        },
        Claim {
            what: "streams written by cuZFP violate the bound that FSZ keeps at the same size",
            figure: "23.0 %",
            on: RELHUM,
        },
    ];
    let ((low, high), (few, many)) = (range(gaps.iter().copied()), range(shares.iter().copied()));
    let none = "no cuZFP stream was given (--zfp-stream)";
    let some = |holds: bool, why: &str| Verdict::holds(holds, why).over(gaps.len(), none);
    let on = count(gaps.len(), "stream");
    let here = format!("{low:+.1} to {high:+.1} dB");
    claims.add(psnr, &here, &on, some(low > 0.0, "lower than some of them"));
    let here = format!("{few:.1} to {many:.1} % of the points");
    claims.add(beyond, &here, &on, some(few > 0.0, "some keep it"));
}

fn psnr(claims: &mut Claims, evidence: &Evidence<'_>) {
    let gap = |at: &BoundRecord| pair(at).map(|(fsz, zfp)| fsz.psnr - zfp.psnr);
    let mut gaps: Vec<f64> = evidence.cases().filter_map(|(_, at)| gap(at)).collect();
    gaps.retain(|gap| gap.is_finite());
    gaps.sort_by(f64::total_cmp);
    let claim = Claim {
        what: "PSNR gain over fixed-rate zfp (cuZFP's mode) at the same size",
        figure: "+8.7 dB",
        on: RELHUM,
    };
    let (&[least, ..], &[.., most]) = (&gaps[..], &gaps[..]) else {
        return claims.add(claim, "", "", Verdict::NotMeasured(NOTHING.to_owned()));
    };
    let won = gaps.iter().filter(|&&gap| gap > 0.0).count();
    let middle = gaps[gaps.len() / 2];
    let here = format!(
        "{least:+.1} to {most:+.1} dB, median {middle:+.1}; higher in {won} of {} cases",
        gaps.len()
    );
    let verdict = Verdict::holds(won == gaps.len(), "lower in some cases");
    claims.add(claim, &here, &evidence.all(), verdict);
}

fn beyond(claims: &mut Claims, evidence: &Evidence<'_>) {
    let share = |field: &FieldRecord, ratio: &Ratio| {
        100.0 * ratio.bound_violations as f64 / field.elements.max(1) as f64
    };
    let pairs = evidence.cases().filter_map(|(field, at)| {
        let (fsz, zfp) = pair(at)?;
        Some((share(field, fsz), share(field, zfp)))
    });
    let shares: Vec<(f64, f64)> = pairs.collect();
    let claim = Claim {
        what: "fixed-rate zfp violates FSZ's bound at the same size; FSZ does not",
        figure: "23.0 % of the points, 0 %",
        on: RELHUM,
    };
    if shares.is_empty() {
        return claims.add(claim, "", "", Verdict::NotMeasured(NOTHING.to_owned()));
    }
    let exceeded = shares.iter().filter(|(_, zfp)| *zfp > 0.0).count();
    let most = shares.iter().fold(0.0f64, |most, (_, zfp)| most.max(*zfp));
    let fsz = shares.iter().fold(0.0f64, |most, (fsz, _)| most.max(*fsz));
    let here = format!(
        "zfp violates it in {exceeded} of {} cases, at up to {most:.1} % of the points; FSZ at {fsz:.1} %",
        shares.len()
    );
    let verdict = match fsz > 0.0 {
        true => Verdict::DoesNotAgree("FSZ violates it".to_owned()),
        false => Verdict::holds(2 * exceeded > shares.len(), "zfp mostly keeps the bound here"),
    };
    claims.add(claim, &here, &evidence.all(), verdict);
}

fn rate_distortion(claims: &mut Claims, evidence: &Evidence<'_>) {
    let (mut above, mut all) = (0, 0);
    for field in &evidence.fields {
        let of = |codec: &'static str| field.curve.iter().filter(move |p| p.codec == codec);
        let fsz: Vec<&CurvePoint> = of(codecs::FSZ).filter(|p| p.psnr.is_finite()).collect();
        for point in of(codecs::ZFP_RATE) {
            if let Some(psnr) = at_rate(&fsz, point.bits) {
                all += 1;
                above += usize::from(psnr > point.psnr);
            }
        }
    }
    let claim = Claim {
        what: "fixed-rate zfp's PSNR is generally lower at comparable bit rates",
        figure: "lower",
        on: "6 data sets",
    };
    let here = format!("lower at {above} of {all} points of the curves");
    let verdict = Verdict::holds(2 * above > all, "mostly higher than FSZ's here");
    claims.add(claim, &here, &evidence.all(), verdict.over(all, NOTHING));
}

/// PSNR of a curve at so many bits per value, on the straight line between its neighbours; none
/// beyond its ends.
fn at_rate(curve: &[&CurvePoint], bits: f64) -> Option<f64> {
    curve.windows(2).find_map(|pair| {
        let [a, b] = [pair[0], pair[1]];
        let inside = a.bits < b.bits && (a.bits..=b.bits).contains(&bits);
        inside.then(|| a.psnr + (bits - a.bits) / (b.bits - a.bits) * (b.psnr - a.psnr))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_read_between_their_points() {
        let point = |bits: f64, psnr: f64| CurvePoint {
            codec: "fsz".to_owned(),
            bits,
            psnr,
            max_abs_error: 0.0,
        };
        let points = [point(1.0, 20.0), point(2.0, 40.0), point(4.0, 50.0)];
        let curve: Vec<&CurvePoint> = points.iter().collect();
        assert_eq!(at_rate(&curve, 1.5), Some(30.0));
        assert_eq!(at_rate(&curve, 3.0), Some(45.0));
        assert_eq!(at_rate(&curve, 5.0), None);
    }
}
