//! The paper's claims beside the results of the study.

use crate::gpu::GpuRun;
use crate::html::Data;
use crate::record::FieldRecord;
use evidence::Evidence;
use verdict::Verdict;

mod ablation;
mod evidence;
mod quality;
mod ratio;
mod throughput;
mod tiles;
mod verdict;

/// The introduction of the table.
pub const ABOUT: &str = "Each claim of the paper with its figure and data, beside the result of this \
study and its data. The paper's data (84 fields of SDRBench and Open-SciVis, on a GH200) is included \
only if it was given. <b>agrees</b>: within 10 % of the paper's figure, or the statement holds. \
<b>does not agree</b>: a different figure, or the statement fails, on these fields. <b>not \
reached</b>: the paper's maximum is not reached by any of these fields; the paper's field is named. \
<b>not measured here</b>: with the reason. cuSZp means our models of it.";

/// The table's file.
pub const FILE: &str = "claims.csv";

/// The table.
pub fn table(fields: &[FieldRecord], gpu: Option<&GpuRun>) -> Data {
    let evidence = Evidence::of(fields);
    let mut claims = Claims { rows: Vec::new() };
    ratio::add(&mut claims, &evidence);
    ablation::add(&mut claims, &evidence);
    tiles::add(&mut claims, &evidence);
    quality::add(&mut claims, &evidence);
    throughput::add(&mut claims, gpu);
    Data { file: FILE, head: "claim,paper,paper_data,here,data_here,verdict", rows: claims.rows }
}

/// The number of claims by verdict.
pub fn summary(claims: &Data) -> String {
    let count = |verdict: &str| {
        claims.rows.iter().filter(|row| row.last().is_some_and(|v| v.starts_with(verdict))).count()
    };
    let [agree, not, reached, none] =
        ["agrees", "does not agree", "not reached", "not measured"].map(count);
    format!(
        "<p>Of {} claims, {agree} agree, {not} do not, {reached} are not reached and {none} are not \
         measured here.</p>",
        claims.rows.len()
    )
}

/// The rows.
struct Claims {
    rows: Vec<Vec<String>>,
}

/// A claim of the paper.
#[derive(Clone, Copy)]
struct Claim<'a> {
    what: &'a str,
    figure: &'a str,
    /// The paper's data.
    on: &'a str,
}

impl Claims {
    fn add(&mut self, claim: Claim<'_>, here: &str, on: &str, verdict: Verdict) {
        let (here, on) = match verdict {
            Verdict::NotMeasured(_) => ("", ""),
            _ => (here, on),
        };
        let cells = [claim.what, claim.figure, claim.on, here, on, &verdict.to_string()];
        self.rows.push(cells.map(str::to_owned).to_vec());
    }

    /// A factor that should be near the paper's; NaN where nothing was measured, `why` not.
    fn factor(&mut self, claim: Claim<'_>, paper: f64, here: f64, on: &str, why: &str) {
        let verdict = Verdict::near(paper, here, why);
        self.add(claim, &format!("{here:.2}×"), on, verdict);
    }

    /// The largest of some factors, each with the case that has it.
    fn largest(
        &mut self,
        claim: Claim<'_>,
        paper: f64,
        factors: impl Iterator<Item = (f64, String)>,
        why: &str,
    ) {
        match factors.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((here, on)) => {
                let reached = here >= paper * (1.0 - verdict::NEAR);
                let verdict = if reached { Verdict::Agrees } else { Verdict::NotReached };
                self.add(claim, &format!("{here:.2}×"), &on, verdict);
            }
            None => self.add(claim, "", "", Verdict::NotMeasured(why.to_owned())),
        }
    }
}
