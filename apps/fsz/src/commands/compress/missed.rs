//! A word where the ratio that was asked for is not the one that came out.

use fsz::Stream;
use fsz_figure::number::short;

/// A warning where a ratio was asked for and missed; where it is larger and yet nothing is lost, a remark.
pub fn remark(stream: &Stream<'_>) -> Option<String> {
    warning(stream).or_else(|| Some(format!("{}: all values are exact even so", missed(stream)?)))
}

/// The warning alone.
pub fn warning(stream: &Stream<'_>) -> Option<String> {
    let asked = stream.missed_ratio()?;
    let is_exact = stream.certificate().max_abs_error == 0.0;
    if is_exact && stream.compression_ratio() > asked {
        return None;
    }
    let why = "the nearest that was found, for it jumps from one bound to the next";
    Some(format!("warning: {}: {why}", missed(stream)?))
}

/// What there is, and what was asked for.
fn missed(stream: &Stream<'_>) -> Option<String> {
    let asked = short(stream.missed_ratio()?);
    Some(format!("the ratio is {:.4}, not {asked}", stream.compression_ratio()))
}
