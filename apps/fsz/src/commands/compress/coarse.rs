//! A warning where a bound is so large that one value could stand for all.

use fsz::Stream;
use fsz_figure::number::short;

/// The warning, where the bound reaches from the smallest value to the largest: a share given in per cent, another unit,
/// a share of values that are all far from 0.
pub fn remark(stream: &Stream<'_>) -> Option<String> {
    let certificate = stream.certificate();
    let bound = stream.header().absolute_bound;
    let span = certificate.max - certificate.min;
    // Who gives parts a bound of their own may want nothing of the rest, and exact values may have any bound.
    let is_coarse = span > 0.0 && bound >= span && stream.regions().is_empty();
    let is_coarse = is_coarse && certificate.max_abs_error > 0.0;
    let told = format!(
        "warning: the bound, {}, is not smaller than the field's range, max - min = {}: the values may all become one",
        short(bound),
        short(span)
    );
    is_coarse.then_some(told)
}
