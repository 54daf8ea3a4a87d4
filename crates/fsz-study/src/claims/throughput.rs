//! Speed on a device.

use super::evidence::count;
use super::verdict::Verdict;
use super::{Claim, Claims};
use crate::gpu::{GpuRow, GpuRun};
use crate::stats::mean;

const FIELDS: &str = "84 fields, 3 bounds, GH200";
const NO_FIGURES: &str = "no GPU results were given (--gpu-json)";
const NO_REFERENCE: &str =
    "the GPU results do not include the paper's kernels (fsz bench --backend cuda --reference)";
const TWO: &str = "paper-two-reads";
const FIVE: &str = "paper-five-reads";

pub fn add(claims: &mut Claims, gpu: Option<&GpuRun>) {
    let why = if gpu.is_some() { NO_REFERENCE } else { NO_FIGURES };
    // The paper compresses single precision.
    let rows: Vec<&GpuRow> =
        gpu.iter().flat_map(|run| &run.rows).filter(|r| r.dtype == "f32").collect();
    let device = gpu.map_or("", |run| &run.device.name);
    let of = |kernel: &str| rows.iter().filter(|r| r.kernel == kernel).copied().collect::<Vec<_>>();
    let five = of(FIVE);
    let beside =
        |a: &GpuRow| five.iter().find(|b| (&a.field, a.bound) == (&b.field, b.bound)).copied();
    let pairs: Vec<(&GpuRow, &GpuRow)> =
        of(TWO).into_iter().filter_map(|a| Some((a, beside(a)?))).collect();
    let on = format!("{}, {device}", count(pairs.len(), "case"));

    let speedup =
        pairs.iter().filter_map(|(a, b)| Some(a.speeds.compress_gbs? / b.speeds.compress_gbs?));
    let claim = Claim {
        what: "speedup of single-pass evaluation over five reads, mean",
        figure: "2.8×",
        on: FIELDS,
    };
    claims.factor(claim, 2.8, mean(speedup).0, &on, why);
    same_ratio(claims, &pairs, device, why);

    let speed = |kernel: &str, of_row: fn(&GpuRow) -> Option<f64>| {
        mean(of(kernel).into_iter().filter_map(of_row)).0
    };
    let (paper, own) =
        (speed(TWO, |r| r.speeds.compress_gbs), speed("fsz", |r| r.speeds.compress_gbs));
    let claim =
        Claim { what: "compression with the paper's kernel, mean", figure: "676 GB/s", on: FIELDS };
    let here = format!("{paper:.0} GB/s (this implementation's kernel: {own:.0} GB/s)");
    claims.add(claim, &here, &on, Verdict::near(676.0, paper, why));
    let own = speed("fsz", |r| r.speeds.decompress_gbs);
    let why = match own.is_nan() {
        true => NO_FIGURES.to_owned(),
        false => format!(
            "the paper's decompressor was not reproduced; this implementation reaches {own:.0} GB/s on \
             {device}"
        ),
    };
    let claim = Claim { what: "decompression, mean", figure: "785 GB/s", on: FIELDS };
    claims.add(claim, "", "", Verdict::NotMeasured(why));
    let peers = "cuSZp, cuZFP and FZ-GPU were not run; measured_peers.csv has their speeds";
    let claim = Claim {
        what: "faster than cuSZp-P, cuSZp-O, cuZFP and FZ-GPU in compression",
        figure: "1.26×, 1.33×, 7–10×, 6–7×",
        on: FIELDS,
    };
    claims.add(claim, "", "", Verdict::NotMeasured(peers.to_owned()));
    a100(claims, gpu, paper);
}

/// Each kernel's payload is compared with the product's: where both are the same, so are they.
fn same_ratio(claims: &mut Claims, pairs: &[(&GpuRow, &GpuRow)], device: &str, why: &str) {
    let same = |row: &GpuRow| row.same_payload == Some(true);
    let told: Vec<bool> = pairs
        .iter()
        .filter(|(two, five)| same(two) || same(five))
        .map(|(two, five)| same(two) && same(five))
        .collect();
    let alike = told.iter().filter(|&&alike| alike).count();
    let claim = Claim { what: "both give the same ratio", figure: "identical", on: FIELDS };
    let verdict = match (pairs.len(), told.len()) {
        (0, _) => Verdict::NotMeasured(why.to_owned()),
        (_, 0) => Verdict::NotMeasured("no payloads were compared".to_owned()),
        _ => Verdict::holds(alike == told.len(), "different payloads in some cases"),
    };
    let here =
        format!("the same payload, bit for bit, in {alike} of {}", count(told.len(), "case"));
    let on = format!("cases in which one of them writes the product's payload, {device}");
    claims.add(claim, &here, &on, verdict);
}

fn a100(claims: &mut Claims, gpu: Option<&GpuRun>, paper: f64) {
    let claim = Claim {
        what: "compression on an A100 with the paper's kernel, mean",
        figure: "386 GB/s",
        on: "84 fields at 1e-3, A100",
    };
    match gpu.filter(|run| run.device.name.contains("A100")) {
        Some(run) => {
            let verdict = Verdict::near(386.0, paper, NO_REFERENCE);
            claims.add(claim, &format!("{paper:.0} GB/s"), &run.device.name, verdict);
        }
        None => {
            let why = "no A100 results were given";
            claims.add(claim, "", "", Verdict::NotMeasured(why.to_owned()));
        }
    }
}
