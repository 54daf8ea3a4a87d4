//! Other programs on the same field.

use anyhow::Result;
use fsz::{Bound, Element};
use fsz_bench::Roofline;
use fsz_field::with_values;
use fsz_metrics::Sample;
use fsz_study::Peer;

use super::report::{self, Report};
use super::{Case, Work, found};
use crate::commands::bench::measure::{peers_of, placeholders};

/// Measures those that take such a field and such a bound; `absolute`: what an absolute or value-range bound came
/// to.
pub fn measure(
    work: &Work<'_>,
    case: &Case,
    (bound, absolute): (Bound, f64),
    roofline: &Roofline,
    report: &mut Report,
) -> Result<()> {
    for peer in peers_of(work.plan.peers, case, bound) {
        with_values!(case.field.values(), values => {
            run(work, case, values, (bound, absolute), roofline, peer, report)?
        });
    }
    Ok(())
}

fn run<T: Element + Sample>(
    work: &Work<'_>,
    case: &Case,
    values: &[T],
    (bound, absolute): (Bound, f64),
    roofline: &Roofline,
    peer: &Peer,
    report: &mut Report,
) -> Result<()> {
    let mut decoded = vec![T::default(); values.len()];
    let bounds = placeholders(bound, absolute);
    let run = peer.run(&case.field, &bounds, &mut decoded, work.plan.progress)?;
    let bytes = usize::try_from(run.bytes).unwrap_or(usize::MAX);
    let mut row = report::row(case, bound.requested(), &peer.name, bytes, roofline);
    if let Some([compress, decompress]) = run.seconds {
        row.compress(compress);
        row.decompress(decompress);
    }
    if !bound.is_relative() {
        row.error = Some(found::errors(values, &decoded, case.field.missing(), absolute)?);
    }
    report.add(row);
    Ok(())
}
