//! The paper's own kernels on the same field.

use fsz::Stream;
use fsz_bench::{PaperDesign, Roofline, median};

use super::report::{Report, Row};
use super::{Case, Work};
use crate::failure::Result;

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
    let options = work.options(bound);
    for (design, name) in DESIGNS {
        let times = work.bench.paper(design, values, &options, stream, work.repeat)?;
        let mut row = Row::new(case, bound, name, stream.as_bytes().len() as u64, roofline);
        row.compress(median(times.encode), roofline);
        row.same_payload = Some(times.same);
        report.add(row);
    }
    Ok(())
}
