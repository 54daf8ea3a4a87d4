//! Pointwise-relative bounds: FSZ's, and those of programs that have them.

use anyhow::Result;
use fsz::{Bound, Dense, Element, Profile, Stream};
use fsz_metrics::{Class, Limit, Sample};

use crate::codecs;
use crate::html::Data;
use crate::peer::RELATIVE_BOUND;
use crate::record::{FieldRecord, RelativeRatio};
use crate::subject::Subject;
use crate::tables::cell;

/// All codecs at each bound of the plan.
pub fn measure<T: Element + Sample>(subject: &Subject<'_, T>) -> Result<Vec<RelativeRatio>> {
    let mut found = Vec::new();
    let mut decoded = fsz_field::zeros::<T>(subject.field.shape())?;
    for &bound in subject.plan.relative {
        let dense = Profile::Dense(Dense::new());
        for (codec, profile) in [(codecs::FSZ, Profile::default()), (codecs::FSZ_DENSE, dense)] {
            subject.plan.progress.check()?;
            let asked = Bound::Relative { eps: bound, floor: 0.0 };
            let bytes = subject.compress_within(asked, profile)?;
            subject.plan.codec.decompress_into(&Stream::open(&bytes)?, &mut decoded)?;
            found.push(ratio(subject, bound, codec, bytes.len() as u64, &decoded)?);
        }
        let peers = subject.plan.peers.iter().filter(|peer| peer.is_relative());
        for peer in peers.filter(|peer| peer.takes(subject.field)) {
            let bounds = [(RELATIVE_BOUND, bound)];
            let progress = subject.plan.progress;
            let run = peer.run(subject.field, &bounds, &mut decoded, progress)?;
            found.push(ratio(subject, bound, &peer.name, run.bytes, &decoded)?);
        }
    }
    Ok(found)
}

fn ratio<T: Element + Sample>(
    subject: &Subject<'_, T>,
    bound: f64,
    codec: &str,
    bytes: u64,
    decoded: &[T],
) -> Result<RelativeRatio> {
    let limit = Limit { absolute: 0.0, relative: bound };
    let seen = fsz_metrics::compare(subject.values, decoded, &subject.missing, Some(limit))?;
    let pairs = subject.values.iter().zip(decoded);
    let numbers = pairs.filter(|(d, _)| subject.missing.class(**d) == Class::Finite);
    let share = |(d, back): (&T, &T)| {
        let (d, back) = (Sample::to_f64(*d), Sample::to_f64(*back));
        if d == back { 0.0 } else { (d - back).abs() / d.abs() }
    };
    Ok(RelativeRatio {
        bound,
        codec: codec.to_owned(),
        ratio: subject.over(bytes),
        bound_violations: seen.violations().unwrap_or(0),
        max_relative_error: numbers.map(share).fold(0.0, f64::max),
    })
}

/// All fields with all bounds and codecs.
pub fn table(fields: &[FieldRecord]) -> Data {
    let rows = fields.iter().flat_map(|field| {
        field.relative.iter().map(move |r| {
            let (bound, most) = (format!("{:e}", r.bound), format!("{:e}", r.max_relative_error));
            let (name, violations) = (field.name.clone(), r.bound_violations.to_string());
            vec![name, bound, r.codec.clone(), cell(r.ratio), most, violations]
        })
    });
    let head = "field,relative_bound,codec,ratio,max_relative_error,bound_violations";
    Data { file: "relative.csv", head, rows: rows.collect() }
}
