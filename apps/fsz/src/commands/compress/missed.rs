//! A warning where the ratio that was asked for is not the one that came out.

use fsz::Stream;
use fsz_figure::number::short;

/// The warning, where a ratio was asked for and missed.
pub fn remark(stream: &Stream<'_>) -> Option<String> {
    let asked = short(stream.missed_ratio()?);
    let ratio = stream.compression_ratio();
    let why = "the nearest that was found, for it jumps from one bound to the next";
    Some(format!("warning: the ratio is {ratio:.4}, not {asked}: {why}"))
}
