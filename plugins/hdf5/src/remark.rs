//! What a program should know of a chunk that has been compressed.

use fsz::{Bound, DType, format::FixedHeader};
use fsz_field::usual_fill_value;

use crate::report;

/// Tells where the bound is a share of a range that may be that of missing elements: all values beside them may then
/// become one. `stream` is the chunk's.
pub(crate) fn of_chunk(bound: Bound, dtype: DType, stream: &[u8]) {
    if !matches!(bound, Bound::ValueRange(_)) {
        return;
    }
    let Some(header) = stream.first_chunk() else { return };
    let FixedHeader { min, max, .. } = FixedHeader::read(header);
    // A chunk of one value alone is exact.
    if min < max
        && let Some((end, value)) = usual_fill_value(dtype, min, max)
    {
        report::warning(&format!(
            "the {end} value of a chunk is {value}, and the bound is a share of its range: if it marks missing \
             elements, name it, as missing={value}"
        ));
    }
}
