//! A remark about values that usually mark missing elements, where nobody named them.

use fsz::Stream;
use fsz_field::usual_fill_value;

/// The remark, where a field's largest or smallest value is one of them: a share of such a range is no bound at all.
pub fn remark(stream: &Stream<'_>) -> Option<String> {
    let certificate = stream.certificate();
    let (end, value) = usual_fill_value(stream.header().dtype, certificate.min, certificate.max)?;
    Some(format!("the {end} value is {value}: if it marks missing elements, add --missing={value}"))
}
