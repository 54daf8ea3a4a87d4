//! The paper's own kernels on the same field.

use anyhow::Result;
use fsz::Stream;
use fsz_bench::{PaperDesign, Roofline, median};

use super::report::{self, Report};
use super::{Case, Work};

/// The designs and what the figures call them.
const DESIGNS: [(PaperDesign, &str); 2] =
    [(PaperDesign::TwoReads, "paper-two-reads"), (PaperDesign::FiveReads, "paper-five-reads")];

/// Measures them; `stream` is the codec's stream of the field.
pub fn measure(
    work: &Work<'_>,
    case: &Case,
    values: &[f32],
    bound: f64,
    roofline: &Roofline,
    stream: &Stream<'_>,
    report: &mut Report,
) -> Result<()> {
    let options = case.options(fsz::Profile::default(), fsz::Bound::ValueRange(bound));
    for (design, name) in DESIGNS {
        let times = work.bench.paper(design, values, &options, stream, work.plan.repeat)?;
        let mut row = report::row(case, bound, name, stream.as_bytes().len(), roofline);
        row.compress(median(times.encode));
        row.same_payload = Some(times.same);
        report.add(row);
    }
    Ok(())
}
