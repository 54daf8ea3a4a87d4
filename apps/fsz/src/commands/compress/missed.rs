//! A warning where the ratio that was asked for is not the one that came out.

use fsz::{Bound, Stream};
use fsz_figure::number::short;

/// What counts as met.
const NEAR: f64 = 0.03;

/// The warning, where a ratio was asked for and missed.
pub fn remark(stream: &Stream<'_>) -> Option<String> {
    let Bound::Ratio(asked) = stream.header().bound else { return None };
    let ratio = stream.compression_ratio();
    let told = format!(
        "warning: the ratio is {ratio:.4}, not {}: no bound was found that comes nearer",
        short(asked)
    );
    ((ratio / asked - 1.0).abs() > NEAR).then_some(told)
}
