//! Compression on the CPU: field → bound → gather → quantize → predict → choose → pack → place → stream.

use crate::{
    bound::Limit,
    element::Element,
    error::{Error, Result},
    exec::Execution,
    format::{
        Sections, TileGrid,
        geometry::CHUNK,
        header::{self, Outcome},
    },
    options::CompressOptions,
    profile::{Plan, Profile},
    quantize,
    quantizer::{Linear, Quantizer, Relative},
    schedule::{place, too_small},
    statistics::ValueRange,
    value_range,
};

/// Compresses `data`, a field of `shape`, into `out`; the arguments have been checked. Returns the stream's
/// length.
pub(crate) fn compress<T: Element>(
    data: &[T],
    shape: &[u64],
    options: &CompressOptions,
    out: &mut [u8],
    run: Execution<'_>,
) -> Result<usize> {
    let header_len = header::header_len(shape, options);
    let too_large = || Error::invalid(format!("a field of shape {shape:?} is too large"));
    // Where the payload begins at the earliest; the rest is looked at as it grows.
    let sections = |profile: &_| sections(profile, shape, header_len);
    let least = sections(&options.profile.least()).ok_or_else(too_large)?.1;
    if (out.len() as u64) < least.payload {
        return Err(too_small());
    }
    if let Some(progress) = run.progress {
        progress.begin(size_of_val(data) as u64);
    }
    run.check()?;
    let threads = if data.len() > CHUNK { run.threads } else { 1 };
    let run = Execution { threads, ..run };

    let (plan, range) = plan(data, options, run)?;
    let (profile, tables) = match &options.model {
        Some(model) => {
            (options.profile.fitted(shape, plan.quantizer.relative())?, model.tables.to_vec())
        }
        None => options.profile.prepare(data, shape, &plan, run)?,
    };
    let (grid, sections) = sections(&profile).ok_or_else(too_large)?;
    if (out.len() as u64) < sections.payload {
        return Err(too_small());
    }

    let placed = place(&profile, &tables, &plan, data, &grid, &sections, out, run)?;
    let mut statistics = placed.statistics;
    if let Some(range) = range {
        statistics.range = range;
    }
    let stream_len = sections.payload + placed.payload_len;
    let outcome = Outcome {
        profile: &profile,
        absolute_bound: options.limit()?.absolute(Some(&statistics.range)),
        quantization_step: plan.quantizer.header_step(),
        stream_len,
        payload_len: placed.payload_len,
        metadata_checksum: run.byte_rows(&out[header_len..sections.payload as usize], 0),
        certificate: statistics.certificate(),
        relative: plan.quantizer.header_part(options.bound, statistics.errors),
    };
    header::write(&mut out[..header_len], T::DTYPE, shape, options, &outcome);
    Ok(stream_len as usize)
}

/// What the bound comes to for a field, and the range of its values where the bound follows from that.
fn plan<T: Element>(
    data: &[T],
    options: &CompressOptions,
    run: Execution<'_>,
) -> Result<(Plan<T>, Option<ValueRange<T>>)> {
    let missing_bits = options.missing_bits(T::DTYPE);
    let missing = options.missing_values::<T>();
    let limit = options.limit()?;
    let range = matches!(limit, Limit::ValueRange(_))
        .then(|| value_range::range(data, &missing, run))
        .transpose()?;
    let largest = |(min, max): (f64, f64)| min.abs().max(max.abs());
    let (quantizer, known) = match limit {
        Limit::Relative { eps, floor } => {
            let fine = options.profile.most_fine();
            let relative = Relative::new((eps, floor), fine, data, &missing, run)?;
            (Quantizer::Relative(relative), false)
        }
        _ => {
            let magnitude = match (limit, &range) {
                (Limit::GivenRange { min, max, .. }, _) => largest((min, max)),
                (_, Some(range)) => range.ends().map_or(0.0, largest),
                _ => 1.25 * value_range::sampled_magnitude(data, &missing, run)?,
            };
            let linear = Linear::new(limit.absolute(range.as_ref()), magnitude, options.fine());
            let reached = quantize::in_reach(magnitude, &linear, run.level.fused());
            let known = reached && range.is_some_and(|r| !r.has_special());
            (Quantizer::Linear(linear), known)
        }
    };
    let plan = Plan { quantizer, missing, missing_bits, known, ranged: range.is_some() };
    Ok((plan, range))
}

/// Tiles and sections of a stream; `None` when the field is too large.
fn sections(profile: &Profile, shape: &[u64], header_len: usize) -> Option<(TileGrid, Sections)> {
    let grid = TileGrid::new(profile, shape)?;
    let sections = Sections::new(header_len as u64, &grid, profile)?;
    Some((grid, sections))
}
